"""The one folder on this host that all workers share: copies of programs, and the locks of leased seats."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from bots.runner.failures import PlatformFailure

VARIABLE = "ESR_RUNTIME_DIR"
"""The environment variable that names another place for it, the same one for every worker of a host."""


def runtime_folder() -> Path:
    """The folder, made if need be: ours, and others may pass through but not look.

    Raises ``PlatformFailure`` if the place belongs to somebody else or cannot be made.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(tempfile.gettempdir()) / f"esr-{os.geteuid()}"
    return own_folder(folder)


def own_folder(folder: Path) -> Path:
    """``folder``, made if need be, with nobody else able to write in it. Raises ``PlatformFailure`` otherwise."""
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise PlatformFailure(f"{folder} belongs to somebody else; set {VARIABLE} to a folder of your own")
        if stat.S_IMODE(found.st_mode) != 0o711:
            folder.chmod(0o711)
    except OSError as error:
        raise PlatformFailure(f"the runtime folder {folder} cannot be made: {error}; set {VARIABLE}") from error
    return folder
