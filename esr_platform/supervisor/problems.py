"""Problems that prevent the site from starting, with messages that explain how to fix them."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
from pathlib import Path

import redis

LEAST_FREE_BYTES = 100_000_000
"""Minimum free disk space. With less, writes would soon fail."""


class SiteProblem(Exception):
    """The site cannot run. The message says what happened and how to fix it, without the final period."""


def check_port(host: str, port: int) -> None:
    """Raise :class:`SiteProblem` if the web server cannot listen on ``port``."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError as error:
            raise SiteProblem(_port_sentence(error, port)) from None


def _port_sentence(error: OSError, port: int) -> str:
    other = f"`make run PORT={port + 1 if port >= 1024 else 8000}`"
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is already in use. Stop the program that listens on it or use another port: {other}"
    return f"Cannot listen on port {port} ({error.strerror}). Use another port: {other}"


def check_space(folder: Path, least: int = LEAST_FREE_BYTES) -> None:
    """Raise :class:`SiteProblem` when fewer than ``least`` bytes are free on the disk of ``folder``."""
    free = shutil.disk_usage(folder).free
    if free < least:
        raise SiteProblem(
            f"Not enough disk space: {free / 1e6:.0f} MB free in {folder}, {least / 1e6:.0f} MB required. "
            "Free some space or set VAR_DIR to a folder on another disk"
        )


def lock_folder(folder: Path) -> int:
    """Lock ``folder`` for this process until the returned file descriptor is closed.

    Raises :class:`SiteProblem` if another process has locked it.
    """
    handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(handle, 20).decode("ascii", "replace").strip()
        os.close(handle)
        raise SiteProblem(
            f"Another site is already running with the data in {folder} (process {owner}). "
            "Stop it with Ctrl-C or set VAR_DIR to another folder"
        ) from None
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())
    return handle


def redis_answers(url: str) -> bool:
    """Whether a Redis server at ``url`` answers a ping within 1 s. It does not while it is loading its data."""
    client = redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1, retry=None)
    try:
        return bool(client.ping())
    except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
        return False
    except redis.RedisError as error:
        raise SiteProblem(f"Redis rejected the connection ({error}). Check the password in REDIS_URL") from None
    finally:
        client.close()
