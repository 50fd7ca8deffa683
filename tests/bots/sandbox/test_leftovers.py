"""Bots that do not end in time after they were killed: no other bot gets their user, and their games count."""

from __future__ import annotations

import os
import signal

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram
from bots.sandbox import PlainLauncher, SandboxLauncher, host_process
from bots.sandbox.host_process import HostProcess, release_ended
from tests.bots.sandbox.programs import HONEST, duel, program
from tests.services.leftovers import nothing_is_left
from tests.services.ports import wait_until

STAYS = HONEST + "import time\ntime.sleep(1000)\n"


class Stays:
    """Makes bots that no signal reaches, until ``end`` is called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        monkeypatch.setattr(host_process, "_END_MS", 20)
        monkeypatch.setattr(HostProcess, "_signal", staticmethod(lambda pidfd, number: None))
        monkeypatch.setattr(os, "killpg", lambda group, number: None)

    def end(self) -> None:
        """Let signals through, and wait until all is over."""
        self.monkeypatch.undo()
        for process in host_process._LINGERING:
            os.kill(process.pid, signal.SIGKILL)
        wait_until(lambda: release_ended() == 0, "all processes have ended")


@pytest.fixture
def stays(monkeypatch: pytest.MonkeyPatch) -> Stays:
    return Stays(monkeypatch)


def test_the_result_of_a_game_counts_although_a_bot_does_not_end(
    sandbox_launcher: SandboxLauncher, stays: Stays
) -> None:
    with nothing_is_left():
        with program(STAYS) as bot:
            report = duel(sandbox_launcher, bot, HouseProgram("random"))
        assert report.forfeits == ()
        assert [seat.exit_status for seat in report.seats] == [-signal.SIGKILL, 0]
        stays.end()


def test_no_other_bot_gets_the_user_of_one_that_does_not_end(sandbox_launcher: SandboxLauncher, stays: Stays) -> None:
    released = []
    with program(STAYS) as bot:
        process = sandbox_launcher.start(bot, Limits())
        free, process._freed = process._freed, lambda: released.append(True)
        assert process.stop() == -signal.SIGKILL
        assert release_ended() == 1
        assert not released
        stays.end()
    assert released == [True]
    free()
    for descriptor in (process.stdin, process.stdout, process.stderr):
        os.close(descriptor)


def test_a_plain_process_that_does_not_end_keeps_its_seat_as_well(stays: Stays) -> None:
    with program(STAYS) as bot:
        report = duel(PlainLauncher(), bot, HouseProgram("random"))
    assert report.seats[0].exit_status == -signal.SIGKILL
    stays.end()
