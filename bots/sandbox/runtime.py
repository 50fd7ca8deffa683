"""The folder on this host that all workers share: copies of the files that bots run, and locks of leased seats."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from bots.runner.launcher import PlatformFailure

#: ESR_RUNTIME_DIR: Folder for copies of bots, shared by all workers on a host. Default: in memory, under `/dev/shm`.
VARIABLE = "ESR_RUNTIME_DIR"
"""The environment variable that sets another path of the folder, the same for every worker of a host."""

_MOUNTS: Final = Path("/proc/self/mountinfo")
_MEMORY: Final = (Path("/dev/shm"), Path("/run"))  # noqa: S108 - what is made there belongs to its owner alone
_DISKS: Final = (Path(tempfile.gettempdir()), Path("/var/tmp"))  # noqa: S108
_ROOM: Final = 512 * 1024 * 1024
"""Minimum free bytes of a file system for copies of an interpreter, numpy and some bots."""

_SECRET_BYTES: Final = 32


def runtime_folder() -> Path:
    """Return the runtime folder, and create it if necessary. It is in memory if there is enough space.

    Only this user can list it; others can only pass through. Raises ``PlatformFailure`` if the path belongs to another
    user or cannot be created.
    """
    named = os.environ.get(VARIABLE)
    return own_folder(Path(named) if named else _default_place() / f"esr-{os.geteuid()}")


def own_folder(folder: Path) -> Path:
    """Create ``folder`` if it is missing. Raises ``PlatformFailure`` if other users can write to it."""
    try:
        if not folder.parent.exists():  # the runtime folder itself, after the file system was emptied
            own_folder(folder.parent)
        folder.mkdir(mode=0o711, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise PlatformFailure(f"{folder} belongs to another user; set {VARIABLE} to your own folder")
        if stat.S_IMODE(status.st_mode) != 0o711:
            folder.chmod(0o711)
    except OSError as error:
        raise PlatformFailure(
            f"cannot create the runtime folder {folder}: {error}; set {VARIABLE} to another folder"
        ) from error
    return folder


def own_secret(path: Path) -> bytes:
    """Return the 32 random bytes in the file ``path``, and create it if it is missing. Only this user can read it.

    Raises ``OSError``, and ``PlatformFailure`` if it belongs to another user.
    """
    while True:
        with suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                if os.fstat(descriptor).st_uid != os.geteuid():
                    raise PlatformFailure(f"{path} belongs to another user; set {VARIABLE} to your own folder")
                return os.read(descriptor, _SECRET_BYTES)
            finally:
                os.close(descriptor)
        new, name = tempfile.mkstemp(dir=own_folder(path.parent))
        try:
            os.write(new, secrets.token_bytes(_SECRET_BYTES))
            with suppress(FileExistsError):  # another worker was faster
                os.link(name, path)
        finally:
            os.close(new)
            Path(name).unlink()


def is_in_memory(folder: Path) -> bool:
    """Return whether ``folder`` is on a tmpfs from which programs can be started."""
    return _file_system(folder.resolve()) == "tmpfs" and _starts_programs(folder)


def _default_place() -> Path:
    for place in _MEMORY:
        with suppress(OSError):
            if os.access(place, os.W_OK) and is_in_memory(place) and shutil.disk_usage(place).total >= _ROOM:
                return place
    return next((place for place in _DISKS if _starts_programs(place)), _DISKS[0])


def _starts_programs(folder: Path) -> bool:
    return folder.is_dir() and not os.statvfs(folder).f_flag & os.ST_NOEXEC


def _file_system(folder: Path) -> str:
    """Return the type of the file system of ``folder``, empty if it is unknown (man 5 proc_pid_mountinfo)."""
    file_system, longest = "", -1
    with suppress(OSError):
        for line in _MOUNTS.read_text().splitlines():
            before, _, after = line.partition(" - ")
            place = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split()[4]))
            if folder.is_relative_to(place) and len(place.parts) >= longest:  # of two mounts the later one counts
                file_system, longest = after.split()[0], len(place.parts)
    return file_system
