"""Races: real processes that are ready, wait for one another, and then act at the same moment.

``python -m tests.services.races`` is the process that the racers are forked from. It imports the site once; importing
it for every race would take more processor time than the races do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from tests.services.ports import wait_until
from tests.services.workers import Processes

Racer = tuple[str, dict[str, Any]]
"""The name of an action and its arguments."""

Race = Callable[..., list[Any]]
"""Starts all its racers at one moment and returns their results; ``None`` for a racer that was killed.

Raises ``AssertionError`` with the traceback of a racer that failed.
"""

Act = Callable[[], Any]
Actions = Mapping[str, Callable[..., Act]]
"""What the racers of a module can do: each prepares with its arguments and returns the act itself."""

_numbers = count()


@dataclass
class RaceServer:
    """Forks racers on the database and the broker of ``processes``."""

    processes: Processes
    process: subprocess.Popen[bytes] | None = None

    def race_of(self, module: str, data: Path) -> Race:
        """Races whose racers take their actions from ``module.ACTIONS``; ``data`` is their data folder."""

        def run(*racers: Racer) -> list[Any]:
            folder = data / f"race-{next(_numbers)}"
            folder.mkdir()
            try:
                server = self._send({"module": module, "racers": racers, "folder": str(folder), "data": str(data)})

                def failed() -> bool:
                    return server.poll() is not None or bool(list(folder.glob("*.error")))

                wait_until(lambda: failed() or len(list(folder.glob("*.ready"))) == len(racers), "racers are ready")
                (folder / "gate").touch()
                wait_until(lambda: server.poll() is not None or (folder / "over").exists(), "the race is over")
            except BaseException:
                self.end()
                raise
            errors = [error.read_text() for error in sorted(folder.glob("*.error"))]
            assert (folder / "over").exists() and not errors, "\n".join(errors) or "the race server has ended"
            results = [folder / f"{number}.json" for number in range(len(racers))]
            return [json.loads(result.read_text()) if result.exists() else None for result in results]

        return run

    def end(self) -> None:
        """Kill the server and all racers. The next race starts a new one."""
        self.processes.end()
        self.process = None

    def _send(self, race: dict[str, Any]) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is not None:
            self.end()
        if self.process is None:
            self.process = self.processes.python("-m", "tests.services.races", stdin=subprocess.PIPE)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(race).encode() + b"\n")
        self.process.stdin.flush()
        return self.process


def _forked(act: Callable[[], Any], error: Path) -> int:
    """Run ``act`` in a child that ends with it and with us, and return its pid; ``error`` gets its traceback."""
    from django.db import connections

    from esr_platform.supervisor.processes import die_with_parent

    pid = os.fork()
    if pid:
        return pid
    try:
        die_with_parent()
        act()
        connections.close_all()
    except BaseException:
        error.write_text(traceback.format_exc())
    finally:
        os._exit(0)


def _race(actions: Actions, racer: Racer, folder: Path, number: int) -> None:
    """Prepare, wait for the gate, act and write the result."""
    from django.db import connection

    name, arguments = racer
    act = actions[name](**arguments)
    connection.ensure_connection()
    (folder / f"{number}.ready").touch()
    wait_until((folder / "gate").exists, "the race is started")
    part = folder / f"{number}.part"
    part.write_text(json.dumps(act()))
    part.rename(folder / f"{number}.json")


def _run(module: str, racers: list[Racer], folder: Path, data: Path) -> None:
    """Run one race with the data folder ``data``: fork its racers and wait for them."""
    from tests.services.data import data_in

    actions = import_module(module).ACTIONS
    os.environ["VAR_DIR"] = str(data)
    with data_in(data):
        children = [
            _forked(partial(_race, actions, racer, folder, number), folder / f"{number}.error")
            for number, racer in enumerate(racers)
        ]
        for child in children:
            os.waitpid(child, 0)


def main() -> None:
    """Read a race per line until standard input ends."""
    import django

    django.setup()
    for line in sys.stdin:
        race = json.loads(line)
        import_module(race["module"])  # here, so that the next race of this module finds it imported
        folder = Path(race["folder"])
        run = partial(_run, race["module"], race["racers"], folder, Path(race["data"]))
        os.waitpid(_forked(run, folder / "race.error"), 0)
        (folder / "over").touch()


if __name__ == "__main__":
    main()
