"""Apply one result to the ratings of its members by the rules of the season, live and in rebuilds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from ladder.ratings.elo import ALL_PAIRS, POINT, STANDARD_K, START_RATING, KFactor, Pairs, gains
from ladder.ratings.shares import win_shares

Rated = tuple[int, int] | None
"""A rating before and after a match in 1/1000 point, or ``None`` for a seat that does not count."""


class Account(Protocol):
    """The totals of a member's rated matches in a season. ``rating`` and ``last_change`` are in 1/1000 point."""

    rating: int
    games: int
    win_shares: int
    last_change: int


@dataclass(slots=True)
class RatingState:
    """An account without a database. A new one is that of a member without games."""

    rating: int = START_RATING
    games: int = 0
    win_shares: int = 0
    last_change: int = 0


@dataclass(frozen=True)
class RatingRules:
    """The rules by which results count during one season.

    ``merged`` maps a member to the member for which its results count instead, or to ``None`` if they do not count.
    ``void`` contains the ledger numbers of results that do not count.
    """

    k: KFactor = STANDARD_K
    merged: Mapping[int, int | None] = field(default_factory=dict)
    void: Set[int] = frozenset()

    def counts_for(self, entry: int) -> int | None:
        """Return the member for which the results of ``entry`` count. Raises ``ValueError`` for a cycle."""
        seen = {entry}
        member: int | None = entry
        while member is not None and member in self.merged:
            member = self.merged[member]
            if member in seen:
                raise ValueError(f"the entry {entry} is merged into itself by way of {sorted(seen)}")
            if member is not None:
                seen.add(member)
        return member


def rate(
    accounts: Mapping[int, Account], entries: Sequence[int], ranks: Sequence[int], rules: RatingRules
) -> list[Rated]:
    """Count one result in the accounts of its members, by id. Return each seat's rating before and after.

    For a merged member, the account of its target is required. A pair does not count if one of its members does not
    count, or if both count for the same member. A seat without counting pairs does not count, and the win is shared
    among the seats that do. An account with two seats is changed by both, in the order of the seats.
    """
    owners: Sequence[int | None] = entries
    pairs: Pairs = ALL_PAIRS[len(ranks)]
    seats: Sequence[int] = range(len(ranks))
    rated: list[Rated] = [None] * len(ranks)
    if rules.merged and not rules.merged.keys().isdisjoint(entries):
        owners = [rules.counts_for(entry) for entry in entries]
        pairs = [(a, b) for a, b in pairs if None not in (owners[a], owners[b]) and owners[a] != owners[b]]
        seats = sorted({seat for pair in pairs for seat in pair})
        if not seats:
            return rated
    table = [RatingState() if owner is None else accounts[owner] for owner in owners]
    gained = gains([account.rating for account in table], _units(table, rules.k), ranks, pairs)
    for seat in seats:
        table[seat].last_change = 0
    for seat, share in zip(seats, win_shares([ranks[seat] for seat in seats]), strict=True):
        account, gain = table[seat], gained[seat]
        before = account.rating
        account.rating = after = before + gain
        account.last_change += gain
        account.games += 1
        account.win_shares += share
        rated[seat] = before, after
    return rated


def _units(table: Sequence[Account], k: KFactor) -> list[float]:
    """Return the K of each account in 1/1000 point."""
    provisional, established, games = float(k.provisional * POINT), float(k.established * POINT), k.provisional_games
    return [provisional if account.games < games else established for account in table]
