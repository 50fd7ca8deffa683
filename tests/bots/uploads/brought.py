"""What people upload in these tests, and storages that fail."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

from bots.models import BotVersion
from bots.runner import Program
from bots.runner.launcher import Launcher
from bots.uploads.queue import claim
from bots.uploads.upload import upload_new_bot
from esr_platform.accounts.models import User
from ladder import validations
from tests.bots.sandbox import programs

DUEL = "edel-stein-reich-duel"
DUEL_ONLY = {DUEL: [2]}

HONEST = programs.HONEST.lstrip().encode()


def honest(number: int) -> bytes:
    """An honest bot that is another one for every number."""
    return b"# %d\n%s" % (number, HONEST)


def zipped(**files: bytes | str) -> bytes:
    """A zip of these files; a double underscore in a name stands for the dot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


def uploaded(owner: User, name: str = "First", data: bytes = HONEST, games: Any = DUEL_ONLY) -> BotVersion:
    """A version that has just been uploaded, of a new bot that plays the game for two."""
    return upload_new_bot(owner, name, "bot.py", data, games)


def check(version_id: int, launcher: Launcher[Program]) -> BotVersion | None:
    """Continue the validation of one version, regardless of the order."""
    lease = claim(version_id)
    return None if lease is None else validations.validate(lease, launcher)


class FullDisk(FileSystemStorage):
    """A folder on a disk with no room left."""

    def save(self, name: str | None, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        raise OSError(28, "No space left on device")


class Gone(FileSystemStorage):
    """A storage at the other end of a cut cable."""

    def open(self, name: str, mode: str = "rb") -> Any:
        raise ConnectionError("nobody answers")

    def save(self, name: str | None, content: File, max_length: int | None = None) -> str:  # type: ignore[type-arg]
        raise ConnectionError("nobody answers")

    def listdir(self, path: str) -> Any:
        raise ConnectionError("nobody answers")
