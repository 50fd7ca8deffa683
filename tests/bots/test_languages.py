from __future__ import annotations

import platform
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.executables import (
    LIBRARIES,
    LOADERS,
    fault_of_executable,
    library_fault,
    needed_libraries,
)
from bots.languages import LANGUAGES, language_of
from tests.bots import wasm
from tests.bots.elf import program

GLIBC = LOADERS[0].encode() + b"\0"

EXECUTABLES = {
    "one that is linked statically": program(),
    "one that can be anywhere in memory": program(kind=3),
    "one that is linked against glibc": program(loader=GLIBC),
}

NO_EXECUTABLES = {
    "nothing": (b"", "not_elf"),
    "text": (b"hello", "not_elf"),
    "a script": (b"#!/bin/sh\n", "script"),
    "a program for Windows": (b"MZ\x90\0", "windows"),
    "a program for macOS": (b"\xcf\xfa\xed\xfe\7\0\0\1", "macos"),
    "a header that is cut off": (program()[:40], "truncated"),
    "32 bits": (program(bits=1), "other_processor"),
    "ARM": (program(machine=183), "other_processor"),
    "a processor of long ago": (program(machine=2), "other_processor"),
    "an object file": (program(kind=1), "not_executable"),
    "a core dump": (program(kind=4), "not_executable"),
    "no segments": (program(segments=0), "damaged"),
    "segments beyond the end": (program(segments=9999), "damaged"),
    "segments far beyond the end": (program(table=1 << 63), "damaged"),
    "nothing to load": (program(segment_type=4), "nothing_to_load"),
    "musl": (program(loader=b"/lib/ld-musl-x86_64.so.1\0"), "other_loader"),
    "a loader without an end": (program(loader=GLIBC[:-1]), "other_loader"),
}


@pytest.mark.parametrize("data", EXECUTABLES.values(), ids=EXECUTABLES.keys())
def test_an_executable_that_linux_can_start_has_no_fault(data: bytes) -> None:
    assert fault_of_executable(data) is None


@pytest.mark.parametrize(("data", "code"), NO_EXECUTABLES.values(), ids=NO_EXECUTABLES.keys())
def test_a_file_that_linux_cannot_start_has_a_fault(data: bytes, code: str) -> None:
    fault = fault_of_executable(data)
    assert fault is not None
    assert fault.code == code


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="not Linux on x86-64")
def test_linux_thinks_the_same(tmp_path: Path) -> None:
    for number, data in enumerate([*EXECUTABLES.values(), *(data for data, _ in NO_EXECUTABLES.values())]):
        file = tmp_path / str(number)
        file.write_bytes(data)
        file.chmod(0o755)
        starts = True
        try:
            subprocess.run([file], check=False, capture_output=True)
        except OSError:
            starts = False
        assert starts or fault_of_executable(data)


@pytest.mark.parametrize("program", ["cat", "ls", "env"])
def test_the_programs_of_this_machine_have_no_fault(program: str) -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("not Linux on x86-64")
    assert fault_of_executable(Path(f"/usr/bin/{program}").resolve().read_bytes()) is None


@given(st.binary(max_size=300).map(lambda tail: b"\x7fELF\2\1\1" + tail))
def test_no_bytes_raise(data: bytes) -> None:
    assert fault_of_executable(data)


def test_a_language_is_known_by_its_entrys_name() -> None:
    assert language_of("src/main.py").name == "python"
    assert language_of("src/main.py").is_interpreted
    assert [language_of(f"src/main.{end}").name for end in ("js", "mjs", "cjs")] == ["javascript"] * 3
    assert language_of("target/bot.jar").name == "java"
    assert language_of("target/bot.wasm").name == "wasm"
    assert language_of("bin/bot").name == "executable"
    assert not language_of("bin/bot").is_interpreted
    assert language_of("bot.exe").name == "executable"
    assert all(name == language.name for name, language in LANGUAGES.items())


