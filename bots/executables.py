"""Check whether Linux on x86-64 can start a file, from its bytes alone, and which libraries the file needs.

Source: the ELF specification of System V (gABI, chapter 4 and 5) and its supplement for AMD64. The bytes are untrusted
and read in the web process, so this module reads only the few records that it needs, each within bounds.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

LOADERS: Final = ("/lib64/ld-linux-x86-64.so.2",)
"""The dynamic loaders that are available in the sandbox."""

LIBRARIES: Final = (
    "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libstdc++.so.6",
    "libgcc_s.so.1", "libz.so.1", "libzstd.so.1",
)  # fmt: skip
"""The libraries that every sandbox offers, if its host has them."""


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
_DYNAMIC: Final = 2
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


def _segments(data: bytes) -> list[tuple[int, ...]] | None:
    """The program headers; ``None`` if there are none or they are not all in the file."""
    _, _, _, _, _, table, _, _, _, segment_size, count, *_ = _HEADER.unpack_from(data)
    if not count or segment_size != _SEGMENT.size or table + count * _SEGMENT.size > len(data):
        return None
    return [_SEGMENT.unpack_from(data, table + at * _SEGMENT.size) for at in range(count)]


def _header_fault(data: bytes) -> FileFault | None:
    _, kind, machine, *_ = _HEADER.unpack_from(data)
    if machine != _X86_64:
        built_for = _MACHINES.get(machine, "another processor")
        return FileFault("other_processor", f"is built for {built_for}. Build it for Linux on x86-64")
    if kind not in _EXECUTABLE:
        is_kind = _KINDS.get(kind, "not a program")
        return FileFault("not_executable", f"is {is_kind}. Build an executable file")
    segments = _segments(data)
    if segments is None:
        return FileFault("damaged", "has missing or damaged program headers. Build it again")
    return _segments_fault(data, segments)


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


# --- Libraries -------------------------------------------------------------------------------------------------------

_RECORD: Final = struct.Struct("<2Q")
_NEEDED: Final = 1
_STRINGS: Final = 5
_STRINGS_SIZE: Final = 10
_MOST_RECORDS: Final = 2000
_LONGEST_NAME: Final = 255
_NAMED: Final = 3
_SHOWN: Final = 30
_LOADER: Final = LOADERS[0].rpartition("/")[2]

_STATIC: Final = (
    ("libgfortran libquadmath", "gfortran -static"),
    ("libgomp", "gcc -fopenmp -static"),
    ("libgnat libgnarl", "gnatmake … -bargs -static"),
    ("libphobos2-ldc libdruntime-ldc", "ldc2 -link-defaultlib-shared=false -L--no-as-needed -L-lz"),
    ("libgphobos libgdruntime", "gdc -static-libphobos"),
    ("libgc libpcre libpcre2-8 libevent", "crystal build --static"),
)
"""The beginnings of library names, and the command that links the libraries of that compiler statically."""

_GHC: Final = b".debug-ghc-link-info"
_GHC_STATIC: Final = "ghc -optl-static"


def needed_libraries(data: bytes) -> tuple[str, ...]:
    """Return the names of the libraries that the loader looks for (DT_NEEDED).

    ``data`` has no fault (:func:`fault_of_executable`). Names that are damaged or out of bounds are omitted.
    """
    segments = _segments(data) or []
    dynamic = next((segment for segment in segments if segment[0] == _DYNAMIC), None)
    if dynamic is None:
        return ()
    records = list(_records(data, dynamic))
    tables = dict(records)
    start = _offset(segments, tables.get(_STRINGS, 0))
    strings = b"" if start is None else data[start : start + tables.get(_STRINGS_SIZE, 0)]
    libraries = []
    for tag, at in records:
        end = strings.find(b"\0", at, at + _LONGEST_NAME + 1) if tag == _NEEDED else -1
        if end > at:
            libraries.append(strings[at:end].decode("utf-8", "backslashreplace"))
    return tuple(dict.fromkeys(libraries))


def _records(data: bytes, dynamic: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The records of a dynamic segment as pairs of tag and value, up to the first empty one."""
    _, _, offset, _, _, length, *_ = dynamic
    end = min(offset + min(length, _MOST_RECORDS * _RECORD.size), len(data))
    for position in range(offset, end - _RECORD.size + 1, _RECORD.size):
        tag, value = _RECORD.unpack_from(data, position)
        if not tag:
            return
        yield tag, value


def _offset(segments: list[tuple[int, ...]], address: int) -> int | None:
    """Where in the file the byte is that is loaded at ``address``."""
    for kind, _, offset, loaded_at, _, length, *_ in segments:
        if kind == _LOADED and loaded_at <= address < loaded_at + length:
            return address - loaded_at + offset
    return None


def library_fault(data: bytes, offered: Collection[str]) -> FileFault | None:
    """Return the libraries that ``data`` needs and that are not among ``offered``, with the way to do without them."""
    missing = [name for name in needed_libraries(data) if name not in offered and name != _LOADER]
    if not missing:
        return None
    names = ", ".join(ascii(name[:_SHOWN])[1:-1] for name in missing[:_NAMED])
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    are = "are" if len(missing) > 1 else "is"
    text = f"needs {names}{more}, which {are} not available here. Link it statically: {_static(data, missing)}"
    return FileFault("library_missing", text)


def _static(data: bytes, missing: Collection[str]) -> str:
    """Return the command that links such a program statically."""
    if _GHC in data:
        return _GHC_STATIC
    stems = [f"{name.partition('.')[0]}-" for name in missing]
    for libraries, command in _STATIC:
        if any(stem.startswith(f"{library}-") for library in libraries.split() for stem in stems):
            return command
    return "add -static to the link command"
