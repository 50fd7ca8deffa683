"""Remote bots on pages: register one, declare what it is, and whether it is online."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
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
from ladder.live.answer_times import AnswerTimes, answer_times, latest_decisions
from ladder.members import memberships
from ladder.models import Match, PlayedMove
from ladder.pages.components.responses import form_status
from ladder.pages.components.words import PROBLEMS, thinking
from ladder.pages.upload import RegisterForm, RemoteBotSettingsForm

# --- Presence --------------------------------------------------------------------------------------------------------

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
    """The answer times of a bot in its latest games, and the answers that cost a strike."""

    times: AnswerTimes
    faults: Sequence[RejectedAnswer]

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Labels and values."""
        times = self.times
        if not times.answers:
            return []
        shown = [
            (_("Answer time, median"), thinking(1000 * times.middle)),
            (_("Answer time, 95th percentile"), thinking(1000 * times.slow)),
        ]
        network = [] if times.network is None else [(_("Network time, median"), thinking(1000 * times.network))]
        return shown + network


def presence(bot: Bot, matches: QuerySet[Match]) -> Presence | None:
    """Return the presence of a remote bot, ``None`` for a hosted one. ``matches`` are those that the viewer may see.

    Two queries.
    """
    if bot.kind != Bot.Kind.REMOTE:
        return None
    bots: Any = RemoteBot.objects.annotate(here=Exists(remote.here().filter(pk=OuterRef("pk"))))
    remote_bot = bots.get(pk=bot.pk)
    playing = matches.filter(status=Match.Status.RUNNING).count()
    return Presence(remote_bot.here, remote_bot.here_since, remote_bot.seen_at, playing, remote_bot.games_at_once)


def answering(bot: Bot) -> Answering:
    """Return the answers of ``bot`` in finished games, for its owner. Three queries."""
    decisions = latest_decisions(bot)
    rejected = decisions.filter(default__in=_FAULTS).order_by("-pk")[:FAULTS_SHOWN]
    return Answering(answer_times(decisions), [_fault(move) for move in rejected])


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
        values = form.cleaned_data
        try:
            version = memberships.register(
                request.user, values["name"], values["formats"], values["label"], values["games_at_once"]
            )
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
        values = form.cleaned_data
        try:
            memberships.declare(
                bot, label=values["label"], formats=values["formats"], games_at_once=values["games_at_once"]
            )
            messages.success(request, _("Changes saved. Running games are not affected."))
            return redirect("pages:bot", bot.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "bot": bot}
    return render(request, "pages/register_remote.html", context, status=form_status(form))
