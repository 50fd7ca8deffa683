"""The embedded Redis of the site, as a separate server on a Unix socket."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from esr_platform.supervisor.broker import server_command
from esr_platform.supervisor.problems import redis_answers
from esr_platform.supervisor.processes import die_with_parent
from esr_platform.supervisor.sockets import socket_path
from tests.services.ports import wait_until


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a server with its data in ``folder`` and yield its URL."""
    log, command = folder / "redis.log", server_command(folder)
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=die_with_parent
        )
    url = f"unix://{socket_path(folder)}"
    try:
        wait_until(lambda: redis_answers(url) or process.poll() is not None, f"Redis answers at {url}", 300)
        assert process.poll() is None, log.read_text()
        yield url
    finally:
        process.kill()
        process.wait()
