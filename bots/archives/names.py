"""Which names the files of an upload may have: such that every system and every reader takes them for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from bots.archives.limits import ArchiveLimits
from bots.archives.refusing import Refused, refused, shown

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
