"""``manage.py run_process``: run one process of a site, for systemd, containers and other supervisors."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, Final

from django.core.management.base import BaseCommand

from esr_platform.supervisor import processes
from esr_platform.supervisor.processes import ProcessCommand

PROCESSES: Final[dict[str, Callable[..., ProcessCommand]]] = {
    each.__name__: each
    for each in (processes.web, processes.streams, processes.bots, processes.host, processes.default, processes.beat)
}
"""The processes of a site by name. Each function takes the environment, and `web` its host and port before it."""


class Command(BaseCommand):
    help = "Run one process of the site in place of this command. At SIGTERM, workers finish their tasks and exit."
    requires_system_checks = ["public"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("process", choices=PROCESSES, help="name of the process")
        parser.add_argument(
            "--host", default="127.0.0.1", help="IP address at which `web` listens (default: 127.0.0.1)"
        )
        parser.add_argument("--port", type=int, default=8000, help="HTTP port of `web` (default: 8000)")

    def handle(self, *, process: str, host: str, port: int, **_: Any) -> None:
        address = (host, port) if process == "web" else ()
        command = PROCESSES[process](*address, {})
        # `run` stops workers at once. Here, REMAP_SIGTERM is up to the operator.
        added = {name: value for name, value in command.environment.items() if name != "REMAP_SIGTERM"}
        os.execve(command.arguments[0], list(command.arguments), {**os.environ, **added})  # noqa: S606  # ends at exec
