"""Check whether Linux on x86-64 can start a file, from its bytes alone.

Source: the ELF specification of System V (gABI, chapter 4 and 5) and its supplement for AMD64.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

LOADERS: Final = ("/lib64/ld-linux-x86-64.so.2",)
"""The dynamic loaders that are available in the sandbox."""


class FileFault(NamedTuple):
    """A reason against a file: a code, and the rest of a message that starts with the file's name."""

    code: str
    text: str


_MAGIC: Final = b"\x7fELF"
_HEADER: Final = struct.Struct("<16s2HI3QI6H")
_SEGMENT: Final = struct.Struct("<2I6Q")
_64_BITS: Final = 2
_LITTLE_ENDIAN: Final = 1
_X86_64: Final = 62
_EXECUTABLE: Final = frozenset([2, 3])
_MACHINES: Final = {3: "32-bit x86", 40: "32-bit ARM", 183: "ARM (aarch64)", 243: "RISC-V"}
_KINDS: Final = {1: "an object file, not an executable", 4: "a core dump, not an executable"}
_LOADED: Final = 1
_INTERPRETER: Final = 3

_OTHERS: Final = (
    (
        b"#!",
        FileFault(
            "script", "is a script that needs another program. Upload Python or a compiled program, or play remotely"
        ),
    ),
    (b"MZ", FileFault("windows", "is a Windows program. Build it for Linux on x86-64")),
    (b"\xcf\xfa\xed\xfe", FileFault("macos", "is a macOS program. Build it for Linux on x86-64")),
    (b"\xca\xfe\xba\xbe", FileFault("macos", "is a macOS program or a Java class. Build it for Linux on x86-64")),
)


def fault_of_executable(data: bytes) -> FileFault | None:
    """Return why Linux would not start ``data``; ``None`` if it would."""
    for magic, fault in _OTHERS:
        if data.startswith(magic):
            return fault
    if not data.startswith(_MAGIC):
        return FileFault("not_elf", "is not an executable for Linux. Build an ELF executable for x86-64")
    if len(data) < _HEADER.size:
        return FileFault("truncated", "is incomplete. Build it again")
    if data[4] != _64_BITS or data[5] != _LITTLE_ENDIAN:
        return FileFault("other_processor", "is built for another processor. Build it for 64-bit Linux on x86-64")
    return _header_fault(data)


def _header_fault(data: bytes) -> FileFault | None:
    _, kind, machine, _, _, table, _, _, _, segment_size, count, *_ = _HEADER.unpack_from(data)
    if machine != _X86_64:
        built_for = _MACHINES.get(machine, "another processor")
        return FileFault("other_processor", f"is built for {built_for}. Build it for Linux on x86-64")
    if kind not in _EXECUTABLE:
        is_kind = _KINDS.get(kind, "not a program")
        return FileFault("not_executable", f"is {is_kind}. Build an executable file")
    if not count or segment_size != _SEGMENT.size or table + count * _SEGMENT.size > len(data):
        return FileFault("damaged", "has missing or damaged program headers. Build it again")
    return _segments_fault(data, [_SEGMENT.unpack_from(data, table + at * _SEGMENT.size) for at in range(count)])


def _segments_fault(data: bytes, segments: list[tuple[int, ...]]) -> FileFault | None:
    if not any(segment[0] == _LOADED for segment in segments):
        return FileFault("nothing_to_load", "contains no program segments. Build an executable file")
    for kind, _, offset, _, _, length, *_ in segments:
        if kind != _INTERPRETER:
            continue
        loader = data[offset : offset + length]
        if loader.removesuffix(b"\0").decode("ascii", "replace") not in LOADERS or not loader.endswith(b"\0"):
            text = f"needs a dynamic loader other than {LOADERS[0]}. Link it statically or with glibc"
            return FileFault("other_loader", text)
    return None
