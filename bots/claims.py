"""Which tables a version wants to sit at: what its code says of itself, or what its uploader chose."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from bots.manifest import Manifest
from esr_platform.accounts.errors import Refused
from games.registry import GAMES
from games.words import either

Games = Mapping[str, Collection[int]]
"""Seat counts by the game's slug."""

_SEPARATOR: Final = " "


def claims_of(manifest: Manifest, games: Games | None) -> tuple[dict[str, list[int]], str]:
    """The tables that are claimed, in the order of the games, and what to remember if they were chosen (else nothing).

    ``games`` is the uploader's choice, ``None`` to take what the code says. Raises ``Refused`` for tables that are not
    there.
    """
    said = _in_order(manifest.games)
    if games is None:
        return said, ""
    chosen, written = chosen_claims(games)
    return chosen, "" if chosen == said else written


def chosen_claims(games: Games) -> tuple[dict[str, list[int]], str]:
    """The tables that are chosen, in the order of the games, and what to remember of that.

    Raises ``Refused`` for tables that are not there, and for none at all.
    """
    chosen = _in_order(_checked(games))
    if not chosen:
        raise Refused("Choose at least one game and number of seats that the bot plays.")
    return chosen, _written(chosen)


def _checked(games: Games) -> Games:
    for slug, counts in games.items():
        game = GAMES.get(slug)
        if game is None:
            raise Refused(f"There is no game {slug[:40]!a}; there are {', '.join(GAMES)}.")
        if not set(counts) <= set(game.seat_counts):
            raise Refused(f"{game.name} is played with {either(game.seat_counts)} seats, so choose some of these.")
    return games


def _in_order(games: Games) -> dict[str, list[int]]:
    return {slug: sorted(set(games[slug])) for slug in GAMES if games.get(slug)}


def _written(claims: Mapping[str, list[int]]) -> str:
    return _SEPARATOR.join(f"{slug}:{','.join(map(str, counts))}" for slug, counts in claims.items())
