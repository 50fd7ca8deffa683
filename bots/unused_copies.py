"""Folders that are made again when they are needed: how they are made, which of them stay, and how the others go."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from typing import Final
from uuid import uuid4

with suppress(ModuleNotFoundError):  # on Windows, where these folders are not made (bots.sandbox.limits)
    import fcntl

KEPT_DAYS: Final = 7

MOST: Final = 256
"""Maximum number of folders in one place. A small archive can contain a large bot, so folders could fill the disk."""

IN_USE_S: Final = 900
"""Folders used within this time stay, however many there are, because a game may use them."""

_DAY_S: Final = 86_400


def made_once(place: Path, fill: Callable[[Path], object], most_bytes: float = inf) -> Path:
    """Return the folder ``place``, which ``fill`` has filled if it did not exist. Note that it is used now.

    One process at a time fills a folder, and others see all of it or nothing. Room is made first as in
    :func:`forget_unused`; if the disk is full nevertheless, all folders that are not in use go, and ``fill`` is called
    again. Raises ``OSError``.
    """
    if not _used(place):
        with _alone(place.parent.with_name(f"{place.parent.name}.lock")):
            if not _used(place):
                for abandoned in place.parent.glob("*.new"):  # its process was killed
                    shutil.rmtree(abandoned, ignore_errors=True)
                forget_unused(place.parent, most_bytes)
                try:
                    _make(place, fill)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    forget_unused(place.parent, 0)
                    _make(place, fill)
    return place


def _used(place: Path) -> bool:
    with suppress(FileNotFoundError):
        os.utime(place)
        return True
    return False


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.fchmod(descriptor, 0o600)  # older versions made it readable, and a reader can keep it locked
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make(place: Path, fill: Callable[[Path], object]) -> None:
    new = Path(mkdtemp(prefix=f"{place.name[:16]}.", suffix=".new", dir=place.parent))
    try:
        fill(new)
        new.chmod(0o711)
        new.rename(place)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def forget_unused(folder: Path, most_bytes: float = inf) -> None:
    """Remove the folders in ``folder`` that were not used for a week.

    If there are more than ``MOST``, or more than one and their files have more than ``most_bytes``, remove those that
    were not used for longest as well, but none of the last ``IN_USE_S``. The time of modification of a folder has to
    be set whenever it is used.
    """
    now, kept_bytes = time.time(), 0
    for rank, (used, place) in enumerate(sorted(_last_used(folder), reverse=True)):
        kept_bytes += _bytes(place) if most_bytes < inf else 0
        crowded = rank >= MOST or (rank > 0 and kept_bytes > most_bytes)
        if now - used > (IN_USE_S if crowded else KEPT_DAYS * _DAY_S):
            with suppress(OSError):  # another worker has removed it
                remove_at_once(place)


def remove_at_once(place: Path) -> None:
    """Remove a folder atomically: a reader finds all of it or nothing. Raises ``OSError``."""
    gone = place.with_name(f"{uuid4().hex}.gone")
    place.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _bytes(folder: Path) -> int:
    """The total size of the files in ``folder``. Another worker may be removing them."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += Path(above, name).lstat().st_size
    return total


def _last_used(folder: Path) -> Iterator[tuple[float, Path]]:
    for place in folder.glob("*"):
        with suppress(FileNotFoundError):
            yield place.lstat().st_mtime, place
