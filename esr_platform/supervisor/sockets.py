"""Paths of the Unix sockets of a site."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from pathlib import Path
from secrets import token_hex

LONGEST_SOCKET_PATH = 100
"""Characters. The kernel rejects Unix socket paths of 108 or more characters."""


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


def is_own(path: Path) -> bool:
    """Whether the socket at ``path`` exists and belongs to this user."""
    try:
        return path.lstat().st_uid == os.geteuid()
    except FileNotFoundError:
        return False


_STREAMS = "streams-{}.sock"
_ANY = "?" * 8
"""For the random part of a name. It is not a process id, because containers that share the folder repeat these."""


def stream_sockets(var: Path) -> list[Path]:
    """Return the sockets of this user's stream processes of the site. A killed process leaves its socket."""
    pattern = socket_path(var, _STREAMS.format(_ANY))
    return sorted(path for path in pattern.parent.glob(pattern.name) if is_own(path))


def new_stream_socket(var: Path) -> Path:
    """Return the path of a socket for another stream process. Raises ``OSError`` as :func:`private_socket` does."""
    return private_socket(var, _STREAMS.format(token_hex(len(_ANY) // 2)))
