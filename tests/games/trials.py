"""Moves that look like legal ones, and what a state makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st

from games import strict
from games.rules import IllegalMove, State


def public(state: State) -> str:
    """Everything a state says about itself, as text."""
    seats = [None, *range(state.seats)]
    decisions = [state.decision(seat) for seat in state.pending]
    state_documents = [state.record, state.pending, decisions, [(state.view(seat), state.log(seat)) for seat in seats]]
    return json.dumps(state_documents)


def near(move: Any) -> st.SearchStrategy[Any]:
    """Moves that look like ``move``: a number off by one or of another type, a key more or less, another word."""
    if isinstance(move, str):
        return st.sampled_from([move.upper(), move + " ", [move], {move: move}, {"move": move}])
    if isinstance(move, int):
        return st.sampled_from([move + 1, move - 1, float(move), str(move), bool(move), None])
    if isinstance(move, list):
        one_part = st.integers(0, len(move) - 1).flatmap(
            lambda at: near(move[at]).map(lambda part: [*move[:at], part, *move[at + 1 :]])
        )
        return one_part | st.sampled_from([move[::-1], move[1:], [*move, move[0]], tuple(move)])
    one_value = st.sampled_from(sorted(move)).flatmap(
        lambda key: near(move[key]).map(lambda value: {**move, key: value})
    )
    fewer = st.sampled_from(sorted(move)).map(lambda key: {k: v for k, v in move.items() if k != key})
    return one_value | fewer | st.just({**move, "more": 1})


def judgement(state: State, seat: int, move: Any) -> Any:
    """The canonical move, or why it is illegal."""
    try:
        return state.check(seat, move)
    except IllegalMove as refused:
        return refused


def is_legal_exactly_when_listed(state: State, seat: int, move: Any, unordered: str) -> None:
    """Judging ``move`` changes nothing, and it is legal if it is listed, in any order of what ``unordered`` names."""
    legal, before = list(state.legal_moves(seat)), public(state)
    judged = judgement(state, seat, move)
    if isinstance(judged, IllegalMove):
        assert judged.rule.endswith(".")
        assert judged.legal
        assert str(judged) == f"{judged.rule} Legal moves: {judged.legal}."
        assert not any(strict.same(move, listed) for listed in legal)
        with pytest.raises(IllegalMove):
            state.play(seat, move)
    else:
        assert any(strict.same(judged, listed) for listed in legal)
        assert strict.same(judged, move) or _reordered(move, judged, unordered)
    assert public(state) == before


def _reordered(move: Any, canonical: Any, unordered: str) -> bool:
    return isinstance(move, dict) and sorted(move.get(unordered, [])) == sorted(canonical[unordered])
