"""Presentation of both versions of Edel, Stein & Reich: symbols, score columns and terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from games.edel_stein_reich.cards import COLOURS
from games.edel_stein_reich.moves import NO_OFFER, NOT_HIGHER, NOT_OWN
from games.edel_stein_reich.story import tell
from games.edel_stein_reich.story.words import ACTION_NAMES, COLOUR_NAMES, EVENT_NAMES
from games.edel_stein_reich.tutorial import FirstPhase
from games.presentation import Beat, Presentation, ScoreColumn

# --- Symbols of the guides, with their names -------------------------------------------------------------------------

_ACTIONS: Final = {"act-money": "Money", "act-event": "Event", "act-gems": "Gems"}

_EVENTS: Final = {
    "event-cert": "certificate",
    "event-sole-R": "8 for red alone",
    "event-sole-Y": "7 for yellow alone",
    "event-sole-G": "6 for green alone",
    "event-sole-B": "5 for blue alone",
    "event-sole_any": "4 for each color alone",
    "event-per-R": "1 for each red",
    "event-per-Y": "1 for each yellow",
    "event-per-G": "1 for each green",
    "event-per-B": "1 for each blue",
    "event-swap": "swap a gem",
    "event-half": "half scoring",
    "event-rob": "one gem from each",
    "event-three": "three of a color",
    "event-halve_all": "everyone returns half",
    "event-adjust-RB": "four red, four blue",
    "event-adjust-YG": "four yellow, four green",
}

_RETURNED: Final = {f"ghost-{letter}": "returned" for letter in "RYG"}

PICTURES_FOR_TWO: Final = {**_ACTIONS, **_EVENTS, **_RETURNED}
PICTURES: Final = {**PICTURES_FOR_TWO, "act-free_choice": "Free Choice"}

# --- Terms -----------------------------------------------------------------------------------------------------------

DECISIONS: Final = {
    "action": "choice of an action",
    "guess": "guess",
    "open_barter": "opening offer",
    "answer_offer": "answer to an offer",
    "counter_gift": "gift in return",
    "event_card": "choice of an event card",
    "immediate": "use of an immediate card",
    "free_choice": "free choice",
}
"""Names of the kinds of decisions."""

_MORE: Final = (
    *("gem", "gems", "money", "millions", "certificate", "certificates", "supply", "bank"),
    *("gem card", "event card", "action card", "scoring card", "scoring cards", "immediate card"),
    *("phase", "phases", "round", "rounds", "turn", "scoring", "half scoring", "majority", "tie", "alone"),
    *("barter", "barters", "offer", "offers", "accept", "decline", "gift", "face up", "blind draw", "display"),
    *("canceled", "youngest", "oldest", "seat", "hidden card", "hit", "miss"),
)

RULES: Final = (NO_OFFER, NOT_HIGHER, NOT_OWN)
"""The rules of offers, in the words of the engine."""

TERMS: Final[tuple[str, ...]] = (*ACTION_NAMES.values(), *EVENT_NAMES.values(), *DECISIONS.values(), *RULES, *_MORE)


# --- Both variants ---------------------------------------------------------------------------------------------------


def _gems(score: Mapping[str, Any]) -> str:
    return " ".join(f"{count}\u00a0{{{colour}}}" for count, colour in zip(score["gems"], COLOURS, strict=True))


SCORE_COLUMNS: Final[tuple[ScoreColumn, ...]] = (
    ScoreColumn("Money (millions)", lambda score: str(score["money"])),
    ScoreColumn("Gems left", _gems),
)


BEATS: Final[Mapping[str, Beat]] = {
    "action": "reveal",
    "guess": "reveal",
    "open_barter": "barter",
    "answer_offer": "barter",
    "counter_gift": "barter",
    "phase": "scoring",
}
"""The beats of decisions and events.

The event ``phase`` follows every scoring except the last one, after which no decision has to wait.
"""

PRESENTATION: Final[Presentation] = Presentation(
    "edel_stein_reich",
    tokens=COLOUR_NAMES,
    pictures=PICTURES,
    drawing="gem",
    cover=tuple("RYGB"),
    board="gems",
    board_has_panel=True,
    score_columns=SCORE_COLUMNS,
    story=tell,
    terms=TERMS,
    tutorial=FirstPhase(),
    beats=BEATS,
)
"""The presentation for three to five players."""

DUEL_PRESENTATION: Final[Presentation] = replace(
    PRESENTATION, guide_file="duel_guide.md", pictures=PICTURES_FOR_TWO, tutorial=None
)
"""The presentation for two players."""
