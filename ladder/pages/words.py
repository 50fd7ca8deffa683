"""How pages say things: numbers, spans of time, and why something happened; in the language of the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.utils.dateformat import format as formatted
from django.utils.translation import gettext, gettext_noop, ngettext

from ladder.models import Ladder

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
