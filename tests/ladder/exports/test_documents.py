from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from games.record import to_json, verify
from ladder.packing import pack, unpack

SAMPLES = sorted((Path(__file__).parents[2] / "games" / "records").glob("*.jsonl"))
RECORDS = [json.loads(line) for sample in SAMPLES for line in sample.read_text().splitlines()]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_comes_back_as_it_was(record: dict) -> None:
    packed = pack(record)
    assert unpack(packed) == record
    assert len(packed) < len(json.dumps(record)) / 5
    verify(unpack(packed))


@pytest.mark.parametrize("record", RECORDS[::20])
def test_a_record_that_was_stored_as_deflated_json_is_still_read(record: dict) -> None:
    assert unpack(b"\x01" + zlib.compress(to_json(record).encode(), 9)) == record


def test_a_stored_record_that_was_damaged_is_refused() -> None:
    packed = bytearray(pack(RECORDS[0]))
    packed[-3] ^= 4
    with pytest.raises(ValueError, match="damaged"):
        unpack(bytes(packed))


def test_a_stored_form_from_the_future_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="form '7f'"):
        unpack(b"\x7f...")
