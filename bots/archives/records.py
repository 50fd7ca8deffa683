"""The records that a zip archive is made of, as its bytes have them. Nothing is judged here.

Source: PKWARE's APPNOTE, sections 4.3 (records) and 4.4 (fields).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

END: Final = b"PK\x05\x06"
ENTRY: Final = b"PK\x01\x02"
LOCAL: Final = b"PK\x03\x04"
DESCRIPTOR: Final = b"PK\x07\x08"
ZIP64_LOCATOR: Final = b"PK\x06\x07"

_END: Final = struct.Struct("<4s4H2IH")
_ENTRY: Final = struct.Struct("<4s2B5H3I5H2I")
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_DESCRIPTOR: Final = struct.Struct("<4s3I")
_EXTRA: Final = struct.Struct("<2H")

END_SIZE: Final = _END.size
DESCRIPTOR_SIZE: Final = _DESCRIPTOR.size
ZIP64_LOCATOR_SIZE: Final = 20


class Damaged(ValueError):
    """Bytes that are not the record that should stand there; the message says which one is meant."""


@dataclass(frozen=True, slots=True)
class End:
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
class Entry:
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
    """The header before a file's bytes (4.3.7); ``length`` is its own."""

    name: bytes
    needs: int
    flags: int
    method: int
    sizes: Sizes
    extra: bytes
    length: int


def end_at(data: bytes, position: int) -> End:
    """The end record at ``position``."""
    fields = _unpack(_END, data, position, END)
    disk, first_disk, here, total, size, offset, comment = fields
    return End(position, END_SIZE + comment, (disk, first_disk), (here, total), size, offset)


def entry_at(data: bytes, position: int) -> Entry:
    """The entry of the central directory at ``position``. Raises ``Damaged``."""
    fields = _unpack(_ENTRY, data, position, ENTRY)
    _by, _system, needs, flags, method, _time, _date, *sizes, name_size, extra_size, comment_size = fields[:13]
    disk, _internal, attributes, offset = fields[13:]
    name, extra = _texts(data, position + _ENTRY.size, name_size, extra_size)
    length = _ENTRY.size + name_size + extra_size + comment_size
    return Entry(name, needs, flags, method, Sizes(*sizes), extra, disk, attributes, offset, length)


def local_at(data: bytes, position: int) -> Local:
    """The local header at ``position``. Raises ``Damaged``."""
    needs, flags, method, _time, _date, *sizes, name_size, extra_size = _unpack(_LOCAL, data, position, LOCAL)
    name, extra = _texts(data, position + _LOCAL.size, name_size, extra_size)
    return Local(name, needs, flags, method, Sizes(*sizes), extra, _LOCAL.size + name_size + extra_size)


def descriptor_at(data: bytes, position: int) -> Sizes:
    """The data descriptor at ``position`` (4.3.9), which repeats the sizes after a file's bytes. Raises ``Damaged``."""
    return Sizes(*_unpack(_DESCRIPTOR, data, position, DESCRIPTOR))


def extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """The extra fields (4.5) as numbers and contents. Raises ``Damaged`` when one is cut off."""
    position = 0
    while len(extra) - position >= _EXTRA.size:  # fewer bytes are padding
        number, length = _EXTRA.unpack_from(extra, position)
        position += _EXTRA.size
        if position + length > len(extra):
            raise Damaged("an extra field is cut off")
        yield number, extra[position : position + length]
        position += length


def _unpack(shape: struct.Struct, data: bytes, position: int, signature: bytes) -> tuple[int, ...]:
    """The record's numbers, without its signature."""
    if position + shape.size > len(data):
        raise Damaged("a record is cut off")
    found, *numbers = shape.unpack_from(data, position)
    if found != signature:
        raise Damaged("a record is not where it should be")
    return tuple(numbers)


def _texts(data: bytes, position: int, name_size: int, extra_size: int) -> tuple[bytes, bytes]:
    """The name and the extra fields that follow a header."""
    middle = position + name_size
    if middle + extra_size > len(data):
        raise Damaged("a name is cut off")
    return data[position:middle], data[middle : middle + extra_size]
