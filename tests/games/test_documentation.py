"""The pages about documents: their examples are valid, their tables complete, their links lead somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from games.die_weinhaendler.cards import CODES, EMPTY, HAND_LIMIT, LEFT_OUT, NUMBERS, codes, in_order, total
from games.registry import GAMES
from tests.games.readers import table_after

ROOT = Path(__file__).parents[2]
VIEWS = (ROOT / "docs" / "reference" / "views.md").read_text(encoding="utf-8")
RECORD = (ROOT / "docs" / "reference" / "record.md").read_text(encoding="utf-8")


def blocks(page: str) -> list[str]:
    examples: list[str] = re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL)
    return examples


def first_column(page: str, after: str, index: int = 0) -> list[str]:
    """The codes in the first column of the table number ``index`` after a text, the heading left out."""
    part = page.split(after, 1)[1]
    table = re.findall(r"(?:^\|.*\n)+", part, flags=re.MULTILINE)[index]
    return [code for line in table.splitlines()[2:] for code in re.findall(r"`([^`]+)`", line.split("|")[1])]


def validate(document: str, instance: Any, slug: str = "edel-stein-reich") -> None:
    Draft202012Validator(GAMES[slug].schema(document)).validate(instance)


def shapes(slugs: Sequence[str], document: str, name: str | None = None) -> list[dict[str, Any]]:
    """The schemas of several games, or one definition of each."""
    schemas = [GAMES[slug].schema(document) for slug in slugs]
    return schemas if name is None else [shape["$defs"][name] for shape in schemas]


ESR = ("edel-stein-reich", "edel-stein-reich-duel")
WINE = ("die-weinhaendler",)
PARTS = [("Edel, Stein & Reich", ESR), ("Die Weinhändler", WINE)]
"""The heading of a game's parts of the pages, and the games they are about."""


def test_every_game_has_its_part_of_the_pages() -> None:
    assert sorted(slug for _title, slugs in PARTS for slug in slugs) == sorted(GAMES)
    for slug in GAMES:
        assert f"`{slug}`" in VIEWS
        assert f"`{slug}` (" in RECORD


def test_the_examples_of_the_views_are_valid() -> None:
    offer, bid, lay, log, decide = (json.loads(block) for block in blocks(VIEWS))
    validate("decision", offer)
    for decision in (bid, lay):
        validate("decision", decision, WINE[0])
        assert decision["legal"][0] == decision["default"]
    validate("log", {**log, "commitment": "0" * 64})
    validate("decide", decide)


def test_the_bounds_of_the_bid_on_the_page_give_its_legal_moves() -> None:
    bid = json.loads(blocks(VIEWS)[1])
    hand = in_order([NUMBERS[code] for code in bid["hand"]])
    parts = {part for count in range(1, len(hand) + 1) for part in combinations(hand, count)}
    free = [part for part in parts if total(part) not in bid["taken"]]
    ordered = sorted(free, key=lambda part: (total(part), len(part), part[::-1]))
    assert bid["legal"] == ["pass", *({"cards": codes(part)} for part in ordered)]


def test_the_bounds_of_the_laying_on_the_page_give_its_legal_moves() -> None:
    lay = json.loads(blocks(VIEWS)[2])
    assert len(lay["hand"]) - lay["must_lay"] == HAND_LIMIT
    hand = sorted({NUMBERS[code] for code in lay["hand"]})
    assert lay["legal"] == [
        {"card": CODES[card], "cell": cell["cell"]}
        for card in hand
        for cell in lay["cells"]
        if card != EMPTY or cell["cards"] == "any"
    ]


def test_the_examples_of_the_record_are_valid() -> None:
    record, chance, moves = blocks(RECORD)
    steps = [json.loads(line) for line in (chance + moves).splitlines()]
    setup = [{"chance": "age_order", "seats": [2, 0, 3, 1]}, *sample_decks()]
    whole = json.loads(record)
    whole.update(seed="0" * 64, commitment="0" * 64, steps=[*setup, *[s for s in steps if "decision" in s]])
    validate("record", whole)
    assert setup[0] in steps


