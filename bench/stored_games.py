"""A worker of ``bench.verification``: verifies stored games of four as ``manage.py verify --ladder`` does."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

from bench.contenders import FOUR_SEATS
from bench.rates import Contender
from bench.sizes import of_house_bots, of_random_play
from bench.workers import serve
from games.chance import commitment
from games.rules import State
from ladder.packing import pack
from ladder.verification.reexecution import StoredGame, StoredSeat, faults_of


def stored(state: State) -> StoredGame:
    """A finished game as the tables have it."""
    record, seed = state.record, bytes.fromhex(state.record["seed"])
    ranks, scores = record["outcome"]["ranks"], record["outcome"]["scores"]
    seats = [
        StoredSeat(rank, score, score.get("forfeit", ""), score.get("forfeit_at"))
        for rank, score in zip(ranks, scores, strict=True)
    ]
    return StoredGame(1, pack(record), record["game"], state.seats, seed, commitment(seed), seats)


def verifying(states: Iterable[State]) -> Contender:
    """Verifies one game after the other, again and again."""
    games = cycle([stored(state) for state in states])

    def verify_next() -> int:
        assert faults_of([next(games)]) == []
        return 1

    return verify_next


if __name__ == "__main__":
    contenders = {}
    for game in FOUR_SEATS:
        contenders[f"{game.slug} 4, house bots"] = verifying(of_house_bots(game))
        contenders[f"{game.slug} 4, random play"] = verifying(of_random_play(game))
    serve(contenders)
