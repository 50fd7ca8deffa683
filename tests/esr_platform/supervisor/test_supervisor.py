from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from esr_platform.supervisor.problems import Problem
from esr_platform.supervisor.processes import Command
from esr_platform.supervisor.supervisor import MOST_BAD_STARTS, Supervisor
from tests.services.ports import wait_until

Heard = list[tuple[str, str]]


@pytest.fixture
def heard() -> Heard:
    return []


@pytest.fixture
def supervisor(heard: Heard) -> Iterator[Supervisor]:
    supervisor = Supervisor(lambda name, line: heard.append((name, line)))
    yield supervisor
    supervisor.stop()


def python(name: str, script: str) -> Command:
    return Command(name, [sys.executable, "-u", "-c", script])


def attend_until(supervisor: Supervisor, true: Callable[[], bool], seconds: float = 180.0) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"not reached in {seconds:.0f} s"
        supervisor.attend(0.05)


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_lines_are_passed_on_with_the_name_of_their_process(supervisor: Supervisor, heard: Heard) -> None:
    supervisor.start(python("teller", "print('one'); print('two'); import time; time.sleep(60)"))
    attend_until(supervisor, lambda: len(heard) == 2)
    assert heard == [("teller", "one"), ("teller", "two")]


def test_a_process_that_was_killed_is_started_again(supervisor: Supervisor, heard: Heard) -> None:
    first = supervisor.start(python("sleeper", "import os, time; print(os.getpid()); time.sleep(60)"))
    attend_until(supervisor, lambda: len(heard) == 1)
    os.kill(first.pid, signal.SIGKILL)
    attend_until(supervisor, lambda: len(heard) == 3)
    assert heard[1] == ("sleeper", "ended (signal SIGKILL) and is started again")
    assert runs(int(heard[2][1]))


def test_a_process_that_never_starts_well_is_a_problem_and_its_last_words_are_heard(
    supervisor: Supervisor, heard: Heard
) -> None:
    supervisor.start(python("broken", "import sys; sys.exit('no such thing')"))
    with pytest.raises(Problem, match=r"broken ended .* right after its start"):
        attend_until(supervisor, lambda: False)
    assert heard.count(("broken", "no such thing")) == MOST_BAD_STARTS


def test_a_program_that_refuses_to_start_is_a_problem_at_once(supervisor: Supervisor, heard: Heard) -> None:
    broken = python("broken", "import sys; sys.exit('the cause')")
    supervisor.start(replace(broken, refusal=lambda lines: f"advice on {', '.join(lines)}"))
    with pytest.raises(Problem, match=r"^advice on the cause$"):
        attend_until(supervisor, lambda: False)
    assert heard == [("broken", "the cause")]


def test_a_program_that_can_refuse_to_start_is_started_again_after_it_was_killed(
    supervisor: Supervisor, heard: Heard
) -> None:
    sleeper = python("sleeper", "import os, time; print(os.getpid()); time.sleep(3600)")
    first = supervisor.start(replace(sleeper, refusal=lambda _: "never"))
    attend_until(supervisor, lambda: len(heard) == 1)
    os.kill(first.pid, signal.SIGKILL)
    attend_until(supervisor, lambda: len(heard) == 3)
    assert runs(int(heard[2][1]))


def test_ignored_lines_are_not_passed_on(supervisor: Supervisor, heard: Heard) -> None:
    talker = python("talker", "print('12:00 advice: buy memory'); print('news'); import time; time.sleep(3600)")
    supervisor.start(replace(talker, ignored=("advice: buy",)))
    attend_until(supervisor, lambda: bool(heard))
    assert heard == [("talker", "news")]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_cpu_time_of_a_process_grows_while_it_works_and_not_while_it_sleeps(
    supervisor: Supervisor, heard: Heard
) -> None:
    script = "import time\nwhile time.process_time() < 0.3: pass\nprint('done')\ntime.sleep(3600)"
    supervisor.start(python("worker", script))
    attend_until(supervisor, lambda: bool(heard))
    used = supervisor.cpu_seconds("worker")
    assert used is not None
    assert used >= 0.25
    supervisor.attend(0.3)
    assert supervisor.cpu_seconds("worker") == pytest.approx(used, abs=0.05)
    assert supervisor.cpu_seconds("unknown") is None


def test_an_end_without_a_line_feed_is_heard(supervisor: Supervisor, heard: Heard) -> None:
    supervisor.start(python("terse", "print('half', end=''); import time; time.sleep(0.2)"))
    attend_until(supervisor, lambda: ("terse", "half") in heard)


def test_stopping_asks_politely_and_ends_the_last_ones_last(supervisor: Supervisor, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    script = """
import pathlib, signal, sys, time
def farewell(*_):
    with open({path!r}, "a") as file: print({name!r}, file=file)
    sys.exit()
signal.signal(signal.SIGTERM, farewell)
print("ready")
time.sleep(60)
"""
    started: list[str] = []
    supervisor._say = lambda name, line: started.append(name)
    for name in ("broker", "one", "two"):
        supervisor.start(python(name, script.format(path=str(diary), name=name)))
    attend_until(supervisor, lambda: len(started) == 3)
    supervisor.stop(last=["broker"], polite_seconds=300, last_seconds=300)
    assert sorted(diary.read_text().split()[:2]) == ["one", "two"]
    assert diary.read_text().split()[2:] == ["broker"]


def test_stopping_kills_what_does_not_listen_together_with_all_that_it_started(
    supervisor: Supervisor, heard: Heard
) -> None:
    script = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
print(child.pid)
time.sleep(3600)
"""
    deaf = supervisor.start(python("deaf", script))
    attend_until(supervisor, lambda: len(heard) == 1)
    started = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - started < 300
    assert not runs(deaf.pid)
    wait_until(lambda: not runs(int(heard[0][1])), "its child has ended")


def test_stopping_does_not_wait_for_what_has_ended(supervisor: Supervisor) -> None:
    supervisor.start(python("brief", "import time; time.sleep(3600)"))
    started = time.monotonic()
    supervisor.stop(polite_seconds=600)
    assert time.monotonic() - started < 300
