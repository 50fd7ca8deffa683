"""What only the owner of a site may read: its data folder, its SQLite database and its secret key."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.core.checks.security.base import (
    SECRET_KEY_INSECURE_PREFIX,
    SECRET_KEY_MIN_LENGTH,
    SECRET_KEY_MIN_UNIQUE_CHARACTERS,
)

_TEMPORARY: Final = {Path(name).resolve() for name in ("/tmp", "/var/tmp", "/dev/shm", tempfile.gettempdir())}  # noqa: S108


def private_folder(path: Path) -> None:
    """Create the folder ``path``, or close one that exists to other users.

    Raises ``OSError`` if it cannot be created or is a folder for the temporary files of all users.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.stat()
    shared = path.resolve() in _TEMPORARY or found.st_uid != os.geteuid()
    if found.st_mode & stat.S_ISVTX and shared:  # an empty tmpfs has this bit as well, and may be ours alone
        raise PermissionError(errno.EPERM, "other users write there, too", str(path))
    if found.st_mode & 0o077 and found.st_uid == os.geteuid():
        path.chmod(0o700)


def private_database(path: Path) -> None:
    """Let only its owner read the SQLite database ``path``, with its journal, before anything is written into it.

    Raises ``OSError`` if it cannot be opened.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        with suppress(FileNotFoundError):
            found = file.stat()
            if found.st_mode & 0o077 and found.st_uid == os.geteuid():
                file.chmod(0o600)


def is_weak(key: str) -> bool:
    """Whether ``key`` can be guessed, by the rules of ``manage.py check --deploy``."""
    return (
        len(key) < SECRET_KEY_MIN_LENGTH
        or len(set(key)) < SECRET_KEY_MIN_UNIQUE_CHARACTERS
        or key.startswith(SECRET_KEY_INSECURE_PREFIX)
    )


def strong(key: str) -> str:
    """Return ``key``. Raises ``SystemExit`` if it is weak."""
    if is_weak(key):
        raise SystemExit(
            f"SECRET_KEY is weak: use at least {SECRET_KEY_MIN_LENGTH} random characters, or unset it and the site "
            "makes one. To keep authenticator apps, name the old key in SECRET_KEY_FALLBACKS. Users sign in again, "
            "because a weak key verifies no signatures."
        )
    return key


def secret_key(path: Path) -> str:
    """The key kept in ``path``, made first where there is none. Several processes may ask at once and get the same.

    Raises ``OSError`` when the folder cannot be written.
    """
    if not path.exists():
        _publish(path, secrets.token_urlsafe(48))
    return path.read_text("ascii").strip()


def _publish(path: Path, key: str) -> None:
    """Write ``key`` to ``path`` whole or not at all; the first of several writers wins."""
    handle, draft = tempfile.mkstemp(dir=path.parent)  # readable by its owner alone
    try:
        with os.fdopen(handle, "w") as file:
            file.write(key + "\n")
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
