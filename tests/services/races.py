"""Races: real processes that are ready, wait for one another, and then act at the same moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from tests.services.ports import wait_until
from tests.services.workers import Processes

Racer = tuple[str, dict[str, Any]]
"""The name of an action and its arguments."""

Race = Callable[..., list[Any]]
"""Starts all its racers at one moment and gives what each of them got; ``None`` for one that died."""


def race_of(module: str, processes: Processes, folder: Path) -> Race:
    """Races whose racers are processes of ``module``, such as ``tests.ladder.racing``."""
    numbers = count()

    def run(*racers: Racer) -> list[Any]:
        heat = folder / f"race-{next(numbers)}"
        heat.mkdir()
        process = processes.python("-m", module, json.dumps(racers), str(heat))
        wait_until(lambda: len(list(heat.glob("*.ready"))) == len(racers), "all racers are ready", 60)
        (heat / "gate").touch()
        process.wait(60)
        results = [heat / f"{number}.json" for number in range(len(racers))]
        return [json.loads(result.read_text()) if result.exists() else None for result in results]

    return run
