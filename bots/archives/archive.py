"""Read an upload: one Python file or a zip archive."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Final, TypeVar

from bots.archives.packing import zip_of
from bots.archives.policy import (
    ArchiveLimits,
    ArchiveRefused,
    Notice,
    crowded,
    hidden_at,
    is_junk,
    refused,
    shown,
    size,
)
from bots.archives.zip_files import Packed, check_sizes, contents, unpack
from bots.executables import FileFault, library_fault
from bots.languages import LANGUAGES, Language, fault_of_source, language_of
from bots.manifest import FILE, MAX_BYTES, MAX_NAME, Manifest, ManifestError, parse

# --- Kinds of files --------------------------------------------------------------------------------------------------

_ZIP: Final = "Put all files of the bot into a .zip file"
_ALONE: Final = "Put it into a .zip file together with a bot.toml that names it"
_LINUX: Final = "Upload a Linux executable or Python code"

_KINDS: Final[tuple[tuple[int, bytes, str, str], ...]] = (
    (0, b"Rar!\x1a\x07", "a RAR archive", _ZIP),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _ZIP),
    (257, b"ustar", "a tar archive", _ZIP),
    (0, b"\x1f\x8b", "compressed with gzip", _ZIP),
    (0, b"BZh", "compressed with bzip2", _ZIP),
    (0, b"\xfd7zXZ\x00", "compressed with xz", _ZIP),
    (0, b"\x28\xb5\x2f\xfd", "compressed with Zstandard", _ZIP),
    (0, b"MSCF", "a cabinet archive", _ZIP),
    (0, b"\x7fELF", "an executable without a bot.toml", _ALONE),
    (0, b"\0asm", "a WebAssembly module without a bot.toml", _ALONE),
    (0, b"MZ", "a Windows program", _LINUX),
    (0, b"\xcf\xfa\xed\xfe", "a macOS program", _LINUX),
    (0, b"\xca\xfe\xba\xbe", "a macOS program or a Java class", _LINUX),
)
_ZIP_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def is_zip(data: bytes) -> bool:
    """Whether ``data`` starts like a zip archive."""
    return data.startswith(_ZIP_BEGINNINGS)


def is_text(data: bytes) -> bool:
    """Whether ``data`` may be source code."""
    try:
        return bool(data) and "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def file_kind(data: bytes) -> tuple[str, str]:
    """Return the kind of file and a remedy; two empty strings if the kind is unknown."""
    for offset, magic, kind, remedy in _KINDS:
        if data.startswith(magic, offset):
            return kind, remedy
    return "", ""


# --- Archives --------------------------------------------------------------------------------------------------------

_LENGTH_BYTES: Final = 8


@dataclass(frozen=True)
class Archive:
    """The files of a bot by path, relative to its folder and with slashes, and its manifest.

    ``notices`` tell the author what is surprising about an accepted upload. ``is_reduced`` if hidden files were left
    out, so that these files are not the ones that were sent.
    """

    files: Mapping[str, bytes]
    manifest: Manifest
    notices: tuple[Notice, ...] = ()
    is_reduced: bool = False

    @property
    def language(self) -> Language:
        """The language of the bot's entry."""
        return LANGUAGES[self.manifest.language]

    @property
    def unpacked_bytes(self) -> int:
        """The size of all files together."""
        return sum(map(len, self.files.values()))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over paths and contents (hex), independent of how and when the files were packed.

        Each file in the order of UTF-8 paths adds its path and its content, each after its length in 8 bytes.
        """
        digest = sha256()
        for path, content in sorted((path.encode(), content) for path, content in self.files.items()):
            for part in (path, content):
                digest.update(len(part).to_bytes(_LENGTH_BYTES, "big"))
                digest.update(part)
        return digest.hexdigest()

    def packed(self) -> bytes:
        """Return a zip archive of the files."""
        return zip_of(self.files, () if self.language.is_interpreted else {self.manifest.entry})

    def write_to(self, folder: Path) -> None:
        """Write the files to ``folder``, which must not exist yet. Only the current user can write to them.

        The entry is executable if its language needs that; permissions in the upload are ignored. Raises ``OSError``.
        """
        folder.mkdir(mode=0o755)
        for path, content in self.files.items():
            file = folder.joinpath(*path.split("/"))
            file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            file.write_bytes(content)
            executed = path == self.manifest.entry and not self.language.is_interpreted
            file.chmod(0o755 if executed else 0o644)


T = TypeVar("T")

# --- Reading ---------------------------------------------------------------------------------------------------------

ENTRY: Final = "bot.py"
"""The file to start without a ``bot.toml``, and the name of a Python file that is uploaded alone."""

_DEFAULT: Final = ArchiveLimits()
_NAMED: Final = 5


def read_upload(filename: str, data: bytes, limits: ArchiveLimits = _DEFAULT) -> Archive:
    """Read the bot in ``data``, a ``.py`` or ``.zip`` file; ``filename`` is its original name.

    A single folder around all files is removed. Files that systems add to archives are ignored (``policy.is_junk``),
    and hidden files are left out with a notice. Nothing is compiled or run, and archives within the archive are
    ordinary files. Raises ``ArchiveRefused``.
    """
    if len(data) > (limits.largest if is_zip(data) else limits).archive_bytes:
        raise refused(filename, _too_large(data, limits.largest if is_zip(data) else limits))
    hidden: list[str] = []
    if is_zip(data):
        files, hidden = _files(filename, data, limits)
    elif filename.lower().endswith(".py"):
        files = _single(filename, data, limits)
    else:
        raise refused(filename, _no_upload(filename, data))
    return _archive(files, _name(filename), hidden, limits)


def _too_large(data: bytes, limits: ArchiveLimits) -> FileFault:
    """Return the fault of an upload over the limit, or raise ``ArchiveRefused`` for a file in it over its own limit."""
    text = f"is {size(len(data))}. The limit for an upload is {size(limits.archive_bytes)}"
    if is_zip(data):
        packed = contents(data, limits)
        check_sizes(packed, limits)
        largest = max(packed, key=lambda content: content.sizes.packed)
        text += f". The largest file in it is {shown(largest.name)} ({size(largest.sizes.packed)} compressed)"
        text += ". Remove files that the bot does not need"
    return FileFault("upload_too_large", text)


def _single(filename: str, data: bytes, limits: ArchiveLimits) -> dict[str, bytes]:
    """Return the files of a bot that is a single ``.py`` file."""
    if len(data) > min(limits.file_bytes, limits.unpacked_bytes):
        text = f"is {size(len(data))}. The limit for a file is {size(limits.file_bytes)}"
        raise refused(filename, FileFault("file_too_large", text))
    fault = LANGUAGES["python"].fault(data)
    if fault:
        raise refused(filename, fault)
    return {ENTRY: data}


def _files(filename: str, data: bytes, limits: ArchiveLimits) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of a zip archive, relative to the bot folder, and the hidden files that were left out."""
    if filename.lower().endswith(".py"):
        text = "is a zip archive, not a Python file. Rename it so that the name ends with .zip"
        raise refused(filename, FileFault("zip_named_py", text))
    packed = contents(data, limits.largest)
    limits = limits.of_executables if _is_executable(data, packed, limits) else limits
    check_sizes(packed, limits)
    if len(data) > limits.archive_bytes:
        raise refused(filename, _too_large(data, limits))
    names = [entry.name for entry in packed if not entry.is_folder and not is_junk(entry.name)]
    hidden = [] if limits.hidden else [name for name in names if hidden_at(name)]
    kept = [name for name in names if limits.hidden or not hidden_at(name)]
    if len(kept) > limits.files:
        raise ArchiveRefused(
            f"The archive contains {len(kept)} files. The limit is {limits.files}. Remove files that the bot does not"
            f" need{crowded(kept)}.",
            "too_many_files",
        )
    unpacked = unpack(data, packed, limits)
    if not kept:
        raise ArchiveRefused("The archive contains no files. Add the files of your bot.", "archive_empty")
    return _without_one_folder({name: unpacked[name] for name in kept}), hidden


