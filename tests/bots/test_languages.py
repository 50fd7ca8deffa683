from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.executables import LOADERS, fault_of_executable
from bots.languages import LANGUAGES, language_of
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
def test_what_linux_can_start_has_no_fault(data: bytes) -> None:
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
    assert language_of("bin/bot").name == "executable"
    assert not language_of("bin/bot").is_interpreted
    assert language_of("bot.exe").name == "executable"
    assert all(name == language.name for name, language in LANGUAGES.items())
