"""How pages say things: numbers, spans of time, and why something happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from games.words import either

NUMBERS: Final = ("no", "one", "two", "three", "four", "five")

FORFEITS: Final = {
    "strikes": "Forfeited: too many strikes.",
    "exit": "Forfeited: its process ended during the game.",
    "not_ready": "Forfeited: not ready in time.",
    "memory": "Forfeited: more memory than a seat is given.",
    "time": "Forfeited: its time for the game was used up.",
    "resign": "Resigned.",
    "abandoned": "Forfeited: left the table.",
}

PROBLEMS: Final = {
    "late": "Too late",
    "malformed": "Not an answer in the protocol",
    "too_long": "The line was too long",
    "wrong_id": "The id of another decision",
    "illegal": "Not allowed by the rules",
    "strikes": "The third strike",
    "exit": "Its process ended",
    "not_ready": "Not ready in time",
    "memory": "More memory than a seat is given",
    "time": "Its time for the game was used up",
}
"""What a bot did wrong: strikes and forfeits, by the words of the protocol."""

STATUSES: Final = {
    "queued": "waits for a worker",
    "running": "is being played",
    "finished": "finished",
    "void": "void",
    "cancelled": "cancelled",
    "aborted": "aborted",
}


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
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def seats(count: int) -> str:
    """``four seats``."""
    return f"{number(count)} seats"


def seat_counts(counts: Sequence[int]) -> str:
    """``three, four or five players``."""
    return f"{either([number(count) for count in counts])} players"


def grouped(count: int) -> str:
    """``48 120``, with narrow spaces that do not break."""
    return f"{count:,}".replace(",", "\u202f")


def size(count: int) -> str:
    """A number of bytes in its one fitting unit: ``840 bytes``, ``84 KiB``, ``1.5 MiB``, ``8 MiB``."""
    if count < 1024:
        return f"{count}\u00a0{'byte' if count == 1 else 'bytes'}"
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
    return f"{round(seconds / 86_400)}\u00a0days"


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
    return f"{span(seconds)} ago" if seconds < 6 * 86_400 else day(then)


def day(moment: datetime) -> str:
    """``14 Mar 2027``."""
    return f"{moment.day} {moment:%b %Y}"
