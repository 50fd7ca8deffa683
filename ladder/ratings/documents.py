"""Parse the documents of a ledger, which contain everything that a rebuild needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ladder.ratings.elo import KFactor
from ladder.ratings.replay import Item, Merge, NewK, RankedGame, SeasonStart, Void


def item(number: int, kind: str, document: Any) -> Item:
    """Parse the ledger entry ``number``. Raises ``ValueError`` for an invalid document."""
    try:
        return _READERS[kind](number, document)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"ledger {number} is not a valid {kind}: {error!r}") from error


def _game(number: int, document: Any) -> RankedGame:
    entries, ranks = tuple(document["entries"]), tuple(document["ranks"])
    if not 2 <= len(entries) == len(ranks) <= 5 or None in entries:
        raise ValueError(f"{entries} and {ranks} are not the entries and ranks of two to five seats")
    return RankedGame(number, entries, ranks)


def _void(number: int, document: Any) -> Void:
    return Void(number, document["result"])


def _merge(number: int, document: Any) -> Merge:
    return Merge(number, document["entry"], document["into"])


def _k(number: int, document: Any) -> NewK:
    return NewK(number, KFactor(document["provisional"], document["established"], document["provisional_games"]))


def _season(number: int, document: Any) -> SeasonStart:
    numerator, denominator = document["regress"]
    return SeasonStart(number, document["season"], (numerator, denominator))


_READERS: dict[str, Callable[[int, Any], Item]] = {
    "result": _game,
    "void": _void,
    "merge": _merge,
    "k": _k,
    "season": _season,
}
