"""Bots that exit, crash or close their stdout, as real processes: what the runner reports about them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, MatchSpec, Process, SeatSpec, consult, play_match
from bots.runner.channel import Channel, PolledChannel, ThreadedChannel, open_channel
from bots.runner.process_end import ProcessEnd, StdoutEnded, end_process, next_line
from bots.sandbox import PlainLauncher, SandboxLauncher
from bots.sandbox.portable import PortableStarter
from tests.bots.runner.fakes import consultation
from tests.bots.sandbox.programs import duel, program
from tests.services.leftovers import nothing_is_left
from tests.services.ports import wait_until

pytestmark = pytest.mark.slow

PATIENT = Limits(startup_ms=60_000, move_ms=60_000, bank_ms=0, game_ms=600_000)
"""Limits under which nothing is late in these tests: a bot whose end goes unnoticed would take a minute."""

BOT = """
import json, os, signal, subprocess, sys, time
for line in sys.stdin:
    message = json.loads(line)
    moment = "start" if message["type"] == "hello" else message.get("id")
    if moment == MOMENT:
        CRASH
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""
CHILD = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdin=subprocess.DEVNULL); "
FORK = "child = os.fork(); child == 0 and time.sleep(600); "
PARTIAL = "sys.stdout.write('{\"id\": 2, '); sys.stdout.flush(); "
CRASHES = {
    "exits with a code": ("sys.exit(3)", "the process exited with code 3; its stderr is empty"),
    "exits with a negative code": ("os._exit(-1)", "the process exited with code 255; its stderr is empty"),
    "exits without an error": (
        "os._exit(0)",
        (
            "the process exited with code 0; it must read messages from stdin until the game ends; if the file is only"
            " a part of a bot, such as strategy.py, upload the whole folder"
        ),
    ),
    "imports a package that is not there": (
        "import no_such_package",
        (
            "the process exited with code 1; add the module to the bot or use those in Libraries on the page Uploads;"
            " see its stderr"
        ),
    ),
    "raises an exception": ("1 / 0", "the process exited with code 1; see its stderr"),
    "exits in the middle of a line": (
        PARTIAL + "os._exit(3)",
        "the process exited with code 3 in the middle of a line; its stderr is empty",
    ),
    "crashes in a library": (
        "import ctypes; ctypes.string_at(8)",
        "the process was killed by SIGSEGV; its stderr is empty",
    ),
    "closes its stdout": (
        "os.close(1); time.sleep(600)",
        "the process closed its stdout but did not exit; keep stdout open until the game ends",
    ),
}
WITHOUT_A_SANDBOX = {
    "is killed in the middle of a line": (
        PARTIAL + "os.kill(os.getpid(), signal.SIGKILL)",
        "the process was killed by SIGKILL in the middle of a line; its stderr is empty",
    ),
    "leaves a child with its stdout": (CHILD + "os._exit(3)", "the process exited with code 3; its stderr is empty"),
    "leaves a fork in the middle of a line": (
        PARTIAL + FORK + "os._exit(3)",
        "the process exited with code 3 in the middle of a line; its stderr is empty",
    ),
}
"""In a sandbox, a bot cannot kill itself (it is process 1), and its children end with it."""


def of(crash: str, moment: object) -> str:
    return BOT.replace("MOMENT", repr(moment)).replace("CRASH", crash)


def in_sandbox(request: pytest.FixtureRequest) -> SandboxLauncher:
    launcher = request.getfixturevalue("sandbox_launcher")
    assert isinstance(launcher, SandboxLauncher)
    return launcher


LAUNCHERS: dict[str, Callable[[pytest.FixtureRequest], SandboxLauncher | PlainLauncher]] = {
    "sandboxed": in_sandbox,
    "plain": lambda _: PlainLauncher(),
    "portable": lambda _: PlainLauncher(PortableStarter()),
}
CASES = [
    pytest.param(launcher, *case, id=f"{launcher}: {name}")
    for launcher in LAUNCHERS
    for name, case in {**CRASHES, **({} if launcher == "sandboxed" else WITHOUT_A_SANDBOX)}.items()
]


@pytest.mark.parametrize("moment", ["start", 2])
@pytest.mark.parametrize(("kind", "crash", "evidence"), CASES)
def test_a_crash_is_the_same_forfeit_at_every_seat(
    kind: str, crash: str, evidence: str, moment: object, request: pytest.FixtureRequest
) -> None:
    launcher = LAUNCHERS[kind](request)
    with program(of(crash, moment)) as bot, nothing_is_left():
        report = duel(launcher, bot, bot, bot, limits=PATIENT)
    decision = None if moment == "start" else moment
    assert [(forfeit.seat, forfeit.reason, forfeit.decision, forfeit.evidence) for forfeit in report.forfeits] == [
        (seat, "exit", decision, evidence) for seat in (0, 1, 2)
    ]
    assert all(not seat.strikes and seat.wall_us < 60_000_000 for seat in report.seats)


