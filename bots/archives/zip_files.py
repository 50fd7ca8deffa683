"""Read a zip archive such that there is only one way to read it (APPNOTE 6.3.10).

The records of a zip archive, its table of contents, its entries, and their contents, whose sizes are counted.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from bots.archives.policy import (
    AGAIN,
    ArchiveLimits,
    ArchiveRefused,
    check_tree,
    crowded,
    name_of,
    refused,
    size,
)
from bots.executables import FileFault

# --- Records ---------------------------------------------------------------------------------------------------------
#
# Source: PKWARE's APPNOTE, sections 4.3 (records) and 4.4 (fields).

END: Final = b"PK\x05\x06"
ENTRY: Final = b"PK\x01\x02"
LOCAL: Final = b"PK\x03\x04"
DESCRIPTOR: Final = b"PK\x07\x08"
ZIP64_LOCATOR: Final = b"PK\x06\x07"

_END: Final = struct.Struct("<4s4H2IH")
_ENTRY: Final = struct.Struct("<4s2B5H3I5H2I")
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_DESCRIPTOR: Final = struct.Struct("<4s3I")
_LARGE_DESCRIPTOR: Final = struct.Struct("<4sI2Q")
_LARGE_SIZES: Final = struct.Struct("<2Q")
_EXTRA: Final = struct.Struct("<2H")

END_SIZE: Final = _END.size
ZIP64_LOCATOR_SIZE: Final = 20

ZIP64: Final = 0x0001
"""The extra field with sizes of 8 bytes."""

_IN_ZIP64: Final = 0xFFFFFFFF


class Damaged(ValueError):
    """The bytes at this position are not the expected record. The message names the record."""


@dataclass(frozen=True, slots=True)
class EndRecord:
    """The record at the archive's end (4.3.16). ``position`` is where it begins, ``length`` is with its comment."""

    position: int
    length: int
    disks: tuple[int, int]
    counts: tuple[int, int]
    directory_size: int
    directory_offset: int


class Sizes(NamedTuple):
    """What an entry says of its contents: CRC-32, bytes in the archive, bytes unpacked."""

    crc: int
    packed: int
    unpacked: int


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One entry of the central directory (4.3.12).

    ``needs`` is the version of the format in tenths, ``attributes`` are the external ones, ``offset`` is its local
    header's, ``length`` its own with all that it names.
    """

    name: bytes
    needs: int
    flags: int
    method: int
    sizes: Sizes
    extra: bytes
    disk: int
    attributes: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Local:
    """The header before a file's bytes (4.3.7); ``length`` is its own.

    Programs that write to a pipe do not know the sizes yet and may reserve 8 bytes for each (``is_zip64``, 4.5.3). The
    descriptor after the bytes then also has larger fields (4.3.9.2).
    """

    name: bytes
    needs: int
    flags: int
    method: int
    sizes: Sizes
    extra: tuple[tuple[int, bytes], ...]
    length: int
    is_zip64: bool


def end_at(data: bytes, position: int) -> EndRecord:
    """The end record at ``position``."""
    fields = _unpack(_END, data, position, END)
    disk, first_disk, here, total, size, offset, comment = fields
    return EndRecord(position, END_SIZE + comment, (disk, first_disk), (here, total), size, offset)


def entry_at(data: bytes, position: int) -> ZipEntry:
    """The entry of the central directory at ``position``. Raises ``Damaged``."""
    fields = _unpack(_ENTRY, data, position, ENTRY)
    _by, _system, needs, flags, method, _time, _date, *sizes, name_size, extra_size, comment_size = fields[:13]
    disk, _internal, attributes, offset = fields[13:]
    name, extra = _texts(data, position + _ENTRY.size, name_size, extra_size)
    length = _ENTRY.size + name_size + extra_size + comment_size
    return ZipEntry(name, needs, flags, method, Sizes(*sizes), extra, disk, attributes, offset, length)


def local_at(data: bytes, position: int) -> Local:
    """The local header at ``position``. Raises ``Damaged``."""
    needs, flags, method, _time, _date, *sizes, name_size, extra_size = _unpack(_LOCAL, data, position, LOCAL)
    name, texts = _texts(data, position + _LOCAL.size, name_size, extra_size)
    length, extra = _LOCAL.size + name_size + extra_size, tuple(extra_fields(texts))
    large = [content for number, content in extra if number == ZIP64]
    if large:
        if len(large) > 1 or len(large[0]) != _LARGE_SIZES.size or sizes[1:] != [_IN_ZIP64, _IN_ZIP64]:
            raise Damaged("its zip64 field is invalid")
        unpacked, packed = _LARGE_SIZES.unpack(large[0])
        sizes[1:] = packed, unpacked
    return Local(name, needs, flags, method, Sizes(*sizes), extra, length, bool(large))


def descriptor_at(data: bytes, position: int, *, is_zip64: bool) -> tuple[Sizes, int]:
    """The data descriptor at ``position`` (4.3.9), which repeats the sizes after a file's bytes, and where it ends.

    Raises ``Damaged``.
    """
    shape = _LARGE_DESCRIPTOR if is_zip64 else _DESCRIPTOR
    return Sizes(*_unpack(shape, data, position, DESCRIPTOR)), position + shape.size


def extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """The extra fields (4.5) as numbers and contents. Raises ``Damaged`` when one is truncated."""
    position = 0
    while len(extra) - position >= _EXTRA.size:  # fewer bytes are padding
        number, length = _EXTRA.unpack_from(extra, position)
        position += _EXTRA.size
        if position + length > len(extra):
            raise Damaged("an extra field is truncated")
        yield number, extra[position : position + length]
        position += length


def _unpack(shape: struct.Struct, data: bytes, position: int, signature: bytes) -> tuple[int, ...]:
    """The record's numbers, without its signature."""
    if position + shape.size > len(data):
        raise Damaged("a record is truncated")
    magic, *numbers = shape.unpack_from(data, position)
    if magic != signature:
        raise Damaged("a record is at the wrong position")
    return tuple(numbers)


