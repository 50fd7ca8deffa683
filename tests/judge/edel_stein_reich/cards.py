"""The decks and constants (`rules.md` 1.1 to 1.3), in the order in which they stand before a shuffle (`record.md`)."""

from __future__ import annotations

COLOURS = "RYGB"
MAJORITY = {"R": 14, "Y": 12, "G": 10, "B": 8}
HALF_MAJORITY = {"R": 7, "Y": 6, "G": 5, "B": 4}
SOLE_BONUS = {"R": 8, "Y": 7, "G": 6, "B": 5}
SOLE_ANY_BONUS = 4
CERTIFICATE_FIRST, CERTIFICATE_SECOND = 10, 4

PHASES = 3
ROUNDS = {2: 10, 3: 8, 4: 7, 5: 6}
ASIDE = {2: 0, 3: 6, 4: 2, 5: 0}
SUPPLY_AT_START = {2: 16, 3: 13, 4: 10, 5: 7}
OFFERS_LIMIT = 200

ACTIONS = ["money", "event", "gems", "free_choice"]

EVENT_CARDS = [
    "sole:R", "sole:Y", "sole:G", "sole:B",
    "sole_any", "sole_any",
    "per:R", "per:Y", "per:G", "per:B",
    *["cert"] * 15,
    "half", "half",
    "adjust:RB", "adjust:YG",
    *["swap"] * 4,
    "rob", "rob",
    "three", "three",
    "halve_all", "halve_all",
]  # fmt: skip

GEM_CARDS = [
    "7BB", "7GB", "7YB", "7GG", "7RB", "7YG", "7RG",
    "6YY", "6RY", "6GBB", "6RR", "6YBB", "6GGB", "6RBB", "6YYB",
    "5YGG", "5RGG", "5YYG", "5RRB", "5GGBB", "5RRG", "5RYY", "5RRY",
    "4YYBB", "4RRBB", "4RYGB", "4RYGB", "4YYGG", "4RRGG", "4RRYY",
]  # fmt: skip


def money_on(gem_card: str) -> int:
    """The amount on a gem card, in millions."""
    return int(gem_card[0])


def gems_on(gem_card: str) -> list[int]:
    """The gems on a gem card as `[R, Y, G, B]`."""
    return [gem_card[1:].count(colour) for colour in COLOURS]


def is_held(event_card: str) -> bool:
    """True for a Wertung card, which lies before its owner until a scoring; False for a sofort card."""
    return event_card == "cert" or event_card.split(":")[0] in ("sole", "sole_any", "per")


def actions(seats: int) -> list[str]:
    """The action cards everybody has: Free Choice is for five players only."""
    return ACTIONS if seats == 5 else ACTIONS[:3]
