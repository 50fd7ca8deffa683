"""What the public may see of a running live game: the game one round ago.

It is cut here alone. While round r of the game is played, by the moves that are shown, the public sees what had
happened when round r − 1 had just begun, and in the first round nothing. Clocks, strikes, who is asked and how many
moves there are stay hidden. Once the match has ended everything is open, by the record (``ladder.openness``).
"""

from __future__ import annotations

from dataclasses import dataclass

from games.outcomes import shown_outcome, when_left
from games.rules import Document, State
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.models import Match


@dataclass(frozen=True)
class Cut:
    """A running game as everybody may see it: ``round`` is the one that has just begun in it, of the whole game."""

    round: int
    view: Document
    log: Document


def public_cut(match: Match) -> Cut | None:
    """Return the cut of the running live game ``match``, which has its ladder and block; ``None`` in its first round.

    Return ``None`` for a match that does not run: a game that has ended is not cut.
    """
    return None if match.status != Match.Status.RUNNING else cut_of(position_of(match))


def cut_of(position: Position) -> Cut | None:
    """Return the same as :func:`public_cut` for a running game that was read already."""
    state = cut(position.shown_to(None))
    return None if state is None else Cut(state.rounds_begun, state.view(None), state.log(None))


def ended(position: Position) -> tuple[State, Document | None]:
    """A game that has ended, as all viewers see it: the table as it was then, and the outcome if there is one."""
    state = position.state(journal=True)
    return when_left(state) or state, shown_outcome(state)


def cut(state: State) -> State | None:
    """Return ``state`` at the start of the round before the current one; ``None`` in the first round."""
    shown = state.rounds_begun - 1
    if shown < 1:
        return None
    for _, earlier in state.retraced():
        if earlier.rounds_begun >= shown:
            return earlier
    raise AssertionError("a game that has begun a round has been in it")
