"""How rows name bots, people and first places, the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Q

from bots.models import Bot
from ladder.access import judged
from ladder.ratings.shares import WIN

NAMED: Final = judged(Bot.objects.only("slug", "owner", "kind"))
"""Bots of which only that is read by which one knows them, and whose they are."""

HOUSE: Final = Q(owner=None, kind=Bot.Kind.HOSTED)
"""The bots of the house. Guests belong to nobody, too."""

OWNER: Final = ("kind", "house_name", "owner__username", "owner__deleted")
"""What a query reads of a bot to say what it is, and whose."""


def owner_of(row: Mapping[str, Any], bot: str = "") -> dict[str, Any]:
    """What it is and whose, from a row in which ``bot`` stands before the fields of ``OWNER``.

    Nobody finds who has left. Guests are people of nobody, and not the house's.
    """
    gone = row[f"{bot}owner__deleted"] is not None
    return {
        "kind": row[f"{bot}kind"],
        "owner": None if gone else row[f"{bot}owner__username"],
        "house": row[f"{bot}house_name"] not in ("", Bot.GUEST),
    }


def first_places(wins: int) -> float:
    """Wins, kept in 1/60, with four decimals."""
    return round(wins / WIN, 4)
