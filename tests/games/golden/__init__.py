"""Golden games: what the rules made of one seed and one way of playing when they were written down.

``python -m tests.games.golden`` writes them anew. Do that only together with a new number of ``rules``: a stored game
can be read for ever only while the rules of its number stay what they were.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random

from games.compact import pack
from games.registry import GAMES
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document

FOLDER = Path(__file__).parent
TABLES = [(slug, seats) for slug, game in GAMES.items() for seats in game.seat_counts]

ADVICE = (
    "The rules give another game than the one that was written down. If that was not meant, it is a fault. If the "
    "rules have changed, raise `rules` of the game and write the golden games anew: python -m tests.games.golden"
)


def path(slug: str, seats: int) -> Path:
    """Return the path of the golden game of a format."""
    return FOLDER / f"{slug}-{seats}.jsonl"


FORFEITS = FOLDER / "forfeits.json"
"""Games in which seats have given up at different steps: by format, their outcome and their compact form in hex."""


def give_up(slug: str, seats: int) -> Document:
    """Play a game in which all seats give up one after the other, with four or more seats all but the first."""
    seed = sha256(f"golden forfeits {slug} {seats}".encode()).digest()
    state, random, moves = GAMES[slug].new(seats, seed), Random(seed), 0
    stay = {0} if seats > 3 else set()
    while state.pending:
        for seat in state.pending:
            if moves > 20 * (1 + seat // 2) and seat not in stay:
                state.forfeit(seat, FORFEIT_REASONS[seat], len(state.steps_since(0)))
            gone = moves > 20 * (1 + seat // 2) and seat not in stay
            legal = state.legal_moves(seat)
            move = legal[0] if gone else legal[int(random.random() * min(len(legal), 40))]
            state.play(seat, move, default="forfeit" if gone else None)
            moves += 1
    return {"outcome": state.outcome, "packed": pack(state.record).hex()}


def play(slug: str, seats: int) -> list[Document]:
    """One game by a scripted policy from a seed: the head of its record without steps, every step, the outcome.

    The policy draws from the beginning of the list of legal moves and defaults now and then; in the middle of the game
    the last seat forfeits.
    """
    seed = sha256(f"golden {slug} {seats}".encode()).digest()
    state, random, moves = GAMES[slug].new(seats, seed), Random(seed), 0
    while state.pending:
        seat = state.pending[0]
        legal = state.legal_moves(seat)
        if moves > 90 and seat == seats - 1:
            state.play(seat, legal[0], default="forfeit")
        elif random.random() < 0.05:
            state.play(seat, legal[0], default=DEFAULT_REASONS[moves % 5])
        elif len(legal) > 3 and random.random() < 0.35:
            state.play(seat, legal[0])
        else:
            state.play(seat, legal[int(random.random() * min(len(legal), 40))])
        moves += 1
    state.forfeit(seats - 1, "exit")
    record = state.record
    steps, outcome = record.pop("steps"), record.pop("outcome")
    return [record, *steps, outcome]
