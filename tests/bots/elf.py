"""The smallest program for Linux on x86-64: it does nothing and ends well. And programs that are not quite one."""

from __future__ import annotations

import struct

EXIT = bytes.fromhex("b83c0000004831ff0f05")
"""mov eax, 60; xor rdi, rdi; syscall"""

ADDRESS = 0x400000
LOADED = 1
DYNAMIC = 2
LOADER = 3


def program(
    *,
    kind: int = 2,
    machine: int = 62,
    bits: int = 2,
    loader: bytes = b"",
    segments: int | None = None,
    segment_type: int = LOADED,
    table: int = 64,
    needed: tuple[str, ...] = (),
    also: bytes = b"",
) -> bytes:
    """An ELF file of one loaded segment, of one that names ``loader``, and of one that names libraries if any.

    ``also`` are bytes that belong to no segment.
    """
    count = 1 + bool(loader) + bool(needed)
    start = 64 + 56 * count
    length = start + len(EXIT)
    identity = b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9)
    numbers = (kind, machine, 1, ADDRESS + start, table, 0, 0, 64, 56, count if segments is None else segments, 0, 0, 0)
    header = struct.pack("<16s2HI3QI6H", identity, *numbers)
    dynamic, strings = dynamic_section(needed, ADDRESS + length + len(loader))
    whole = length + len(loader) + len(dynamic) + len(strings)
    loaded = struct.pack("<2I6Q", segment_type, 5, 0, ADDRESS, ADDRESS, whole, whole, 0x1000)
    named = struct.pack("<2I6Q", LOADER, 4, length, 0, 0, len(loader), len(loader), 1) if loader else b""
    place, size = length + len(loader), len(dynamic)
    linked = struct.pack("<2I6Q", DYNAMIC, 4, place, ADDRESS + place, 0, size, size, 8) if needed else b""
    return header + loaded + named + linked + EXIT + loader + dynamic + strings + also


def dynamic_section(needed: tuple[str, ...], address: int) -> tuple[bytes, bytes]:
    """The records that name the libraries, to be loaded at ``address``, and the strings that follow them."""
    if not needed:
        return b"", b""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    places = [strings.index(b"\0" + name.encode() + b"\0") + 1 for name in needed]
    size = 16 * (len(needed) + 3)
    records = [*((1, place) for place in places), (5, address + size), (10, len(strings)), (0, 0)]
    return b"".join(struct.pack("<2Q", *record) for record in records), strings
