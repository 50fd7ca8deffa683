"""Games told in sentences: complete for every sample, exact for some of them, wherever a log stops."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.record import replay
from games.registry import GAMES
from tests.games.play import TABLES, played, sample_records
from tests.games.stories import NAMES, chapters_of, log_of, text

STORIES = Path(__file__).parent / "stories"
SAMPLES = sample_records()
EXACT = [
    "edel-stein-reich-5:4",
    "edel-stein-reich-duel-2:4",
    "die-weinhaendler-5:4",
]
"""Samples whose stories are written down."""

SELDOM = {"supply_rule", "reshuffle"}
"""Too seldom for a random game; told in tests of their own."""

SILENT = {"new_cellar", "hand"}
"""Told together with what comes next, or only to the seat that it concerns."""


@pytest.mark.parametrize("record", SAMPLES.values(), ids=SAMPLES)
def test_every_sample_has_a_story_up_to_its_end(record: dict[str, Any]) -> None:
    chapters = chapters_of(replay(record).log(None))
    assert chapters[-1].title == "Result"
    for chapter in chapters:
        assert all(sentence.endswith(".") and not sentence.endswith("..") for sentence in chapter.sentences)
        assert not any("None" in sentence or "{" in sentence for sentence in chapter.sentences)
    assert [chapter.ply for chapter in chapters] == sorted(chapter.ply for chapter in chapters)


@pytest.mark.parametrize("name", EXACT)
def test_stories_of_sample_games_are_reproduced_word_for_word(name: str) -> None:
    """Set ``WRITE_STORIES=1`` to rewrite the texts after a change of wording, and read them."""
    path = STORIES / f"{name.replace(':', '-')}.txt"
    story = text(chapters_of(replay(SAMPLES[name]).log(None)))
    if os.environ.get("WRITE_STORIES"):
        path.write_text(story, encoding="utf-8")
    assert story == path.read_text(encoding="utf-8")


def many_logs(slug: str) -> Iterator[dict[str, Any]]:
    for record in SAMPLES.values():
        if record["game"] == slug:
            yield replay(record).log(None)
    for seats in GAMES[slug].seat_counts:
        yield played(slug, seats, number=5).log(None)


def text_of_first(log: dict[str, Any], length: int) -> str:
    return text(chapters_of({**log, "entries": log["entries"][:length], "outcome": None}))


def kinds_of_schema(slug: str) -> set[str]:
    """All types of events, kinds of moves and public chance steps that the schema of a game's logs knows."""
    defs = GAMES[slug].schema("log")["$defs"]
    events = {shape["properties"]["type"]["const"] for shape in defs["event"]["oneOf"]}
    moves = {shape["properties"]["decision"]["const"] for shape in defs["move_step"]["oneOf"]}
    return events | moves | {name.removeprefix("chance_") for name in defs if name.startswith("chance_")}


@pytest.mark.parametrize("slug", GAMES)
def test_every_kind_of_step_and_event_has_a_sentence(slug: str) -> None:
    heard: set[str] = set()
    for log in many_logs(slug):
        for index, entry in enumerate(log["entries"]):
            what = entry.get("event") or entry["step"]
            kind = what.get("type") or what.get("decision") or what["chance"]
            if kind not in heard and text_of_first(log, index + 1) != text_of_first(log, index):
                heard.add(kind)
    assert kinds_of_schema(slug) - heard <= SELDOM | SILENT


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_log_can_stop_anywhere(slug: str, seats: int) -> None:
    log = {**played(slug, seats, number=2).log(0), "outcome": None}
    titles = {chapter.title for chapter in chapters_of(log)} | {f"{c.title.split(' (')[0]}" for c in chapters_of(log)}
    for length in range(len(log["entries"])):
        part = chapters_of({**log, "entries": log["entries"][:length]})
        assert all(chapter.title in titles for chapter in part)
    assert chapters_of({**log, "entries": []}) == []


@pytest.mark.parametrize("slug", GAMES)
def test_a_seats_own_log_also_says_what_was_played_for_it(slug: str) -> None:
    state = played(slug, GAMES[slug].seat_counts[-1], number=3, defaults=0.2)
    assert "default move for" not in text(chapters_of(state.log(None)))
    assert f"default move for {NAMES[1]}" in text(chapters_of(state.log(1)))
    assert f"default move for {NAMES[0]}" not in text(chapters_of(state.log(1)))


@pytest.mark.parametrize("slug", GAMES)
def test_names_must_be_given_for_every_seat(slug: str) -> None:
    with pytest.raises(ValueError, match="expected 3 names"):
        GAMES[slug].presentation.story(log_of(slug, seats=3), ["magpie"])
