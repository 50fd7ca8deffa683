"""Pages for owners: the list of their bots, the owner's panel of a bot, its ladders and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots import owners, remote
from bots.models import Bot, BotVersion
from bots.uploads.queue import waiting
from esr_platform.accounts.errors import Refused
from games.registry import GAMES
from ladder import access
from ladder.access import found
from ladder.matches import pauses
from ladder.members import memberships
from ladder.members.memberships import enters_by_itself, kind_sits
from ladder.models import Invitation, Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.pages.components.responses import form_status
from ladder.pages.components.words import enumerated, points
from ladder.pages.remote_bots import Answering, answering
from ladder.pages.upload import WordsForm
from ladder.pages.version import ValidationProgress

# --- Ladders of a bot ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LadderChoice:
    """A ladder that the bot has joined, or whose format one of its versions supports.

    ``by_itself`` is true if the bot joins without its owner's choice, ``claimed`` if the active version supports the
    format; ``waiting`` is a version that supports it and is not validated yet.
    """

    ladder: Ladder
    membership: Membership | None
    by_itself: bool
    claimed: bool
    waiting: BotVersion | None

    @property
    def ticked(self) -> bool:
        """Whether the owner wants the bot on this ladder."""
        return self.by_itself if self.membership is None else not self.membership.declined

    @property
    def open(self) -> bool:
        """Whether the choice has an effect now."""
        return self.ladder.open and (self.claimed or self.waiting is not None)

    @property
    def note(self) -> str:
        """A note on the bot's status on this ladder."""
        if not self.ladder.open:
            return _("Closed")
        if not self.claimed:
            return _from(self.waiting) if self.waiting else _("Not supported by the active version")
        if self.membership is None or not self.membership.games:
            return "" if self.ticked else _("Not joined")
        text = ngettext(
            "Rating %(rating)s after %(games)s game", "Rating %(rating)s after %(games)s games", self.membership.games
        )
        return text % {"rating": points(self.membership.rating), "games": self.membership.games}


def _from(version: BotVersion) -> str:
    return _("After v%(number)s is validated") % {"number": version.number}


def choices(bot: Bot, versions: Sequence[BotVersion], memberships: Iterable[Membership]) -> list[LadderChoice]:
    """Return the ladders for ``bot``, given its active and queued ``versions`` and its ``memberships``. One query."""
    active = next((version for version in versions if version.active), None)
    waiting = [version for version in versions if version.state in BotVersion.UNVALIDATED]
    by_ladder = {membership.ladder_id: membership for membership in memberships}
    return [
        choice
        for ladder in _welcoming(bot).order_by("pk")
        for choice in _choice(bot, ladder, by_ladder.get(ladder.pk), active, waiting)
    ]


def _choice(
    bot: Bot, ladder: Ladder, membership: Membership | None, active: BotVersion | None, waiting: Sequence[BotVersion]
) -> Iterator[LadderChoice]:
    frozen = membership is not None and membership.frozen_id is not None
    claimed = frozen or (active is not None and _claims(bot, active, ladder))
    later = next((version for version in waiting if _claims(bot, version, ladder)), None)
    if (ladder.open and (claimed or later)) or membership is not None:
        yield LadderChoice(ladder, membership, enters_by_itself(bot, ladder), claimed, later)


def _claims(bot: Bot, version: BotVersion, ladder: Ladder) -> bool:
    """Whether ``version`` supports the format and the ladder is for its kind of bot."""
    return kind_sits(bot, ladder) and version.supports(ladder.game, ladder.seats)


def choose(bot: Bot, shown: Iterable[str], ticked: Iterable[str]) -> str:
    """Join the selected ladders, leave the other ones that were shown, and return a sentence on the changes.

    ``shown`` and ``ticked`` are slugs. Raises ``memberships.CannotJoin`` for the first ladder that cannot be joined.
    """
    wanted = set(ticked)
    joined, left = [], []
    for choice in _shown(bot, shown):
        if choice.ladder.slug in wanted and not choice.ticked:
            memberships.join(bot, choice.ladder)
            joined.append(choice.ladder.name)
        elif choice.ladder.slug not in wanted and choice.ticked:
            memberships.leave(bot, choice.ladder)
            left.append(choice.ladder.name)
    return _told(bot, joined, left)