@pytest.mark.parametrize("kind", LAUNCHERS)
def test_a_process_that_others_kill_is_reported_with_the_signal(kind: str, request: pytest.FixtureRequest) -> None:
    started: list[Process] = []

    class Recording:
        def start(self, program: LocalProgram, limits: Limits) -> Process:
            started.append(LAUNCHERS[kind](request).start(program, limits))
            return started[-1]

    class Killer:
        def moved(self, state: object) -> None: ...

        def heard(self, seat: int, line: bytes) -> None: ...

        def sent(self, seat: int, line: bytes) -> None:
            if seat == 0 and b'"decide"' in line and b'"id":2,' in line:
                os.kill(started[0].pid, signal.SIGKILL)  # type: ignore[attr-defined]

    with program(of("pass", None)) as bot:
        spec = MatchSpec("edel-stein-reich-duel", (SeatSpec("bot", bot), SeatSpec("bot", bot)), bytes(32), PATIENT)
        report = play_match(spec, Recording(), Killer())
    assert report.forfeits[0].evidence == "the process was killed by SIGKILL; its stderr is empty"
    assert report.seats[0].exit_status == -signal.SIGKILL


@pytest.mark.parametrize("kind", LAUNCHERS)
def test_a_consultation_reports_a_crash_in_the_same_words(kind: str, request: pytest.FixtureRequest) -> None:
    with program(of(PARTIAL + "os._exit(3)", 17)) as bot:
        advice = consult(consultation(bot), LAUNCHERS[kind](request))
    assert advice.fault is not None
    assert (advice.fault.reason, advice.exit_status) == ("exit", 3)
    assert advice.fault.detail == "the process exited with code 3 in the middle of a line; its stderr is empty"


@pytest.mark.parametrize("kind", ["plain", "portable"])
def test_the_children_of_a_bot_that_exits_are_ended(kind: str, request: pytest.FixtureRequest) -> None:
    crash = f"child = {CHILD.rstrip('; ')}; sys.stderr.write(str(child.pid)); sys.stderr.flush(); os._exit(3)"
    with program(of(crash, 2)) as bot:
        report = duel(LAUNCHERS[kind](request), bot, HouseProgram("random"), limits=PATIENT)
    assert [forfeit.evidence for forfeit in report.forfeits] == ["the process exited with code 3; see its stderr"]
    wait_until(lambda: _ended(int(report.seats[0].stderr_tail)), "the child has ended")


def _ended(pid: int) -> bool:
    """Whether the process is gone, or only waits for process 1 to take note of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("kind", ["plain", "portable"])
def test_an_answer_before_the_exit_still_counts(kind: str, request: pytest.FixtureRequest) -> None:
    answer = "print(json.dumps({'id': 2, 'move': message['decision']['default']}), flush=True); "
    with program(of(answer + CHILD + "os._exit(3)", 2)) as bot:
        report = duel(LAUNCHERS[kind](request), bot, HouseProgram("random"), limits=PATIENT)
    assert [(forfeit.seat, forfeit.reason, forfeit.decision) for forfeit in report.forfeits] == [(0, "exit", 3)]


@pytest.mark.parametrize("channel_type", [PolledChannel, ThreadedChannel])
def test_the_last_lines_are_read_before_the_end_is_reported(channel_type: type[Channel]) -> None:
    with program("import os, subprocess, sys\nprint('one\\ntwo', flush=True)\n" + CHILD + "os._exit(0)") as bot:
        process = PlainLauncher(PortableStarter()).start(bot, Limits())
        channel = channel_type(process)
        assert [next_line(process, channel), next_line(process, channel)] == [b"one", b"two"]
        with pytest.raises(StdoutEnded):
            next_line(process, channel)
        assert str(end_process(process, channel)) == "the process exited with code 0"


def test_a_line_that_does_not_come_in_time_is_a_timeout() -> None:
    with program("import time; time.sleep(600)") as bot:
        process = PlainLauncher(PortableStarter()).start(bot, Limits())
        channel = open_channel(process)
        with pytest.raises(TimeoutError):
            next_line(process, channel, perf_counter_ns() + 1)
        assert end_process(process, channel).by_itself is False


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (ProcessEnd(0), "the process exited with code 0"),
        (ProcessEnd(None), "the process exited"),
        (ProcessEnd(-15, mid_line=True), "the process was killed by SIGTERM in the middle of a line"),
        (ProcessEnd(-63), "the process was killed by signal 63"),
        (ProcessEnd(3221225477), "the process exited with code 3221225477"),
    ],
)
def test_an_end_is_described_by_its_status(end: ProcessEnd, text: str) -> None:
    assert str(end) == text
