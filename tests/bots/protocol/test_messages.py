from __future__ import annotations

import hmac
import json
from hashlib import sha256

import pytest

from bots.protocol import Limits, bot_seed, encode


def test_a_message_is_one_line_of_utf_8() -> None:
    line = encode({"type": "end", "outcome": {"ranks": [1, 2], "scores": ["ä\n"]}, "log": []})
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line.decode("utf-8"))["outcome"]["scores"] == ["ä\n"]


def test_a_bots_seed_is_an_hmac_over_match_seat_and_start() -> None:
    assert bot_seed(b"key", "match 5", 2, 1) == hmac.new(b"key", b"match 5/2/1", sha256).hexdigest()


def test_no_two_starts_have_the_same_seed() -> None:
    seeds = {bot_seed(b"key", match, seat, start) for match in "ab" for seat in range(5) for start in (1, 2, 11)}
    assert len(seeds) == 2 * 5 * 3


@pytest.mark.parametrize(
    ("name", "value"), [("move_ms", 0), ("bank_ms", -1), ("game_ms", True), ("memory_mb", 1.5), ("startup_ms", "9")]
)
def test_limits_are_positive_integers(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"the limit {name}"):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_the_time_bank_is_optional() -> None:
    assert Limits(bank_ms=0).bank_ms == 0
