from __future__ import annotations

import struct
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from bots.archives import ArchiveLimits, ArchiveRefused, read_upload
from tests.bots.archives.zips import STORED, Member, deflated, extra, zip_of

MIB = 1024 * 1024
LIMITS = ArchiveLimits()
MOST_SECONDS = 4.0
"""Of the processor, on any machine; on a common one the slowest takes less than one."""


def bomb() -> bytes:
    return zip_of(Member("bot.py", b"", packed=deflated(bytes(1 << 28))))


def many_bombs() -> bytes:
    packed = deflated(bytes(8 * MIB))
    return zip_of(*(Member(f"{count}", b"", packed=packed, size=8 * MIB - 1) for count in range(200)))


def one_bomb_under_many_names() -> bytes:
    packed = deflated(bytes(8 * MIB))
    return zip_of(*(Member(f"{count}", b"", packed=packed, size=8 * MIB, at=0) for count in range(200)))


def as_large_as_may_be() -> bytes:
    return zip_of(Member("bot.py", b"#" * (8 * MIB)), Member("x", bytes(8 * MIB)))


def nothing_but_extra_fields() -> bytes:
    fields = extra(0x5455, b"") * 16_000
    return zip_of(Member("bot.py", b"pass", extra=fields), *(Member(f"{count}", extra=fields) for count in range(60)))


def long_names() -> bytes:
    return zip_of(*(Member(f"{count}" + "x" * 60_000) for count in range(60)))


def as_many_folders_as_may_be() -> bytes:
    return zip_of(*(Member(f"{'ﷺ/' * 7}{count}/", mode=0o040755) for count in range(1000)))


def more_entries_than_may_be() -> bytes:
    return zip_of(*(Member(f"{count}") for count in range(60_000)))


def nothing_but_ends() -> bytes:
    return b"PK\x03\x04" + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, 46, 0, 1) * (8 * MIB // 22)


def a_bot_toml_of_dots() -> bytes:
    return zip_of(Member("bot.py", b"pass"), Member("bot.toml", b".".join([b"a"] * 2000) + b"=1"))


def text_of_brackets() -> bytes:
    return zip_of(Member("bot.py", b"(" * (8 * MIB)))


def packed_bytes_for_nothing() -> bytes:
    """Empty blocks of deflate: many bytes in, none out."""
    return zip_of(Member("bot.py", b"", packed=b"\0\0\0\xff\xff" * (8 * MIB // 5 - 100), method=8))


def text_that_is_not_packed() -> bytes:
    return zip_of(Member("bot.py", b"\n" * (8 * MIB - 200) + b"\xff", method=STORED))


MADE = (
    bomb,
    many_bombs,
    one_bomb_under_many_names,
    as_large_as_may_be,
    nothing_but_extra_fields,
    long_names,
    as_many_folders_as_may_be,
    more_entries_than_may_be,
    nothing_but_ends,
    a_bot_toml_of_dots,
    text_of_brackets,
    packed_bytes_for_nothing,
    text_that_is_not_packed,
)
SLOW = (nothing_but_extra_fields,)
"""Under a tracer of memory."""


@pytest.mark.parametrize("made", MADE)
def test_no_archive_takes_much_time(made: Callable[[], bytes]) -> None:
    data = made()
    assert len(data) <= LIMITS.archive_bytes
    began = time.process_time()
    with suppress(ArchiveRefused):
        read_upload("bot.zip", data)
    assert time.process_time() - began < MOST_SECONDS


@pytest.mark.parametrize("made", [pytest.param(each, marks=pytest.mark.slow if each in SLOW else ()) for each in MADE])
def test_no_archive_takes_more_memory_than_its_files_may_have(made: Callable[[], bytes]) -> None:
    data = made()
    tracemalloc.start()
    try:
        with suppress(ArchiveRefused):
            read_upload("bot.zip", data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < LIMITS.unpacked_bytes + LIMITS.file_bytes + MIB