def _texts(data: bytes, position: int, name_size: int, extra_size: int) -> tuple[bytes, bytes]:
    """The name and the extra fields that follow a header."""
    middle = position + name_size
    if middle + extra_size > len(data):
        raise Damaged("a name is truncated")
    return data[position:middle], data[middle : middle + extra_size]


# --- Entries ---------------------------------------------------------------------------------------------------------

STORED: Final = 0
DEFLATED: Final = 8

_NO_PASSWORD: Final = FileFault("encrypted", "is encrypted. Create the archive again without a password")
_ZIP64_FAULT: Final = FileFault("zip64", f"uses the zip64 format for large files and for pipes. {AGAIN}")
_UNUSUAL: Final = FileFault("unusual", f"uses an unsupported compression format. {AGAIN}")
_METHODS: Final = {
    1: "Shrink",
    6: "Implode",
    9: "Deflate64",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "xz",
    98: "PPMd",
}

_ENCRYPTED: Final = 1 << 0 | 1 << 6 | 1 << 13
SIZES_FOLLOW: Final = 1 << 3
_UTF8: Final = 1 << 11
_LEVEL: Final = 1 << 1 | 1 << 2
_ALLOWED_FLAGS: Final = _LEVEL | SIZES_FOLLOW | _UTF8

_NEWEST_FORMAT: Final = 63

_LINKS: Final = frozenset([0x000D, 0x756E])
_CRYPTIC: Final = frozenset([0x0014, 0x0015, 0x0016, 0x0017, 0x0019, 0x9901])
_OTHER_NAME: Final = 0x7075
_OTHER_NAME_PREFIX: Final = 5

_DOS_VOLUME: Final = 0x08
_DOS_FOLDER: Final = 0x10
_DOS_DEVICE: Final = 0x40
_WINDOWS_LINK: Final = 0x400
_KINDS: Final = {
    stat.S_IFLNK: FileFault("link", "is a link. Put the file itself into the archive"),
    stat.S_IFIFO: FileFault(
        "special_file",
        "is stored as a named pipe. Pack the file itself instead of piping its content into the archiver",
    ),
    stat.S_IFSOCK: FileFault("special_file", "is a socket. Remove it from the archive"),
    stat.S_IFBLK: FileFault("special_file", "is a device. Remove it from the archive"),
    stat.S_IFCHR: FileFault("special_file", "is a device. Remove it from the archive"),
}


