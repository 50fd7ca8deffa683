"""What an upload may contain: its size, the names of its files, and the error for everything else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# --- Errors ----------------------------------------------------------------------------------------------------------

_PLAIN: Final = re.compile(r"[\w./-]*[\w/-]", re.ASCII)
_SHOWN_CHARACTERS: Final = 80
_MIB: Final = 1024 * 1024


class Refused(ValueError):
    """An upload that is not taken; the message is one sentence that says which file, why, and what to do.

    It is one line of printable characters, whatever the upload holds. ``file`` is the file's name as it is shown,
    empty where the whole upload is meant.
    """

    def __init__(self, sentence: str, file: str = "") -> None:
        super().__init__(sentence)
        self.file = file


def refused(name: bytes | str, fault: str) -> Refused:
    """The refusal of one file: its name, then what is wrong with it."""
    file = shown(name)
    return Refused(f"{file} {fault}.", file)


def shown(name: bytes | str) -> str:
    """A name from an upload for a sentence: escaped, cut, and in quotes where it is not a plain one."""
    text = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}…"
    if _PLAIN.fullmatch(text):
        return text
    escaped = "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode("ascii")
        for char in text
    )
    return f"“{escaped}”"


def size(count: int) -> str:
    """A number of bytes in words."""
    if count >= _MIB:
        return f"{count / _MIB:.4g} MiB"
    return f"{count / 1024:.4g} KiB" if count >= 1024 else f"{count} bytes"


# --- Sizes -----------------------------------------------------------------------------------------------------------

_SPARE: Final = 5


@dataclass(frozen=True)
class ArchiveLimits:
    """What one upload may take. Sizes are bytes, those of paths bytes of UTF-8; a site's settings make their own.

    ``depth`` is how many names a path may have, the file's own included. What is left out quietly (``is_junk``)
    counts as bytes but not as files.
    """

    archive_bytes: int = 8 * _MIB
    unpacked_bytes: int = 16 * _MIB
    file_bytes: int = 8 * _MIB
    files: int = 200
    path_bytes: int = 200
    depth: int = 8

    @property
    def entries(self) -> int:
        """How many entries the archive may list, with its folders and with what is left out."""
        return _SPARE * self.files


# --- Names -----------------------------------------------------------------------------------------------------------

_ODD: Final = frozenset('<>"|?*')
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³")]
)
_JUNK_FOLDERS: Final = frozenset(["__MACOSX", "__pycache__"])
_JUNK_FILES: Final = frozenset([".DS_Store", "Thumbs.db", "desktop.ini"])


def name_of(raw: bytes, *, is_utf8: bool, limits: ArchiveLimits) -> str:
    """The name that ``raw`` is in a zip archive, a folder's with its slash; ``is_utf8`` is what the entry says of it.

    Raises ``Refused`` for a name that is absolute, odd, too long, or that another reader might take for another one.
    """
    if len(raw) > limits.path_bytes:
        raise refused(raw, f"has a path of more than {limits.path_bytes} bytes: shorten its name or its folders'")
    name = _decoded(raw, is_utf8=is_utf8)
    fault = _depth_fault(name, limits)
    for way_to_write in (name, unicodedata.normalize("NFKC", name)):
        fault = fault or _fault(way_to_write)
    if fault:
        raise refused(raw, fault)
    return name


def is_junk(name: str) -> bool:
    """Whether a file is left out quietly: what macOS, Windows and Python add to folders without being asked."""
    *folders, last = name.removesuffix("/").split("/")
    return (
        not _JUNK_FOLDERS.isdisjoint(folders) or last in _JUNK_FOLDERS or last in _JUNK_FILES or last.startswith("._")
    )


def check_tree(names: Iterable[str]) -> None:
    """Refuse names that cannot all stand in one folder tree on every system; folders end with a slash.

    Capitals and the ways to write one character do not make two names different.
    """
    kinds: dict[str, tuple[str, bool]] = {}
    listed: set[str] = set()
    for name in names:
        if name in listed:
            raise refused(name, "is in the archive twice: leave one of them out")
        listed.add(name)
        for path, is_folder in _paths(name):
            known, known_is_folder = kinds.setdefault(_folded(path), (path, is_folder))
            if known_is_folder != is_folder:
                raise refused(path, "is a file and a folder at once: rename one of them")
            if known != path:
                raise _look_alikes(known, path)


def _paths(name: str) -> list[tuple[str, bool]]:
    """Every folder that ``name`` stands in, then itself, each with whether it is a folder."""
    path = name.removesuffix("/")
    parts = path.split("/")
    folders = [("/".join(parts[:count]), True) for count in range(1, len(parts))]
    return [*folders, (path, name.endswith("/"))]


def _look_alikes(one: str, two: str) -> Refused:
    file = shown(two)
    return Refused(f"{file} and {shown(one)} would be the same on some systems: rename one of them.", file)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _decoded(raw: bytes, *, is_utf8: bool) -> str:
    if not raw.isascii() and not is_utf8:
        raise refused(
            raw, "has letters that are not in ASCII and does not say how they are encoded: rename it with a-z"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise refused(raw, "has a name that is not UTF-8: rename it with a-z") from None


def _fault(name: str) -> str:
    """What is wrong with a name, its path and its parts; empty if nothing is."""
    faults = (_path_fault(name), *(_part_fault(part) for part in name.removesuffix("/").split("/")))
    return next(filter(None, faults), "")


def _path_fault(name: str) -> str:
    """What is wrong with the path as a whole; empty if nothing is."""
    if not name:
        return "is a file without a name: make the archive again"
    if not name.isprintable():
        return "has control characters or other invisible ones in its name: rename it"
    if "\\" in name:
        return "has a backslash in its name: folders are separated by /, so make the archive with another program"
    if name.startswith("/"):
        return "has an absolute path: put the files themselves into the archive, not their place on your disk"
    if ":" in name:
        return "has a colon in its name, as in a drive letter: rename it"
    return ""


def _depth_fault(name: str, limits: ArchiveLimits) -> str:
    if name.removesuffix("/").count("/") >= limits.depth:
        return f"lies more than {limits.depth - 1} folders deep: move it up"
    return ""


def _part_fault(part: str) -> str:
    """What is wrong with one name between slashes."""
    if part in {".", ".."}:
        return 'has "." or ".." in its path: put the files into the archive from within their folder'
    if not part:
        return "has an empty name in its path: make the archive again"
    if part != part.strip() or part.endswith("."):
        return "has a name that begins or ends with a space or ends with a dot: rename it"
    if part.startswith("-"):
        return "has a name that begins with -, which looks like an option: rename it"
    if not _ODD.isdisjoint(part):
        return f"has one of {' '.join(sorted(_ODD))} in its name, which Windows does not allow: rename it"
    if part.split(".")[0].strip().lower() in _DEVICES:
        return "has the name of a device of Windows: rename it"
    return ""
