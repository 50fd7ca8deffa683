"""Rebuild ratings from a ladder's ledger alone, in order: a million matches in seconds. It needs no database.

A correction (a void, a merge, a new K) applies from the beginning of its season. So all corrections must be known
before the first result is rated. A new K and a merge stay in effect in later seasons. Seasons that were closed before a
correction do not change.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple

from ladder.ratings.elo import KFactor
from ladder.ratings.rating import Rated, RatingRules, RatingState, rate
from ladder.ratings.regression import regressed

FIRST_SEASON = 1

GAMES_AHEAD: Final = 65_536
"""The most games that are rated together."""

_NUMBER: Final = attrgetter("number")

LEAST_IN_WAVES: Final = 256
"""The least number of games for which waves are tried."""


class RankedGame(NamedTuple):
    """A result in the ledger: the ids of the members and their ranks, both in seat order."""

    number: int
    entries: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Void:
    """The result with the ledger number ``result`` no longer counts."""

    number: int
    result: int


@dataclass(frozen=True)
class Merge:
    """The results of ``entry`` count for another member, for none (``None``), or for itself again."""

    number: int
    entry: int
    into: int | None


@dataclass(frozen=True)
class NewK:
    """A change of K."""

    number: int
    k: KFactor


@dataclass(frozen=True)
class SeasonStart:
    """The start of a season. Every rating keeps the fraction ``regress`` of its distance from the start value."""

    number: int
    season: int
    regress: tuple[int, int]


Correction = Void | Merge | NewK | SeasonStart
Item = RankedGame | Correction


@dataclass(frozen=True)
class SeasonPart:
    """A season in a ledger: the entry that starts it, or ``None`` for results without one, and its rules."""

    start: SeasonStart | None
    rules: RatingRules

    @property
    def season(self) -> int:
        return FIRST_SEASON if self.start is None else self.start.season


def parts(corrections: Iterable[Correction]) -> list[SeasonPart]:
    """Return the seasons of a ledger in order, from all its entries except results; at least the first season.

    Raises ``ValueError`` for a void of a result before its season, and for a cycle of merges.
    """
    seasons = [SeasonPart(None, RatingRules())]
    for correction in corrections:
        if isinstance(correction, SeasonStart):
            seasons.append(SeasonPart(correction, replace(seasons[-1].rules, void=frozenset())))
        else:
            seasons[-1] = replace(seasons[-1], rules=_corrected(seasons[-1], correction))
    return seasons


class LedgerReplay:
    """The ratings of a ladder during a replay: ``standings`` by member, ``final`` for closed seasons.

    ``corrections`` are all entries of the ledger except results, in order. Raises the errors of :func:`parts`.
    """

    def __init__(self, corrections: Iterable[Correction]) -> None:
        first, *self._coming = parts(corrections)
        self.part = first
        self.standings: defaultdict[int, RatingState] = defaultdict(RatingState)
        self.final: dict[int, Mapping[int, RatingState]] = {}

    def rated(self, games: Iterable[RankedGame]) -> Iterator[list[Rated]]:
        """Yield the changes of each game in the order of the ledger. It can be called again with later games.

        It reads up to ``GAMES_AHEAD`` games ahead, so ``standings`` are known only after the last game.
        """
        ahead = iter(games)
        while batch := list(islice(ahead, GAMES_AHEAD)):
            while batch:
                while (border := self._border()) is not None and batch[0].number > border:
                    self._start_next()
                season = len(batch) if border is None else bisect_right(batch, border, key=_NUMBER)
                yield from self._rated(batch[:season])
                del batch[:season]

    def _rated(self, games: Sequence[RankedGame]) -> Iterable[list[Rated]]:
        """Rate games of one season."""
        rules = self.part.rules
        if len(games) >= LEAST_IN_WAVES:
            from ladder.ratings.waves import rated_in_waves  # imported here so that only long rebuilds load numpy

            if (rated := rated_in_waves(games, self.standings, rules)) is not None:
                return rated
        return (
            [None] * len(ranks) if number in rules.void else rate(self.standings, entries, ranks, rules)
            for number, entries, ranks in games
        )

    def finish(self) -> None:
        """Start the seasons without results."""
        while self._coming:
            self._start_next()

    def _border(self) -> int | None:
        """Return the ledger number at which the next season starts."""
        return self._coming[0].start.number if self._coming and self._coming[0].start else None

    def _start_next(self) -> None:
        closed, self.part = self.part, self._coming.pop(0)
        if self.part.start is None or self.part.season == closed.season:
            return
        self.final[closed.season] = {entry: replace(standing) for entry, standing in self.standings.items()}
        for standing in self.standings.values():
            standing.rating = regressed(standing.rating, *self.part.start.regress)
            standing.games = standing.win_shares = standing.last_change = 0


def _corrected(part: SeasonPart, correction: Void | Merge | NewK) -> RatingRules:
    if isinstance(correction, NewK):
        return replace(part.rules, k=correction.k)
    if isinstance(correction, Merge):
        return _merged(part.rules, correction)
    first = part.start.number if part.start else 0
    if correction.result <= first:
        raise ValueError(
            f"ledger {correction.number} voids {correction.result}, which counts for a season that is closed"
        )
    return replace(part.rules, void=part.rules.void | {correction.result})


def _merged(rules: RatingRules, merge: Merge) -> RatingRules:
    merged = {entry: into for entry, into in rules.merged.items() if entry != merge.entry}
    if merge.into != merge.entry:
        merged[merge.entry] = merge.into
    rules = replace(rules, merged=merged)
    rules.counts_for(merge.entry)
    return rules
