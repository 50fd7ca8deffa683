"""Sample records to spoil, and the sentence with which a spoiled one is refused."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from games.record import RecordError, verify
from games.rules import Document
from tests.games.play import sample_records

SAMPLES = list(sample_records().values())


def first_step(fits: Callable[[Document], bool]) -> tuple[Document, int]:
    """A copy of the first sample with such a step, and the step's ply."""
    for record in SAMPLES:
        for ply, step in enumerate(record["steps"]):
            if fits(step):
                return deepcopy(record), ply
    raise AssertionError("no sample has such a step")


def found_move(kind: str, **key_of_move: str) -> tuple[Document, int]:
    """A copy of the first sample in which ``kind`` was decided by an object with this key, unforced."""
    wanted = key_of_move.get("having")
    return first_step(
        lambda step: (
            step.get("decision") == kind and "forced" not in step and (not wanted or wanted in (step["move"] or ()))
        )
    )


def refusal(record: Document, ply: int | None) -> str:
    """The sentence with which the record is refused at ``ply``."""
    with pytest.raises(RecordError) as refused:
        verify(record)
    assert refused.value.ply == ply
    assert str(refused.value).endswith(refused.value.message)
    assert ply is None or str(refused.value).startswith(f"step {ply}: ")
    return refused.value.message
