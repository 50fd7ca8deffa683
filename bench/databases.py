"""Run a bench on a new database in a separate process, because settings are read once per process."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path

from esr_platform.supervisor.sockets import socket_path
from tests.services.postgres import postgres_server

KINDS = ["sqlite", "postgresql"]


@contextmanager
def database(kind: str, folder: str) -> Iterator[str]:
    """An empty database of this kind; gives its URL."""
    with postgres_server() if kind == "postgresql" else nullcontext(f"sqlite:///{folder}/db.sqlite3") as url:
        yield url


def inside(module: str, kind: str, arguments: list[str]) -> int:
    """Run ``python -m module … --inside kind`` on a new database of this kind; its exit status."""
    with tempfile.TemporaryDirectory(prefix="esr-bench-") as folder, database(kind, folder) as url:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "VAR_DIR": folder,
            "LOG_LEVEL": "ERROR",
            "SECRET_KEY": sha256(folder.encode()).hexdigest(),
            "REDIS_URL": f"unix://{socket_path(Path(folder))}",
            "DJANGO_SETTINGS_MODULE": "esr_platform.settings",
        }
        command = [sys.executable, "-m", module, *arguments, "--inside", kind]
        return subprocess.run(command, env=environment, check=False).returncode


def on_each(
    module: str,
    parser: argparse.ArgumentParser,
    measure: Callable[[argparse.Namespace], int | None],
    usual: Sequence[str] = KINDS,
) -> int:
    """Read the command line of the bench ``module``, and ``measure`` on each kind of database; the worst exit status.

    ``measure`` runs in a process of its own, in which ``options.inside`` is the kind. It returns its exit status, or
    nothing.
    """
    parser.add_argument("--databases", nargs="+", default=usual, choices=KINDS)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return measure(options) or 0
    return max(inside(module, kind, sys.argv[1:]) for kind in options.databases)
