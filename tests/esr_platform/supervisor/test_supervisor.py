from __future__ import annotations

import io
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path

import pytest
from rich.console import Console

from esr_platform.management.commands.run import listen_to_signals
from esr_platform.supervisor.problems import SiteProblem, check_port, check_space, lock_folder, redis_answers
from esr_platform.supervisor.processes import LIMIT_S, PROGRESS_S, REPORT_EVERY_S, STALLED_S, Patience, ProcessCommand
from esr_platform.supervisor.site import STOP_SIGNALS, Site, SiteLocation
from esr_platform.supervisor.sockets import socket_path
from esr_platform.supervisor.supervisor import MOST_BAD_STARTS, Supervisor
from esr_platform.supervisor.terminal import Terminal
from tests.services.ports import free_port, wait_until
from tests.services.workers import ROOT

pytestmark = pytest.mark.slow

Heard = list[tuple[str, str]]
"""The names of processes and lines, those of the supervisor with their level."""


@pytest.fixture
def heard() -> Heard:
    return []


@pytest.fixture
def supervisor(heard: Heard) -> Iterator[Supervisor]:

    def say(name: str, line: str, level: str = "info") -> None:
        heard.append((name, line if level == "info" else f"{level}: {line}"))

    supervisor = Supervisor(say)
    yield supervisor
    supervisor.stop()


def python(name: str, script: str) -> ProcessCommand:
    return ProcessCommand(name, [sys.executable, "-u", "-c", script])


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
    assert heard[1] == ("sleeper", "error: exited (signal SIGKILL), restarting")
    assert runs(int(heard[2][1]))


def test_an_exit_without_an_error_is_a_warning(supervisor: Supervisor, heard: Heard) -> None:
    supervisor.start(python("ender", "pass"))
    attend_until(supervisor, lambda: len(heard) == 1)
    assert heard[0] == ("ender", "warning: exited (exit code 0), restarting")


def test_a_process_that_never_starts_well_is_a_problem_and_its_last_words_are_heard(
    supervisor: Supervisor, heard: Heard
) -> None:
    supervisor.start(python("broken", "import sys; sys.exit('no such thing')"))
    with pytest.raises(SiteProblem, match="broken"):
        attend_until(supervisor, lambda: False)
    assert heard.count(("broken", "no such thing")) == MOST_BAD_STARTS


def test_a_program_that_refuses_to_start_is_a_problem_at_once(supervisor: Supervisor, heard: Heard) -> None:
    broken = python("broken", "import sys; sys.exit('the cause')")
    supervisor.start(replace(broken, refusal=lambda lines: f"advice on {', '.join(lines)}"))
    with pytest.raises(SiteProblem, match=r"^advice on the cause$"):
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


def test_a_port_in_use_names_another_one() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(SiteProblem, match=rf"{port} .*make run PORT={port + 1}"):
            check_port("127.0.0.1", port)


def test_a_free_port_is_no_problem() -> None:
    check_port("127.0.0.1", free_port())


def test_a_full_disk_says_how_much_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SiteProblem, match=r" 10000000000 MB .*VAR_DIR"):
        check_space(tmp_path, least=10**16)
    check_space(tmp_path, least=1)


def test_a_data_folder_belongs_to_one_supervisor(tmp_path: Path) -> None:
    lock = lock_folder(tmp_path)
    with pytest.raises(SiteProblem, match=rf"process {os.getpid()}\b"):
        lock_folder(tmp_path)
    os.close(lock)
    os.close(lock_folder(tmp_path))


def test_redis_answers_where_it_runs(redis_url: str, tmp_path: Path) -> None:
    assert redis_answers(redis_url)
    assert not redis_answers(f"unix://{tmp_path}/nobody.sock")
    assert not redis_answers(f"redis://127.0.0.1:{free_port()}/0")


