"""Numbers, times, labels and reasons as pages show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from unicodedata import east_asian_width

from django.utils.dateformat import format as formatted
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext as _

from bots.models import Bot, BotVersion
from bots.protocol import Limits
from esr_platform.accounts.mail import contact_staff
from ladder.members.waits import Cause, Wait, waits_of
from ladder.models import Ladder, Membership

FORFEITS: Final = {
    "strikes": gettext_noop("Forfeit: third strike."),
    "exit": gettext_noop("Forfeit: process exited."),
    "not_ready": gettext_noop("Forfeit: not ready in time."),
    "memory": gettext_noop("Forfeit: memory limit exceeded."),
    "time": gettext_noop("Forfeit: time limit exceeded."),
    "resign": gettext_noop("Resigned."),
    "abandoned": gettext_noop("Forfeit: left the game."),
}

PROBLEMS: Final = {
    "late": gettext_noop("Late answer"),
    "malformed": gettext_noop("Malformed answer"),
    "too_long": gettext_noop("Answer too long"),
    "wrong_id": gettext_noop("Wrong decision id"),
    "illegal": gettext_noop("Illegal move"),
    "strikes": gettext_noop("Third strike"),
    "exit": gettext_noop("Process exited"),
    "not_ready": gettext_noop("Not ready in time"),
    "memory": gettext_noop("Memory limit exceeded"),
    "time": gettext_noop("Time limit exceeded"),
}
"""Labels of strikes and forfeits, by the protocol's reasons."""

STATUSES: Final = {
    "queued": gettext_noop("Queued"),
    "running": gettext_noop("Running"),
    "finished": gettext_noop("Finished"),
    "void": gettext_noop("Void"),
    "cancelled": gettext_noop("Canceled"),
    "aborted": gettext_noop("Aborted"),
}

PLAYERS: Final = {
    "hosted": gettext_noop("hosted bots"),
    "remote": gettext_noop("remote bots"),
    "open": gettext_noop("open to everyone"),
    "people": gettext_noop("human players"),
}
"""The players of a ladder, by ``Ladder.Players``."""


def sentence(text: str) -> str:
    """``text`` with a capital first letter and a full stop."""
    text = text.strip()
    whole = text if not text or text[-1] in ".?!" else f"{text}."
    return whole[:1].upper() + whole[1:]


def visible(text: str) -> str:
    """Text from users with invisible and direction-changing characters escaped."""
    kept = "\n\t"
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode("ascii") for char in text
    )


_NARROW: Final = frozenset("iljtfrI.,:;'|!()[]/- ")


def text_width(text: str, size: int) -> float:
    """The approximate width of ``text`` in a drawing; a server cannot measure it."""

    def of(char: str) -> float:
        if east_asian_width(char) in "WF":
            return 1.0
        if char in _NARROW:
            return 0.32
        if char in "WMmw@%&":
            return 0.97
        return 0.7 if char.isupper() else 0.53

    return size * sum(map(of, text))


def fitted(text: str, size: int, width: int) -> str:
    """``text``, shortened to ``width``."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def seats(count: int) -> str:
    """The size of a game, for example ``4 players``."""
    return ngettext("%(number)s player", "%(number)s players", count) % {"number": count}


def players_word(players: str) -> str:
    """The players of a ladder, for example ``remote bots``."""
    return gettext(PLAYERS[players])


def table(ladder: Ladder) -> str:
    """The size of a ladder's games, with the kind of player if they are live: ``4 players, remote bots``."""
    text = seats(ladder.seats)
    if not ladder.live:
        return text
    return gettext("%(seats)s, %(players)s") % {"seats": text, "players": players_word(ladder.players)}


def ladder_or_table(ladder: Ladder) -> str:
    """The table of a standard ladder, which follows the name of the game; the name of any other ladder."""
    return table(ladder) if ladder.is_standard else ladder.name


def seat_counts(counts: Sequence[int]) -> str:
    """The sizes that a game can have, for example ``3, 4 or 5 players``."""
    *others, last = counts
    if not others:
        return seats(last)
    listed = gettext("%(first)s or %(last)s") % {"first": ", ".join(map(str, others)), "last": last}
    return gettext("%(number)s players") % {"number": listed}


