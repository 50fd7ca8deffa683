"""Folders that are made again when they are needed: which of them stay, and how the others go."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

KEPT_DAYS: Final = 7

MOST: Final = 256
"""So many folders stay in one place: people bring small archives of large bots, and a disk would be full of them."""

IN_USE_S: Final = 3600
"""What was used within this time stays, however many there are: a game may be going on with it."""

_DAY_S: Final = 86_400


def forget_unused(folder: Path) -> None:
    """Remove what is in ``folder`` and was not used for a week, and of more than ``MOST`` those unused for longest.

    When something was used last is its time of modification, which whoever uses it has to set.
    """
    now = time.time()
    for rank, (used, place) in enumerate(sorted(_last_used(folder), reverse=True)):
        if now - used > (KEPT_DAYS * _DAY_S if rank < MOST else IN_USE_S):
            with suppress(OSError):  # somebody else was quicker
                remove_at_once(place)


def remove_at_once(place: Path) -> None:
    """Remove a folder such that whoever opens it at this moment finds all of it or nothing. Raises ``OSError``."""
    gone = place.with_name(f"{uuid4().hex}.gone")
    place.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _last_used(folder: Path) -> Iterator[tuple[float, Path]]:
    for place in folder.glob("*"):
        with suppress(FileNotFoundError):
            yield place.lstat().st_mtime, place
