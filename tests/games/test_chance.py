"""Chance from a seed: the documented construction, its vectors, and what a shuffle must be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.chance import ChanceError, ScriptedChance, SeededChance, commitment
from games.die_weinhaendler.cards import deck
from games.edel_stein_reich.cards import EVENT_CARDS, EVENT_ORDER, GEM_CARDS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "record.md").read_text(encoding="utf-8")
SEEDS = {"Zeros": bytes(32), "Play": sha256(b"play/7/0").digest()}
ITEMS: dict[tuple[str, int], list[Any]] = {
    ("event_deck", len(EVENT_CARDS)): list(EVENT_CARDS),
    ("gem_deck", len(GEM_CARDS)): list(GEM_CARDS),
    **{("deck", len(deck(seats))): list(deck(seats)) for seats in (3, 4, 5)},
}
VECTORS = re.findall(r"^\| (Zeros|Play) \| `(\w+)/(\d)` \| (\d+) \w+ \| (.*) \|$", PAGE, flags=re.MULTILINE)
seeds = st.binary(min_size=32, max_size=32)


def documented() -> dict[str, Callable[..., Any]]:
    """The functions that the page shows, as a reader would run them."""
    block = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)[0]
    names: dict[str, Any] = {}
    exec(compile(block, "docs/reference/record.md", "exec"), names)
    return names


@pytest.mark.parametrize(("seed", "name", "occurrence", "size", "begins"), VECTORS)
def test_every_published_test_vector_is_reproduced(
    seed: str, name: str, occurrence: str, size: str, begins: str
) -> None:
    chance = SeededChance(SEEDS[seed])
    if name == "starter":
        assert str(chance.below(name, int(size))) == begins
        return
    items = list(range(int(size))) if name == "age_order" else ITEMS[name, int(size)]
    for _ in range(int(occurrence) + 1):
        shuffled = chance.shuffle(name, items)
    assert [str(item) for item in shuffled][: len(begins.split())] == begins.split()


def test_the_page_has_vectors_of_every_name() -> None:
    assert len(VECTORS) >= 10
    assert {name for _, name, *_ in VECTORS} == {"starter", "age_order", "event_deck", "gem_deck", "deck"}


def test_the_page_names_seeds_commitments_and_blocks_correctly() -> None:
    assert commitment(SEEDS["Zeros"]) in PAGE
    assert SEEDS["Play"].hex() in PAGE
    assert sha256(bytes(32) + b"starter/0/0").hexdigest() in PAGE


def test_the_page_lists_the_decks_in_the_order_before_a_shuffle() -> None:
    block = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)[0]
    assert tuple(block.split()) == GEM_CARDS
    table = PAGE.split("| event card | copies | effect |")[1].split("\n\n")[0]
    rows = [row.split("|") for row in table.splitlines() if "`" in row]
    listed = [(re.findall(r"`([^`]+)`", row[1]), int(row[2].split()[0])) for row in rows]
    assert tuple(code for codes, copies in listed for code in codes for _ in range(copies)) == EVENT_CARDS
    assert list(EVENT_ORDER) == [code for codes, _ in listed for code in codes]


@given(seed=seeds, size=st.integers(min_value=0, max_value=60))
def test_the_construction_shown_on_the_page_is_the_one_that_is_used(seed: bytes, size: int) -> None:
    functions = documented()
    chance = SeededChance(seed)
    for occurrence in range(2):
        expected = functions["shuffle"](seed, f"deck/{occurrence}", list(range(size)))
        assert chance.shuffle("deck", list(range(size))) == expected
    assert chance.below("starter", 5) == functions["below"](functions["words"](seed, "starter/0"), 5)


@given(seed=seeds, items=st.lists(st.integers()))
def test_a_shuffle_is_a_permutation_and_changes_nothing_else(seed: bytes, items: list[int]) -> None:
    before = list(items)
    assert Counter(SeededChance(seed).shuffle("deck", items)) == Counter(before)
    assert items == before


@given(seed=seeds)
def test_steps_of_one_name_do_not_depend_on_those_of_another(seed: bytes) -> None:
    plain, busy = SeededChance(seed), SeededChance(seed)
    first = plain.shuffle("gem_deck", list(GEM_CARDS))
    second = plain.shuffle("gem_deck", list(GEM_CARDS))
    assert busy.shuffle("gem_deck", list(GEM_CARDS)) == first
    for _ in range(3):
        busy.shuffle("event_deck", list(EVENT_CARDS))
    assert busy.shuffle("gem_deck", list(GEM_CARDS)) == second
    assert first != second


@given(seed=seeds)
def test_a_copy_continues_independently_from_the_same_place(seed: bytes) -> None:
    chance = SeededChance(seed)
    chance.below("starter", 2)
    twin = chance.copy()
    drawn = [chance.below("starter", 1000) for _ in range(3)]
    assert [twin.below("starter", 1000) for _ in range(3)] == drawn
    assert twin.seed == chance.seed == seed


def chi_squared(counts: Counter[Any], cells: int) -> float:
    expected = counts.total() / cells
    return sum((counts[cell] - expected) ** 2 / expected for cell in counts) + (cells - len(counts)) * expected


def test_every_order_of_four_is_equally_likely() -> None:
    orders = Counter(
        tuple(SeededChance(sha256(b"%d" % number).digest()).shuffle("age_order", [0, 1, 2, 3]))
        for number in range(24_000)
    )
    assert set(orders) == set(permutations(range(4)))
    assert chi_squared(orders, 24) < 49.7  # 23 degrees of freedom, one run in a thousand would exceed it


def test_every_value_below_n_is_equally_likely() -> None:
    chance = SeededChance(bytes(32))
    values = Counter(chance.below("starter", 7) for _ in range(14_000))
    assert set(values) == set(range(7))
    assert chi_squared(values, 7) < 22.5  # 6 degrees of freedom


def test_words_that_would_favour_small_values_are_skipped() -> None:
    """With n just above 2⁶³ about every second word is too large, so the limit is seen at work."""
    n = 2**63 + 1
    below, words = documented()["below"], documented()["words"]
    chance = SeededChance(bytes(32))
    for occurrence in range(50):
        raw = next(words(bytes(32), f"starter/{occurrence}"))
        drawn = chance.below("starter", n)
        assert drawn == below(words(bytes(32), f"starter/{occurrence}"), n)
        assert drawn < n
        assert (drawn == raw) is (raw < n)


def test_one_item_or_none_needs_no_chance() -> None:
    assert SeededChance(bytes(32)).shuffle("deck", ["cert"]) == ["cert"]
    assert SeededChance(bytes(32)).shuffle("deck", []) == []


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        SeededChance(bytes(length))


def test_a_script_gives_its_values_and_no_others() -> None:
    script = ScriptedChance(bytes(32), [("age_order", [1, 0]), ("starter", 1)])
    assert script.shuffle("age_order", [0, 1]) == [1, 0]
    with pytest.raises(ChanceError, match="starter"):
        script.shuffle("gem_deck", [])
    assert script.copy().below("starter", 2) == 1
    assert script.below("starter", 2) == 1
    with pytest.raises(ChanceError, match="ends"):
        script.below("starter", 2)


@pytest.mark.parametrize("value", [[0, 0], [0], [0, 1, 2], ["0", "1"]])
def test_a_script_must_hold_what_is_shuffled(value: list[Any]) -> None:
    with pytest.raises(ChanceError, match="age_order"):
        ScriptedChance(bytes(32), [("age_order", value)]).shuffle("age_order", [0, 1])


@pytest.mark.parametrize("value", [2, -1, True, "0", 1.0])
def test_a_scripted_seat_must_be_a_seat(value: Any) -> None:
    with pytest.raises(ChanceError, match="0 to 1"):
        ScriptedChance(bytes(32), [("starter", value)]).below("starter", 2)
