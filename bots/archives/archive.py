"""Read an upload: one Python file or a zip archive, or an error that says why it cannot be started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Final

from bots.archives.policy import ArchiveLimits, Refused, is_junk, refused, shown, size
from bots.archives.zip_files import contents, unpack
from bots.languages import LANGUAGES, Language
from bots.manifest import FILE, MAX_NAME, Manifest, ManifestError, parse

# --- Kinds of files --------------------------------------------------------------------------------------------------

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


# --- Archives --------------------------------------------------------------------------------------------------------

_LENGTH_BYTES: Final = 8


@dataclass(frozen=True)
class Archive:
    """A bot's files by their paths from its folder on, with slashes, and its manifest; the entry is one of them."""

    files: Mapping[str, bytes]
    manifest: Manifest

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
        """SHA-256 over the files' paths and contents, hex: the same however and when they were packed.

        Hashed are, in the order of the paths' UTF-8, the path and the contents, each after its length in eight bytes.
        """
        digest = sha256()
        for path, content in sorted((path.encode(), content) for path, content in self.files.items()):
            for part in (path, content):
                digest.update(len(part).to_bytes(_LENGTH_BYTES, "big"))
                digest.update(part)
        return digest.hexdigest()

    def write_to(self, folder: Path) -> None:
        """Write the files to ``folder``, which must not be there yet. Everybody may read, nobody but us may write.

        The entry can be executed where its language needs that; the permissions in the upload do not count. Raises
        ``OSError``.
        """
        folder.mkdir(mode=0o755)
        for path, content in self.files.items():
            file = folder.joinpath(*path.split("/"))
            file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            file.write_bytes(content)
            executed = path == self.manifest.entry and not self.language.is_interpreted
            file.chmod(0o755 if executed else 0o644)


# --- Reading ---------------------------------------------------------------------------------------------------------

ENTRY: Final = "bot.py"
"""What a bot without a ``bot.toml`` is started from, and what a Python file that is uploaded alone is called."""

_DEFAULT: Final = ArchiveLimits()


def read_upload(filename: str, data: bytes, limits: ArchiveLimits = _DEFAULT) -> Archive:
    """The bot in ``data``, one ``.py`` or a ``.zip``; ``filename`` is what it was called where it comes from.

    One folder around everything is taken off if the bot is in it. What systems add to archives unasked is left out
    (``policy.is_junk``). Nothing is compiled or run, and archives within the archive are files like others.
    Raises ``Refused``.
    """
    if len(data) > limits.archive_bytes:
        raise refused(filename, f"has {size(len(data))}, and an upload has at most {size(limits.archive_bytes)}")
    if is_zip(data):
        files = _files(filename, data, limits)
    elif filename.lower().endswith(".py"):
        files = _single(filename, data, limits)
    else:
        raise refused(filename, _no_upload(filename, data))
    return _archive(files, _name(filename))


def _single(filename: str, data: bytes, limits: ArchiveLimits) -> dict[str, bytes]:
    """The files of a bot that is one ``.py``."""
    if len(data) > min(limits.file_bytes, limits.unpacked_bytes):
        raise refused(filename, f"has {size(len(data))}, and a file has at most {size(limits.file_bytes)}")
    fault = LANGUAGES["python"].fault(data)
    if fault:
        raise refused(filename, fault)
    return {ENTRY: data}


def _files(filename: str, data: bytes, limits: ArchiveLimits) -> dict[str, bytes]:
    """The files of a zip archive, from the bot's folder on."""
    if filename.lower().endswith(".py"):
        raise refused(filename, "is a zip archive and not Python: give it a name that ends with .zip")
    packed = contents(data, limits)
    kept = [one.name for one in packed if not one.is_folder and not is_junk(one.name)]
    if len(kept) > limits.files:
        raise Refused(
            f"The archive has {len(kept)} files, and a bot has at most {limits.files}: leave out what it does not"
            f" read{_most(kept)}."
        )
    files = {name: content for name, content in unpack(data, packed, limits).items() if not is_junk(name)}
    if not files:
        raise Refused("The archive has no files in it: put the files of your bot into it.")
    return _without_one_folder(files)


