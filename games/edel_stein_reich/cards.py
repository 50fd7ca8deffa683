"""The components from ``decks.toml`` in the form that the rules use."""

from __future__ import annotations

import tomllib
from itertools import compress, product
from typing import Any, Final, NamedTuple


def _data() -> dict[str, Any]:
    # Bots import this module: pathlib, importlib.resources and dataclasses would take longer than all the rest.
    with open(f"{__file__.removesuffix('cards.py')}decks.toml", "rb") as file:  # noqa: PTH123
        return tomllib.load(file)


_DATA: Final = _data()

Gems = tuple[int, int, int, int]
"""Numbers of red, yellow, green and blue gems."""

NO_GEMS: Final[Gems] = (0, 0, 0, 0)

COLOURS: Final = "RYGB"
GEMS_PER_COLOUR: Final[int] = _DATA["gems_per_colour"]
GEMS_AT_START: Final[int] = _DATA["gems_at_start"]
PHASES: Final[int] = _DATA["phases"]
MAJORITY_VALUES: Final[tuple[int, ...]] = tuple(_DATA["majority_values"])
HALF_VALUES: Final[tuple[int, ...]] = tuple(_DATA["half_values"])
SOLE_BONUS: Final[tuple[int, ...]] = tuple(_DATA["sole_bonus"])
SOLE_ANY_BONUS: Final[int] = _DATA["sole_any_bonus"]
CERTIFICATE_VALUES: Final[tuple[int, ...]] = tuple(_DATA["certificate_values"])


class Layout(NamedTuple):
    """The setup for a number of seats: rounds per phase, gem cards set aside, and the actions in hand."""

    rounds: int
    aside: int
    actions: tuple[str, ...]


TABLES: Final[dict[int, Layout]] = {
    int(seats): Layout(rounds=row["rounds"], aside=row["aside"], actions=tuple(row["actions"]))
    for seats, row in _DATA["seats"].items()
}

EVENT_CARDS: Final[tuple[str, ...]] = tuple(row["code"] for row in _DATA["events"] for _ in range(row["copies"]))
"""All 39 event cards in the order before the shuffle."""

SCORING_CARDS: Final[frozenset[str]] = frozenset(row["code"] for row in _DATA["events"] if row["scoring"])
"""The codes of the cards that are kept until a scoring. All other cards are immediate cards."""

EVENT_ORDER: Final[dict[str, int]] = {row["code"]: index for index, row in enumerate(_DATA["events"])}

GEM_CARDS: Final[tuple[str, ...]] = tuple(f"{row['money']}{gems}" for row in _DATA["gem_cards"] for gems in row["gems"])
"""All 30 gem cards in the order before the shuffle."""

MONEY_ON_CARD: Final[dict[str, int]] = {code: int(code[0]) for code in GEM_CARDS}


def vector(colours: str) -> Gems:
    """Return letters as gems: ``(2, 0, 0, 1)`` for ``"RRB"``."""
    return (colours.count("R"), colours.count("Y"), colours.count("G"), colours.count("B"))


def letters(gems: Gems) -> str:
    """Return the letters of the colors in ``gems``: ``"RB"`` for ``(2, 0, 0, 1)``."""
    red, yellow, green, blue = gems
    return _LETTERS[(8 if red else 0) + (4 if yellow else 0) + (2 if green else 0) + (1 if blue else 0)]


_LETTERS: Final = tuple(["".join(compress(COLOURS, there)) for there in product((0, 1), repeat=4)])


ONE: Final[dict[str, Gems]] = {colour: vector(colour) for colour in COLOURS}
"""A single gem of each color."""

GEMS_ON_CARD: Final[dict[str, Gems]] = {code: vector(code) for code in GEM_CARDS}
