"""The smallest program for Linux on x86-64: it does nothing and ends well. And programs that are not quite one."""

from __future__ import annotations

import struct

EXIT = bytes.fromhex("b83c0000004831ff0f05")
"""mov eax, 60; xor rdi, rdi; syscall"""

ADDRESS = 0x400000
LOADED = 1
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
) -> bytes:
    """An ELF file of one loaded segment, and of another that names ``loader`` if there is one."""
    count = 1 + bool(loader)
    start = 64 + 56 * count
    length = start + len(EXIT)
    identity = b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9)
    numbers = (kind, machine, 1, ADDRESS + start, table, 0, 0, 64, 56, count if segments is None else segments, 0, 0, 0)
    header = struct.pack("<16s2HI3QI6H", identity, *numbers)
    loaded = struct.pack("<2I6Q", segment_type, 5, 0, ADDRESS, ADDRESS, length, length, 0x1000)
    named = struct.pack("<2I6Q", LOADER, 4, length, 0, 0, len(loader), len(loader), 1) if loader else b""
    return header + loaded + named + EXIT + loader
