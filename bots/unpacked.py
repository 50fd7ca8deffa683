"""Unpacked copies of uploads, by the digest of their files: each is whole, and has been verified by its process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from bots.archives import Archive, ArchiveLimits
from bots.manifest import Manifest
from bots.unused_copies import forget_unused, remove_at_once

ANY_SIZE: Final = ArchiveLimits(
    archive_bytes=1 << 30,
    unpacked_bytes=1 << 30,
    file_bytes=1 << 30,
    files=100_000,
    path_bytes=4096,
    depth=100,
    hidden=True,
    libraries=None,
)
"""Accepted archives can always be read again, whatever the current limits are."""

_sound: Final[set[Path]] = set()
"""The folders that this process has verified."""


def unpacked_once(above: Path, digest: str, read: Callable[[], Archive]) -> Path:
    """Return the folder in ``above`` with the files of the archive with ``digest``, which ``read`` gives if necessary.

    Concurrent and killed processes leave no partial folder. Raises the errors of ``read``.
    """
    place = above / digest
    if place.is_dir():
        if place in _sound or _digest_of(place) == digest:
            _sound.add(place)
            with suppress(FileNotFoundError):
                os.utime(place)
            return place
        with suppress(OSError):
            remove_at_once(place)  # after a power failure files may be empty
    archive = read()
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = above / f"{digest}.{uuid4().hex}.new"  # containers that share the folder may have the same pids
    try:
        archive.write_to(new)
        with suppress(OSError):  # another process was faster
            new.rename(place)
            forget_unused(above)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return place


def _digest_of(folder: Path) -> str:
    """Return the digest of ``folder``; that of an empty folder if another process removes it."""
    try:
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    except FileNotFoundError:
        files = {}
    return Archive(files, Manifest("")).digest
