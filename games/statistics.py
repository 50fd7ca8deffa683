"""The statistics contract: what a game counts in its finished games, in addition to ranks and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.rules import Document, State


@dataclass(frozen=True)
class Figure:
    """A number that a game counts per seat and stretch, such as the money of each phase.

    ``key`` names it in documents, ``heading`` is its column head with the unit, ``meaning`` explains it in one
    sentence.
    """

    key: str
    heading: str
    meaning: str


Figures = dict[str, list[int]]
"""The figures of one seat by ``Figure.key``, with one number per stretch."""


@dataclass(frozen=True)
class Habit:
    """A habit of play: how often (``share``) or how much on average, over all its occasions.

    ``group`` is the table that shows it, ``heading`` its column head, ``meaning`` explains it in one sentence.
    ``occasion`` names what is counted, in the plural. Amounts are in units of 1/``scale``.
    """

    key: str
    group: str
    heading: str
    meaning: str
    occasion: str
    share: bool = True
    scale: int = 1


Habits = dict[str, list[int]]
"""The habits of one seat in one game by ``Habit.key``: the sum of the amounts and the number of occasions.

The amount of a share is the number of occasions on which the seat did it. Habits without occasions can be omitted.
"""


@dataclass(frozen=True)
class Exchange:
    """An agreement of two seats: ``buyer`` paid ``seller`` a price for the ``good`` that both wanted.

    ``Statistics.price_unit`` is the unit. Goods are terms of the game, such as ``money`` or ``gems``.
    """

    buyer: int
    seller: int
    price: int
    good: str


def require_finished(state: State) -> None:
    """Raise ``ValueError`` unless the game is over."""
    if state.outcome is None:
        raise ValueError("statistics need a finished game")


def no_figures(state: State) -> list[Figures]:
    """Return no figures for any seat. Raises ``ValueError`` unless the game is over."""
    require_finished(state)
    return [{} for _ in range(state.seats)]


def no_exchanges(state: State) -> list[Exchange]:
    """Return no agreements. Raises ``ValueError`` unless the game is over."""
    require_finished(state)
    return []


def no_turning_point(state: State) -> None:
    """Return ``None``. Raises ``ValueError`` unless the game is over."""
    require_finished(state)


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of a game. All functions take the state of a finished game and raise ``ValueError`` for any other.

    ``stretches`` are the names of the parts of a game by which ``figures`` are counted, such as phases: every figure of
    a seat has one number per stretch. ``habits`` counts how seats play. ``exchanges`` lists agreements in order; their
    prices are in ``price_unit`` (plural, or ``""`` for a game without agreements). ``turning_point`` returns the step
    that decided the game, or ``None`` if no step did.
    """

    stretches: tuple[str, ...] = ()
    figure_columns: Sequence[Figure] = ()
    figures: Callable[[State], list[Figures]] = no_figures
    habit_columns: Sequence[Habit] = ()
    habits: Callable[[State], list[Habits]] = no_figures
    price_unit: str = ""
    exchanges: Callable[[State], list[Exchange]] = no_exchanges
    turning_point: Callable[[State], int | None] = no_turning_point


# --- Who led when ----------------------------------------------------------------------------------------------------


def tables(state: State) -> list[Document]:
    """Return the spectator's view after every step of a finished game. Raises ``ValueError`` for others."""
    if state.outcome is None:
        raise ValueError("only a finished game has a turning point")
    seen: list[Document] = []
    for last, moment in state.retraced():
        seen += [moment.view(None)] * (last + 1 - len(seen))
    return seen


def led_for_good(seen: Sequence[Document], seat: int, has: Callable[[Document], int]) -> int:
    """Return the step with which ``seat`` took the lead over all others and kept it.

    ``has`` returns what is compared, from a player of a view. If ``seat`` is ahead only by a tiebreaker, returns the
    last step.
    """
    for ply in range(len(seen) - 1, -1, -1):
        others = [has(player) for other, player in enumerate(seen[ply]["players"]) if other != seat]
        if has(seen[ply]["players"][seat]) <= max(others):
            return min(ply + 1, len(seen) - 1)
    return 0


def winner(state: State) -> int | None:
    """Return the only winner, or ``None`` if several seats share the win or the game is not over."""
    outcome = state.outcome
    if outcome is None:
        return None
    first = [seat for seat, rank in enumerate(outcome["ranks"]) if rank == 1]
    return first[0] if len(first) == 1 else None
