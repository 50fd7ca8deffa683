"""What a bot waits for, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bots.models import Bot, BotVersion
from ladder.models import Entry
from ladder.pages.words import grouped, number, seats, sentence, span, visible
from ladder.waiting_for import Cause, Wait, waits_of


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
    return [
        Reason(wait, _SENTENCES[wait.cause](bot.name, wait), _FOR_OWNERS.get(wait.cause, "") if inside else "")
        for wait in waits
    ]


def _about(seconds: float | None) -> str:
    if seconds is None:
        return "no game was finished in the last minutes, so there is no estimate"
    return "probably within seconds" if seconds < 10 else f"probably in about {span(seconds)}"


def _queued(_: str, wait: Wait) -> str:
    return f"Its next game is at place {wait.place} of {grouped(wait.among)} in the queue: {_about(wait.seconds)}."


def _its_turn(name: str, wait: Wait) -> str:
    bots = f"{grouped(wait.among)} {'bot' if wait.among == 1 else 'bots'}"
    return (
        f"{name} waits for its turn among {bots}, which comes after {grouped(wait.place)} more deals at the latest:"
        f" {_about(wait.seconds)}."
    )


def _in_check(_: str, wait: Wait) -> str:
    version = f"v{wait.version.number}" if wait.version else "A version"
    if not wait.place:
        return f"{version} is being checked now."
    return f"{version} waits for its check, at place {wait.place} of {grouped(wait.among)}."


def _too_few(_: str, wait: Wait) -> str:
    needed = wait.ladder.seats if wait.ladder else 0
    return (
        f"A table has {seats(needed)}, and bots of one owner do not meet: those that play here can fill only"
        f" {number(wait.among)}, and no bot of the house can fill up."
    )


_SENTENCES: Final[dict[Cause, Callable[[str, Wait], str]]] = {
    Cause.RETIRED: lambda name, _: f"{name} is retired: it gets no new games until its owner takes it back.",
    Cause.SUSPENDED: lambda name, _: f"{name} is suspended by the people who look after the site: it gets no games.",
    Cause.ON_LEAVE: lambda name, wait: f"{name} is on leave. {sentence(visible(wait.detail))}",
    Cause.IN_CHECK: _in_check,
    Cause.NO_VERSION: lambda name, _: f"No version of {name} is ready to play.",
    Cause.DECLINED: lambda name, _: f"{name} has left this ladder.",
    Cause.MERGED: lambda name, _: f"The results of {name} do not count for it here any more; the accounts say why.",
    Cause.NOT_CLAIMED: lambda *_: "The version that plays does not claim this table.",
    Cause.CLOSED: lambda *_: "The ladder is closed: no new games are scheduled.",
    Cause.NO_SEASON: lambda *_: "A season has closed, and the next one is not open yet.",
    Cause.TOO_FEW: _too_few,
    Cause.WORKERS_DOWN: lambda _, wait: f"Nothing is played at the moment: {sentence(visible(wait.detail))}",
    Cause.PLAYING: lambda name, _: f"{name} is playing now.",
    Cause.LATER: lambda *_: "Its next game is played again, or begins at its time: a worker takes it then.",
    Cause.QUEUED: _queued,
    Cause.ITS_TURN: _its_turn,
}

_FOR_OWNERS: Final = {
    Cause.RETIRED: "Take it back above.",
    Cause.SUSPENDED: "The reason stands above. Write to them if you think it is a mistake.",
    Cause.ON_LEAVE: "Read the logs of those games, bring a better version, and put it back above.",
    Cause.NO_VERSION: "Upload a version; its check says what is missing.",
    Cause.DECLINED: "Tick the ladder to come back with the rating that it had.",
    Cause.NOT_CLAIMED: "Bring a version that claims it, or let an older one play again.",
    Cause.TOO_FEW: "Your bots do not meet each other. Invite somebody.",
}
"""What the owner can do about it."""
