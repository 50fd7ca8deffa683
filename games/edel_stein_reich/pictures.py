"""What the guides draw beside the gems: action cards, event cards and gems that are given back, with their names."""

from __future__ import annotations

from typing import Final

_ACTIONS: Final = {"act-money": "Money", "act-event": "Event", "act-gems": "Gems"}

_EVENTS: Final = {
    "event-cert": "certificate",
    "event-sole-R": "8 for red alone",
    "event-sole-Y": "7 for yellow alone",
    "event-sole-G": "6 for green alone",
    "event-sole-B": "5 for blue alone",
    "event-sole_any": "4 for each colour alone",
    "event-per-R": "1 for each red",
    "event-per-Y": "1 for each yellow",
    "event-per-G": "1 for each green",
    "event-per-B": "1 for each blue",
    "event-swap": "swap a gem",
    "event-half": "half scoring",
    "event-rob": "one gem from each",
    "event-three": "three of a colour",
    "event-halve_all": "everybody returns half",
    "event-adjust-RB": "four red, four blue",
    "event-adjust-YG": "four yellow, four green",
}

_RETURNED: Final = {f"ghost-{letter}": "returned" for letter in "RYG"}

PICTURES_FOR_TWO: Final = {**_ACTIONS, **_EVENTS, **_RETURNED}
PICTURES: Final = {**PICTURES_FOR_TWO, "act-free_choice": "Free Choice"}
