"""A Redis of its own, the one that the site embeds, on a Unix socket."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from esr_platform.supervising.broker import server_command, socket_path
from esr_platform.supervising.child import die_with_parent
from esr_platform.supervising.problems import redis_answers
from tests.services.ports import wait_until


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a server with its data in ``folder``; gives its URL."""
    process = subprocess.Popen(
        server_command(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent
    )
    url = f"unix://{socket_path(folder)}"
    try:
        wait_until(lambda: redis_answers(url), f"Redis answers at {url}")
        yield url
    finally:
        process.kill()
        process.wait()
