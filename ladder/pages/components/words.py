"""How pages write numbers, times and reasons, in the language of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.dateformat import format as formatted
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.protocol import Limits
from ladder.members.waits import Cause, Wait, waits_of
from ladder.models import Ladder, Membership

NUMBERS: Final = (
    gettext_noop("no"),
    gettext_noop("one"),
    gettext_noop("two"),
    gettext_noop("three"),
    gettext_noop("four"),
    gettext_noop("five"),
)

FORFEITS: Final = {
    "strikes": gettext_noop("Forfeited: too many strikes."),
    "exit": gettext_noop("Forfeited: its process ended during the game."),
    "not_ready": gettext_noop("Forfeited: not ready in time."),
    "memory": gettext_noop("Forfeited: more memory than a seat is given."),
    "time": gettext_noop("Forfeited: its time for the game was used up."),
    "resign": gettext_noop("Resigned."),
    "abandoned": gettext_noop("Forfeited: left the table."),
}

PROBLEMS: Final = {
    "late": gettext_noop("Too late"),
    "malformed": gettext_noop("Not an answer in the protocol"),
    "too_long": gettext_noop("The line was too long"),
    "wrong_id": gettext_noop("The id of another decision"),
    "illegal": gettext_noop("Not allowed by the rules"),
    "strikes": gettext_noop("The third strike"),
    "exit": gettext_noop("Its process ended"),
    "not_ready": gettext_noop("Not ready in time"),
    "memory": gettext_noop("More memory than a seat is given"),
    "time": gettext_noop("Its time for the game was used up"),
}
"""What a bot did wrong: strikes and forfeits, by the words of the protocol."""

STATUSES: Final = {
    "queued": gettext_noop("waits for a worker"),
    "running": gettext_noop("is being played"),
    "finished": gettext_noop("finished"),
    "void": gettext_noop("void"),
    "cancelled": gettext_noop("cancelled"),
    "aborted": gettext_noop("aborted"),
}

PLAYERS: Final = {
    "hosted": gettext_noop("hosted bots"),
    "remote": gettext_noop("remote bots"),
    "open": gettext_noop("people and bots"),
    "people": gettext_noop("people"),
}
"""Who sits at the tables of a ladder, by ``Ladder.Players``."""


def sentence(text: str) -> str:
    """``text`` with a capital at its beginning and a full stop at its end."""
    text = text.strip()
    whole = text if not text or text[-1] in ".?!" else f"{text}."
    return whole[:1].upper() + whole[1:]


def visible(text: str) -> str:
    """Text of a stranger with nothing in it that cannot be seen, or that turns the text beside it around."""
    kept = "\n\t"
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode("ascii") for char in text
    )


def number(count: int) -> str:
    """Small numbers as words."""
    return gettext(NUMBERS[count]) if count < len(NUMBERS) else str(count)


def seats(count: int) -> str:
    """``four seats``."""
    return ngettext("%(number)s seat", "%(number)s seats", count) % {"number": number(count)}


def players_word(players: str) -> str:
    """``remote bots``."""
    return gettext(PLAYERS[players])


def table(ladder: Ladder) -> str:
    """``four seats``, of a live ladder ``four seats, remote bots``."""
    its = seats(ladder.seats)
    if not ladder.live:
        return its
    return gettext("%(seats)s, %(players)s") % {"seats": its, "players": players_word(ladder.players)}


def seat_counts(counts: Sequence[int]) -> str:
    """``three, four or five players``."""
    *others, last = [number(count) for count in counts]
    listed = gettext("%(first)s or %(last)s") % {"first": ", ".join(others), "last": last} if others else last
    return gettext("%(number)s players") % {"number": listed}


def enumerated(words: Sequence[str]) -> str:
    """``a``, ``a and b`` or ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def grouped(count: int) -> str:
    """``48 120``, with narrow spaces that do not break."""
    return f"{count:,}".replace(",", "\u202f")


def size(count: int) -> str:
    """A number of bytes in its one fitting unit: ``840 bytes``, ``84 KiB``, ``1.5 MiB``, ``8 MiB``."""
    if count < 1024:
        return ngettext("%(count)s byte", "%(count)s bytes", count).replace(" ", "\u00a0") % {"count": count}
    if count < 1024 * 1024:
        return f"{count / 1024:.{0 if count >= 10_240 else 1}f}\u00a0KiB".replace(".0\u00a0", "\u00a0")
    return f"{count / 1024**2:.1f}\u00a0MiB".replace(".0\u00a0", "\u00a0")