def checked_name(entry: ZipEntry, limits: ArchiveLimits) -> str:
    """Return the name of an entry after checking the entry. Raises ``ArchiveRefused``."""
    name = name_of(entry.name, is_utf8=bool(entry.flags & _UTF8), limits=limits)
    fault = (
        _flags_fault(entry.flags)
        or _kind_fault(entry, is_folder=name.endswith("/"))
        or _method_fault(entry)
        or _central_extra_fault(entry)
    )
    if fault:
        raise refused(entry.name, fault)
    return name


def _flags_fault(flags: int) -> FileFault | None:
    if flags & _ENCRYPTED:
        return _NO_PASSWORD
    if flags & ~_ALLOWED_FLAGS:
        return _UNUSUAL
    return None


def _kind_fault(entry: ZipEntry, *, is_folder: bool) -> FileFault | None:
    """Return the fault of the file type in the external attributes (Unix in the upper half, DOS in the lower)."""
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind in _KINDS:
        return _KINDS[kind]
    if entry.attributes & _WINDOWS_LINK:
        return _KINDS[stat.S_IFLNK]
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR} or entry.attributes & (_DOS_VOLUME | _DOS_DEVICE):
        return FileFault("special_file", "is neither a file nor a folder. Remove it from the archive")
    says_folder = kind == stat.S_IFDIR or bool(entry.attributes & _DOS_FOLDER)
    if (is_folder and kind == stat.S_IFREG) or (says_folder and not is_folder):
        return FileFault("file_or_folder", f"has a name and a type that disagree on whether it is a folder. {AGAIN}")
    if is_folder and entry.sizes.unpacked:
        return FileFault("folder_with_content", f"is a folder with file content. {AGAIN}")
    return None


def _method_fault(entry: ZipEntry) -> FileFault | None:
    if entry.disk:
        return FileFault("split", "is in another part of a split archive. Create the archive again as a single file")
    if entry.method not in {STORED, DEFLATED}:
        method = _METHODS.get(entry.method, f"method {entry.method}")
        return FileFault("method", f"is compressed with {method} instead of Deflate. {AGAIN}")
    if entry.needs > _NEWEST_FORMAT:
        return _UNUSUAL
    if entry.method == STORED and entry.sizes.packed != entry.sizes.unpacked:
        return FileFault("two_sizes", f"is not compressed but has two different sizes. {AGAIN}")
    if entry.method == STORED and entry.flags & SIZES_FOLLOW and entry.sizes.packed:
        text = "is not compressed and has no size in its header. Choose the method Deflate in the program that packs it"
        return FileFault("size_missing", f"{text}, or run `esr upload`")
    return None


def _central_extra_fault(entry: ZipEntry) -> FileFault | None:
    try:
        return _extra_fault(extra_fields(entry.extra), entry.name, forbidden=ZIP64)
    except Damaged:
        return FileFault("damaged_entry", f"has a damaged entry in the archive. {AGAIN}")


def _extra_fault(fields: Iterable[tuple[int, bytes]], name: bytes, forbidden: int | None = None) -> FileFault | None:
    for number, content in fields:
        if number == forbidden:
            return _ZIP64_FAULT
        if number in _LINKS:
            return FileFault("link", "is marked as a link or device. Put the file itself into the archive")
        if number in _CRYPTIC:
            return _NO_PASSWORD
        if number == _OTHER_NAME and content[_OTHER_NAME_PREFIX:] != name:
            return FileFault("two_names", f"has two names in the archive. {AGAIN}")
    return None


def header_fault(entry: ZipEntry, local: Local, sizes: Sizes) -> FileFault | None:
    """Return a fault if the header and ``sizes`` contradict the table of contents."""
    same = local.name == entry.name and local.method == entry.method and sizes == entry.sizes
    if entry.flags & SIZES_FOLLOW:  # then the header contains zero for unknown sizes
        same = same and all(given in {0, true} for given, true in zip(local.sizes, entry.sizes, strict=True))
    if not same or local.needs > _NEWEST_FORMAT or (local.flags ^ entry.flags) & ~_LEVEL:
        return FileFault("two_headers", f"has two contradictory headers in the archive. {AGAIN}")
    return _extra_fault(local.extra, entry.name)


