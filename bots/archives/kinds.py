"""What a file is by its first bytes, for those that are neither a Python file nor a zip archive."""

from __future__ import annotations

from typing import Final

_ZIP: Final = "put all files of the bot into a .zip"
_ALONE: Final = "put it into a .zip together with a bot.toml that names it"

_KINDS: Final[tuple[tuple[int, bytes, str, str], ...]] = (
    (0, b"Rar!\x1a\x07", "a RAR archive", _ZIP),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _ZIP),
    (257, b"ustar", "a tar archive", _ZIP),
    (0, b"\x1f\x8b", "packed with gzip", _ZIP),
    (0, b"BZh", "packed with bzip2", _ZIP),
    (0, b"\xfd7zXZ\x00", "packed with xz", _ZIP),
    (0, b"\x28\xb5\x2f\xfd", "packed with Zstandard", _ZIP),
    (0, b"MSCF", "a cabinet archive", _ZIP),
    (0, b"\x7fELF", "a program by itself", _ALONE),
    (0, b"MZ", "a program for Windows", "bots run on Linux"),
    (0, b"\xcf\xfa\xed\xfe", "a program for macOS", "bots run on Linux"),
    (0, b"\xca\xfe\xba\xbe", "a program for macOS or Java", "bots run on Linux as Python or as an executable"),
)
_ZIP_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def is_zip(data: bytes) -> bool:
    """Whether it begins as zip archives do."""
    return data.startswith(_ZIP_BEGINNINGS)


def is_text(data: bytes) -> bool:
    """Whether it may be a program's source."""
    try:
        return bool(data) and "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def told(data: bytes) -> tuple[str, str]:
    """What it seems to be, and what to do instead; two empty words where that is not known."""
    for offset, magic, kind, remedy in _KINDS:
        if data.startswith(magic, offset):
            return kind, remedy
    return "", ""