@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_every_signal_that_should_end_the_site_interrupts_it(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_DFL)
    listen_to_signals()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def test_a_site_started_with_ctrl_c_ignored_still_listens_to_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listen_to_signals()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_site_started_with_nohup_outlives_its_terminal() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    listen_to_signals()
    signal.raise_signal(signal.SIGHUP)


@dataclass
class Wait:
    """A wait for a process that uses ``rate`` seconds of CPU time per second, observed once per second."""

    rate: float | None
    now: float = 1000.0
    cpu: float = 0.0
    limit: float = LIMIT_S

    def __post_init__(self) -> None:
        self.patience = Patience("the test", self.used, self.limit, clock=lambda: self.now)

    def used(self) -> float | None:
        return None if self.rate is None else self.cpu

    def exhausted_after(self, seconds: float) -> bool:
        until = self.now + seconds
        while self.now < until:
            self.now += 1
            self.cpu += self.rate or 0.0
            if self.patience.exhausted():
                return True
        return False


def test_a_process_that_works_slowly_is_awaited_until_the_limit() -> None:
    wait = Wait(rate=0.02)
    assert not wait.exhausted_after(LIMIT_S)
    assert wait.exhausted_after(1)


def test_a_process_that_does_nothing_is_given_up_before_the_limit() -> None:
    wait = Wait(rate=0.0)
    assert not wait.exhausted_after(STALLED_S)
    assert wait.exhausted_after(1)


def test_progress_starts_the_count_of_idle_seconds_again() -> None:
    wait = Wait(rate=0.0)
    assert not wait.exhausted_after(STALLED_S)
    wait.cpu += PROGRESS_S
    assert not wait.exhausted_after(STALLED_S)
    assert wait.exhausted_after(2)


def test_the_timers_of_an_idle_process_are_not_progress() -> None:
    assert Wait(rate=PROGRESS_S / STALLED_S / 2).exhausted_after(STALLED_S + 1)


def test_a_process_that_was_started_again_makes_progress() -> None:
    wait = Wait(rate=0.0, cpu=7.0)
    assert not wait.exhausted_after(STALLED_S)
    wait.cpu = 0.0
    assert not wait.exhausted_after(STALLED_S)


def test_a_process_whose_cpu_time_is_unknown_is_awaited_until_the_limit() -> None:
    wait = Wait(rate=None, limit=90.0)
    assert not wait.exhausted_after(90)
    assert wait.exhausted_after(1)


@pytest.mark.parametrize("rate", [None, 0.5])
def test_a_wait_is_reported_once_per_interval(rate: float | None) -> None:
    wait = Wait(rate)
    reports = []
    for _ in range(int(4 * REPORT_EVERY_S)):
        assert not wait.exhausted_after(1)
        report = wait.patience.report()
        if report is not None:
            reports.append((wait.patience.waited, report))
    assert [waited for waited, _ in reports] == [REPORT_EVERY_S * number for number in (1, 2, 3, 4)]
    assert all("the test" in report and f"{waited:.0f} s" in report for waited, report in reports)


def test_a_late_report_is_not_followed_by_those_that_were_missed() -> None:
    wait = Wait(rate=0.5)
    wait.now += 4.5 * REPORT_EVERY_S
    assert wait.patience.report() is not None
    assert wait.patience.report() is None
    wait.now += REPORT_EVERY_S
    assert wait.patience.report() is not None


def test_a_site_awaits_a_redis_that_needs_most_of_a_minute_and_reports_the_wait(tmp_path: Path) -> None:
    class Prepared(Exception): ...

    def prepare() -> None:
        raise Prepared

    seconds = chain([0.0], repeat(45.0))  # at the start of the wait, then at every look
    output = io.StringIO()
    location = SiteLocation(ROOT, tmp_path, free_port(), f"unix://{socket_path(tmp_path)}")
    site = Site(location, Terminal(Console(file=output)), clock=lambda: next(seconds))
    with pytest.raises(Prepared), site.up(prepare):
        pass
    (report,) = [line for line in output.getvalue().splitlines() if "embedded Redis (45 s" in line]
    assert f"{os.cpu_count()} cores" in report
