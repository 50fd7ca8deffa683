from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

import pytest
from rich.console import Console

from esr_platform.supervisor.broker import socket_path
from esr_platform.supervisor.processes import LIMIT_S, PROGRESS_S, REPORT_EVERY_S, STALLED_S, Patience
from esr_platform.supervisor.site import Place, Site
from esr_platform.supervisor.terminal import Terminal
from tests.services.ports import free_port
from tests.services.workers import ROOT


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
    said = io.StringIO()
    place = Place(ROOT, tmp_path, free_port(), f"unix://{socket_path(tmp_path)}")
    site = Site(place, Terminal(Console(file=said)), clock=lambda: next(seconds))
    with pytest.raises(Prepared), site.up(prepare):
        pass
    (report,) = [line for line in said.getvalue().splitlines() if "Still waiting for the embedded Redis (45 s" in line]
    assert "load average" in report
