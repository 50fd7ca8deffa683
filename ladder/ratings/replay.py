"""Ratings rebuilt from nothing but a ladder's ledger, in its order: a million matches in seconds. No database.

A correction (a void, a merge, a new K) counts from the beginning of the season in which it stands, so all of them have
to be known before the first result is rated. A new K and a merge go on into later seasons. Seasons that were closed
before it stay as they were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from ladder.ratings.elo import KFactor
from ladder.ratings.rating import Rated, RatingState, Rules, rate
from ladder.ratings.regression import regressed

FIRST_SEASON = 1


class RankedGame(NamedTuple):
    """A result in the ledger: the entries' ids and their ranks, both in seat order."""

    number: int
    entries: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Void:
    """The result with the ledger number ``result`` counts no more."""

    number: int
    result: int


@dataclass(frozen=True)
class Merge:
    """The results of ``entry`` count for another, for nobody (``None``), or for itself again."""

    number: int
    entry: int
    into: int | None


@dataclass(frozen=True)
class NewK:
    """Another K."""

    number: int
    k: KFactor


@dataclass(frozen=True)
class SeasonStart:
    """A season begins: every rating keeps ``regress`` (numerator, denominator) of its distance from the start."""

    number: int
    season: int
    regress: tuple[int, int]


Correction = Void | Merge | NewK | SeasonStart
Item = RankedGame | Correction


@dataclass(frozen=True)
class SeasonPart:
    """A season in a ledger: the entry that starts it, ``None`` where results come without one, and what holds in it."""

    start: SeasonStart | None
    rules: Rules

    @property
    def season(self) -> int:
        return FIRST_SEASON if self.start is None else self.start.season


def parts(corrections: Iterable[Correction]) -> list[SeasonPart]:
    """The seasons of a ledger, from all its entries that are no results, in order; at least the first.

    Raises ``ValueError`` for a void of a result before its season, and for entries merged in a circle.
    """
    found = [SeasonPart(None, Rules())]
    for one in corrections:
        if isinstance(one, SeasonStart):
            found.append(SeasonPart(one, replace(found[-1].rules, void=frozenset())))
        else:
            found[-1] = replace(found[-1], rules=_corrected(found[-1], one))
    return found


class LedgerReplay:
    """A ladder's accounts while its ledger goes by: ``standings`` by entry, ``final`` the closed seasons' by season.

    ``corrections`` are all of the ledger's entries that are no results, in order. Raises what :func:`parts` does.
    """

    def __init__(self, corrections: Iterable[Correction]) -> None:
        first, *self._coming = parts(corrections)
        self.part = first
        self.standings: defaultdict[int, RatingState] = defaultdict(RatingState)
        self.final: dict[int, Mapping[int, RatingState]] = {}

    def rated(self, games: Iterable[RankedGame]) -> Iterator[list[Rated]]:
        """What each game, in the order of the ledger, does at its seats. It may be called again, with what follows."""
        border = self._border()
        for number, entries, ranks in games:
            while border is not None and number > border:
                self._start_next()
                border = self._border()
            rules = self.part.rules
            if number in rules.void:
                yield [None] * len(ranks)
            else:
                yield rate(self.standings, entries, ranks, rules)

    def finish(self) -> None:
        """Start the seasons that have no results yet."""
        while self._coming:
            self._start_next()

    def _border(self) -> int | None:
        """The ledger number at which the next season starts."""
        return self._coming[0].start.number if self._coming and self._coming[0].start else None

    def _start_next(self) -> None:
        closed, self.part = self.part, self._coming.pop(0)
        if self.part.start is None or self.part.season == closed.season:
            return
        self.final[closed.season] = {entry: replace(standing) for entry, standing in self.standings.items()}
        for standing in self.standings.values():
            standing.rating = regressed(standing.rating, *self.part.start.regress)
            standing.games = standing.wins = standing.last_change = 0


def _corrected(part: SeasonPart, one: Void | Merge | NewK) -> Rules:
    if isinstance(one, NewK):
        return replace(part.rules, k=one.k)
    if isinstance(one, Merge):
        return _merged(part.rules, one)
    first = part.start.number if part.start else 0
    if one.result <= first:
        raise ValueError(f"ledger {one.number} voids {one.result}, which counts for a season that is closed")
    return replace(part.rules, void=part.rules.void | {one.result})


def _merged(rules: Rules, one: Merge) -> Rules:
    merged = {entry: into for entry, into in rules.merged.items() if entry != one.entry}
    if one.into != one.entry:
        merged[one.entry] = one.into
    rules = replace(rules, merged=merged)
    rules.counts_for(one.entry)
    return rules