def _is_executable(data: bytes, packed: Sequence[Packed], limits: ArchiveLimits) -> bool:
    """Whether the manifest, which alone is unpacked, says that the bot is an executable. It may be invalid."""
    files = {entry.name: entry for entry in packed if not entry.is_folder and not is_junk(entry.name)}
    manifest = _without_one_folder(files).get(FILE)
    if manifest is None or manifest.sizes.unpacked > MAX_BYTES:
        return False
    (content,) = unpack(data, [manifest], limits).values()
    with suppress(ManifestError):
        return not LANGUAGES[parse(content).language].is_interpreted
    return False


def _no_upload(filename: str, data: bytes) -> FileFault:
    kind, remedy = file_kind(data)
    if kind:
        return FileFault("unsupported_format", f"is {kind}. {remedy}")
    if not data:
        return FileFault("empty", "is empty. Upload a .py or .zip file")
    if is_text(data):
        text = "is neither a .py nor a .zip file. Upload the whole bot as a .zip file, or a Python file named .py"
        return FileFault("wrong_suffix", text)
    if filename.lower().endswith(".zip"):
        text = "is not a valid zip archive: it does not start with a zip header. Create the archive again"
        return FileFault("not_a_zip", text)
    return FileFault("unsupported_format", f"is neither a .py nor a .zip file. {_ZIP}")


