"""Who led when: what a game says of the step that turned it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from games.base import Document, State


def tables(state: State) -> list[Document]:
    """What a spectator saw after every step of a finished game. Raises ``ValueError`` for one that is not over."""
    if state.outcome is None:
        raise ValueError("only a finished game has been turned")
    seen: list[Document] = []
    for last, moment in state.retraced():
        seen += [moment.view(None)] * (last + 1 - len(seen))
    return seen


def led_for_good(seen: Sequence[Document], seat: int, has: Callable[[Document], int]) -> int:
    """The step since which ``seat`` is ahead of all others; the last one if it only is by what decides a tie.

    ``has`` is what counts of a player of a view.
    """
    for ply in range(len(seen) - 1, -1, -1):
        others = [has(player) for other, player in enumerate(seen[ply]["players"]) if other != seat]
        if has(seen[ply]["players"][seat]) <= max(others):
            return min(ply + 1, len(seen) - 1)
    return 0


def winner(state: State) -> int | None:
    """The seat that won alone; ``None`` where several share the win."""
    outcome = state.outcome
    if outcome is None:
        return None
    first = [seat for seat, rank in enumerate(outcome["ranks"]) if rank == 1]
    return first[0] if len(first) == 1 else None
