"""Can Linux on x86-64 start this file? Judged from its bytes alone, before anybody tries.

Source: the ELF specification of System V (gABI, chapter 4 and 5) and its supplement for AMD64.
"""

from __future__ import annotations

import struct
from typing import Final

LOADERS: Final = ("/lib64/ld-linux-x86-64.so.2",)
"""The dynamic loaders that a program may ask for; any other one is not there in the sandbox."""

_MAGIC: Final = b"\x7fELF"
_HEADER: Final = struct.Struct("<16s2HI3QI6H")
_SEGMENT: Final = struct.Struct("<2I6Q")
_64_BITS: Final = 2
_LITTLE_ENDIAN: Final = 1
_X86_64: Final = 62
_EXECUTABLE: Final = frozenset([2, 3])
_MACHINES: Final = {3: "32-bit x86", 40: "32-bit ARM", 183: "ARM (aarch64)", 243: "RISC-V"}
_KINDS: Final = {1: "an object file that has not been linked", 4: "a core dump"}
_LOADED: Final = 1
_INTERPRETER: Final = 3

_OTHERS: Final = (
    (b"#!", "is a script, and the program that would run it may not be there: upload Python, or a compiled program"),
    (b"MZ", "is a program for Windows: build it for Linux on x86-64"),
    (b"\xcf\xfa\xed\xfe", "is a program for macOS: build it for Linux on x86-64"),
    (b"\xca\xfe\xba\xbe", "is a program for macOS or Java: build it for Linux on x86-64"),
)


def fault_of_executable(data: bytes) -> str:
    """Why the system would not start ``data``, as the rest of a sentence about the file; empty if it would."""
    for magic, fault in _OTHERS:
        if data.startswith(magic):
            return fault
    if not data.startswith(_MAGIC):
        return "is no program that Linux can start: build an ELF executable for x86-64"
    if len(data) < _HEADER.size:
        return "is cut off: build it again"
    if data[4] != _64_BITS or data[5] != _LITTLE_ENDIAN:
        return "is built for another processor: build it for Linux on x86-64, 64 bits"
    return _header_fault(data)


def _header_fault(data: bytes) -> str:
    _, kind, machine, _, _, table, _, _, _, segment_size, count, *_ = _HEADER.unpack_from(data)
    if machine != _X86_64:
        return f"is built for {_MACHINES.get(machine, 'another processor')}: build it for Linux on x86-64"
    if kind not in _EXECUTABLE:
        return f"is {_KINDS.get(kind, 'no program')}, which cannot be started: build an executable"
    if not count or segment_size != _SEGMENT.size or table + count * _SEGMENT.size > len(data):
        return "is damaged: its program headers are not in the file, so build it again"
    return _segments_fault(data, [_SEGMENT.unpack_from(data, table + at * _SEGMENT.size) for at in range(count)])


def _segments_fault(data: bytes, segments: list[tuple[int, ...]]) -> str:
    if not any(segment[0] == _LOADED for segment in segments):
        return "is no program, nothing of it would be loaded: build an executable"
    for kind, _, offset, _, _, length, *_ in segments:
        if kind != _INTERPRETER:
            continue
        loader = data[offset : offset + length]
        if loader.removesuffix(b"\0").decode("ascii", "replace") not in LOADERS or not loader.endswith(b"\0"):
            return f"asks for a loader other than {LOADERS[0]}: link it against glibc, or statically"
    return ""