def _shown(bot: Bot, slugs: Iterable[str]) -> list[LadderChoice]:
    """Return the choices of ``bot`` for the ladders with these slugs."""
    memberships = {membership.ladder_id: membership for membership in Membership.objects.filter(bot=bot)}
    ladders = _welcoming(bot).filter(slug__in=[slug for slug in slugs if "\0" not in slug]).order_by("pk")
    return [
        LadderChoice(ladder, memberships.get(ladder.pk), enters_by_itself(bot, ladder), True, None)
        for ladder in ladders
    ]


def _welcoming(bot: Bot) -> QuerySet[Ladder]:
    """The ladders that ``bot`` has joined or that its owner may choose."""
    member = Invitation.objects.filter(person=bot.owner_id).values("ladder")
    return Ladder.objects.filter(Q(by_invitation=False) | Q(pk__in=member) | Q(memberships__bot=bot)).distinct()


def _told(bot: Bot, joined: Sequence[str], left: Sequence[str]) -> str:
    sentences = []
    if joined:
        sentences.append(_("%(name)s joined %(ladders)s.") % {"name": bot.name, "ladders": enumerated(joined)})
    if left:
        text = _("%(name)s left %(ladders)s. Queued matches are still played, and the rating is kept.")
        sentences.append(text % {"name": bot.name, "ladders": enumerated(left)})
    return " ".join(sentences) or _("No changes.")


# --- The list --------------------------------------------------------------------------------------------------------


STATUSES: Final = {
    "retired": gettext_noop("Retired"),
    "suspended": gettext_noop("Suspended"),
    "paused": gettext_noop("Paused"),
    "no_version": gettext_noop("No active version"),
    "online": gettext_noop("Online"),
    "offline": gettext_noop("Offline"),
    "active": gettext_noop("v%(number)s active"),
}


@dataclass(frozen=True)
class Mine:
    """One of the user's bots, with its newest and its active version."""

    bot: Bot
    trial: ValidationProgress | None
    active: BotVersion | None
    here: bool

    @property
    def status(self) -> str:
        """The key of the status in ``STATUSES``."""
        if self.bot.retired is not None:
            return "retired"
        if self.bot.suspended is not None:
            return "suspended"
        if self.bot.paused is not None:
            return "paused"
        if self.active is None:
            return "no_version"
        if self.bot.kind == Bot.Kind.REMOTE:
            return "online" if self.here else "offline"
        return "active"

    @property
    def state(self) -> str:
        """The status label."""
        return _(STATUSES[self.status]) % {"number": self.active.number if self.active else ""}

    @property
    def news(self) -> str:
        """The state of the newest version if it is not the active one."""
        if self.trial is None or self.trial.version == self.active:
            return ""
        return self.trial.heading


