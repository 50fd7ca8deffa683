"""Zip archives byte by byte, that can say everything, also what is not so. Shares no code with the reader."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STORED = 0
DEFLATED = 8
FOLDER = 0o040755
REGULAR = 0o100644


@dataclass(frozen=True)
class Member:
    """One entry. ``packed``, ``crc``, ``packed_size`` and ``size`` are said instead of the true ones.

    ``local`` is what the header before the contents says otherwise, under the same names (``flags``, ``method``, …).
    ``descriptor`` puts the sizes behind the contents, as programs do that write to a pipe. ``at`` is said as the place.
    """

    name: str | bytes
    content: bytes = b""
    method: int = DEFLATED
    mode: int = REGULAR
    dos: int = 0
    flags: int = 0
    packed: bytes | None = None
    crc: int | None = None
    packed_size: int | None = None
    size: int | None = None
    extra: bytes = b""
    disk: int = 0
    needs: int = 20
    at: int | None = None
    descriptor: bytes | bool = False
    local: Mapping[str, Any] = field(default_factory=dict)

    @property
    def raw_name(self) -> bytes:
        return self.name.encode() if isinstance(self.name, str) else self.name

    @property
    def said_flags(self) -> int:
        is_utf8 = isinstance(self.name, str) and not self.name.isascii()
        return self.flags | (0x800 if is_utf8 else 0) | (8 if self.descriptor else 0)

    @property
    def raw(self) -> bytes:
        if self.packed is not None:
            return self.packed
        return deflated(self.content) if self.method == DEFLATED else self.content

    @property
    def sizes(self) -> tuple[int, int, int]:
        return (
            zlib.crc32(self.content) if self.crc is None else self.crc,
            len(self.raw) if self.packed_size is None else self.packed_size,
            len(self.content) if self.size is None else self.size,
        )


def deflated(content: bytes) -> bytes:
    """Raw deflate."""
    machine = zlib.compressobj(wbits=-15)
    return machine.compress(content) + machine.flush()


def extra(number: int, content: bytes) -> bytes:
    """One extra field."""
    return struct.pack("<HH", number, len(content)) + content


def zip_of(
    *members: Member,
    before: bytes = b"",
    between: bytes = b"",
    after_files: bytes = b"",
    after_directory: bytes = b"",
    comment: bytes = b"",
    after: bytes = b"",
    **end: int,
) -> bytes:
    """The archive of ``members``; ``end`` has what its end record says otherwise: here, total, size, offset, disk."""
    data = bytearray(before)
    directory = bytearray()
    for member in members:
        place = len(data)
        data += _local(member) + member.raw + _descriptor(member) + between
        directory += _entry(member, place if member.at is None else member.at)
    data = data[: len(data) - len(between)] + after_files if members else data
    count = len(members)
    last = struct.pack(
        "<4s4H2IH",
        b"PK\x05\x06",
        end.get("disk", 0),
        0,
        end.get("here", count),
        end.get("total", count),
        end.get("size", len(directory)),
        end.get("offset", len(data)),
        end.get("comment_size", len(comment)),
    )
    return bytes(data + directory) + after_directory + last + comment + after


def _local(member: Member) -> bytes:
    header = member.local
    crc, packed_size, size = (0, 0, 0) if member.descriptor else member.sizes
    name, more = header.get("name", member.raw_name), header.get("extra", member.extra)
    numbers = (
        header.get("needs", member.needs),
        header.get("flags", member.said_flags),
        header.get("method", member.method),
        0,
        0x21,
    )
    sizes = (header.get("crc", crc), header.get("packed_size", packed_size), header.get("size", size))
    return struct.pack("<4s5H3I2H", b"PK\x03\x04", *numbers, *sizes, len(name), len(more)) + name + more


def _descriptor(member: Member) -> bytes:
    if isinstance(member.descriptor, bytes):
        return member.descriptor
    return struct.pack("<4s3I", b"PK\x07\x08", *member.sizes) if member.descriptor else b""


def _entry(member: Member, place: int) -> bytes:
    numbers = (20, 3, member.needs, member.said_flags, member.method, 0, 0x21, *member.sizes)
    attributes = member.mode << 16 | member.dos
    lengths = (len(member.raw_name), len(member.extra), 0, member.disk, 0)
    return (
        struct.pack("<4s2B5H3I5H2I", b"PK\x01\x02", *numbers, *lengths, attributes, place)
        + member.raw_name
        + member.extra
    )
