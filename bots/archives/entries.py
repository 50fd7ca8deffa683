"""What one entry of a zip archive may say of itself: a plain file or a folder, packed in one of the two usual ways."""

from __future__ import annotations

import stat
from typing import Final

from bots.archives import records
from bots.archives.limits import ArchiveLimits
from bots.archives.names import name_of
from bots.archives.records import Damaged, Entry, Local, Sizes
from bots.archives.refusing import refused, size

STORED: Final = 0
DEFLATED: Final = 8

AGAIN: Final = "make it again with your system's own zip program"
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

_ZIP64: Final = 0x0001
_LINKS: Final = frozenset([0x000D, 0x756E])
_CRYPTIC: Final = frozenset([0x0014, 0x0015, 0x0016, 0x0017, 0x0019, 0x9901])
_OTHER_NAME: Final = 0x7075
_OTHER_NAME_PREFIX: Final = 5

_DOS_VOLUME: Final = 0x08
_DOS_FOLDER: Final = 0x10
_DOS_DEVICE: Final = 0x40
_WINDOWS_LINK: Final = 0x400
_KINDS: Final = {
    stat.S_IFLNK: "is a link: put the file itself into the archive",
    stat.S_IFIFO: "is a named pipe: leave it out",
    stat.S_IFSOCK: "is a socket: leave it out",
    stat.S_IFBLK: "is a device: leave it out",
    stat.S_IFCHR: "is a device: leave it out",
}


def checked_name(entry: Entry, limits: ArchiveLimits) -> str:
    """The name of an entry, if the table of contents says nothing that an upload may not have. Raises ``Refused``."""
    name = name_of(entry.name, is_utf8=bool(entry.flags & _UTF8), limits=limits)
    fault = (
        _flags_fault(entry.flags)
        or _kind_fault(entry, is_folder=name.endswith("/"))
        or _method_fault(entry)
        or _extra_fault(entry.extra, entry.name)
    )
    if fault:
        raise refused(entry.name, fault)
    if entry.sizes.unpacked > limits.file_bytes:
        raise refused(
            entry.name,
            f"has {size(entry.sizes.unpacked)}, and a file has at most {size(limits.file_bytes)}: make it smaller",
        )
    return name


def _flags_fault(flags: int) -> str:
    if flags & _ENCRYPTED:
        return "is encrypted: make the archive again without a password"
    if flags & ~_ALLOWED_FLAGS:
        return f"is packed in an unusual way: {AGAIN}"
    return ""


def _kind_fault(entry: Entry, *, is_folder: bool) -> str:
    """What is wrong with the kind of file that the external attributes tell of, Unix's above and those of DOS below."""
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind in _KINDS:
        return _KINDS[kind]
    if entry.attributes & _WINDOWS_LINK:
        return _KINDS[stat.S_IFLNK]
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR} or entry.attributes & (_DOS_VOLUME | _DOS_DEVICE):
        return "is neither a file nor a folder: leave it out"
    says_folder = kind == stat.S_IFDIR or bool(entry.attributes & _DOS_FOLDER)
    if (is_folder and kind == stat.S_IFREG) or (says_folder and not is_folder):
        return f"is a file by its name and a folder by its kind, or the other way round: {AGAIN}"
    if is_folder and entry.sizes.unpacked:
        return f"is a folder and has contents of its own: {AGAIN}"
    return ""


def _method_fault(entry: Entry) -> str:
    if entry.disk:
        return "lies in another part of a split archive: make it again as a single file"
    if entry.method not in {STORED, DEFLATED}:
        method = _METHODS.get(entry.method, f"method {entry.method}")
        return f"is packed with {method}, not with Deflate as usual: {AGAIN}"
    if entry.needs > _NEWEST_FORMAT:
        return f"is packed in an unusual way: {AGAIN}"
    if entry.method == STORED and entry.sizes.packed != entry.sizes.unpacked:
        return f"is not packed and yet has two sizes: {AGAIN}"
    if entry.method == STORED and entry.flags & SIZES_FOLLOW and entry.sizes.packed:
        return f"is not packed and does not say first how long it is: {AGAIN}"
    return ""


def _extra_fault(extra: bytes, name: bytes) -> str:
    try:
        fields = list(records.extra_fields(extra))
    except Damaged:
        return f"has a damaged entry in the archive: {AGAIN}"
    for number, content in fields:
        if number == _ZIP64:
            return f"is in the format zip64, made for files above 4 GiB: {AGAIN}"
        if number in _LINKS:
            return "is a link or a device, or says so: put the file itself into the archive"
        if number in _CRYPTIC:
            return "is encrypted: make the archive again without a password"
        if number == _OTHER_NAME and content[_OTHER_NAME_PREFIX:] != name:
            return f"has two names in the archive: {AGAIN}"
    return ""


def sizes_of(data: bytes, entry: Entry, local: Local) -> Sizes:
    """What stands with an entry's bytes about their sizes: before them, or behind. Raises ``Damaged``."""
    if not entry.flags & SIZES_FOLLOW:
        return local.sizes
    return records.descriptor_at(data, entry.offset + local.length + entry.sizes.packed)


def header_fault(entry: Entry, local: Local, sizes: Sizes) -> str:
    """Where the header before an entry's bytes, and ``sizes`` with them, are not what the table of contents says."""
    same = local.name == entry.name and local.method == entry.method and sizes == entry.sizes
    if entry.flags & SIZES_FOLLOW:  # then the header says of the sizes what was known, and zero of the others
        same = same and all(said in {0, true} for said, true in zip(local.sizes, entry.sizes, strict=True))
    if not same or local.needs > _NEWEST_FORMAT or (local.flags ^ entry.flags) & ~_LEVEL:
        return f"is described in two ways in the archive: {AGAIN}"
    return _extra_fault(local.extra, entry.name)
