"""The storage of uploads: archives as they were sent but without hidden files, and unpacked copies of them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Final, NamedTuple
from uuid import uuid4

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.utils import timezone

from bots import archives
from bots.archives import Archive
from bots.models import BotVersion
from bots.runner.spec import StoredProgram
from bots.unpacked import ANY_SIZE, unpacked_once

# --- Files that are whole or not there -------------------------------------------------------------------------------


class WholeFileStorage(FileSystemStorage):
    """Django's file system storage with atomic writes: files appear only once they are on the disk."""

    def _save(self, name: str, content: File[bytes]) -> str:
        """Write a temporary file, then rename it. After an ``OSError`` the previous file is still there."""
        part = f"{name}.{uuid4().hex}.part"
        beside = Path(self.path(part))
        try:
            super()._save(part, content)  # type: ignore[misc]
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(self.path(name))
        finally:
            beside.unlink(missing_ok=True)
        return name


# --- Archives --------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)


class OutOfReach(Exception):
    """The storage is not reachable or does not accept data; the operation can be retried."""


class ArchiveLost(LookupError):
    """The archive of a version is missing from the storage or differs from the upload."""


def uploads() -> Storage:
    """Return the storage of uploads, ``uploads`` in the settings."""
    return storages["uploads"]


class StoredFile(NamedTuple):
    """A stored file. ``is_new``: nothing else can name its path yet."""

    path: str
    is_new: bool


def keep(filename: str, data: bytes) -> StoredFile:
    """Store the bytes. The path does not depend on the user's file name.

    Bytes that a version already names are not stored again, unless the stored file differs. All others get a new path,
    even if they were stored before: ``forget_orphans`` relies on it. After ``OutOfReach`` no stored file is lost.
    """
    digest = sha256(data).hexdigest()
    start, suffix = f"{digest[:2]}/{digest}", "py" if filename.lower().endswith(".py") else "zip"
    named = BotVersion.objects.filter(archive__startswith=start, archive__endswith=f".{suffix}")
    named = named.filter(bot__owner__deleted=None)
    known = named.order_by("archive").values_list("archive", flat=True).first()
    path = known or f"{start}-{token_hex(8)}.{suffix}"
    try:
        if known is None or _read(known) != data:
            return StoredFile(uploads().save(path, ContentFile(data)), is_new=known is None)
    except Exception as error:  # boundary to a storage: each kind has its own errors
        raise _out_of_reach(path, error) from error
    return StoredFile(path, is_new=False)


def discard(stored: StoredFile) -> None:
    """Delete a new file of an upload that no version names in the end.

    Other uploads may name the path of an older file. If the storage fails, ``forget_orphans`` deletes the file later.
    """
    if not stored.is_new or BotVersion.objects.filter(archive=stored.path).exists():
        return
    try:
        uploads().delete(stored.path)
    except Exception as error:  # boundary to a storage: each kind has its own errors
        logger.warning("upload at %s not deleted, retrying tomorrow: %s: %s", stored.path, type(error).__name__, error)


def bytes_of(version: BotVersion) -> bytes:
    """Return the uploaded file of a version, byte for byte. Raises ``ArchiveLost`` and ``OutOfReach``."""
    try:
        data = _read(version.archive) if version.archive else None
    except Exception as error:  # as above
        raise _out_of_reach(version.archive, error) from error
    if data is None:
        raise ArchiveLost(f"{_named(version)} is missing from the storage")
    return data


def archive_of(version: BotVersion) -> Archive:
    """The archive of an uploaded version, read back from the storage. Raises ``ArchiveLost`` and ``OutOfReach``."""
    return _verified(version, bytes_of(version))


def verified_bytes_of(version: BotVersion) -> bytes:
    """The uploaded file of a version, whose contents have its digest. Raises ``ArchiveLost`` and ``OutOfReach``."""
    data = bytes_of(version)
    _verified(version, data)
    return data


def _verified(version: BotVersion, data: bytes) -> Archive:
    try:
        archive = archives.read_upload(version.archive, data, ANY_SIZE)
    except archives.ArchiveRefused as error:
        raise ArchiveLost(f"{_named(version)} cannot be read: {error}") from error
    if archive.digest != version.digest:
        raise ArchiveLost(f"{_named(version)} differs from the upload")
    return archive