def enumerated(words: Sequence[str]) -> str:
    """``a``, ``a and b`` or ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def grouped(count: int) -> str:
    """A count with thousands separators: ``48,120``."""
    return f"{count:,}"


def size(count: int) -> str:
    """A number of bytes in a suitable unit: ``840 bytes``, ``84 KiB``, ``1.5 MiB``, ``8 MiB``."""
    if count < 1024:
        return ngettext("%(count)s byte", "%(count)s bytes", count).replace(" ", "\u00a0") % {"count": count}
    if count < 1024 * 1024:
        return f"{count / 1024:.{0 if count >= 10_240 else 1}f}\u00a0KiB".replace(".0\u00a0", "\u00a0")
    return f"{count / 1024**2:.1f}\u00a0MiB".replace(".0\u00a0", "\u00a0")


def points(rating: int | None, digits: int = 0) -> str:
    """A rating of 1/1000 points in points; a dash for ``None``."""
    return "–" if rating is None else f"{rating / 1000:.{digits}f}"


def signed(change: int | None, digits: int = 0) -> str:
    """A change of 1/1000 points in points, with a minus sign: ``+12``, ``−4``, ``0``; a dash for ``None``."""
    if change is None:
        return "–"
    text = f"{abs(change) / 1000:.{digits}f}"
    if not text.strip("0."):
        return text
    return ("+" if change > 0 else "−") + text


def span(seconds: float) -> str:
    """A duration in a suitable unit: ``40 s``, ``3 min``, ``2 h``, ``5 days``."""
    for limit, unit, length in ((90, "s", 1), (5400, "min", 60), (129_600, "h", 3600)):
        if seconds < limit:
            return f"{max(0, round(seconds / length))}\u00a0{unit}"
    days = round(seconds / 86_400)
    return ngettext("%(days)s day", "%(days)s days", days).replace(" ", "\u00a0") % {"days": days}


def time_taken(seconds: float) -> str:
    """A measured duration: ``0.24 s``, ``3.1 s``; at least ten seconds are written like :func:`span`."""
    return span(seconds) if seconds >= 9.95 else f"{max(0.0, seconds):.2g}\u00a0s"


def thinking(us: int) -> str:
    """A short measured duration in microseconds: ``840 µs``, ``4.5 ms``, ``76 ms``, ``1.2 s``."""
    if us < 1000:
        return f"{us}\u00a0µs"
    return f"{us / 1000:.{1 if us < 10_000 else 0}f}\u00a0ms" if us < 1_000_000 else f"{us / 1_000_000:.1f}\u00a0s"


def ago(then: datetime, now: datetime) -> str:
    """``3 min ago``; the date if it is more than six days ago."""
    seconds = (now - then).total_seconds()
    return gettext("%(span)s ago") % {"span": span(seconds)} if seconds < 6 * 86_400 else day(then)


def day(moment: datetime) -> str:
    """``14 Mar 2027``."""
    return formatted(moment, "j M Y")


# --- Time controls ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TimeControl:
    """The time control of a game: time per decision, time bank, and time for all decisions of a seat."""

    limits: Limits

    @classmethod
    def of(cls, ladder: Ladder) -> TimeControl:
        """The time control of ``ladder``."""
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


# --- Why a bot is not playing ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reason:
    """Why a bot is not playing on a ladder (all ladders if ``wait.ladder`` is ``None``), and advice for its owner."""

    wait: Wait
    said: str
    for_owner: str


def reasons(bot: Bot, versions: Sequence[BotVersion], memberships: Sequence[Membership], inside: bool) -> list[Reason]:
    """Why ``bot`` is not playing now, for each of its ``memberships`` with their ladders.

    Only viewers who are ``inside`` (its owner and staff) see versions that have not passed validation.
    """
    waits = waits_of(bot, versions, memberships)
    if not inside and waits and waits[0].cause is Cause.IN_VALIDATION:
        waits = waits[1:] or [Wait(Cause.NO_VERSION)]
    return [Reason(wait, _SENTENCES[wait.cause](bot.name, wait), _for_owner(wait) if inside else "") for wait in waits]


def _for_owner(wait: Wait) -> str:
    if wait.cause == Cause.SUSPENDED:
        return f"{_('The reason is shown above.')} {contact_staff('mistake')}"
    known = _FOR_OWNERS.get(wait.cause)
    return _(known) if known else ""


def _estimate(seconds: float | None) -> str:
    if seconds is None:
        return _("The start cannot be estimated because no game finished in the last few minutes.")
    if seconds < 10:
        return _("It will probably start within seconds.")
    return _("It will probably start in about %(span)s.") % {"span": span(seconds)}


def _queued(_name: str, wait: Wait) -> str:
    position = _("The next game is number %(place)s of %(among)s in the queue.")
    return f"{position % {'place': grouped(wait.place), 'among': grouped(wait.among)}} {_estimate(wait.seconds)}"


def _its_turn(name: str, wait: Wait) -> str:
    turn = ngettext(
        "%(name)s is the only bot that takes turns here. Deals until its turn: at most %(deals)s.",
        "%(name)s is one of %(bots)s bots that take turns here. Deals until its turn: at most %(deals)s.",
        wait.among,
    )
    figures = {"name": name, "bots": grouped(wait.among), "deals": grouped(wait.place)}
    return f"{turn % figures} {_estimate(wait.seconds)}"


def _in_check(_name: str, wait: Wait) -> str:
    version = f"v{wait.version.number}" if wait.version else _("The newest version")
    if wait.version and wait.version.state == BotVersion.State.UNDECIDED:
        return _("The site could not validate %(version)s yet. It tries again later.") % {"version": version}
    if not wait.place:
        return _("%(version)s is being validated now.") % {"version": version}
    position = _("%(version)s is number %(place)s of %(among)s in the validation queue.")
    return position % {"version": version, "place": grouped(wait.place), "among": grouped(wait.among)}


def _too_few(_name: str, wait: Wait) -> str:
    needed = wait.ladder.seats if wait.ladder else 0
    rule = _("A game needs %(players)s, and bots of the same owner do not play each other.") % {
        "players": seats(needed)
    }
    filled = ngettext(
        "The bots on this ladder can fill only %(number)s seat, and there are not enough house bots for the others.",
        "The bots on this ladder can fill only %(number)s seats, and there are not enough house bots for the others.",
        wait.among,
    )
    return f"{rule} {filled % {'number': wait.among}}"


def _named(text: str) -> Callable[[str, Wait], str]:
    """A sentence that contains the name of the bot."""
    return lambda name, _wait: _(text) % {"name": name}


def _plain(text: str) -> Callable[[str, Wait], str]:
    return lambda _name, _wait: _(text)


def _paused(name: str, wait: Wait) -> str:
    return f"{_('%(name)s is paused.') % {'name': name}} {sentence(visible(wait.detail))}"


def _ladder_paused(_name: str, wait: Wait) -> str:
    return f"{_('This ladder is paused. No games start.')} {sentence(visible(wait.detail))}"


def _workers_down(_name: str, wait: Wait) -> str:
    return f"{_('No games are being played at the moment.')} {sentence(visible(wait.detail))}"


_SENTENCES: Final[dict[Cause, Callable[[str, Wait], str]]] = {
    Cause.RETIRED: _named(gettext_noop("%(name)s is retired. It gets no new games unless its owner restores it.")),
    Cause.SUSPENDED: _named(gettext_noop("%(name)s was suspended by a moderator. It gets no games.")),
    Cause.PAUSED: _paused,
    Cause.IN_VALIDATION: _in_check,
    Cause.NO_VERSION: _named(gettext_noop("%(name)s has no active version.")),
    Cause.AWAY: _named(gettext_noop("%(name)s is offline. Its program has no open event stream and is not polling.")),
    Cause.DECLINED: _named(gettext_noop("%(name)s has left this ladder.")),
    Cause.MERGED: _named(
        gettext_noop(
            "The results of %(name)s no longer count for it on this ladder. The integrity report shows the reason."
        )
    ),
    Cause.NOT_SUPPORTED: _plain(gettext_noop("The active version does not support the format of this ladder.")),
    Cause.CLOSED: _plain(gettext_noop("This ladder is closed. No new games are scheduled.")),
    Cause.LADDER_PAUSED: _ladder_paused,
    Cause.NO_SEASON: _plain(
        gettext_noop("No season is open for new games. Games continue when the next season opens.")
    ),
    Cause.TOO_FEW: _too_few,
    Cause.WORKERS_DOWN: _workers_down,
    Cause.PLAYING: _named(gettext_noop("%(name)s is playing now.")),
    Cause.LATER: _plain(gettext_noop("The next game is a re-run or has a fixed start time, so it starts later.")),
    Cause.QUEUED: _queued,
    Cause.HOUSE_ALONE: _plain(
        gettext_noop(
            "Only house bots play on this ladder. They play a few deals per hour until all estimates are precise."
            " When a user's bot joins, games start immediately."
        )
    ),
    Cause.ITS_TURN: _its_turn,
    Cause.NO_TABLE: _named(gettext_noop("%(name)s is waiting until enough other players are available.")),
}

_FOR_OWNERS: Final = {
    Cause.RETIRED: gettext_noop("You can restore it above."),
    Cause.PAUSED: gettext_noop("Read the bot logs of these games, upload a fixed version, and resume the bot above."),
    Cause.NO_VERSION: gettext_noop("Upload a version. If it is rejected, the validation report shows the reason."),
    Cause.AWAY: gettext_noop("Start its program. It gets games as soon as it is online."),
    Cause.DECLINED: gettext_noop("Select the ladder to rejoin it with the same rating."),
    Cause.NOT_SUPPORTED: gettext_noop("Upload a version that supports it, or activate an older version that does."),
    Cause.TOO_FEW: gettext_noop("Your own bots do not play each other. Invite other users."),
}
"""Advice for the owner."""
