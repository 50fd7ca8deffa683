"""Names of colors, gems, cards and actions for all texts of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.edel_stein_reich.cards import COLOURS, EVENT_ORDER, GEMS_ON_CARD, MONEY_ON_CARD, SOLE_ANY_BONUS, SOLE_BONUS
from games.words import listing, number

COLOUR_NAMES: Final = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}
ACTION_NAMES: Final = {"money": "Money", "event": "Event", "gems": "Gems", "free_choice": "Free Choice"}
_CARDS: Final = {
    "sole_any": f"{SOLE_ANY_BONUS} for each color alone",
    "cert": "certificate",
    "half": "half scoring",
    "adjust:RB": "four red, four blue",
    "adjust:YG": "four yellow, four green",
    "swap": "swap a gem",
    "rob": "one gem from each",
    "three": "three of a color",
    "halve_all": "everyone returns half",
}


def gems(counts: Sequence[int]) -> str:
    """Return gems in words: ``2 yellow and 1 blue`` for ``[0, 2, 0, 1]``."""
    named = zip(counts, COLOUR_NAMES.values(), strict=True)
    return listing([f"{count} {colour}" for count, colour in named if count]) or "nothing"


def gems_of(colours: Sequence[str]) -> str:
    """Return letters of gems in words: ``2 red`` for ``["R", "R"]``."""
    return gems([colours.count(colour) for colour in COLOURS])


def gem_card(code: str) -> str:
    """Return the money and the gems of a gem card."""
    return f"{MONEY_ON_CARD[code]} million or {gems(GEMS_ON_CARD[code])}"


def event_card(code: str) -> str:
    """Return the short name of an event card in quotation marks."""
    kind, _, colour = code.partition(":")
    if kind == "sole":
        name = f"{SOLE_BONUS[COLOURS.index(colour)]} for {COLOUR_NAMES[colour]} alone"
    elif kind == "per":
        name = f"1 for each {COLOUR_NAMES[colour]}"
    else:
        name = _CARDS[code]
    return f'"{name}"'


def why_higher(standing: Sequence[int], offer: Sequence[int]) -> str:
    """Return why ``offer`` is higher than ``standing``: more gems, or more of the first color that differs."""
    more = sum(offer) - sum(standing)
    if more:
        return "one more gem" if more == 1 else f"{number(more)} more gems"
    names = list(COLOUR_NAMES.values())
    higher = next(c for c in range(4) if offer[c] != standing[c])
    if sum(offer) == 1:
        return f"{names[higher]} ranks above {names[list(standing).index(1)]}"
    return f"same number of gems, more {names[higher]}"


EVENT_NAMES: Final = {code: event_card(code).strip('"') for code in EVENT_ORDER}
"""Names of the event cards by code."""
