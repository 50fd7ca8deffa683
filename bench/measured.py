"""A Celery application like the site's that writes down what every match has cost: ``celery --app bench.measured``.

The task is the site's own but for the stopwatches in it. Each match adds a JSON object to a file of its process in the
folder that ``PIPELINE_LOGS`` names: spans in seconds, and seconds of this process's own processor time.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time, time
from typing import Any

import django

from bots.protocol import Limits
from bots.runner import Launcher, MatchReport, MatchSpec, Observer, Process, Program, play_match
from bots.sandbox import launcher_for_ladder
from esr_platform.celery import app

django.setup()  # before the models are imported

from ladder import playing, tasks  # noqa: E402, F401 - the site's tasks have to be there to be replaced
from ladder.dispatching import TASK  # noqa: E402


@dataclass
class Cost:
    """One task: when it began and ended, and what it and its parts took. ``…_cpu_s`` are this process's own.

    ``game`` is all of the runner's work, starts included; ``starts`` is launching alone.
    """

    began_at: float = 0.0
    ended_at: float = 0.0
    task_s: float = 0.0
    task_cpu_s: float = 0.0
    game_s: float = 0.0
    game_cpu_s: float = 0.0
    starts_s: float = 0.0
    starts_cpu_s: float = 0.0


class TimedLauncher:
    """The ladder's launcher under a stopwatch."""

    def __init__(self, launcher: Launcher[Program], cost: Cost) -> None:
        self._launcher, self._cost = launcher, cost

    def start(self, program: Program, limits: Limits) -> Process:
        began, cpu = perf_counter(), process_time()
        process = self._launcher.start(program, limits)
        self._cost.starts_s += perf_counter() - began
        self._cost.starts_cpu_s += process_time() - cpu
        return process


def measured_match(match_id: int) -> None:
    """Play one match as the site does, and write down its cost."""
    cost = Cost(began_at=time())

    def runner(spec: MatchSpec[Any], observer: Observer | None) -> MatchReport:
        began, cpu = perf_counter(), process_time()
        report = play_match(spec, TimedLauncher(launcher_for_ladder(), cost), observer)
        cost.game_s, cost.game_cpu_s = perf_counter() - began, process_time() - cpu
        return report

    began, cpu = perf_counter(), process_time()
    playing.play(match_id, runner)
    cost.ended_at, cost.task_s, cost.task_cpu_s = time(), perf_counter() - began, process_time() - cpu
    with Path(os.environ["PIPELINE_LOGS"], str(os.getpid())).open("a") as log:
        log.write(json.dumps(asdict(cost)) + "\n")


app.finalize()
app.tasks.unregister(TASK)
app.task(name=TASK, lazy=False)(measured_match)
