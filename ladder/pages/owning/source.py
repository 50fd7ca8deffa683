"""The code of a version: as it was uploaded, and file by file to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bots.models import BotVersion
from bots.stored import archive_of, bytes_of
from ladder.models.ladders import Viewer
from ladder.pages.words import size, visible

SHOWN_BYTES: Final = 256 * 1024
"""Of one file on a page, and of all of them together; the download has everything."""


@dataclass(frozen=True)
class SourceFile:
    """One file; ``text`` is ``None`` where there is none to be shown, and ``why`` says why."""

    path: str
    size: str
    text: str | None
    why: str = ""


@dataclass(frozen=True)
class SourcePage:
    """All files of a version, those that are read first in front."""

    version: BotVersion
    files: Sequence[SourceFile]


def source_page(version: BotVersion) -> SourcePage:
    """The files of ``version``, from the storage. Raises ``bots.stored.Lost`` and ``OutOfReach``."""
    entry = (version.command or ["bot.py"])[0]
    files = sorted(archive_of(version).files.items(), key=lambda file: (file[0] != entry, file[0]))
    left, shown = SHOWN_BYTES, []
    for path, data in files:
        one = _file(path, data, left)
        left -= len(data) if one.text is not None else 0
        shown.append(one)
    return SourcePage(version, shown)


def download(version: BotVersion) -> tuple[str, bytes]:
    """A file's name and what was uploaded, byte for byte. Raises ``bots.stored.Lost`` and ``OutOfReach``."""
    suffix = "py" if (version.archive).endswith(".py") else "zip"
    return f"{version.bot.slug}-v{version.number}.{suffix}", bytes_of(version)


def page_etag(version: BotVersion, user: Viewer) -> str:
    """The name of what the page shows of this code to ``user``. Another one each day: the site may look otherwise."""
    bot, seen = version.bot, (timezone.now().date(), get_language(), user.pk)
    return _etag("page", *seen, version.digest, version.number, bot.name, bot.public_source)


def download_etag(version: BotVersion) -> str:
    """The name of the bytes of the archive; the same files can be packed in more than one way."""
    return _etag("file", version.digest, version.archive)


def _etag(*parts: object) -> str:
    return f'"{sha256(repr(parts).encode()).hexdigest()}"'


def _file(path: str, data: bytes, left: int) -> SourceFile:
    named, length = visible(path), size(len(data))
    if len(data) > left:
        return SourceFile(named, length, None, _("Too long to be shown here; it is in the download."))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return SourceFile(named, length, None, _("Not text."))
    return SourceFile(named, length, visible(text.replace("\r\n", "\n")))
