from __future__ import annotations

import re

from games.registry import GAMES
from games.words import either, in_words, listing

GEMS = {"R": "red", "Y": "yellow", "B16": "blue 16"}


def test_a_token_is_replaced_by_words() -> None:
    assert in_words("4\u00a0{R} and a {B16}", GEMS) == "4\u00a0red and a blue 16"


def test_tokens_side_by_side_are_listed() -> None:
    assert in_words("{R} {Y}\u00a0{B16}, {Y}", GEMS) == "red, yellow and blue 16, yellow"


def test_a_token_next_to_its_words_is_not_repeated() -> None:
    assert in_words("| {R} red | {Y} {R} red", GEMS) == "| red | yellow red"


def test_braces_around_anything_else_stay() -> None:
    assert in_words('{"a": 1} {X} {R} {X}', GEMS) == '{"a": 1} {X} {R} {X}'


def test_words_are_listed_as_people_do() -> None:
    assert [listing(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_the_text_of_a_guide_has_no_token() -> None:
    for game in GAMES.values():
        assert not re.search(r"\{[\w-]+\}", in_words(game.presentation.guide, game.presentation.drawn))


def test_one_of_several_is_put_into_words() -> None:
    assert [either([2]), either([2, 3]), either([3, 4, 5])] == ["2", "2 or 3", "3, 4 or 5"]