def _no_upload(filename: str, data: bytes) -> str:
    kind, remedy = told(data)
    if kind:
        return f"is {kind}: {remedy}"
    if not data:
        return "is empty: upload a .py or a .zip"
    if is_text(data):
        return "is neither a .py nor a .zip: if it is a Python program, give it a name that ends with .py"
    if filename.lower().endswith(".zip"):
        return "is no zip archive, or something stands before its beginning: make it again"
    return "is neither a .py nor a .zip: put all files of the bot into a .zip"


def _most(names: list[str]) -> str:
    """Where more than half of the files are, if that is one folder of the first level."""
    folders = [name.partition("/")[0] for name in names if "/" in name]
    folder = max(folders, key=folders.count, default="")
    return f"; most are in the folder {shown(folder)}" if folders.count(folder) > len(names) / 2 else ""


def _without_one_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without the folder that is around all of them, if the bot is right in it."""
    folders = {name.partition("/")[0] if "/" in name else "" for name in files}
    folder = next(iter(folders))
    if len(folders) > 1 or not folder or not {f"{folder}/{ENTRY}", f"{folder}/{FILE}"} & files.keys():
        return files
    return {name.removeprefix(f"{folder}/"): content for name, content in files.items()}


def _archive(files: dict[str, bytes], name: str) -> Archive:
    """The bot that ``files`` are, if it has an entry that can be started."""
    manifest = _manifest(files, name)
    if manifest.entry not in files:
        raise _no_entry(files, manifest.entry)
    fault = LANGUAGES[manifest.language].fault(files[manifest.entry])
    if fault:
        raise refused(manifest.entry, fault)
    return Archive(MappingProxyType(dict(sorted(files.items()))), manifest)


def _manifest(files: Mapping[str, bytes], name: str) -> Manifest:
    data = files.get(FILE)
    if data is None:
        return Manifest(name)
    try:
        return parse(data, name)
    except ManifestError as error:
        raise Refused(str(error), FILE) from error


def _no_entry(files: Mapping[str, bytes], entry: str) -> Refused:
    """Why nothing can be started, with the file that was probably meant."""
    if FILE in files:
        return Refused(f"{FILE} starts {shown(entry)}, which is not in the archive; {_instead(files, entry)}.", FILE)
    return Refused(f"{ENTRY} is what is started, and it is not in the archive; {_instead(files, entry)}.", ENTRY)


def _instead(files: Mapping[str, bytes], entry: str) -> str:
    """What to do about an entry that is not there."""
    by_small_letters = {path.lower(): path for path in files}
    similar = get_close_matches(entry.lower(), by_small_letters, n=1)
    deeper = [path for path in files if PurePosixPath(path).name == PurePosixPath(entry).name]
    meant = [*deeper, *(by_small_letters[path] for path in similar)]
    if meant and FILE in files:
        return f"there is {shown(meant[0])}: if that is meant, write it there in the same way"
    if deeper:
        return f"there is {shown(meant[0])}: put into the archive what is in its folder, not the folder itself"
    if similar:
        return f"there is {shown(meant[0])}: call it {shown(entry)}, with the same small letters and capitals"
    if len(files) == 1 and is_zip(next(iter(files.values()))):
        return f"there is only another archive, {shown(next(iter(files)))}: upload that one"
    return f"put it at the archive's root, or name another file in {FILE}"


def _name(filename: str) -> str:
    """What a bot is called that does not say it: the file's name without its folders and its ending."""
    stem = PurePosixPath(PureWindowsPath(filename).name).stem
    printable = "".join(char for char in stem if char.isprintable()).strip()
    return printable[:MAX_NAME].strip() or "bot"
