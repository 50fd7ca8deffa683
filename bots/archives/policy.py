"""Rules for the content of an upload: sizes and file names, and the error for violations."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, NamedTuple

from bots.executables import LIBRARIES, FileFault

# --- Errors ----------------------------------------------------------------------------------------------------------

_PLAIN: Final = re.compile(r"[\w./-]*[\w/-]", re.ASCII)
_SHOWN_CHARACTERS: Final = 80
_MIB: Final = 1024 * 1024


class ArchiveRefused(ValueError):
    """An upload that breaks a rule. The message names the file, the reason and the remedy.

    The message is one line of printable characters, whatever the upload contains. ``code`` identifies the reason.
    ``file`` is the file name as shown in the message, empty if the message is about the whole upload.
    """

    def __init__(self, message: str, code: str, file: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.file = file


class Notice(NamedTuple):
    """A sentence for the author of an accepted upload, and its code."""

    code: str
    text: str


def refused(name: bytes | str, fault: FileFault) -> ArchiveRefused:
    """Return the error about one file."""
    file = shown(name)
    return ArchiveRefused(f"{file} {fault.text}.", fault.code, file)


def shown(name: bytes | str) -> str:
    """Format a file name for a message: escaped, shortened, and in quotes unless it is plain."""
    text = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}…"
    if _PLAIN.fullmatch(text):
        return text
    escaped = "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode("ascii")
        for char in text
    )
    return f'"{escaped}"'


AGAIN: Final = "Create the archive again with 7-Zip or `python3 -m zipfile`, or run `esr upload`"
"""A remedy that every user has. Info-ZIP, the usual ``zip`` of Linux, does not declare the encoding of names."""


def size(count: int) -> str:
    """Format a number of bytes."""
    if count >= _MIB:
        return f"{count / _MIB:.4g} MiB"
    return f"{count / 1024:.4g} KiB" if count >= 1024 else f"{count} bytes"


# --- Sizes -----------------------------------------------------------------------------------------------------------

_SPARE: Final = 5


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of one upload, in bytes; paths are measured in UTF-8. The settings of a site replace these defaults.

    ``depth`` is the maximum number of names in a path, including the file name. Files that are ignored (``is_junk``)
    count as bytes but not as files. With ``hidden``, hidden files are kept: older stored archives contain them.
    ``libraries`` are those that an executable can be linked to, ``languages`` those that bots can be written in; with
    ``None``, any. A bot in the language ``executable`` can have an archive and files of other sizes, because programs
    that contain their runtime are large.
    """

    archive_bytes: int = 8 * _MIB
    unpacked_bytes: int = 16 * _MIB
    file_bytes: int = 8 * _MIB
    files: int = 200
    path_bytes: int = 200
    depth: int = 8
    hidden: bool = False
    libraries: Collection[str] | None = LIBRARIES
    languages: Collection[str] | None = None
    executable_archive_bytes: int = 64 * _MIB
    executable_unpacked_bytes: int = 128 * _MIB

    @property
    def entries(self) -> int:
        """The maximum number of entries, including folders and ignored files."""
        return _SPARE * self.files

    @property
    def largest(self) -> ArchiveLimits:
        """These limits with the largest sizes of any language."""
        return self if self.executable_archive_bytes <= self.archive_bytes else self.of_executables

    @property
    def of_executables(self) -> ArchiveLimits:
        """These limits with the sizes of executables, of which a single file may be as large as all of them."""
        unpacked = self.executable_unpacked_bytes
        return replace(self, archive_bytes=self.executable_archive_bytes, unpacked_bytes=unpacked, file_bytes=unpacked)


# --- Names -----------------------------------------------------------------------------------------------------------

_ODD: Final = frozenset('<>"|?*')
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³")]
)
_JUNK_FOLDERS: Final = frozenset(["__MACOSX", "__pycache__"])
_JUNK_FILES: Final = frozenset([".DS_Store", "Thumbs.db", "desktop.ini"])

_NAMED_DEPTH: Final = 4

HERE: Final = "./"
"""The bot folder itself, as a name in an archive."""


def name_of(raw: bytes, *, is_utf8: bool, limits: ArchiveLimits) -> str:
    """Decode a name from a zip archive; folder names end with a slash. ``is_utf8`` is the flag of the entry.

    A leading ``./`` is removed, except from the folder ``./`` itself: ``tar`` writes it before every name. Raises
    ``ArchiveRefused`` for a name that is absolute, unusual, too long or ambiguous to other readers.
    """
    if len(raw) > limits.path_bytes:
        text = f"has a path longer than {limits.path_bytes} bytes. Shorten the names of the file and its folders"
        raise refused(raw, FileFault("path_too_long", text))
    name = _decoded(raw, is_utf8=is_utf8)
    if name == HERE:
        return name
    name = name.removeprefix(HERE)
    fault = _depth_fault(name, limits)
    for way_to_write in (name, unicodedata.normalize("NFKC", name)):
        fault = fault or _fault(way_to_write)
    if fault:
        raise refused(raw, fault)
    return name


def is_junk(name: str) -> bool:
    """Whether a file is ignored because macOS, Windows or Python added it automatically."""
    *folders, last = name.removesuffix("/").split("/")
    return (
        not _JUNK_FOLDERS.isdisjoint(folders) or last in _JUNK_FOLDERS or last in _JUNK_FILES or last.startswith("._")
    )


