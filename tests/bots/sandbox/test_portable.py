from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, PlatformFailure
from bots.runner.channel import open_channel
from bots.sandbox import PlainLauncher, interpreter
from bots.sandbox.limits import missing
from bots.sandbox.portable import PortableStarter
from games.record import verify
from tests.bots.sandbox.programs import HONEST, duel, folder_of, program, stop
from tests.services.leftovers import nothing_is_left

SECOND_NS = 10**9


@pytest.fixture
def launcher() -> PlainLauncher:
    return PlainLauncher(PortableStarter())


@pytest.fixture
def no_sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A system without sessions, which has a program ``taskkill`` instead: it ends children, and then their parent."""
    monkeypatch.delattr(os, "killpg")
    taskkill = """#!/bin/sh
        test "$1 $2 $3" = "/T /F /PID" || exit 9
        kill -KILL $(cat "/proc/$4/task/$4/children") "$4"
    """
    with folder_of({"taskkill": taskkill}) as folder:
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        yield folder


def test_this_system_lacks_nothing_and_so_its_bots_are_limited() -> None:
    assert missing() == []
    assert PlainLauncher().caution == ""


def test_without_limits_there_is_a_caution(launcher: PlainLauncher) -> None:
    assert "trust" in launcher.caution


def test_house_bots_play_a_game_and_nobody_claims_to_know_their_processor_time(launcher: PlainLauncher) -> None:
    report = duel(launcher, *(HouseProgram(name) for name in ("random", "greedy", "haggler")))
    assert report.forfeits == ()
    assert verify(report.record).outcome == report.record["outcome"]
    assert [seat.exit_status for seat in report.seats] == [0, 0, 0]
    assert [seat.cpu_us for seat in report.seats] == [None] * 3
    assert report.document()["seats"][0]["decisions"][0]["cpu_us"] is None
    assert all(seat.wall_us > 0 for seat in report.seats)


def test_a_strike_without_known_processor_time_states_none(launcher: PlainLauncher) -> None:
    with program(HONEST.replace('message["decision"]["default"]', "None")) as bot:
        report = duel(launcher, bot, HouseProgram("random"))
    assert {strike.cpu_us for strike in report.seats[0].strikes} == {None}


def test_the_environment_is_empty_but_for_packages_and_what_windows_needs(
    launcher: PlainLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYSTEMROOT", "C:\\Windows")
    monkeypatch.setattr(interpreter, "packages", tuple)  # as on a host without NumPy
    with program("import os, sys; sys.stderr.write(str(sorted(set(os.environ) - {'LC_CTYPE'})))") as bot:
        assert stop(launcher.start(bot, Limits())) == (0, "['PYTHONPATH', 'SYSTEMROOT']")


def test_a_bot_reads_and_writes_utf_8(launcher: PlainLauncher) -> None:
    with program("import sys; sys.stderr.write(f'{sys.flags.utf8_mode} {sys.stdin.encoding}')") as bot:
        assert stop(launcher.start(bot, Limits())) == (0, "1 utf-8")


def test_a_program_that_cannot_be_started_is_the_platforms_failure(launcher: PlainLauncher) -> None:
    with (
        nothing_is_left(),
        folder_of({"bot.exe": "MZ"}) as folder,
        pytest.raises(PlatformFailure, match="could not start"),
    ):
        launcher.start(LocalProgram(folder, entry="bot.exe"), Limits())


def what_it_starts_ends_too(launcher: PlainLauncher) -> None:
    source = "import os, sys\nif os.fork():\n    os.write(2, b'up')\nimport time\ntime.sleep(60)"
    with program(source) as bot:
        process = launcher.start(bot, Limits())
        channel = open_channel(process)
        while not channel.stderr_tail():
            channel.take(channel.wait(SECOND_NS))
        process.kill()
        assert process.stop() == -9
        assert process.stop() == -9
        while channel.stderr_open:
            channel.take(channel.wait(SECOND_NS))
        channel.close()


def test_a_bot_that_is_ended_takes_along_what_it_started(launcher: PlainLauncher) -> None:
    what_it_starts_ends_too(launcher)


@pytest.mark.usefixtures("no_sessions")
def test_without_sessions_the_systems_own_program_ends_the_tree(launcher: PlainLauncher) -> None:
    what_it_starts_ends_too(launcher)


def test_without_that_program_the_bot_itself_is_ended(
    launcher: PlainLauncher, no_sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with program("import time; time.sleep(60)") as bot:
        process = launcher.start(bot, Limits())
        process.kill()
        assert stop(process) == (-9, "")


def test_there_is_nothing_to_sweep(launcher: PlainLauncher) -> None:
    assert launcher.sweep() == 0
