"""What can prevent the site from starting, each with a message that tells the user what to do."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
from pathlib import Path

import redis

LEAST_FREE_BYTES = 100_000_000
"""With less than this on the disk a site would soon stop in the middle of a write."""


class Problem(Exception):
    """The site cannot run. The message tells the user what happened and what to do; its last period is missing."""


def check_port(host: str, port: int) -> None:
    """Raise :class:`Problem` if the web server cannot listen on ``port``."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError as error:
            raise Problem(_port_sentence(error, port)) from None


def _port_sentence(error: OSError, port: int) -> str:
    other = f"choose another port, as in: make run PORT={port + 1 if port >= 1024 else 8000}"
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use: stop the program that listens there, or {other}"
    return f"Port {port} cannot be opened ({error.strerror}): {other}"


def check_space(folder: Path, least: int = LEAST_FREE_BYTES) -> None:
    """Raise :class:`Problem` when fewer than ``least`` bytes are free on the disk of ``folder``."""
    free = shutil.disk_usage(folder).free
    if free < least:
        raise Problem(
            f"The disk is full: {folder} has {free / 1e6:.0f} MB left and needs {least / 1e6:.0f} MB; "
            "free some, or set VAR_DIR to a folder on another disk"
        )


def lock_folder(folder: Path) -> int:
    """Take ``folder`` for this process until the returned file descriptor is closed.

    Raises :class:`Problem` when another supervisor has it.
    """
    handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(handle, 20).decode("ascii", "replace").strip()
        os.close(handle)
        raise Problem(
            f"The site already runs with the data in {folder} (process {owner}): stop it with Ctrl-C there, "
            "or set VAR_DIR to another folder"
        ) from None
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())
    return handle


def redis_answers(url: str) -> bool:
    """Whether a Redis server at ``url`` answers a ping within a second. One that still loads its data does not."""
    client = redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1, retry=None)
    try:
        return bool(client.ping())
    except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
        return False
    except redis.RedisError as error:
        raise Problem(f"Redis refuses us ({error}): set REDIS_URL to an address with the right password") from None
    finally:
        client.close()
