"""Where the time of ``bench.pipeline`` goes: what is read while it runs, and how it is told."""

from __future__ import annotations

import os
from dataclasses import astuple, dataclass

from bench.consumption import Processes

GOAL_MATCHES_S, GOAL_PLATFORM, GOAL_CELERY = 10.0, 0.30, 0.05


@dataclass(frozen=True)
class Reading:
    """Processor seconds used so far: by Celery's main process, workers, all below those, broker, database server."""

    main: float
    worker: float
    below: float
    broker: float
    database: float

    def since(self, before: Reading) -> Reading:
        """What was used between two readings."""
        return Reading(*(now - then for now, then in zip(astuple(self), astuple(before), strict=True)))


@dataclass(frozen=True)
class Meter:
    """Reads what a running site has used; ``redis`` and ``database`` are pids."""

    worker: int
    redis: int
    database: int | None

    def read(self) -> Reading:
        """As it is now."""
        seen = Processes()
        children = seen.children[self.worker]
        return Reading(
            seen.own_s([self.worker]),
            seen.own_s(children),
            seen.under_s(children),
            seen.whole_s(self.redis),
            seen.whole_s(self.database) if self.database else 0.0,
        )


@dataclass(frozen=True)
class Run:
    """A measured run: what was used between two readings, what the workers wrote down, and how long it took."""

    used: Reading
    tasks: list[dict[str, float]]
    workers: int
    wall_s: float

    @property
    def rate(self) -> float:
        """Matches per second."""
        return len(self.tasks) / self.wall_s

    def total(self, key: str) -> float:
        """A column of what the workers wrote down, summed."""
        return sum(task[key] for task in self.tasks)

    def parts(self) -> dict[str, float]:
        """Processor seconds by what they were used for; the first two are the bots' own time and their starts."""
        own = self.used
        return {
            "the bots, from the start of their interpreters to their end": own.below,
            "starting them, at the worker's end": self.total("starts_cpu_s"),
            "runner and engine": self.total("game_cpu_s") - self.total("starts_cpu_s"),
            "claim, specification, re-execution, result, rating": self.total("task_cpu_s") - self.total("game_cpu_s"),
            "database server": own.database,
            "Celery and its broker": own.main + own.broker + own.worker - self.total("task_cpu_s"),
        }


def show(title: str, run: Run) -> None:
    """Print matches/s and the split."""
    parts, count = run.parts(), len(run.tasks)
    whole = sum(parts.values())
    print(f"{title}: {run.rate:.1f} matches/s ({count} matches, {run.workers} workers, {os.cpu_count()} cores)")
    for name, seconds in parts.items():
        print(f"    {seconds / count * 1e3:7.2f} ms {seconds / whole:6.1%}  {name}")
    possible = (os.cpu_count() or 1) * count / whole
    print(
        f"    {whole / count * 1e3:7.2f} ms of processor time a match, so all cores give at most"
        f" {possible:.1f} matches/s; {whole / run.wall_s:.2f} cores were at work"
    )
    game, starts, task = run.total("game_s"), run.total("starts_s"), run.total("task_s")
    spans = {
        "starting": starts,
        "playing": game - starts,
        "claiming and storing": task - game,
        "between matches": run.workers * run.wall_s - task,
    }
    print("    a worker's time:", ", ".join(f"{span / count * 1e3:.1f} ms {name}" for name, span in spans.items()))
    shares = [seconds / whole for seconds in parts.values()]
    judge(run.rate, sum(shares[2:]), shares[-1])


def judge(rate: float, ours: float, celery: float) -> None:
    """Say which goals are met."""
    for what, reached, goal, met in (
        ("matches/s", f"{rate:.1f}", f"at least {GOAL_MATCHES_S:.0f}", rate >= GOAL_MATCHES_S),
        ("the platform's own share", f"{ours:.1%}", f"below {GOAL_PLATFORM:.0%}", ours < GOAL_PLATFORM),
        ("Celery's share", f"{celery:.1%}", f"below {GOAL_CELERY:.0%}", celery < GOAL_CELERY),
    ):
        print(f"    {what}: {reached}, {goal}: {'met' if met else 'MISSED'}")