def _without_one_folder(files: dict[str, T]) -> dict[str, T]:
    """Remove the folder around all files if the bot is directly in it."""
    folders = {name.partition("/")[0] if "/" in name else "" for name in files}
    folder = next(iter(folders), "")
    if len(folders) != 1 or not folder or not {f"{folder}/{ENTRY}", f"{folder}/{FILE}"} & files.keys():
        return files
    return {name.removeprefix(f"{folder}/"): content for name, content in files.items()}


def _archive(files: dict[str, bytes], name: str, hidden: list[str], limits: ArchiveLimits) -> Archive:
    """Return the archive if its entry can be started."""
    manifest = _manifest(files, name)
    if manifest.entry not in files:
        raise _no_entry(files, manifest)
    language, program = LANGUAGES[manifest.language], files[manifest.entry]
    fault = None if limits.languages is None else _language_fault(language, limits.languages)
    fault = fault or language.fault(program)
    if not fault and not language.is_interpreted and limits.libraries is not None:
        own = {PurePosixPath(path).name for path in files}  # found by the program if its run path names their folder
        fault = library_fault(program, {*limits.libraries, *own})
    if fault:
        raise refused(manifest.entry, fault)
    notices = [hidden_notice(hidden)] if hidden else []
    return Archive(MappingProxyType(dict(sorted(files.items()))), manifest, tuple(notices), is_reduced=bool(hidden))


def _language_fault(language: Language, offered: Collection[str]) -> FileFault | None:
    """Return why the site cannot run bots in ``language``, and what its author can do."""
    if language.name in offered:
        return None
    needs = f"need {language.runtime.title} on every worker" if language.runtime else "are not among its languages"
    others = " or ".join(LANGUAGES[name].title for name in LANGUAGES if name in offered)
    text = f"is a bot in {language.title}. This site does not run them: they {needs}. "
    text += f"Use {others}, or play remotely" if others else "Play remotely"
    return FileFault("language_missing", text)


def hidden_notice(paths: Iterable[str]) -> Notice:
    """Return the notice about hidden files that are not part of the bot, such as ``.git`` and ``.env``."""
    places = list(dict.fromkeys(map(hidden_at, paths)))
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    named = ", ".join(map(shown, places[:_NAMED]))
    text = f"Left out {named}{more}: files and folders whose name starts with a dot are not part of a bot."
    return Notice("hidden_files", text)


def _manifest(files: Mapping[str, bytes], name: str) -> Manifest:
    data = files.get(FILE)
    if data is None:
        return Manifest(name)
    try:
        return parse(data, name)
    except ManifestError as error:
        raise ArchiveRefused(str(error), f"manifest_{error.code}", FILE) from error


def _no_entry(files: Mapping[str, bytes], manifest: Manifest) -> ArchiveRefused:
    """Return the error about a missing entry, with the file that was probably meant."""
    if FILE in files:
        message = f"{FILE} starts {shown(manifest.entry)}, which is missing. {_instead(files, manifest)}."
        return ArchiveRefused(message, "entry_missing", FILE)
    message = f"{ENTRY}, the file to start, is missing. {_instead(files, manifest)}."
    return ArchiveRefused(message, "entry_missing", ENTRY)


def _instead(files: Mapping[str, bytes], manifest: Manifest) -> str:
    """Return the remedy for a missing entry: another file that its language can start, or to build the program."""
    entry, language = manifest.entry, LANGUAGES[manifest.language]
    programs = [path for path, data in files.items() if path != FILE and _can_start(language, path, data)]
    programs = [path for path in programs if "test" not in PurePosixPath(path).name.lower()]
    by_small_letters = {path.lower(): path for path in programs}
    similar = get_close_matches(entry.lower(), by_small_letters, n=1)
    deeper = [path for path in programs if PurePosixPath(path).name == PurePosixPath(entry).name]
    meant = [*deeper, *(by_small_letters[path] for path in similar)]
    if meant and FILE in files:
        return f"Add it. If you mean {shown(meant[0])}, write this path in {FILE}"
    if deeper:
        return f"There is {shown(meant[0])}. Check or pack the folder of that file instead"
    if similar:
        return f"The archive contains {shown(meant[0])}. Rename it to {shown(entry)} (in upper or lower case as here)"
    if len(files) == 1 and is_zip(next(iter(files.values()))):
        return f"The archive contains only another archive, {shown(next(iter(files)))}. Upload that archive"
    if language.fault is not fault_of_source:
        return f"Build it first, for example with `make`, or name another file in {FILE}"
    return f"Add it beside the other files, or name another file in {FILE}"


def _can_start(language: Language, path: str, data: bytes) -> bool:
    return language_of(path.lower()) is language and language.fault(data) is None


def _name(filename: str) -> str:
    """Return the default name of a bot: the file name without folders and suffix."""
    stem = PurePosixPath(PureWindowsPath(filename).name).stem
    printable = "".join(char for char in stem if char.isprintable()).strip()
    return printable[:MAX_NAME].strip() or "bot"
