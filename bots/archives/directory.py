"""A zip archive's table of contents, read such that there is no second way to read it.

Every byte of the archive belongs to one record: the files stand one after another from the first byte on, then comes
the central directory, then one end record. What a reader from the front finds is what a reader from the back finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bots.archives import records
from bots.archives.entries import AGAIN, SIZES_FOLLOW, checked_name, header_fault, sizes_of
from bots.archives.limits import ArchiveLimits
from bots.archives.names import check_tree
from bots.archives.records import Damaged, End, Entry, Sizes
from bots.archives.refusing import Refused, refused

_LONGEST_COMMENT: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Packed:
    """A file or folder as it lies in the archive, from byte ``start`` to ``end``; a folder's name ends with a slash."""

    name: str
    method: int
    sizes: Sizes
    start: int
    end: int

    @property
    def is_folder(self) -> bool:
        """Whether it is there only for its name."""
        return self.name.endswith("/")


def contents(data: bytes, limits: ArchiveLimits) -> tuple[Packed, ...]:
    """What the zip archive ``data`` lists, nothing unpacked yet. Raises ``Refused``."""
    end = _end(data)
    entries = _entries(data, end, limits)
    names = [checked_name(entry, limits) for entry in entries]
    check_tree(names)
    return _laid_out(data, end, entries, names)


def _end(data: bytes) -> End:
    position = data.rfind(records.END, max(0, len(data) - records.END_SIZE - _LONGEST_COMMENT))
    try:
        end = records.end_at(data, position) if position >= 0 else None
    except Damaged:
        end = None
    if end is None or position + end.length > len(data):
        raise Refused(f"The archive is cut off or damaged: upload it again, or {AGAIN}.")
    if position + end.length < len(data):
        raise Refused(f"The archive has something after its end, which only some programs would see: {AGAIN}.")
    locator = data[max(0, position - records.ZIP64_LOCATOR_SIZE) : position]
    large = 0xFFFF in end.counts or 0xFFFFFFFF in {end.directory_offset, end.directory_size}
    if large or locator.startswith(records.ZIP64_LOCATOR):
        raise Refused(f"The archive is in the format zip64, made for files above 4 GiB: {AGAIN}.")
    if end.disks != (0, 0) or end.counts[0] != end.counts[1]:
        raise Refused("The archive is one part of several: make it again as a single file.")
    return end


def _entries(data: bytes, end: End, limits: ArchiveLimits) -> list[Entry]:
    count = end.counts[1]
    if not count:
        raise Refused("The archive is empty: put the files of your bot into it.")
    if count > limits.entries:
        raise Refused(
            f"The archive lists {count} files and folders, and a bot has at most {limits.files} files: leave out"
            " folders such as .venv and .git."
        )
    if end.directory_offset + end.directory_size != end.position:
        raise Refused(f"The archive has something before its beginning or within it that is no file: {AGAIN}.")
    entries, position = [], end.directory_offset
    try:
        for _ in range(count):
            entries.append(records.entry_at(data, position))
            position += entries[-1].length
    except Damaged as error:
        raise Refused(f"The archive's table of contents is damaged ({error}): {AGAIN}.") from error
    if position != end.position:
        raise Refused(f"The archive's table of contents and its end do not agree: {AGAIN}.")
    return entries


def _laid_out(data: bytes, end: End, entries: list[Entry], names: list[str]) -> tuple[Packed, ...]:
    """Where each entry's bytes lie, if the entries fill the archive from its beginning to its table of contents."""
    packed = []
    position = 0
    for entry, name in sorted(zip(entries, names, strict=True), key=lambda pair: pair[0].offset):
        if entry.offset < position:
            raise refused(entry.name, f"overlaps another file in the archive: {AGAIN}")
        if entry.offset > position:
            raise refused(entry.name, f"has bytes before it in the archive that belong to no file: {AGAIN}")
        one = _located(data, entry, name)
        position = one.end + (records.DESCRIPTOR_SIZE if entry.flags & SIZES_FOLLOW else 0)
        if position > end.directory_offset:
            raise refused(entry.name, f"overlaps the archive's table of contents: {AGAIN}")
        packed.append(one)
    if position < end.directory_offset:
        raise Refused(f"The archive has bytes after its last file that belong to none: {AGAIN}.")
    return tuple(packed)


def _located(data: bytes, entry: Entry, name: str) -> Packed:
    """The bytes of one entry, after its own header has said the same as the table of contents."""
    try:
        local = records.local_at(data, entry.offset)
        sizes = sizes_of(data, entry, local)
    except Damaged as error:
        raise refused(entry.name, f"is not whole in the archive ({error}): {AGAIN}") from error
    fault = header_fault(entry, local, sizes)
    if fault:
        raise refused(entry.name, fault)
    start = entry.offset + local.length
    return Packed(name, entry.method, entry.sizes, start, start + entry.sizes.packed)
