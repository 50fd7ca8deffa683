from __future__ import annotations

import os
from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import FakeProgram, MatchSpec, PlatformFailure, SeatSpec, play_match
from bots.runner.launcher import NeverBegun
from bots.sandbox import InProcessLauncher
from tests.bots.runner.fakes import CHANNEL, DUEL, SEED, default

pytestmark = pytest.mark.usefixtures("each_channel")

SAID = "a secret of the bot's owner"


class Unending:
    """An in-process bot that writes to stderr, and whose end fails in the way it is given."""

    def __init__(self, process: Any, failure: PlatformFailure) -> None:
        self._process, self._failure = process, failure
        os.write(process._errors, SAID.encode())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def stop(self, patience_ms: int = 0) -> int | None:
        self._process.stop(patience_ms)
        raise self._failure


class UnendingLauncher:
    """Starts bots whose end fails with ``failure``."""

    def __init__(self, failure: PlatformFailure) -> None:
        self._failure = failure

    def start(self, program: FakeProgram, limits: Limits) -> Unending:
        return Unending(InProcessLauncher().start(program, limits), self._failure)


def message_of(failure: PlatformFailure) -> str:
    seats = (SeatSpec("a", FakeProgram(default)), SeatSpec("b", FakeProgram(default)))
    spec = MatchSpec(game=DUEL, seats=seats, seed=SEED, limits=Limits(), match="1")
    with pytest.raises(PlatformFailure) as caught:
        play_match(spec, UnendingLauncher(failure), open_channel=CHANNEL.get())
    return str(caught.value)


def test_a_public_failure_does_not_quote_the_output_of_a_bot() -> None:
    assert SAID not in message_of(PlatformFailure("the process of a bot does not end"))


def test_a_bot_that_was_never_begun_says_why_its_world_could_not_be_made() -> None:
    assert SAID in message_of(NeverBegun("bubblewrap failed"))
