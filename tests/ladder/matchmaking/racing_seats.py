"""Actions for races on challenges and seats at live tables. ``tests.services.races`` runs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bots.models import Bot
from bots.remote import note_seen
from esr_platform.accounts.models import User
from ladder.matchmaking.proposals import answer, challenge, expire, withdraw
from ladder.matchmaking.remote_bots import seat
from ladder.members.memberships import declare, register
from ladder.models import Ladder, Proposal
from tests.ladder import races
from tests.ladder.races import or_none
from tests.services.races import Act, Actions


def seating(times: int) -> Act:
    return lambda: sum(seat() for _ in range(times))


def seeing(bots: list[int], times: int) -> Act:
    """Note again and again that these bots are here."""
    return lambda: [note_seen(bots) for _ in range(times)]


def declaring(bot: int, labels: list[str], games: int) -> Act:
    """Name one state of the program after the other."""
    row = Bot.objects.get(pk=bot)
    return lambda: [_number(declare(row, label=label, games_at_once=games)) for label in labels]


def registering(person: int, name: str) -> Act:
    """Register a bot; which one it became."""
    owner = User.objects.get(pk=person)
    return lambda: register(owner, name).bot_id


def challenging(person: int, ladder: int, bots: list[int], times: int) -> Act:
    """Propose the same game again and again; the challenges that this got."""
    by, where = User.objects.get(pk=person), Ladder.objects.get(pk=ladder)
    table = [Bot.objects.get(pk=bot) for bot in bots]
    propose = partial(challenge, by, where, table)
    return lambda: [made.pk for made in (or_none(propose) for _ in range(times)) if made is not None]


def answering(challenge: int, bot: int, accepted: bool) -> Act:
    """Answer; what became of the challenge, ``None`` if that was refused."""
    made, asked = Proposal.objects.get(pk=challenge), Bot.objects.get(pk=bot)
    return lambda: _state(partial(answer, made, asked, accepted))


def withdrawing(challenge: int, person: int) -> Act:
    made, by = Proposal.objects.get(pk=challenge), User.objects.get(pk=person)
    return lambda: _state(partial(withdraw, made, by))


def _state(do: Callable[[], Proposal]) -> str | None:
    made = or_none(do)
    return None if made is None else str(made.state)


def _number(version: Any) -> int:
    return int(version.number)


ACTIONS: Actions = {
    **races.ACTIONS,
    "seating": seating,
    "seeing": seeing,
    "declaring": declaring,
    "registering": registering,
    "challenging": challenging,
    "answering": answering,
    "withdrawing": withdrawing,
    "expiring": lambda: expire,
}