def points(rating: int | None, digits: int = 0) -> str:
    """A rating of 1/1000 points in points; a dash where nothing counts."""
    return "–" if rating is None else f"{rating / 1000:.{digits}f}"


def signed(change: int | None, digits: int = 0) -> str:
    """A change of 1/1000 points in points, with a true minus: ``+12``, ``−4``, ``0``; a dash where nothing counts."""
    if change is None:
        return "–"
    text = f"{abs(change) / 1000:.{digits}f}"
    if not text.strip("0."):
        return text
    return ("+" if change > 0 else "−") + text


def span(seconds: float) -> str:
    """A length of time in its one fitting unit: ``40 s``, ``3 min``, ``2 h``, ``5 days``."""
    for limit, unit, length in ((90, "s", 1), (5400, "min", 60), (129_600, "h", 3600)):
        if seconds < limit:
            return f"{max(0, round(seconds / length))}\u00a0{unit}"
    days = round(seconds / 86_400)
    return ngettext("%(days)s day", "%(days)s days", days).replace(" ", "\u00a0") % {"days": days}


def time_taken(seconds: float) -> str:
    """A measured length of time: ``0.24 s``, ``3.1 s``, from ten seconds on as :func:`span` says it."""
    return span(seconds) if seconds >= 9.95 else f"{max(0.0, seconds):.2g}\u00a0s"


def thinking(us: int) -> str:
    """A short measured time, from microseconds: ``840 µs``, ``4.5 ms``, ``76 ms``, ``1.2 s``."""
    if us < 1000:
        return f"{us}\u00a0µs"
    return f"{us / 1000:.{1 if us < 10_000 else 0}f}\u00a0ms" if us < 1_000_000 else f"{us / 1_000_000:.1f}\u00a0s"


def ago(then: datetime, now: datetime) -> str:
    """``3 min ago``; the day itself once it is more than six days back."""
    seconds = (now - then).total_seconds()
    return gettext("%(span)s ago") % {"span": span(seconds)} if seconds < 6 * 86_400 else day(then)


def day(moment: datetime) -> str:
    """``14 Mar 2027``."""
    return formatted(moment, "j M Y")


# --- Time controls ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clock:
    """What a decision has, what a seat has beside that in one game, and what it has for all of its decisions."""

    limits: Limits

    @classmethod
    def of(cls, ladder: Ladder) -> Clock:
        """The clock of the games of ``ladder``."""
        return cls(Limits(**ladder.limits))

    @property
    def move(self) -> str:
        return time_taken(self.limits.move_ms / 1000)

    @property
    def bank(self) -> str:
        return time_taken(self.limits.bank_ms / 1000)

    @property
    def game(self) -> str:
        return time_taken(self.limits.game_ms / 1000)


# --- What a bot waits for --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reason:
    """One answer: on which ladder (``None``: on all), what everybody may read, and what is for the owner beside it."""

    wait: Wait
    said: str
    for_owner: str


def reasons(bot: Bot, versions: Sequence[BotVersion], memberships: Sequence[Membership], inside: bool) -> list[Reason]:
    """Why ``bot`` does not play at this moment, of its ``memberships`` with their ladders.

    Versions that are not ready are for those ``inside`` alone, its owner and staff.
    """
    waits = waits_of(bot, versions, memberships)
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


def _paused_sentence(name: str, wait: Wait) -> str:
    return _("%(name)s is on leave. %(why)s") % {"name": name, "why": sentence(visible(wait.detail))}


def _workers_down(_name: str, wait: Wait) -> str:
    return _("Nothing is played at the moment: %(why)s") % {"why": sentence(visible(wait.detail))}


_SENTENCES: Final[dict[Cause, Callable[[str, Wait], str]]] = {
    Cause.RETIRED: _named(gettext_noop("%(name)s is retired: it gets no new games until its owner takes it back.")),
    Cause.SUSPENDED: _named(
        gettext_noop("%(name)s is suspended by the people who look after the site: it gets no games.")
    ),
    Cause.PAUSED: _paused_sentence,
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
    Cause.PAUSED: gettext_noop("Read the logs of those games, bring a better version, and put it back above."),
    Cause.NO_VERSION: gettext_noop("Upload a version; its check says what is missing."),
    Cause.AWAY: gettext_noop("Start its program: it is given games as soon as it is here."),
    Cause.DECLINED: gettext_noop("Tick the ladder to come back with the rating that it had."),
    Cause.NOT_CLAIMED: gettext_noop("Bring a version that claims it, or let an older one play again."),
    Cause.TOO_FEW: gettext_noop("Your bots do not meet each other. Invite somebody."),
}
"""What the owner can do about it."""
