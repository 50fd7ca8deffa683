"""What a bot waits for, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from bots.models import Bot, BotVersion
from ladder.members.standings import Cause, Wait, waits_of
from ladder.models import Entry
from ladder.pages.words import grouped, number, seats, sentence, span, visible


@dataclass(frozen=True)
class Reason:
    """One answer: on which ladder (``None``: on all), what everybody may read, and what is for the owner beside it."""

    wait: Wait
    said: str
    for_owner: str


def reasons(bot: Bot, versions: Sequence[BotVersion], entries: Sequence[Entry], inside: bool) -> list[Reason]:
    """Why ``bot`` does not play at this moment, of its ``entries`` with their ladders.

    Versions that are not ready are for those ``inside`` alone, its owner and staff.
    """
    waits = waits_of(bot, versions, entries)
    if not inside and waits and waits[0].cause is Cause.IN_CHECK:
        waits = waits[1:] or [Wait(Cause.NO_VERSION)]
    return [Reason(wait, _SENTENCES[wait.cause](bot.name, wait), _for_owner(wait) if inside else "") for wait in waits]


def _for_owner(wait: Wait) -> str:
    known = _FOR_OWNERS.get(wait.cause)
    return _(known) if known else ""


def _about(seconds: float | None) -> str:
    if seconds is None:
        return _("no game was finished in the last minutes, so there is no estimate")
    if seconds < 10:
        return _("probably within seconds")
    return _("probably in about %(span)s") % {"span": span(seconds)}


def _queued(_name: str, wait: Wait) -> str:
    said = _("Its next game is at place %(place)s of %(among)s in the queue: %(about)s.")
    return said % {"place": wait.place, "among": grouped(wait.among), "about": _about(wait.seconds)}


def _its_turn(name: str, wait: Wait) -> str:
    said = ngettext(
        "%(name)s waits for its turn among %(bots)s bot,"
        " which comes after %(deals)s more deals at the latest: %(about)s.",
        "%(name)s waits for its turn among %(bots)s bots,"
        " which comes after %(deals)s more deals at the latest: %(about)s.",
        wait.among,
    )
    figures = {"bots": grouped(wait.among), "deals": grouped(wait.place), "about": _about(wait.seconds)}
    return said % {"name": name, **figures}


def _in_check(_name: str, wait: Wait) -> str:
    version = f"v{wait.version.number}" if wait.version else _("A version")
    if not wait.place:
        return _("%(version)s is being checked now.") % {"version": version}
    said = _("%(version)s waits for its check, at place %(place)s of %(among)s.")
    return said % {"version": version, "place": wait.place, "among": grouped(wait.among)}


def _too_few(_name: str, wait: Wait) -> str:
    needed = wait.ladder.seats if wait.ladder else 0
    said = _(
        "A table has %(seats)s, and bots of one owner do not meet: those that play here can fill only %(number)s,"
        " and no bot of the house can fill up."
    )
    return said % {"seats": seats(needed), "number": number(wait.among)}


def _named(said: str) -> Callable[[str, Wait], str]:
    """A sentence about a bot with this name."""
    return lambda name, _wait: _(said) % {"name": name}


def _plain(said: str) -> Callable[[str, Wait], str]:
    return lambda _name, _wait: _(said)


def _on_leave(name: str, wait: Wait) -> str:
    return _("%(name)s is on leave. %(why)s") % {"name": name, "why": sentence(visible(wait.detail))}


def _workers_down(_name: str, wait: Wait) -> str:
    return _("Nothing is played at the moment: %(why)s") % {"why": sentence(visible(wait.detail))}


_SENTENCES: Final[dict[Cause, Callable[[str, Wait], str]]] = {
    Cause.RETIRED: _named(gettext_noop("%(name)s is retired: it gets no new games until its owner takes it back.")),
    Cause.SUSPENDED: _named(
        gettext_noop("%(name)s is suspended by the people who look after the site: it gets no games.")
    ),
    Cause.ON_LEAVE: _on_leave,
    Cause.IN_CHECK: _in_check,
    Cause.NO_VERSION: _named(gettext_noop("No version of %(name)s is ready to play.")),
    Cause.AWAY: _named(
        gettext_noop("%(name)s is away: its program, which runs elsewhere, neither holds a stream open nor asks.")
    ),
    Cause.DECLINED: _named(gettext_noop("%(name)s has left this ladder.")),
    Cause.MERGED: _named(
        gettext_noop("The results of %(name)s do not count for it here any more; the accounts say why.")
    ),
    Cause.NOT_CLAIMED: _plain(gettext_noop("The version that plays does not claim this table.")),
    Cause.CLOSED: _plain(gettext_noop("The ladder is closed: no new games are scheduled.")),
    Cause.NO_SEASON: _plain(gettext_noop("A season has closed, and the next one is not open yet.")),
    Cause.TOO_FEW: _too_few,
    Cause.WORKERS_DOWN: _workers_down,
    Cause.PLAYING: _named(gettext_noop("%(name)s is playing now.")),
    Cause.LATER: _plain(gettext_noop("Its next game is played again, or begins at its time: a worker takes it then.")),
    Cause.QUEUED: _queued,
    Cause.HOUSE_ALONE: _plain(
        gettext_noop(
            "Only house bots play on this ladder, so it has a few deals per hour, and none while every estimate is"
            " precise. As soon as somebody's bot joins, games are played at once."
        )
    ),
    Cause.ITS_TURN: _its_turn,
    Cause.NO_TABLE: _named(gettext_noop("%(name)s waits for others who are free to sit down with it.")),
}

_FOR_OWNERS: Final = {
    Cause.RETIRED: gettext_noop("Take it back above."),
    Cause.SUSPENDED: gettext_noop("The reason stands above. Write to them if you think it is a mistake."),
    Cause.ON_LEAVE: gettext_noop("Read the logs of those games, bring a better version, and put it back above."),
    Cause.NO_VERSION: gettext_noop("Upload a version; its check says what is missing."),
    Cause.AWAY: gettext_noop("Start its program: it is given games as soon as it is here."),
    Cause.DECLINED: gettext_noop("Tick the ladder to come back with the rating that it had."),
    Cause.NOT_CLAIMED: gettext_noop("Bring a version that claims it, or let an older one play again."),
    Cause.TOO_FEW: gettext_noop("Your bots do not meet each other. Invite somebody."),
}
"""What the owner can do about it."""
