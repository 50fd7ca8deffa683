"""Hosted bots at live tables in a test: fakes in place of their programs, and seats that are asked as workers do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import redis

from bots.models import Bot
from bots.protocol import Limits
from bots.runner import FakeProgram, PlatformFailure, Process
from bots.sandbox import InProcessLauncher
from games.rules import Document
from ladder.live.hosted import ask_seat
from ladder.models import Ladder, LiveSeat, Match, Membership, PlayedMove
from tests.ladder.live.play import pass_time, table_of

DUEL = "edel-stein-reich-duel"


class Fakes:
    """Starts this fake in place of every program; or fails, as often as ``failures`` says."""

    def __init__(self, play: Callable[[Document], Any] | FakeProgram, failures: int = 0) -> None:
        self.program = play if isinstance(play, FakeProgram) else FakeProgram(play)
        self.failures = failures
        self.starts = 0

    def start(self, _program: object, limits: Limits) -> Process:
        self.starts += 1
        if self.failures:
            self.failures -= 1
            raise PlatformFailure("no room for another process")
        return InProcessLauncher().start(self.program, limits)


def default(message: Document) -> Any:
    """Answer with the default move."""
    return message["decision"]["default"] if message["type"] == "decide" else None


def open_ladder() -> Ladder:
    """The ladder for two on which bots of all kinds meet."""
    return Ladder.objects.get(slug=f"{DUEL}-open")


def house_bots(ladder: Ladder, *names: str) -> list[Bot]:
    """Bots of the house with a membership on ``ladder``."""
    bots = [Bot.objects.get(house_name=name) for name in names]
    for bot in bots:
        Membership.objects.get_or_create(ladder=ladder, bot=bot)
    return bots


def house_game(*names: str, limits: Limits | None = None, rated: bool = True) -> Match:
    """A live game of the house's bots on the open ladder for two."""
    ladder = open_ladder()
    bots = house_bots(ladder, *(names or ("random", "greedy")))
    return table_of(ladder, bots, limits=limits or Limits(), rated=rated)


def owing(match: Match) -> LiveSeat | None:
    """The first seat that owes a decision."""
    return LiveSeat.objects.filter(table=match.pk, owes=True).select_related("seat").order_by("seat__index").first()


def asked_once(match: Match, launcher: Any = None) -> PlayedMove:
    """The move of the first seat that owes one, asked as a worker does."""
    pass_time(match)
    live_seat = owing(match)
    assert live_seat is not None
    assert ask_seat(match.pk, live_seat.seat.index, launcher=launcher)
    return PlayedMove.objects.get(seat=live_seat.seat, decision=live_seat.asked)


def play_on(match: Match, launcher: Any = None) -> int:
    """Ask whoever owes a decision until nobody does; how often."""
    asked = 0
    while owing(match) is not None:
        asked_once(match, launcher)
        asked += 1
    return asked


def wakes(broker: str) -> list[tuple[list[int], bool]]:
    """The arguments of the wakes that wait for a worker, the first sent first, and whether each is put off."""
    with redis.Redis.from_url(broker) as client:
        waiting = [json.loads(message) for message in reversed(client.lrange("seats", 0, -1))]
    return [
        (
            json.loads(message["headers"]["argsrepr"].replace("(", "[").replace(")", "]")),
            bool(message["headers"]["eta"]),
        )
        for message in waiting
    ]
