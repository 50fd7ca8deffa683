from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable


def free_port() -> int:
    """A TCP port of this machine on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(true: Callable[[], bool], what: str, seconds: float = 180.0, every_s: float = 0.02) -> None:
    """Poll ``true`` until it holds. Raises ``AssertionError`` that names ``what`` after ``seconds``.

    The limit only ends a test that would never end. It is no statement about speed, so it is generous.
    """
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"after {seconds:.0f} s still not: {what}"
        time.sleep(every_s)


def slowness() -> float:
    """Return the factor by which the load of this machine may lengthen a time limit, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
