"""Processes that alternate on one core, for engines and libraries that cannot share a process.

A worker prints the names of its contenders on one line. Then it answers each line ``[name, seconds]`` with a line
``[things per second, parts per second]`` and waits for the next one. All lines are JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Self

from bench.rates import Contender, Rate, window


def serve(contenders: Mapping[str, Contender]) -> None:
    """Be a worker until nobody asks any more."""
    for contender in contenders.values():
        contender()
    print(json.dumps(list(contenders)), flush=True)
    for line in sys.stdin:
        name, seconds = json.loads(line)
        print(json.dumps(window(contenders[name], seconds)), flush=True)


class Worker:
    """``python -m module``, with or without the accelerator for records; a context that ends the process."""

    def __init__(self, module: str, accelerated: bool = True) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            env={**os.environ, "ESR_ACCELERATOR": str(int(accelerated))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.names: list[str] = []

    def __enter__(self) -> Self:
        self.names = self._read()
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:  # closes the pipes and waits
            pass

    def _read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a worker process exited: {' '.join(map(str, self.process.args))}")
        return json.loads(line)

    def window(self, name: str, seconds: float) -> tuple[float, float]:
        """Things and parts per second of one contender."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([name, seconds]) + "\n")
        self.process.stdin.flush()
        things, parts = self._read()
        return things, parts


def measure_in_turns(workers: Mapping[str, Worker], windows: int, window_s: float) -> dict[str, dict[str, Rate]]:
    """The rates of all contenders by worker. Those that have the same place in their workers follow each other."""
    rates = {kind: {name: Rate() for name in worker.names} for kind, worker in workers.items()}
    rows = list(zip_longest(*(worker.names for worker in workers.values())))
    for _ in range(windows):
        for row in rows:
            for (kind, worker), name in zip(workers.items(), row, strict=True):
                if name is not None:
                    rates[kind][name].add(*worker.window(name, window_s))
    return rates
