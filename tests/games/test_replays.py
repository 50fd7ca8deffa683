"""Replays: every table of a game in one document, in small steps, and every step in its sentences."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.record import replay, to_json
from games.registry import GAMES
from games.replays import Frame, frames, patch, patched, replay_document
from games.rules import Document
from tests.games.play import sample_records

SAMPLES = sample_records()
SOME = {name: record for name, record in SAMPLES.items() if name.endswith((":1", ":4"))}

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["money", "gems"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_a_patch_makes_the_new_value_of_any_old_one(old: Any, new: Any) -> None:
    made = patched(old, json.loads(json.dumps(patch(old, new))))
    assert json.dumps(made, sort_keys=True) == json.dumps(new, sort_keys=True)  # the keys of an object have no order
    assert patch(new, new) is None


def test_unchanged_parts_of_a_patched_document_are_shared() -> None:
    old = {"players": [{"gems": [1, 2]}, {"gems": [3, 4]}], "offers": [[1, 0]]}
    new = patched(old, patch(old, {"players": [{"gems": [1, 2]}, {"gems": [3, 5]}], "offers": [[1, 0], [0, 1]]}))
    assert new["players"][0] is old["players"][0]
    assert new["offers"] == [[1, 0], [0, 1]]
    assert old["offers"] == [[1, 0]]


def tables(document: Document) -> list[Any]:
    table, tables = document["first"], []
    for change in document["changes"]:
        table = patched(table, change)
        tables.append(table)
    return tables


@pytest.mark.parametrize("record", SOME.values(), ids=SOME)
def test_the_document_has_the_table_after_every_step_of_the_record(record: Document) -> None:
    document = json.loads(to_json(replay_document(record)))
    made = list(frames(replay(record)))
    assert [frame.ply for frame in made] == list(range(len(record["steps"])))
    assert tables(document) == [frame.table for frame in made]
    assert document["entries"] == [frame.entries for frame in made]
    final = replay(record)
    assert made[-1].view == final.view(None)


@pytest.mark.parametrize("record", SOME.values(), ids=SOME)
def test_the_entries_of_all_steps_are_the_log_of_a_spectator(record: Document) -> None:
    assert [entry for frame in frames(replay(record)) for entry in frame.entries] == replay(record).entries(None)


@pytest.mark.parametrize("record", SOME.values(), ids=SOME)
def test_a_table_and_what_a_seat_knew_are_the_view_that_the_seat_had(record: Document) -> None:
    moments = dict(replay(record).retraced())
    seen: list[tuple[Frame, Document]] = []
    state = replay(record)
    for frame, (_, moment) in zip(frames(state), _every(state), strict=True):
        for seat in range(state.seats):
            seen.append((frame, moment[seat]))
            assert {**frame.view, "seat": seat, "you": frame.yous[seat]} == moment[seat]
    assert len(seen) == len(record["steps"]) * record["seats"]
    assert max(moments) == len(record["steps"]) - 1


def _every(state: Any) -> list[tuple[int, list[Document]]]:
    """By step the views of all seats, each taken while the game was there."""
    moments: list[tuple[int, list[Document]]] = []
    for last, moment in state.retraced():
        views = [moment.view(seat) for seat in range(moment.seats)]
        moments += [(ply, views) for ply in range(len(moments), last + 1)]
    return moments


def test_a_secret_choice_is_known_to_its_seat_alone_until_the_last_one_is_in() -> None:
    record = SAMPLES["edel-stein-reich-4:1"]
    made = list(frames(replay(record)))
    first = next(ply for ply, step in enumerate(record["steps"]) if step.get("decision") == "action")
    for ply in range(first, first + 3):
        assert made[ply].view == made[first - 1].view
        assert made[ply].entries == []
        assert [you["action"] is not None for you in made[ply].yous].count(True) == ply - first + 1
    assert all(player["action"] for player in made[first + 3].view["players"])
    assert [entry["ply"] for entry in made[first + 3].entries][:4] == list(range(first, first + 4))


@pytest.mark.parametrize("record", SAMPLES.values(), ids=SAMPLES)
def test_a_replay_is_small_and_every_public_step_has_sentences_without_names(record: Document) -> None:
    document = replay_document(record)
    sentences = document["sentences"]
    assert len(sentences) == document["steps"] == len(record["steps"])
    assert sum(len(some) for some in sentences) == sum(chapter["sentences"] for chapter in document["chapters"])
    silent = {"action", "lay"}
    for ply, step in enumerate(record["steps"]):
        if "decision" in step and step["decision"] not in silent:
            assert sentences[ply], (ply, step)
        for sentence in sentences[ply]:
            assert not sentence[0].islower()
    plies = [chapter["ply"] for chapter in document["chapters"]]
    assert plies == sorted(plies)
    if len(record["steps"]) < 250:
        assert len(gzip.compress(to_json(document).encode(), 9)) <= 15_000, "a usual game is small"


@pytest.mark.parametrize("record", SOME.values(), ids=SOME)
def test_the_turning_point_is_a_step_of_the_game_that_the_winner_could_be_glad_of(record: Document) -> None:
    point = replay_document(record)["turning_point"]
    if record["outcome"]["ranks"].count(1) > 1:
        assert point is None
    elif point is not None:
        assert record["steps"][point].get("decision") in ("open_barter", "answer_offer", "counter_gift", "lay", "bid")


def test_only_a_finished_game_has_been_turned() -> None:
    for game in GAMES.values():
        with pytest.raises(ValueError, match="finished"):
            game.statistics.turning_point(game.new(game.seat_counts[0], bytes(32)))