def sample_decks() -> list[dict[str, Any]]:
    path = ROOT / "tests" / "games" / "records" / "edel-stein-reich-4.jsonl"
    steps: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8").splitlines()[0])["steps"]
    return steps[1:3]


def test_the_page_names_every_key_of_a_view_of_edel_stein_and_reich() -> None:
    for shape in shapes(ESR, "view"):
        assert sorted(first_column(VIEWS, "### View of Edel, Stein & Reich\n")) == sorted(shape["required"])
        assert sorted(first_column(VIEWS, "#### Player\n")) == sorted(shape["$defs"]["player"]["required"])
        assert sorted(first_column(VIEWS, "#### Barter\n")) == sorted(shape["$defs"]["barter"]["required"])


def test_the_page_names_every_key_of_a_view_of_die_weinhaendler() -> None:
    (shape,) = shapes(WINE, "view")
    assert sorted(first_column(VIEWS, "### View of Die Weinhändler\n")) == sorted(shape["required"])
    assert sorted(first_column(VIEWS, "#### Merchant\n")) == sorted(shape["$defs"]["player"]["required"])
    assert sorted(first_column(VIEWS, "#### Bottle in a cellar\n")) == sorted(shape["$defs"]["bottle"]["required"])


@pytest.mark.parametrize(("title", "slugs"), PARTS)
def test_the_page_names_every_kind_of_decision_and_its_bounds(title: str, slugs: Sequence[str]) -> None:
    part = VIEWS.split(f"### Decisions in {title}\n", 1)[1].split("\n#", 1)[0]
    options = [option for shape in shapes(slugs, "decision") for option in shape["oneOf"]]
    assert set(first_column(part, "\n")) == {option["properties"]["kind"]["const"] for option in options}
    for key in {key for option in options for key in option["required"]} - {"kind", "seat", "default", "legal"}:
        assert f"`{key}`" in part, key


@pytest.mark.parametrize(("title", "slugs"), PARTS)
def test_the_page_names_every_event_with_its_keys(title: str, slugs: Sequence[str]) -> None:
    part = VIEWS.split(f"### Events in {title}\n", 1)[1].split("\n## ", 1)[0]
    options = [option for shape in shapes(slugs, "log", "event") for option in shape["oneOf"]]
    assert set(first_column(part, "\n")) == {option["properties"]["type"]["const"] for option in options}
    for option in options:
        kind = option["properties"]["type"]["const"]
        row = next(line for line in part.splitlines() if line.startswith("| ") and f"`{kind}`" in line.split("|")[1])
        for key in option["required"]:
            assert key == "type" or f"`{key}`" in row, (kind, key)


def test_the_page_names_every_key_of_a_scoring() -> None:
    row = shapes(ESR, "log", "scored_row")[0]
    assert set(first_column(VIEWS, "#### Scoring\n")) == set(row["required"])


def test_the_page_names_every_kind_of_step_and_every_reason() -> None:
    defs = [shape["$defs"] for shape in shapes(list(GAMES), "record")]
    names = {name for part in defs for name in part}
    chance = {name.removeprefix("chance_") for name in names if name.startswith("chance_")}
    kinds = {name.removeprefix("move_") for name in names if name.startswith("move_")}
    assert set(first_column(RECORD, "### Chance")) == chance
    assert set(first_column(RECORD, "### Moves")) == kinds - {"step"}
    assert first_column(RECORD, "### Outcome") == defs[0]["forfeit_reason"]["enum"]
    for reason in defs[0]["default_reason"]["enum"]:
        assert f"`{reason}`" in RECORD.split("### Moves", 1)[1]


def test_the_page_names_the_bottles_as_the_engine_does() -> None:
    rows = table_after(RECORD, "## Codes", 1)[1:]
    listed = [f"{row[1].strip('`')}{value}" for row in rows for value in row[2:5]]
    assert sorted([*listed, "empty"]) == sorted(CODES)
    for row in rows:
        letter = row[1].strip("`")
        left_out = [seats for seats, letters in LEFT_OUT.items() if letter in letters]
        assert row[5] == (f"{left_out[0]} seats" if left_out else "")