def my_bots(owner: Viewer) -> Sequence[Mine]:
    """Return all bots of ``owner``, retired ones last. Three queries; settings limit the number of bots."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("pk")[:1]
    shown = BotVersion.objects.filter(Q(active=True) | Q(pk=Subquery(newest)))
    versions = shown.defer("validation_report").order_by("-number")
    memberships = Membership.objects.filter(active=True).select_related("ladder").order_by("ladder")
    bots = (
        Bot.objects.of_code()
        .filter(owner=owner.pk)
        .annotate(played=Sum("memberships__games", default=0), here=Exists(remote.here().filter(pk=OuterRef("pk"))))
        .prefetch_related(Prefetch("versions", queryset=versions), Prefetch("memberships", queryset=memberships))
        .order_by("-retired", "name", "pk")
    )
    return sorted((_mine(bot) for bot in bots), key=lambda row: row.bot.retired is not None)


def _mine(bot: Any) -> Mine:
    versions = list(bot.versions.all())
    active = next((version for version in versions if version.active), None)
    checked = versions and bot.kind != Bot.Kind.REMOTE
    return Mine(bot, ValidationProgress(versions[0]) if checked else None, active, bot.here)


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/my_bots.html", {"bots": my_bots(request.user), "games": GAMES.values()})


# --- The panel of a bot ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """The owner's panel: validation of the newest version and the choice of ladders.

    ``yours`` is false for staff, who cannot change anything. ``others`` is the number of other queued versions on the
    site. ``is_ready`` is false if no version has passed validation. Remote bots have no validation; ``answering``
    contains their answer times and faults.
    """

    bot: Bot
    yours: bool
    trial: ValidationProgress | None
    choices: Sequence[LadderChoice]
    others: int
    is_ready: bool
    answering: Answering | None

    @property
    def can_choose(self) -> bool:
        """Whether any choice has an effect now."""
        return self.bot.retired is None and any(choice.open for choice in self.choices)

    @property
    def live_ladder(self) -> str:
        """The slug of a live ladder on which a remote bot can play now, or an empty string."""
        there = (choice for choice in self.choices if choice.open and choice.ticked and choice.claimed)
        return next((choice.ladder.slug for choice in there if choice.ladder.live), "")


def panel(bot: Bot, versions: Sequence[BotVersion], memberships: Sequence[Membership], yours: bool) -> Panel | None:
    """Return the panel of ``bot``, given its newest, active and queued ``versions`` (newest first) and memberships.

    At most two queries, three for a remote bot. ``None`` for house bots.
    """
    if bot.owner_id is None:
        return None
    is_remote = bot.kind == Bot.Kind.REMOTE
    trial = ValidationProgress(versions[0]) if versions and not is_remote else None
    received = trial is not None and trial.version.state == BotVersion.State.RECEIVED
    others = waiting().exclude(pk=versions[0].pk).count() if received else 0
    how = answering(bot) if is_remote else None
    is_ready = any(version.state == BotVersion.State.READY for version in versions)
    return Panel(bot, yours, trial, choices(bot, versions, memberships), others, is_ready, how)


# --- Actions ---------------------------------------------------------------------------------------------------------

View = Callable[..., HttpResponse]


def _owners(does: Callable[..., str]) -> View:
    """Return a view that changes an owner's bot and redirects to its page with the message that ``does`` returns."""

    @require_POST
    @wraps(does)
    def view(request: HttpRequest, slug: str, **names: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("pages:bot", args=[slug]))
        bot = access.bot_changed_by(request.user, slug)
        try:
            messages.success(request, does(bot, request, **names))
        except Refused as refusal:
            messages.error(request, str(refusal))
        return redirect("pages:bot", bot.slug)

    return view


@_owners
def activate(bot: Bot, _request: HttpRequest, number: int) -> str:
    otherwise = _("%(name)s does not have a version %(number)s.") % {"name": bot.name, "number": number}
    memberships.activate(found(bot.versions.all(), otherwise, number=number))
    return _("v%(number)s is active and plays in all new matches.") % {"number": number}


@_owners
def choose_ladders(bot: Bot, request: HttpRequest) -> str:
    return choose(bot, request.POST.getlist("shown"), request.POST.getlist("ladder"))


@_owners
def resume(bot: Bot, _request: HttpRequest) -> str:
    pauses.resume(bot)
    return _("%(name)s is resumed and gets new matches again.") % {"name": bot.name}


@_owners
def restore(bot: Bot, _request: HttpRequest) -> str:
    memberships.restore(bot)
    return _("%(name)s is restored and back on its ladders.") % {"name": bot.name}


@_owners
def hide_source(bot: Bot, _request: HttpRequest) -> str:
    owners.publish_source(bot, False)
    return _("The source code is private again. Copies that were already downloaded are not affected.")


@_owners
def _publish(bot: Bot, _request: HttpRequest) -> str:
    owners.publish_source(bot, True)
    return _("The source code is public. Everyone can read and download the active version.")


@_owners
def _retire(bot: Bot, _request: HttpRequest) -> str:
    memberships.retire(bot)
    return _("%(name)s is retired. Its results and ratings are kept.") % {"name": bot.name}


def _confirmed(template: str, view: View) -> View:
    """Return a view that asks for confirmation on a separate page and then calls ``view``."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @never_cache
    @wraps(view)
    def asking(request: HttpRequest, slug: str) -> HttpResponse:
        if request.method == "POST":
            return view(request, slug)
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return render(request, template, {"bot": access.bot_changed_by(request.user, slug)})

    return asking


retire = _confirmed("pages/retire.html", _retire)
publish_source = _confirmed("pages/publish_source.html", _publish)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit the name and the description; links to publishing the source and retiring the bot."""
    bot = access.bot_changed_by(request.user, slug)
    form = WordsForm(bot, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            owners.rename(bot, form.cleaned_data["name"])
            owners.describe(bot, form.cleaned_data["description"])
            messages.success(request, _("Changes saved."))
            return redirect("pages:bot", bot.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    status = form_status(form)
    return render(request, "pages/bot_settings.html", {"bot": bot, "form": form}, status=status)