# --- Table of contents -----------------------------------------------------------------------------------------------
#
# Every byte of the archive belongs to one record: first all files without gaps, then the central directory, then one
# end record. Readers from the front and from the back find the same files.

_LONGEST_COMMENT: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Packed:
    """A file or folder in the archive, from byte ``start`` to ``end``; folder names end with a slash."""

    name: str
    method: int
    sizes: Sizes
    start: int
    end: int

    @property
    def is_folder(self) -> bool:
        """Whether the entry is a folder."""
        return self.name.endswith("/")


def contents(data: bytes, limits: ArchiveLimits) -> tuple[Packed, ...]:
    """Return the entries of the zip archive ``data`` without unpacking. Raises ``ArchiveRefused``."""
    end = _end(data)
    entries = _entries(data, end, limits)
    names = [checked_name(entry, limits) for entry in entries]
    check_tree(names)
    return _laid_out(data, end, entries, names)


def _end(data: bytes) -> EndRecord:
    position = data.rfind(END, max(0, len(data) - END_SIZE - _LONGEST_COMMENT))
    try:
        end = end_at(data, position) if position >= 0 else None
    except Damaged:
        end = None
    if end is None or position + end.length > len(data):
        raise ArchiveRefused(
            f"The archive is incomplete or damaged. Upload it again. {AGAIN} if that fails.", "damaged"
        )
    if not data[position + end.length :].strip(b"\0") and position + end.length < len(data):
        text = "The archive ends with padding, as tar programs write it to a pipe. Let the program write to a file."
        raise ArchiveRefused(text, "appended_data")
    if position + end.length < len(data):
        raise ArchiveRefused(f"The archive contains data after its end. {AGAIN}.", "appended_data")
    locator = data[max(0, position - ZIP64_LOCATOR_SIZE) : position]
    large = 0xFFFF in end.counts or 0xFFFFFFFF in {end.directory_offset, end.directory_size}
    if large or locator.startswith(ZIP64_LOCATOR):
        raise ArchiveRefused(f"The archive {_ZIP64_FAULT.text}.", _ZIP64_FAULT.code)
    if end.disks != (0, 0) or end.counts[0] != end.counts[1]:
        raise ArchiveRefused("The archive is split into parts. Create it again as a single file.", "split")
    return end


def _entries(data: bytes, end: EndRecord, limits: ArchiveLimits) -> list[ZipEntry]:
    count = end.counts[1]
    if not count:
        raise ArchiveRefused("The archive is empty. Add the files of your bot.", "archive_empty")
    if end.directory_offset + end.directory_size != end.position:
        raise ArchiveRefused(f"The archive contains data that belongs to no file. {AGAIN}.", "inserted_data")
    entries, position = [], end.directory_offset
    try:
        for _ in range(min(count, limits.entries)):
            entries.append(entry_at(data, position))
            position += entries[-1].length
    except Damaged as error:
        raise ArchiveRefused(f"The archive directory is damaged ({error}). {AGAIN}.", "damaged_directory") from error
    if count > limits.entries:
        most = crowded(entry.name.decode("utf-8", "replace") for entry in entries)
        raise ArchiveRefused(
            f"The archive contains {count} files and folders. The limit is {limits.files} files. Remove files that the"
            f" bot does not need{most}.",
            "too_many_entries",
        )
    if position != end.position:
        raise ArchiveRefused(f"The archive directory and the end record disagree. {AGAIN}.", "damaged_directory")
    return entries


