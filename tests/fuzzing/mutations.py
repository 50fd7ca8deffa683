"""Inputs that are almost right: samples with a few bytes changed, and archives in which any field may say anything."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.bots.archives.zips import DEFLATED, FOLDER, REGULAR, STORED, Member, extra, zip_of

MOST_EDITS = 4
KINDS_OF_EDIT = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7)
"""Mostly those that leave everything else in its place, or nothing would be read far enough."""

NUMBERS = st.sampled_from([0, 1, 2, 4, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF]) | st.integers(
    0, 9999
)
ANYWHERE = st.integers(0, 0xFFFF).map(lambda number: (number + 1) * 40_503)
"""Spread over the whole sample, where whole numbers by themselves would mostly be near its ends."""

SIGNATURES = [b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x07\x08"]


@st.composite
def mutated(draw: DrawFn, samples: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """One of ``samples`` after a few edits, some of which write one of ``words``."""
    data = bytearray(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        _edit(draw, data, draw(st.sampled_from(samples)), words)
    return bytes(data)


def _edit(draw: DrawFn, data: bytearray, other: bytes, words: Sequence[bytes]) -> None:
    at = draw(ANYWHERE) % (len(data) + 1)
    match draw(st.sampled_from(KINDS_OF_EDIT)):
        case 0:
            data[at : at + 1] = bytes([draw(st.integers(0, 255))])
        case 1:
            data[at : at + 2] = struct.pack("<H", draw(NUMBERS) & 0xFFFF)
        case 2:
            data[at : at + 4] = struct.pack("<I", draw(NUMBERS))
        case 3:
            del data[at : at + draw(st.integers(1, 64))]
        case 4:
            data[at:at] = data[draw(st.integers(0, len(data))) :][: draw(st.integers(1, 200))]
        case 5:
            data[at:at] = draw(st.sampled_from(words))
        case 6:
            data[at:] = other[draw(st.integers(0, len(other))) :]
        case _:
            data[at : at + 1] = draw(st.binary(max_size=8))


NAMES = st.sampled_from(
    [
        "bot.py",
        "Bot.py",
        "bot.toml",
        "a/b",
        "a/",
        "a",
        "A/c",
        "../x",
        "./",
        "./x",
        ".env",
        "/x",
        "a\\b",
        "__MACOSX/x",
        "löwe",
        "aux",
        "x/bot.py",
        "",
    ]
) | st.text(max_size=6)
CONTENTS = st.sampled_from([b"", b"pass", b"name = 1"]) | st.binary(max_size=20) | st.integers(0, 60_000).map(bytes)
EXTRAS = st.builds(
    extra, st.sampled_from([1, 0x7075, 0x5455, 0x000D, 0x9901]) | st.integers(0, 0xFFFF), st.binary(max_size=12)
)
MOSTLY_TRUE = st.none() | st.none() | NUMBERS
LOCALS = st.just({}) | st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES.map(str.encode),
        "flags": st.sampled_from([0, 1, 8, 0x800, 0x808]),
        "method": st.sampled_from([STORED, DEFLATED, 12]),
        "crc": NUMBERS,
        "packed_size": NUMBERS,
        "size": NUMBERS,
        "extra": EXTRAS,
    },
)
MEMBERS = st.builds(
    Member,
    name=NAMES,
    content=CONTENTS,
    method=st.sampled_from([STORED, DEFLATED, DEFLATED, 12]),
    mode=st.sampled_from([REGULAR, REGULAR, FOLDER, 0, 0o120777]),
    dos=st.sampled_from([0, 0, 0x10, 0x20, 0x400]),
    flags=st.sampled_from([0, 0, 2, 8, 0x800, 0x2000]),
    packed=st.none() | st.none() | st.binary(max_size=40),
    crc=MOSTLY_TRUE,
    packed_size=MOSTLY_TRUE,
    size=MOSTLY_TRUE,
    extra=st.just(b"") | EXTRAS,
    needs=st.sampled_from([10, 20, 45, 63, 64, 0xFFFF]),
    at=MOSTLY_TRUE,
    descriptor=st.booleans(),
    local=LOCALS,
)
PLACES = ("before", "between", "after_files", "after_directory", "comment", "after")
STRAY = st.tuples(st.sampled_from(PLACES), st.binary(max_size=30) | st.sampled_from(SIGNATURES)).map(
    lambda stray: {stray[0]: stray[1]}
)
COUNTS = st.integers(0, 9) | st.integers(0, 0xFFFF)
ENDS = st.fixed_dictionaries({}, optional={"size": NUMBERS, "offset": NUMBERS, "here": COUNTS, "total": COUNTS})
TRUE = st.just({}) | st.just({})


def archives() -> SearchStrategy[bytes]:
    """Archives whose fields say what they like, one of them the bot's file."""
    members = st.lists(MEMBERS, max_size=4).map(lambda more: (Member("bot.py", b"pass"), *more))
    return st.builds(lambda members, end, stray: zip_of(*members, **end, **stray), members, TRUE | ENDS, TRUE | STRAY)
