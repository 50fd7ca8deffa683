"""Stored files that belong to no version: an upload was turned down, or broke off, after its bytes had been kept.

Why none is ever taken from a version, however the two fall together:

- Bytes that no version names are always written to a path of their own (``stored.keep``), which no other upload is told
  of until a version names it. So the only upload that can yet name an unnamed path is the one that wrote it.
- That one names it within the same request, which cannot last for ``KEPT``; what is younger is left alone.
- A path that is named stays so: versions are not deleted, and one is given another archive only where what lay at the
  old path was lost, or within the request after which it was first named (``uploading._once_more``).
- The versions of a deleted account let go of their paths, ``KEPT`` after it was deleted. No upload from then on is told
  of such a path (``stored.keep``), and one from before has named it by then.

So a file that is older than ``KEPT`` and that no version names now is never going to be named, and nothing has to be
locked: two of these tasks at once, or one that dies, do no harm either.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Final

from django.utils import timezone

from bots.models import BotVersion
from bots.stored import uploads

logger = logging.getLogger(__name__)

KEPT: Final = timedelta(days=1)
AT_ONCE: Final = 500
"""So many paths are looked up in the database together."""

MOST: Final = 2000
"""So many files are deleted at most before the next day; an S3-compatible store takes two requests for each."""


def forget_orphans() -> int:
    """Delete stored files that no version names and that are older than ``KEPT``, ``MOST`` at most; how many.

    Where the storage fails, the rest waits for the next time, and the log says why.
    """
    forgotten = 0
    try:
        for path in _orphans():
            uploads().delete(path)
            forgotten += 1
            if forgotten >= MOST:
                break
    except Exception as error:  # the border to a storage: each kind fails in its own words
        logger.error("orphaned uploads stay until tomorrow: %s: %s", type(error).__name__, error)
    if forgotten:
        logger.info("%s uploads that belong to no version are deleted", forgotten)
    return forgotten


def _orphans() -> Iterator[str]:
    paths = _paths()
    while batch := list(islice(paths, AT_ONCE)):
        named = set(BotVersion.objects.filter(archive__in=batch).values_list("archive", flat=True))
        yield from (path for path in batch if path not in named and _is_old(path))


def _paths() -> Iterator[str]:
    """Every file, one folder at a time: ``ab/abcd….zip``, and what a killed process has left beside one."""
    for folder in sorted(_listed("")[0]):
        for name in _listed(folder)[1]:
            yield f"{folder}/{name}"


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """Folders and files in ``folder``; nothing where nobody has uploaded yet."""
    try:
        return uploads().listdir(folder)
    except FileNotFoundError:
        return [], []


def _is_old(path: str) -> bool:
    try:
        return uploads().get_modified_time(path) < timezone.now() - KEPT
    except FileNotFoundError:  # it was one that was just being written, or another task was quicker
        return False
