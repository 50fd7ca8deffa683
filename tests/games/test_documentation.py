"""The pages about documents: their examples are valid, their tables complete, their links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from games.schemas import schema

ROOT = Path(__file__).parents[2]
VIEWS = (ROOT / "docs" / "views.md").read_text(encoding="utf-8")
RECORD = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))


def blocks(page: str) -> list[str]:
    found: list[str] = re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL)
    return found


def first_column(page: str, after: str, index: int = 0) -> list[str]:
    """The codes in the first column of the table number ``index`` after a text, the heading left out."""
    part = page.split(after, 1)[1]
    table = re.findall(r"(?:^\|.*\n)+", part, flags=re.MULTILINE)[index]
    return [code for line in table.splitlines()[2:] for code in re.findall(r"`([^`]+)`", line.split("|")[1])]


def validate(document: str, instance: Any) -> None:
    Draft202012Validator(schema("edel-stein-reich", document)).validate(instance)


def both(document: str, name: str | None = None) -> list[dict[str, Any]]:
    shapes = [schema(slug, document) for slug in ("edel-stein-reich", "edel-stein-reich-duel")]
    return shapes if name is None else [shape["$defs"][name] for shape in shapes]


def test_the_examples_of_the_views_are_valid() -> None:
    decision, log, decide = (json.loads(block) for block in blocks(VIEWS))
    validate("decision", decision)
    validate("log", {**log, "commitment": "0" * 64})
    validate("decide", decide)


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


def test_the_page_names_every_key_of_a_view() -> None:
    for shape in both("view"):
        assert sorted(first_column(VIEWS, "## The view")) == sorted(shape["required"])
        assert sorted(first_column(VIEWS, "A player:")) == sorted(shape["$defs"]["player"]["required"])
        assert sorted(first_column(VIEWS, "A barter:")) == sorted(shape["$defs"]["barter"]["required"])


def test_the_page_names_every_kind_of_decision_and_its_bounds() -> None:
    table = VIEWS.split("## The decision", 1)[1]
    kinds = {option["properties"]["kind"]["const"] for shape in both("decision") for option in shape["oneOf"]}
    assert set(first_column(table, "```\n")) == kinds
    bounds = {key for shape in both("decision") for option in shape["oneOf"] for key in option["required"]}
    for key in bounds:
        assert f"`{key}`" in table, key


def test_the_page_names_every_event_with_its_keys() -> None:
    shapes = [option for shape in both("log", "event") for option in shape["oneOf"]]
    assert set(first_column(VIEWS, "## The log")) == {shape["properties"]["type"]["const"] for shape in shapes}
    rows = VIEWS.split("## The log", 1)[1].splitlines()
    for shape in shapes:
        kind = shape["properties"]["type"]["const"]
        row = next(line for line in rows if line.startswith(f"| `{kind}` |"))
        for key in shape["required"]:
            assert key == "type" or f"`{key}`" in row, (kind, key)
    assert set(first_column(VIEWS, "A scoring has five rows")) == set(both("log", "scored_row")[0]["required"])


def test_the_page_names_every_kind_of_step_and_every_reason() -> None:
    chance = {
        name.removeprefix("chance_")
        for shape in both("record")
        for name in shape["$defs"]
        if name.startswith("chance_")
    }
    kinds = {
        name.removeprefix("move_") for shape in both("record") for name in shape["$defs"] if name.startswith("move_")
    }
    assert set(first_column(RECORD, "### Chance")) == chance
    assert set(first_column(RECORD, "### Moves")) == kinds - {"step"}
    assert first_column(RECORD, "### Outcome") == both("record", "forfeit_reason")[0]["enum"]
    for reason in both("record", "default_reason")[0]["enum"]:
        assert f"`{reason}`" in RECORD.split("### Moves", 1)[1]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files_of_the_project(name: str) -> None:
    page = ROOT / "docs" / name
    text = page.read_text(encoding="utf-8")
    assert "../shared" not in text
    for target in re.findall(r"\]\((?!https://)([^)#]+)[^)]*\)", text):
        assert (page.parent / target).resolve().is_relative_to(ROOT), target
        assert (page.parent / target).exists(), target


def test_every_page_is_linked_from_the_first_one() -> None:
    first = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in first, page.name
