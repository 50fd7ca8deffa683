"""Private files of a site: its data folder, its SQLite database and its secret key."""

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
    """Create the folder ``path``, or remove other users' access to an existing folder.

    Raises ``OSError`` if it cannot be created or is a folder for the temporary files of all users.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.stat()
    shared = path.resolve() in _TEMPORARY or status.st_uid != os.geteuid()
    if status.st_mode & stat.S_ISVTX and shared:  # an empty tmpfs also has this bit, and may be private
        raise PermissionError(errno.EPERM, "other users can write there", str(path))
    if status.st_mode & 0o077 and status.st_uid == os.geteuid():
        path.chmod(0o700)


def private_database(path: Path) -> None:
    """Restrict the SQLite database ``path`` and its journal to the owner before anything is written.

    Raises ``OSError`` if it cannot be opened.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        with suppress(FileNotFoundError):
            status = file.stat()
            if status.st_mode & 0o077 and status.st_uid == os.geteuid():
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
            f"SECRET_KEY is weak. Use at least {SECRET_KEY_MIN_LENGTH} random characters, or unset it to let the site "
            "create a key. To keep authenticator apps working, add the old key to SECRET_KEY_FALLBACKS. All users have "
            "to sign in again, because weak keys do not verify signatures."
        )
    return key


def secret_key(path: Path) -> str:
    """Return the key in the file ``path``, and create it if it does not exist. Safe for concurrent processes.

    Raises ``OSError`` if the folder cannot be written.
    """
    if not path.exists():
        _publish(path, secrets.token_urlsafe(48))
    return path.read_text("ascii").strip()


def _publish(path: Path, key: str) -> None:
    """Write ``key`` to ``path`` atomically. The first of several writers wins."""
    handle, draft = tempfile.mkstemp(dir=path.parent)  # readable only by its owner
    try:
        with os.fdopen(handle, "w") as file:
            file.write(key + "\n")
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
