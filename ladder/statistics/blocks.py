"""A finished block as the statistics see it, and what its players scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.statistics import Exchange, Figures, Habits


@dataclass(frozen=True)
class PlayedGame:
    """One game of a block: who sat where, the ranks by seat, and what the seats exchanged.

    ``versions``, ``forfeits`` (whether), ``figures`` and ``habits`` are by seat, too; only the tallies need them.
    """

    players: tuple[int, ...]
    ranks: tuple[int, ...]
    exchanges: Sequence[Exchange] = ()
    versions: Sequence[int] = ()
    forfeits: Sequence[bool] = ()
    figures: Sequence[Figures] = ()
    habits: Sequence[Habits] = ()

    @property
    def shares(self) -> tuple[float, ...]:
        """By seat, the share of the opponents ranked behind it, 0 to 1; a shared rank counts half."""
        others = len(self.ranks) - 1
        return tuple(points / 2 / others for points in half_points(self.ranks))


@dataclass(frozen=True)
class PlayedBlock:
    """The games of one deal, one a seating, all finished. The players are the same in all of them."""

    games: Sequence[PlayedGame]

    @property
    def players(self) -> tuple[int, ...]:
        """The players in the order of the first game's seats."""
        return self.games[0].players

    def shares_of(self, player: int) -> list[float]:
        """What ``player`` scored in each game."""
        return [game.shares[game.players.index(player)] for game in self.games]


def half_points(ranks: Sequence[int]) -> tuple[int, ...]:
    """By seat, two for every opponent ranked behind it and one for every one that shares its rank."""
    return tuple(
        sum(2 if other > rank else other == rank for other in ranks) - 1  # itself shares its rank
        for rank in ranks
    )


def beaten(game: PlayedGame, player: int, other: int) -> float:
    """1 if ``player`` was ranked before ``other`` in ``game``, ½ if level, else 0."""
    rank, against = (game.ranks[game.players.index(member)] for member in (player, other))
    return (1 + (rank < against) - (rank > against)) / 2
