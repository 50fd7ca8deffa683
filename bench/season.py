"""A ladder season in this process, with the pairing, Elo and estimates of the ladder and any source of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from bots.tournaments.seatings import seatings
from ladder.pairings.candidates import Candidate
from ladder.pairings.draw import drawn
from ladder.ratings.bootstrap import Estimates, estimate
from ladder.ratings.elo import POINT, START_RATING, RatedSeat, changes
from ladder.ratings.plackett_luce import GameResults

BLOCKS_PER_DRAW = 2
"""The blocks of a full queue: their results change no pairing among them."""

ESTIMATED_EVERY = 100
"""Blocks between two runs of the estimates, whose widths the pairing asks for."""

Results = Callable[[Sequence[int]], Sequence[Sequence[int]]]
"""Plays a block of bots: the ranks by seating and seat."""


class Season:
    """Who has what rating, who waits, and all results. Bots are numbers from 0."""

    def __init__(self, seats: int, seed: int, results: Results) -> None:
        self.seats, self.seed = seats, seed
        self.standing: dict[int, Candidate] = {}
        self.played: Counter[int] = Counter()
        self.longest_wait = 0
        """The most blocks that anybody on the ladder was without a seat."""
        self._results = results
        self._random = Random(seed)
        self._rows: list[tuple[Sequence[int], Sequence[int], int]] = []

    @property
    def ratings(self) -> list[int]:
        """By bot, in 1/1000 point."""
        return [self.standing[bot].rating for bot in sorted(self.standing)]

    def come(self, owners: Iterable[tuple[int, int | None]], number: int = 0) -> None:
        """Bots with their owners enter before block ``number``, with versions that nobody has seen."""
        for bot, owner in owners:
            self.standing[bot] = Candidate(bot, START_RATING, owner=owner, version_games=0, since=number)

    def play(self, blocks: range) -> None:
        """Draw and play the blocks of these numbers."""
        for number in blocks[::BLOCKS_PER_DRAW]:
            if number % ESTIMATED_EVERY == 1 and self._rows:
                self._remember_widths()
            waits = (number - 1 - candidate.since for candidate in self.standing.values())
            self.longest_wait = max(self.longest_wait, *waits)
            for offset, block in enumerate(
                drawn(self.standing.values(), self.seats, BLOCKS_PER_DRAW, number, self._random)
            ):
                self._block(number + offset, block.memberships)

    def estimates(self, *, apart: bool = False) -> Estimates:
        """Of all bots, by number; ``apart``: as if every game had a deal of its own.

        Raises ``ValueError`` if somebody has not played.
        """
        seats, ranks, deals = zip(*self._rows, strict=True)
        numbers = range(len(deals)) if apart else deals
        games, ids = GameResults.flat(self.seats, np.ravel(seats).tolist(), np.ravel(ranks).tolist(), numbers)
        if len(ids) < len(self.standing):
            raise ValueError(f"too few matches: only {len(ids)} of {len(self.standing)} bots played")
        return estimate(games, self.seed)

    def _block(self, number: int, memberships: Sequence[int]) -> None:
        for order, ranks in zip(seatings(self.seats), self._results(memberships), strict=True):
            sitting = [memberships[player] for player in order]
            self._rows.append((sitting, ranks, number))
            self._rate(sitting, ranks)
        for bot in memberships:
            self.standing[bot] = replace(self.standing[bot], since=number)

    def _rate(self, sitting: Sequence[int], ranks: Sequence[int]) -> None:
        players = [RatedSeat(self.standing[bot].rating, self.played[bot]) for bot in sitting]
        for bot, gain in zip(sitting, changes(players, ranks), strict=True):
            candidate = self.standing[bot]
            self.played[bot] += 1
            self.standing[bot] = replace(
                candidate,
                rating=candidate.rating + gain,
                games=candidate.games + 1,
                version_games=candidate.version_games + 1,
            )

    def _remember_widths(self) -> None:
        if len(self.played) == len(self.standing):
            for bot, margin in enumerate(self.estimates().margins.tolist()):
                self.standing[bot] = replace(self.standing[bot], width=round(2 * POINT * margin))
