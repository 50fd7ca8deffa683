"""On which ladders a bot plays or will play, as ticks for its owner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bots.models import Bot, BotVersion
from ladder.members import membership
from ladder.members.membership import enters_by_itself, kind_sits
from ladder.models import Entry, Ladder, Membership
from ladder.pages.words import enumerated, points


@dataclass(frozen=True)
class Choice:
    """A ladder on which the bot is, or whose table one of its versions claims.

    ``by_itself`` says whether the bot is there without its owner's tick, ``claimed`` whether the version that plays
    wants to sit there; ``waiting`` is one that would and is not ready.
    """

    ladder: Ladder
    entry: Entry | None
    by_itself: bool
    claimed: bool
    waiting: BotVersion | None

    @property
    def ticked(self) -> bool:
        """Whether the owner wants it there."""
        return self.by_itself if self.entry is None else not self.entry.declined

    @property
    def open(self) -> bool:
        """Whether the tick means anything now."""
        return self.ladder.open and (self.claimed or self.waiting is not None)

    @property
    def note(self) -> str:
        """What the tick leads to."""
        if not self.ladder.open:
            return _("closed")
        if not self.claimed:
            return _from(self.waiting) if self.waiting else _("not claimed by the version that plays")
        if self.entry is None or not self.entry.games:
            return "" if self.ticked else _("not entered")
        text = ngettext("%(rating)s after %(games)s game", "%(rating)s after %(games)s games", self.entry.games)
        return text % {"rating": points(self.entry.rating), "games": self.entry.games}


def _from(version: BotVersion) -> str:
    return _("from v%(number)s on") % {"number": version.number}


def choices(bot: Bot, versions: Sequence[BotVersion], entries: Iterable[Entry]) -> list[Choice]:
    """The ladders that concern ``bot``, from its active and waiting ``versions`` and its ``entries``; one query."""
    active = next((version for version in versions if version.active), None)
    waiting = [version for version in versions if version.state in BotVersion.UNCHECKED]
    by_ladder = {entry.ladder_id: entry for entry in entries}
    return [
        choice
        for ladder in _welcoming(bot).order_by("pk")
        for choice in _choice(bot, ladder, by_ladder.get(ladder.pk), active, waiting)
    ]


def _choice(
    bot: Bot, ladder: Ladder, entry: Entry | None, active: BotVersion | None, waiting: Sequence[BotVersion]
) -> Iterator[Choice]:
    frozen = entry is not None and entry.frozen_id is not None
    claimed = frozen or (active is not None and _claims(bot, active, ladder))
    later = next((version for version in waiting if _claims(bot, version, ladder)), None)
    if (ladder.open and (claimed or later)) or entry is not None:
        yield Choice(ladder, entry, enters_by_itself(bot, ladder), claimed, later)


def _claims(bot: Bot, version: BotVersion, ladder: Ladder) -> bool:
    """Whether ``version`` wants to sit there, and bots of its kind do."""
    return kind_sits(bot, ladder) and version.claims_table(ladder.game, ladder.seats)


def choose(bot: Bot, shown: Iterable[str], ticked: Iterable[str]) -> str:
    """Enter ``bot`` on the ladders that are ticked and take it from the others that were shown; what changed, in words.

    ``shown`` and ``ticked`` are ladders' slugs. Raises ``joining.CannotJoin`` for the first that cannot be joined.
    """
    wanted = set(ticked)
    joined, left = [], []
    for choice in _shown(bot, shown):
        if choice.ladder.slug in wanted and not choice.ticked:
            membership.join(bot, choice.ladder)
            joined.append(choice.ladder.name)
        elif choice.ladder.slug not in wanted and choice.ticked:
            membership.leave(bot, choice.ladder)
            left.append(choice.ladder.name)
    return _told(bot, joined, left)


def _shown(bot: Bot, slugs: Iterable[str]) -> list[Choice]:
    """The ladders at these addresses as they stand for ``bot``."""
    entries = {entry.ladder_id: entry for entry in Entry.objects.filter(bot=bot)}
    ladders = _welcoming(bot).filter(slug__in=[slug for slug in slugs if "\0" not in slug]).order_by("pk")
    return [Choice(ladder, entries.get(ladder.pk), enters_by_itself(bot, ladder), True, None) for ladder in ladders]


def _welcoming(bot: Bot) -> QuerySet[Ladder]:
    """The ladders to which the owner of ``bot`` may bring it, or has."""
    member = Membership.objects.filter(person=bot.owner_id).values("ladder")
    return Ladder.objects.filter(Q(by_invitation=False) | Q(pk__in=member) | Q(entries__bot=bot)).distinct()


def _told(bot: Bot, joined: Sequence[str], left: Sequence[str]) -> str:
    said = []
    if joined:
        said.append(_("%(name)s is entered: %(ladders)s.") % {"name": bot.name, "ladders": enumerated(joined)})
    if left:
        text = _("%(name)s gets no new matches: %(ladders)s. Those that wait are played, and its rating stays.")
        said.append(text % {"name": bot.name, "ladders": enumerated(left)})
    return " ".join(said) or _("Nothing has changed.")
