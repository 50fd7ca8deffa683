from __future__ import annotations

import pytest

from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.table import HOSTILE, PAGE, written


def test_the_table_lists_exactly_the_kinds_that_there_are() -> None:
    assert written(PAGE.read_text()) == PAGE.read_text(), "`make hostile` writes it"


def test_a_page_without_a_place_for_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the marks"):
        written("# Security")


def test_no_two_kinds_have_one_title() -> None:
    assert len({kind.title for kind in HOSTILE}) == len(HOSTILE) >= 50


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Hostile("a", "b", ""), "refused"),
        (Hostile("a", "b", "", says=""), "no effect"),
        (Hostile("a", "b", "", strikes=("late",), says=""), "1 strike (`late`)"),
        (Hostile("a", "b", "", "strikes", ("late", "late", "late")), "3 strikes (`late`), forfeit (`strikes`)"),
        (Hostile("a", "b", "", "exit"), "forfeit (`exit`)"),
    ],
)
def test_a_result_is_described_in_words(kind: Hostile, words: str) -> None:
    assert kind.verdict == words
