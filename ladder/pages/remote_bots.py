"""Remote bots on pages: register one, declare what it is, and whether it is online."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from bots import remote
from bots.models import Bot, RemoteBot
from esr_platform.accounts.errors import NameRefused, Refused
from games.rules import DEFAULT_REASONS
from ladder import access
from ladder.members import memberships
from ladder.models import Match, PlayedMove, Seat
from ladder.openness import opened
from ladder.pages.components.responses import form_status
from ladder.pages.components.words import PROBLEMS, thinking
from ladder.pages.upload import RegisterForm, RemoteBotSettingsForm

# --- Presence --------------------------------------------------------------------------------------------------------

GAMES: Final = 20
"""Number of latest games that are evaluated."""

FAULTS_SHOWN: Final = 10
_FAULTS: Final = [reason for reason in DEFAULT_REASONS if reason in PROBLEMS]


@dataclass(frozen=True)
class Presence:
    """Whether a remote bot is online, since when, when it was last seen, and its number of games."""

    here: bool
    since: datetime | None
    seen: datetime | None
    playing: int
    games_at_once: int


@dataclass(frozen=True)
class RejectedAnswer:
    """An answer that cost a strike: match, decision, problem and the received text."""

    match_id: int
    decision: int
    kind: str
    problem: str
    detail: str
    heard: str


@dataclass(frozen=True)
class Answering:
    """Answers of a bot in its latest games: number, median and 95th percentile in ms, and faults.

    ``network`` is the median time that the client was not thinking, ``None`` if no client reports its thinking time.
    """

    answers: int
    middle: int
    slow: int
    network: int | None
    faults: Sequence[RejectedAnswer]

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Labels and values."""
        if not self.answers:
            return []
        shown = [
            (_("Answer time, median"), thinking(1000 * self.middle)),
            (_("Answer time, 95th percentile"), thinking(1000 * self.slow)),
        ]
        network = [] if self.network is None else [(_("Network time, median"), thinking(1000 * self.network))]
        return shown + network


def presence(bot: Bot, its: QuerySet[Match]) -> Presence | None:
    """Return the presence of a remote bot, ``None`` for a hosted one. ``its`` are its matches visible to the viewer.

    Two queries.
    """
    if bot.kind != Bot.Kind.REMOTE:
        return None
    bots: Any = RemoteBot.objects.annotate(here=Exists(remote.here().filter(pk=OuterRef("pk"))))
    found = bots.get(pk=bot.pk)
    playing = its.filter(status=Match.Status.RUNNING).count()
    return Presence(found.here, found.here_since, found.seen_at, playing, found.games_at_once)


def answering(bot: Bot) -> Answering:
    """Return the answers of ``bot`` in finished games, for its owner. Three queries."""
    over = Seat.objects.filter(opened("match__block"), version__bot=bot, live_seat__isnull=False).order_by("-pk")
    games = list(over.values_list("pk", flat=True)[:GAMES])
    asked = PlayedMove.objects.filter(seat__in=games, decision__isnull=False)
    times = sorted(asked.filter(default="").values_list("wall_ms", "thought_ms"))
    walls = [wall for wall, _thought in times]
    network = [max(0, wall - thought) for wall, thought in times if thought is not None]
    wrong = asked.filter(default__in=_FAULTS).order_by("-pk")[:FAULTS_SHOWN]
    return Answering(
        answers=len(walls),
        middle=round(median(walls)) if walls else 0,
        slow=walls[int(0.95 * len(walls))] if walls else 0,
        network=round(median(network)) if network else None,
        faults=[_fault(move) for move in wrong],
    )


def _fault(move: PlayedMove) -> RejectedAnswer:
    assert move.decision is not None
    return RejectedAnswer(move.match_id, move.decision, move.kind, _(PROBLEMS[move.default]), move.detail, move.heard)


# --- Views -----------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def register(request: HttpRequest) -> HttpResponse:
    """Register a remote bot. Guests see the requirements and a sign-in link."""
    if not request.user.is_authenticated:
        return render(request, "pages/register_remote.html")
    form = RegisterForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            version = memberships.register(request.user, said["name"], form.games, said["label"], said["games_at_once"])
            return redirect("pages:bot", version.bot.slug)
        except Refused as refusal:
            form.add_error("name" if isinstance(refusal, NameRefused) else None, str(refusal))
    return render(request, "pages/register_remote.html", {"form": form}, status=form_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def declare(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit the label, the formats and the number of simultaneous games."""
    bot = access.bot_changed_by(request.user, slug)
    if bot.kind != Bot.Kind.REMOTE:
        raise Http404(_("%(name)s is not a remote bot.") % {"name": bot.name})
    form = RemoteBotSettingsForm.of(bot, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            memberships.declare(bot, label=said["label"], games=form.games, games_at_once=said["games_at_once"])
            messages.success(request, _("Changes saved. Running games are not affected."))
            return redirect("pages:bot", bot.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "bot": bot}
    return render(request, "pages/register_remote.html", context, status=form_status(form))
