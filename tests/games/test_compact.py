"""Compact records: rebuilt exactly whatever was played, and never wrong, whatever happens to the bytes."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.compact import CompactError, pack, unpack
from games.registry import GAMES
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document
from tests.games.play import TABLES, move_once, played, seed_of


def record_with_losers(slug: str, seats: int, number: int, defaults: float) -> Document:
    """The record of a random game in which seats are defaulted, and now and then one is gone for good."""
    state, random = GAMES[slug].new(seats, seed_of(number)), Random(number)
    gone = {seat for seat in range(seats) if random.random() < 0.2}
    moves = 0
    while state.pending:
        seat = state.pending[0]
        moves += 1
        if seat in gone and moves > 20:
            state.play(seat, state.default_move(seat), default="forfeit")
        else:
            move_once(state, random, defaults)
    for seat in gone:
        state.forfeit(seat, random.choice(FORFEIT_REASONS))
    return state.record


def follows_the_format(record: Document) -> bool:
    """Whether no seat moves again after it was defaulted for its forfeit."""
    gone: set[int] = set()
    for step in record["steps"]:
        if "decision" in step and step["seat"] in gone and step.get("default") != "forfeit" and "forced" not in step:
            return False
        if step.get("default") == "forfeit":
            gone.add(step["seat"])
    return True


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TABLES), st.integers(0, 10**9), st.sampled_from([0.0, 0.1, 1.0]))
def test_a_record_is_rebuilt_exactly(at: tuple[str, int], number: int, defaults: float) -> None:
    record = played(*at, number, defaults=defaults).record
    assert strict.same(unpack(pack(record)), record)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TABLES), st.integers(0, 10**9), st.sampled_from([0.0, 0.1]))
def test_a_record_with_forfeits_is_rebuilt_exactly_or_refused(
    at: tuple[str, int], number: int, defaults: float
) -> None:
    record = record_with_losers(*at, number, defaults)
    if follows_the_format(record):
        assert strict.same(unpack(pack(record)), record)
    else:
        with pytest.raises(CompactError, match="forfeit"):
            pack(record)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(TABLES), st.integers(0, 3), st.data())
def test_a_changed_bit_is_refused(at: tuple[str, int], number: int, data: st.DataObject) -> None:
    packed = bytearray(pack(played(*at, number, defaults=0.1 * (number % 2)).record))
    bit = data.draw(st.integers(0, 8 * len(packed) - 1))
    packed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CompactError):
        unpack(bytes(packed))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TABLES), st.data())
def test_bytes_that_are_cut_or_longer_are_refused(at: tuple[str, int], data: st.DataObject) -> None:
    packed = pack(played(*at, 1).record)
    cut = data.draw(st.integers(0, len(packed) - 1))
    for wrong in (packed[:cut], packed + b"\0", packed[:-1] + b"\0" + packed[-1:]):
        with pytest.raises(CompactError):
            unpack(wrong)


@given(st.binary(max_size=200))
def test_bytes_that_were_never_packed_are_refused(noise: bytes) -> None:
    with pytest.raises(CompactError):
        unpack(noise)


def test_other_rules_are_named() -> None:
    packed = pack(played("edel-stein-reich", 3, 1).record)
    place = packed.index(b"edel-stein-reich\x01") + len(b"edel-stein-reich\x01")
    with pytest.raises(CompactError, match="'edel-stein-reich' with the rules '7'"):
        unpack(packed[:place] + b"7" + packed[place + 1 :])


def test_a_game_that_is_not_over_is_not_packed() -> None:
    with pytest.raises(CompactError, match="finished"):
        pack(played("edel-stein-reich", 3, 1, moves=5).record)


def test_a_record_that_is_not_a_game_by_the_rules_is_not_packed() -> None:
    record = played("edel-stein-reich", 3, 1).record
    record["outcome"]["scores"][0]["money"] += 1
    with pytest.raises(CompactError, match="does not match its seed"):
        pack(record)


@pytest.mark.parametrize("reason", DEFAULT_REASONS)
def test_every_reason_for_a_default_is_kept(reason: str) -> None:
    state = GAMES["edel-stein-reich"].new(3, seed_of(1))
    while state.pending:
        seat = state.pending[0]
        state.play(seat, state.default_move(seat), default=reason if seat == 1 else None)
    state.forfeit(1, "exit")
    assert strict.same(unpack(pack(state.record)), state.record)


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_record_takes_less_than_200_bytes(slug: str, seats: int) -> None:
    assert mean(len(pack(played(slug, seats, number).record)) for number in range(5)) < 200
