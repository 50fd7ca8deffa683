"""Real bots that share one core of the host with other games: they hold it only while they compute."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, MatchReport, MatchSpec, Process, SeatSpec, play_match
from bots.sandbox import PlainLauncher
from bots.sandbox.cores import SharedCore
from bots.sandbox.host_process import HostProcess
from tests.bots.sandbox.programs import folder_of
from tests.services.ports import wait_until

pytestmark = pytest.mark.slow

SLEEPER = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide":
        if message["id"] == 2:
            open(BELL).read()
            while time.process_time() < BURN_S:
                pass
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""
MOVE_MS = 600_000


class Recording(PlainLauncher):
    """Starts bots and keeps their process ids, in the order of the seats."""

    def __init__(self) -> None:
        super().__init__()
        self.pids: list[int] = []

    def start(self, program: HouseProgram | LocalProgram, limits: Limits) -> Process:
        process = super().start(program, limits)
        assert isinstance(process, HostProcess)
        self.pids.append(process.pid)
        return process


class Game:
    """A duel in which seat 0 sleeps at its second decision until ``ring``, and then computes for a while."""

    def __init__(self, bot: Path, bell: Path, seats: Path, move_ms: int) -> None:
        self.seats, self._bell, self._launcher = seats, bell, Recording()
        self._spec = MatchSpec(
            "edel-stein-reich-duel",
            (SeatSpec("sleeper", LocalProgram(bot)), SeatSpec("random", HouseProgram("random"))),
            bytes(32),
            Limits(startup_ms=60_000, move_ms=move_ms, bank_ms=0, game_ms=6_000_000),
        )
        self.reports: list[MatchReport] = []
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._rope = -1

    def _play(self) -> None:
        core = SharedCore(self.seats, number=1)
        self.reports.append(play_match(self._spec, self._launcher, core=core))
        core.close()

    def begin(self) -> None:
        """Play until seat 0 sleeps."""
        self._thread.start()
        wait_until(self._asleep, "the bot sleeps")

    def _asleep(self) -> bool:
        try:
            self._rope = os.open(self._bell, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # the bot does not read it yet
            return False
        return True

    def state(self) -> str:
        """The state of the sleeper's process (man 5 proc_pid_stat)."""
        line = Path(f"/proc/{self._launcher.pids[0]}/stat").read_text()
        return line.rpartition(") ")[2][0]

    def ring(self) -> None:
        """Wake the sleeper."""
        os.close(self._rope)

    def end(self) -> MatchReport:
        """Play to the end."""
        self._thread.join()
        return self.reports[0]


@contextmanager
def game(burn_s: float, move_ms: int = MOVE_MS) -> Iterator[Game]:
    with folder_of({}) as place:
        bell = place / "bell"
        os.mkfifo(bell)
        bell.chmod(0o666)
        source = SLEEPER.replace("BURN_S", str(burn_s)).replace("BELL", repr(str(bell)))
        with folder_of({"bot.py": source}) as bot:
            yield Game(bot, bell, place / "seats", move_ms)


def strikes_of_the_sleeper(report: MatchReport) -> list[str]:
    return [strike.reason for strike in report.seats[0].strikes]


def test_a_bot_that_sleeps_leaves_its_core_to_another_game() -> None:
    with game(0) as slow, closing(SharedCore(slow.seats, number=1)) as other:
        slow.begin()
        seats = tuple(SeatSpec(f"{seat}", HouseProgram("random")) for seat in range(2))
        spec = MatchSpec("edel-stein-reich-duel", seats, bytes(32))
        assert play_match(spec, PlainLauncher(), core=other).record["outcome"]
        assert not slow.reports, "the sleeper still sleeps"
        slow.ring()
        assert strikes_of_the_sleeper(slow.end()) == []


def test_a_bot_that_wakes_waits_for_a_core_and_that_wait_is_not_on_its_clock() -> None:
    with game(0.2, move_ms=10_000) as slow, closing(SharedCore(slow.seats, number=1)) as other:
        slow.begin()
        other.hold()
        slow.ring()
        wait_until(lambda: slow.state() == "T", "the bot is stopped")
        until_s = time.monotonic() + 11
        wait_until(lambda: time.monotonic() > until_s, "more than its time has passed")
        assert slow.state() == "T", "it is stopped as long as another game holds the core"
        other.release()
        report = slow.end()
        assert strikes_of_the_sleeper(report) == []
        assert report.seats[0].decisions[1].wall_us < 10_000_000


def test_a_bot_that_computes_for_long_lets_others_have_the_core_in_between() -> None:
    with game(1.5) as slow, closing(SharedCore(slow.seats, number=1)) as other:
        slow.begin()
        slow.ring()
        wait_until(lambda: not other.try_hold() or other.release() is not None, "the bot computes on the core")
        other.hold()
        wait_until(lambda: slow.state() == "T", "the bot is stopped")
        assert not slow.reports
        other.release()
        assert strikes_of_the_sleeper(slow.end()) == []
