"""The words that pages and boards say of Edel, Stein & Reich beside the colours; they are looked up in English."""

from __future__ import annotations

from typing import Final

from games.edel_stein_reich.cards import EVENT_ORDER
from games.edel_stein_reich.judging import NO_OFFER, NOT_HIGHER, NOT_OWN
from games.edel_stein_reich.story.words import ACTION_NAMES, event_card

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
"""What each kind of decision is called."""

EVENT_NAMES: Final = {code: event_card(code).strip("“”") for code in EVENT_ORDER}
"""What each event card is called."""

_MORE: Final = (
    *("gem", "gems", "money", "millions", "certificate", "certificates", "supply", "bank"),
    *("gem card", "event card", "action card", "scoring card", "scoring cards", "immediate card"),
    *("phase", "phases", "round", "rounds", "turn", "scoring", "half scoring", "majority", "tie", "alone"),
    *("barter", "barters", "offer", "offers", "accept", "decline", "gift", "face up", "blind draw", "display"),
    *("cancelled", "youngest", "oldest", "seat", "hidden card", "hit", "miss"),
)

RULES: Final = (NO_OFFER, NOT_HIGHER, NOT_OWN)
"""The rules of offers, as the engine says them."""

TERMS: Final = (*ACTION_NAMES.values(), *EVENT_NAMES.values(), *DECISIONS.values(), *RULES, *_MORE)