def kept_already(version: BotVersion) -> bool:
    """Whether the storage contains the uploaded archive of ``version``. Raises ``OutOfReach``."""
    try:
        archive_of(version)
    except ArchiveLost:
        return False
    return True


def program_of_upload(version: BotVersion) -> StoredProgram:
    """Return the program of an uploaded version. Raises ``ArchiveLost`` and ``OutOfReach``."""
    entry, *args = version.command
    folder = unpacked_once(_unpacked(), version.digest, lambda: archive_of(version))
    return StoredProgram(version.digest, folder, entry, tuple(args))


def _named(version: BotVersion) -> str:
    return f"the archive of {version} ({version.digest[:12]}…)"


def _read(path: str) -> bytes | None:
    """Return the bytes at ``path``, or ``None``. Raises the errors of the storage."""
    try:
        with uploads().open(path, "rb") as file:
            data: bytes = file.read()
    except FileNotFoundError:
        return None
    return data


def _out_of_reach(path: str, error: Exception) -> OutOfReach:
    logger.error("upload storage failed at %s: %s: %s", path, type(error).__name__, error)
    return OutOfReach("The upload storage is not available.")


def _unpacked() -> Path:
    return Path(settings.VAR_DIR) / "unpacked"


# --- Archives that belong to no version ------------------------------------------------------------------------------
#
# An archive that a version needs is never removed, even during an upload:
#
# - New bytes are always written to a new path (``bots.uploads.storage.keep``). Other uploads do not see this path
#   before a version names it, so only the upload that wrote it can name it.
# - This upload names it within the same request, which is shorter than ``KEPT``. Younger files are not removed.
# - A named path stays named, because versions are not deleted. A version gets another archive only if the file at the
#   old path was lost, or within the request after which it was first named (``bots.uploads.upload._reuse``).
# - A refused upload deletes its file (``discard``) only if no version names it, so the file is new.
# - The versions of a deleted account drop their paths ``KEPT`` after the deletion. Later uploads do not see such a path
#   (``bots.uploads.storage.keep``), and earlier uploads have named it by that time.
#
# So a file that is older than ``KEPT`` and has no version will never have one. No lock is necessary: two of these tasks
# at the same time, or a task that dies, do no harm.

KEPT: Final = timedelta(days=1)
PATHS_PER_QUERY: Final = 500
"""Number of paths per database query."""

MOST_ORPHANS: Final = 2000
"""Maximum number of files deleted per day; an S3-compatible store needs two requests for each."""


def forget_orphans() -> int:
    """Delete up to ``MOST_ORPHANS`` stored files that no version names and that are older than ``KEPT``.

    Returns their number. If the storage fails, the error is logged and the rest is deleted the next time.
    """
    forgotten = 0
    try:
        for path in _orphans():
            uploads().delete(path)
            forgotten += 1
            if forgotten >= MOST_ORPHANS:
                break
    except Exception as error:  # boundary to a storage: each kind has its own errors
        logger.error("orphaned uploads not deleted, retrying tomorrow: %s: %s", type(error).__name__, error)
    if forgotten:
        logger.info("deleted %s orphaned uploads", forgotten)
    return forgotten


def _orphans() -> Iterator[str]:
    paths = _paths()
    while batch := list(islice(paths, PATHS_PER_QUERY)):
        named = set(BotVersion.objects.filter(archive__in=batch).values_list("archive", flat=True))
        yield from (path for path in batch if path not in named and _is_old(path))


def _paths() -> Iterator[str]:
    """Yield every file, one folder at a time: ``ab/abcd….zip``, including leftovers of killed processes."""
    for folder in sorted(_listed("")[0]):
        for name in _listed(folder)[1]:
            yield f"{folder}/{name}"


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """List folders and files in ``folder``; empty before the first upload."""
    try:
        return uploads().listdir(folder)
    except FileNotFoundError:
        return [], []


def _is_old(path: str) -> bool:
    try:
        return uploads().get_modified_time(path) < timezone.now() - KEPT
    except FileNotFoundError:  # a file being written, or deleted by another task
        return False
