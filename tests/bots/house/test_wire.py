"""``wire.py``, which every house bot uses."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import games
from bots.house.catalogue import HOUSE, SHARED, HouseBot

VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def load_wire() -> ModuleType:
    spec = spec_from_file_location("house_wire", SHARED / "wire.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


wire = load_wire()


@given(VALUES)
def test_it_reads_and_writes_json_as_the_standard_library_does(value: Any) -> None:
    assert wire.loads(json.dumps(value)) == value
    assert json.loads(wire.dumps(value)) == value
    assert "\n" not in wire.dumps(value)


@given(st.integers(min_value=0, max_value=2**256 - 1), st.integers(min_value=1, max_value=1000))
def test_dice_stay_below_their_bound(seed: int, n: int) -> None:
    dice = wire.Dice(f"{seed:064x}")
    assert all(0 <= dice.below(n) < n for _ in range(20))
    assert 0 <= dice.fraction() < 1


def test_dice_throw_the_numbers_of_splitmix64() -> None:
    dice = wire.Dice("00")
    assert [dice.below(2**64) for _ in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def test_dice_are_even() -> None:
    dice = wire.Dice("7")
    throws = [dice.below(4) for _ in range(4000)]
    assert all(900 < throws.count(side) < 1100 for side in range(4))


def test_settings_come_from_the_command_line() -> None:
    assert wire.settings(["gems=2"], gems=1, money=1) == {"gems": 2.0, "money": 1}


def test_an_unknown_setting_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="gems, money"):
        wire.settings(["charm=2"], gems=1, money=1)


@pytest.mark.parametrize("bot", HOUSE.values(), ids=list(HOUSE))
def test_a_plain_process_says_ready_and_ends_with_the_game(bot: HouseBot, tmp_path: Path) -> None:
    bot.write(tmp_path)
    game, counts = next(iter(bot.games.items()))
    hello = {"type": "hello", "protocol": 1, "game": game, "seats": counts[0], "seat": 0, "seed": "ab" * 32}
    end = {"type": "end", "outcome": {}, "log": []}
    options = ["-S", "-B"] if bot.imports_games else ["-S", "-E", "-B"]
    done = subprocess.run(
        [sys.executable, *options, "bot.py", *bot.args],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(games.__file__).parents[1])},
        input=f"{json.dumps(hello)}\n{json.dumps(end)}\n",
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"type": "ready"}]
    assert done.stderr == ""