def hidden_at(name: str) -> str:
    """Return the path of the outermost hidden folder or file on a path, whose name starts with a dot; else ``""``."""
    parts = name.split("/")
    return next(("/".join(parts[: at + 1]) for at, part in enumerate(parts) if part.startswith(".")), "")


def crowded(names: Iterable[str]) -> str:
    """Return words about the folder that contains more than half of the files, empty if there is none.

    If one folder contains all files, the folder within it counts: its ``node_modules`` is named, not the bot's folder.
    """
    folders = [name.removeprefix(HERE).split("/", _NAMED_DEPTH)[:-1] for name in names if name != HERE]
    most: list[str] = []
    for depth in range(1, _NAMED_DEPTH + 1):
        inside = Counter(tuple(path[:depth]) for path in folders if len(path) >= depth and path[: depth - 1] == most)
        folder, count = max(inside.items(), key=itemgetter(1), default=((), 0))
        if count > len(folders) / 2:
            most = list(folder)
        if count < len(folders):
            break
    return f" (most are in the folder {shown('/'.join(most))})" if most else ""


def check_tree(names: Iterable[str]) -> None:
    """Raise ``ArchiveRefused`` unless all names fit into one folder tree on every system. Folders end with a slash.

    Names that differ only in case or in Unicode normalization are the same.
    """
    kinds: dict[str, tuple[str, bool]] = {}
    listed: set[str] = set()
    for name in names:
        if name == HERE:
            continue
        if name in listed:
            raise refused(name, FileFault("duplicate", "is in the archive twice. Remove one of the two entries"))
        listed.add(name)
        for path, is_folder in _paths(name):
            known, known_is_folder = kinds.setdefault(_folded(path), (path, is_folder))
            if known_is_folder != is_folder:
                text = "is both a file and a folder in the archive. Rename one of them"
                raise refused(path, FileFault("file_and_folder", text))
            if known != path:
                raise _look_alikes(known, path)


def _paths(name: str) -> list[tuple[str, bool]]:
    """Return the folders of ``name`` and then ``name`` itself, each with whether it is a folder."""
    path = name.removesuffix("/")
    parts = path.split("/")
    folders = [("/".join(parts[:count]), True) for count in range(1, len(parts))]
    return [*folders, (path, name.endswith("/"))]


def _look_alikes(name: str, other: str) -> ArchiveRefused:
    file = shown(other)
    message = f"{file} and {shown(name)} have the same name on some systems. Rename one of them."
    return ArchiveRefused(message, "name_collision", file)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _decoded(raw: bytes, *, is_utf8: bool) -> str:
    if not raw.isascii() and not is_utf8:
        text = (
            "has a name with letters in an unknown encoding. Use only ASCII letters, or create the archive with 7-Zip,"
            " `python3 -m zipfile` or `esr upload`"
        )
        raise refused(raw, FileFault("name_encoding", text))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        text = "has a name that is not valid UTF-8. Use only ASCII letters in file names"
        raise refused(raw, FileFault("name_encoding", text)) from None


def _fault(name: str) -> FileFault | None:
    """Return the first fault of a name, its path and its parts."""
    faults = (_path_fault(name), *(_part_fault(part) for part in name.removesuffix("/").split("/")))
    return next(filter(None, faults), None)


def _path_fault(name: str) -> FileFault | None:
    """Return the fault of the path as a whole."""
    if not name:
        return FileFault("name_empty", "is a file without a name. Create the archive again")
    if not name.isprintable():
        return FileFault("name_invisible", "has control or invisible characters in its name. Rename the file")
    if "\\" in name:
        return FileFault("name_backslash", f"has a backslash in its path, where archives have a slash. {AGAIN}")
    if name.startswith("/"):
        return FileFault("name_absolute", "has an absolute path. Create the archive with relative paths")
    if ":" in name:
        return FileFault("name_colon", "has a colon in its path. Rename the file or folder")
    return None


def _depth_fault(name: str, limits: ArchiveLimits) -> FileFault | None:
    if name.removesuffix("/").count("/") >= limits.depth:
        return FileFault("path_too_deep", f"is nested more than {limits.depth - 1} folders deep. Move it up")
    return None


def _part_fault(part: str) -> FileFault | None:
    """Return the fault of one name between slashes."""
    if part in {".", ".."}:
        return FileFault("name_dots", 'has "." or ".." in its path. Create the archive from within the bot folder')
    if not part:
        return FileFault("name_empty", "has an empty name in its path. Create the archive again")
    if part != part.strip() or part.endswith("."):
        return FileFault("name_spaces", "has a name that starts or ends with a space or ends with a dot. Rename it")
    if part == "-":
        text = "is the content of a pipe, without a name. Pack the file itself instead of piping it into the archiver"
        return FileFault("name_hyphen", text)
    if part.startswith("-"):
        return FileFault("name_hyphen", "has a name that starts with a hyphen. Rename it")
    if not _ODD.isdisjoint(part):
        text = f"has one of the characters {' '.join(sorted(_ODD))} in its name. Rename it"
        return FileFault("name_windows", text)
    if part.split(".")[0].strip().lower() in _DEVICES:
        return FileFault("name_device", "has a name that is reserved on Windows. Rename it")
    return None
