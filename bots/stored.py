"""From a stored archive to the folder that a sandbox starts: read again, checked against its hash, unpacked once."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings

from bots import archives
from bots.archives import Archive, ArchiveLimits
from bots.models import BotVersion
from bots.runner.spec import StoredProgram

_ANY_SIZE: Final = ArchiveLimits(
    archive_bytes=1 << 30, unpacked_bytes=1 << 30, file_bytes=1 << 30, files=100_000, path_bytes=4096, depth=100
)
"""What was once taken is read again whatever today's limits are."""


class Lost(LookupError):
    """A version's archive is not in the storage, or is not what was uploaded; the message says of which."""


def archive_of(version: BotVersion) -> Archive:
    """The archive of an uploaded version, as it was taken. Raises ``Lost``."""
    try:
        with version.archive.open("rb") as file:
            archive = archives.read_upload(version.filename or version.archive.name, file.read(), _ANY_SIZE)
    except (OSError, ValueError) as error:
        raise Lost(f"the archive of {version} ({version.digest[:12]}…) cannot be read: {error}") from error
    if archive.digest != version.digest:
        raise Lost(f"the archive of {version} is not the one that was uploaded ({version.digest[:12]}…)")
    return archive


def program_of_upload(version: BotVersion) -> StoredProgram:
    """What to start for an uploaded version. Raises ``Lost``."""
    entry, *args = version.command or ["bot.py"]
    return StoredProgram(version.digest, _folder(version), entry, tuple(args))


def _folder(version: BotVersion) -> Path:
    """The version's files, unpacked; several processes may be at it at once, and one that dies leaves nothing half."""
    place = Path(settings.VAR_DIR) / "unpacked" / version.digest
    if place.is_dir():
        return place
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = place.with_name(f"{version.digest}.{os.getpid()}.new")
    shutil.rmtree(new, ignore_errors=True)
    archive_of(version).write_to(new)
    with suppress(OSError):  # another process was faster
        new.rename(place)
    shutil.rmtree(new, ignore_errors=True)
    return place