def test_the_heap_of_a_runtime_leaves_room_for_the_runtime_within_the_memory() -> None:
    for language in LANGUAGES.values():
        if language.runtime is not None:
            for memory_mb, heap_mb in ((128, 80), (512, 320)):
                options = " ".join(language.runtime.options(memory_mb))
                assert re.findall(r"(?:-Xmx|space-size=)(\d+)", options) == [str(heap_mb)]
                assert re.findall(r"mem-pages=(\d+)", options) == [str(heap_mb * 16)] * (language.name == "wasm")


def test_only_what_begins_like_a_jar_can_be_started_as_one() -> None:
    assert LANGUAGES["java"].fault(b"PK\x03\x04more") is None
    fault = LANGUAGES["java"].fault(b"\xca\xfe\xba\xbe")
    assert fault is not None
    assert fault.code == "not_a_jar"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (wasm.module(""), ""),
        (b"\0asm\x0d\0\1\0", "wasm_version"),
        (b"\0asm", "wasm_version"),
        (b"(module)", "not_wasm"),
        (b"", "not_wasm"),
    ],
    ids=["module", "component", "cut off", "text", "empty"],
)
def test_only_a_module_in_webassembly_can_be_started_as_one(data: bytes, code: str) -> None:
    fault = LANGUAGES["wasm"].fault(data)
    assert (fault.code if fault else "") == code


@pytest.mark.parametrize(
    ("needed", "also", "remedy"),
    [
        (("libgfortran.so.5", "libc.so.6"), b"", "gfortran -static"),
        (("libgnat-12.so",), b"", "-bargs -static"),
        (("libphobos2-ldc-shared.so.100",), b"", "-link-defaultlib-shared=false"),
        (("libgmp.so.10", "libffi.so.8"), b".debug-ghc-link-info", "ghc -optl-static"),
        (("libown.so",), b"", "-static"),
    ],
)
def test_a_library_that_is_not_there_is_named_with_the_flag_that_links_it_statically(
    needed: tuple[str, ...], also: bytes, remedy: str
) -> None:
    data = program(loader=GLIBC, needed=needed, also=also)
    assert needed_libraries(data) == needed
    fault = library_fault(data, LIBRARIES)
    assert fault is not None
    assert fault.code == "library_missing"
    assert needed[0] in fault.text
    assert remedy in fault.text


@pytest.mark.parametrize("needed", [(), ("libc.so.6", "libstdc++.so.6", "ld-linux-x86-64.so.2")])
def test_a_program_that_needs_what_is_offered_has_no_fault(needed: tuple[str, ...]) -> None:
    assert library_fault(program(loader=GLIBC, needed=needed), LIBRARIES) is None


NUMBERS = st.sampled_from([0, 1, 2, 16, 0xFFFF, 0x400000, 1 << 31, (1 << 63) - 1, (1 << 64) - 1]) | st.integers(0, 999)


@given(st.lists(st.tuples(st.integers(8, 500), NUMBERS), max_size=6))
def test_no_hostile_program_raises_or_names_much(edits: list[tuple[int, int]]) -> None:
    data = bytearray(program(loader=GLIBC, needed=("libx.so", "y" * 300)))
    for at, number in edits:
        data[at : at + 8] = number.to_bytes(8, "little")
    if fault_of_executable(bytes(data)) is None:
        assert all(0 < len(name) <= 4 * 255 for name in needed_libraries(bytes(data)))
        fault = library_fault(bytes(data), ())
        assert fault is None or (fault.text.isprintable() and len(fault.text) < 300)


def test_a_hostile_program_takes_no_time() -> None:
    segments = struct.pack("<2I6Q", 2, 4, 0, 0, 0, 1 << 40, 1 << 40, 8) * 60_000
    data = program(segments=60_000, table=200) + segments
    names = b"\1" + bytes(7) + b"\1" + bytes(7)
    began = time.process_time()
    assert needed_libraries(data + names * (1 << 18)) is not None
    assert time.process_time() - began < 4
