"""Packs a bot's folder for an upload: the files that its owner wrote, in an archive that is the same every time."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Final

from bots.local.faults import UsageError

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
_MOST: Final = 64 * 2**20
"""Bytes; what a site takes is far less, and it says how much."""


def packed(path: Path) -> tuple[str, bytes]:
    """The name and the bytes to upload: a ``.py`` or an archive as it is, a folder as a ``.zip``.

    Raises ``UsageError``.
    """
    try:
        if path.is_dir():
            return f"{path.resolve().name}.zip", _zip(path)
        return path.name, path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def files_of(folder: Path) -> list[Path]:
    """The files of a bot's folder, relative to it, in order; hidden ones and Python's caches are left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in inside.parts):
            found.append(inside)
    return found


def _zip(folder: Path) -> bytes:
    files = files_of(folder)
    size = sum((folder / file).stat().st_size for file in files)
    if size > _MOST:
        raise UsageError(f"{folder} has {size // 2**20} MiB in {len(files)} files. Is it the folder of a bot?")
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.as_posix(), _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if (folder / file).stat().st_mode & 0o100 else 0o644) << 16
            archive.writestr(entry, (folder / file).read_bytes())
    return buffer.getvalue()
