"""Whatever is changed in a record, it is refused, or it is the true record of another game."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from games import strict
from games.record import RecordError, from_json, to_json, verify
from games.rules import Document, State
from tests.games.play import sample_records

SAMPLES = sample_records()
OTHER_VALUES: list[Any] = [None, True, False, 0, 1, 2, -1, 1.0, 10**30, "", "R", "money", "decline", "late", [], {}]
Path = tuple[Any, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of everything inside a document, keys and indices from the outside in."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


PLACES = {name: list(places(record)) for name, record in SAMPLES.items()}


def inside(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def verified(record: Document) -> State | RecordError:
    """The game of a record, or why it is refused."""
    try:
        return verify(record)
    except RecordError as refused:
        return refused


@st.composite
def tampered(draw: st.DrawFn) -> tuple[Document, Document, Path]:
    """A sample, a copy of it with one change, and where the change is."""
    name = draw(st.sampled_from(sorted(SAMPLES)))
    path = draw(st.sampled_from(PLACES[name]))
    record = deepcopy(SAMPLES[name])
    *outside, last = path
    holder = inside(record, tuple(outside))
    value = holder[last]
    ways = ["set", "drop"]
    if isinstance(holder, list):
        ways += ["swap", "double"]
    if isinstance(value, int):
        ways += ["count"] * 2
    way = draw(st.sampled_from(ways))
    if way == "set":
        holder[last] = draw(st.sampled_from(OTHER_VALUES) | st.just([value]) | st.just(str(value)))
    elif way == "drop":
        del holder[last]
    elif way == "swap":
        other = draw(st.integers(0, len(holder) - 1))
        holder[last], holder[other] = holder[other], holder[last]
    elif way == "double":
        holder.insert(last, deepcopy(value))
    else:
        holder[last] = value + draw(st.sampled_from([-1, 1]))
    assume(not strict.same(record, SAMPLES[name]))
    return SAMPLES[name], record, path


@settings(max_examples=400, deadline=None)
@given(tampered())
def test_a_changed_record_is_refused_or_is_the_true_record_of_another_game(
    change: tuple[Document, Document, Path],
) -> None:
    original, record, path = change
    state = verified(record)
    if isinstance(state, RecordError):
        assert state.message
        assert state.ply is None or 0 <= state.ply <= len(record["steps"])
        return
    assert strict.same(state.record, record)
    assert path[0] == "steps"
    assert "move" in path or "default" in path
    for key in original.keys() - {"steps", "outcome"}:
        assert strict.same(record[key], original[key])


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_a_text_with_a_changed_byte_is_refused_or_has_the_same_meaning(name: str, data: st.DataObject) -> None:
    text = bytearray(to_json(SAMPLES[name]).encode())
    index = data.draw(st.integers(0, len(text) - 1))
    text[index] = data.draw(st.integers(0, 255))
    try:
        record = from_json(bytes(text))
        state = verify(record)
    except RecordError:
        return
    assert strict.same(state.record, record)


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5), st.data()
)
def test_no_document_makes_the_reader_stumble(value: Any, data: st.DataObject) -> None:
    record = dict(SAMPLES[data.draw(st.sampled_from(sorted(SAMPLES)))])
    key = data.draw(st.sampled_from(sorted(record)))
    assume(not strict.same(record[key], value))
    record[key] = value
    with pytest.raises(RecordError):
        verify(record)
