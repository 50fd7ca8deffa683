"""The site's own secret key, made on the first run and kept in a file that only its owner reads."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path


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
