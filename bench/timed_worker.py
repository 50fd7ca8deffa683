"""The Celery application of the site with time measurements: ``celery --app bench.timed_worker worker``.

Each match appends a JSON object (:class:`Cost`) to a file of its process in the folder ``PIPELINE_LOGS``. The process
that plays the match measures all CPU times, so they stay complete when Celery replaces that process.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time, time
from typing import Any

import django
from django.conf import settings

from bench.cpu_time import reaped_s
from bots.protocol import Limits
from bots.runner import Launcher, MatchReport, MatchSpec, Observer, Process, Program, play_match
from bots.sandbox import CoreUse, launcher_for_ladder, shared_core
from esr_platform.celery import app

django.setup()  # before the models are imported

from ladder import tasks  # noqa: E402, F401 - the site's tasks have to be there to be replaced
from ladder.cups import progress  # noqa: E402
from ladder.matches import dispatch, play  # noqa: E402


@dataclass
class Cost:
    """The cost of one match. ``…_cpu_s`` are CPU seconds of this process itself, ``…_s`` seconds by the clock.

    ``task`` is everything, ``game`` the runner's part of it with the starts, ``starts`` the launches alone.
    ``bots_cpu_s`` is the CPU time of the children that were reaped during the task, which are the bots.
    ``between_cpu_s`` was used before the task, since the previous one or since the process was forked: by Celery.
    """

    began_at: float = 0.0
    ended_at: float = 0.0
    task_s: float = 0.0
    task_cpu_s: float = 0.0
    game_s: float = 0.0
    game_cpu_s: float = 0.0
    starts_s: float = 0.0
    starts_cpu_s: float = 0.0
    bots_cpu_s: float = 0.0
    between_cpu_s: float = 0.0


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


_previous_end_cpu_s = 0.0
"""CPU time of this process when its previous match ended. A forked process starts with 0 on both sides."""


def timed_match(match_id: int) -> None:
    """Play one match as the site does, and append its cost to the log of this process if it was played."""
    global _previous_end_cpu_s
    began, cpu, reaped = perf_counter(), process_time(), reaped_s()
    cost = Cost(began_at=time(), between_cpu_s=cpu - _previous_end_cpu_s)

    def runner(spec: MatchSpec[Any], observer: Observer | None) -> MatchReport:
        began, cpu = perf_counter(), process_time()
        with shared_core(CoreUse.MATCHES, settings.VAR_DIR) as core:
            report = play_match(spec, TimedLauncher(launcher_for_ladder(), cost), observer, core=core)
        cost.game_s, cost.game_cpu_s = perf_counter() - began, process_time() - cpu
        return report

    if play.play(match_id, runner) is None:
        return
    if not dispatch.send_next(match_id):
        progress.advance(after=match_id)
    cost.ended_at, cost.task_s, cost.task_cpu_s = time(), perf_counter() - began, process_time() - cpu
    cost.bots_cpu_s = reaped_s() - reaped
    with Path(os.environ["PIPELINE_LOGS"], str(os.getpid())).open("a") as log:
        log.write(json.dumps(asdict(cost)) + "\n")
    _previous_end_cpu_s = process_time()


app.finalize()
app.tasks.unregister(dispatch.TASK)
app.task(name=dispatch.TASK, lazy=False)(timed_match)