def _laid_out(data: bytes, end: EndRecord, entries: list[ZipEntry], names: list[str]) -> tuple[Packed, ...]:
    """Return the positions of all entries, which must fill the archive up to its directory without gaps."""
    packed = []
    position = 0
    for entry, name in sorted(zip(entries, names, strict=True), key=lambda pair: pair[0].offset):
        if entry.offset < position:
            raise refused(entry.name, FileFault("overlap", f"overlaps another file in the archive. {AGAIN}"))
        if entry.offset > position:
            text = f"follows data in the archive that belongs to no file. {AGAIN}"
            raise refused(entry.name, FileFault("inserted_data", text))
        located, position = _located(data, entry, name)
        if position > end.directory_offset:
            raise refused(entry.name, FileFault("overlap", f"overlaps the archive directory. {AGAIN}"))
        packed.append(located)
    if position < end.directory_offset:
        raise ArchiveRefused(f"The archive contains data after its last file. {AGAIN}.", "inserted_data")
    return tuple(packed)


def _located(data: bytes, entry: ZipEntry, name: str) -> tuple[Packed, int]:
    """Locate the bytes of one entry and check that its header agrees with the directory. Also return where it ends."""
    try:
        local = local_at(data, entry.offset)
        start = entry.offset + local.length
        end = start + entry.sizes.packed
        sizes, after = local.sizes, end
        if entry.flags & SIZES_FOLLOW:
            sizes, after = descriptor_at(data, end, is_zip64=local.is_zip64)
    except Damaged as error:
        raise refused(entry.name, FileFault("damaged", f"is damaged in the archive ({error}). {AGAIN}")) from error
    fault = header_fault(entry, local, sizes)
    if fault:
        raise refused(entry.name, fault)
    return Packed(name, entry.method, entry.sizes, start, end), after


# --- Contents --------------------------------------------------------------------------------------------------------

_RAW_DEFLATE: Final = -zlib.MAX_WBITS


def check_sizes(contents: Iterable[Packed], limits: ArchiveLimits) -> None:
    """Raise ``ArchiveRefused`` if a file declares to be too large."""
    for packed in contents:
        if packed.sizes.unpacked > limits.file_bytes:
            unpacked, most = size(packed.sizes.unpacked), size(limits.file_bytes)
            text = f"is {unpacked}. The limit for a file is {most}. Make it smaller"
            raise refused(packed.name, FileFault("file_too_large", text))


def unpack(data: bytes, contents: Iterable[Packed], limits: ArchiveLimits) -> dict[str, bytes]:
    """Unpack the files by name, without folders and within the limits. Raises ``ArchiveRefused``."""
    files = {}
    left = limits.unpacked_bytes
    for packed in contents:
        if packed.sizes.unpacked > left:
            raise too_large(limits)
        content = _unpacked(data, packed)
        left -= len(content)
        if not packed.is_folder:
            files[packed.name] = content
    return files


def too_large(limits: ArchiveLimits) -> ArchiveRefused:
    """Return the error about files that are too large in total."""
    return ArchiveRefused(
        f"The unpacked files are larger than {size(limits.unpacked_bytes)}. Remove files that the bot does not need.",
        "unpacked_too_large",
    )


def _unpacked(data: bytes, packed: Packed) -> bytes:
    """Return the bytes of one file; unpacking stops one byte after the declared size."""
    raw = memoryview(data)[packed.start : packed.end]
    content = bytes(raw) if packed.method == STORED else _inflated(raw, packed)
    if len(content) != packed.sizes.unpacked:
        more = "more" if len(content) > packed.sizes.unpacked else "less"
        raise refused(packed.name, FileFault("wrong_size", f"contains {more} data than it declares. {AGAIN}"))
    if zlib.crc32(content) != packed.sizes.crc:
        raise refused(packed.name, FileFault("checksum", "has a wrong checksum. Upload the archive again"))
    return content


def _inflated(raw: memoryview, packed: Packed) -> bytes:
    machine = zlib.decompressobj(_RAW_DEFLATE)
    try:
        content = machine.decompress(raw, packed.sizes.unpacked + 1)
    except zlib.error as error:
        text = "is damaged and cannot be unpacked. Upload the archive again"
        raise refused(packed.name, FileFault("damaged", text)) from error
    if len(content) <= packed.sizes.unpacked and (not machine.eof or machine.unused_data):
        text = "is damaged: its compressed data has a wrong length. Upload the archive again"
        raise refused(packed.name, FileFault("damaged", text))
    return content
