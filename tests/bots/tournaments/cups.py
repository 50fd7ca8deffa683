"""Cups for property tests: entrant lists, and rounds that are played at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from hypothesis import strategies as st

from bots.tournaments.rounds import Entrants, History, PlayedRound, Points, Round, Table
from bots.tournaments.seatings import seatings


@st.composite
def entrant_lists(draw: st.DrawFn, seats: int, most: int = 64) -> Entrants:
    """An entrant list that fills a table. Some owners have several entrants, and some entrants are house bots."""
    size = draw(st.integers(max(2, seats), most))
    owners = draw(st.lists(st.none() | st.integers(1, max(2, size // 2)), min_size=size, max_size=size))
    return Entrants(tuple(owners), draw(st.integers(1, 2)))


def points_of(table: Table, random: Random) -> Points:
    """The points of one block of ``table``. Better seeds win more often, and ties occur."""
    points = [0] * len(table)
    for _ in seatings(len(table)):
        form = [round(random.gauss(-entrant / 8, 2)) for entrant in table]
        for place, own in enumerate(form):
            points[place] += 2 * sum(own > other for other in form) + form.count(own) - 1
    return tuple(points)


def played(round_: Round, random: Random, void: float = 0.0) -> PlayedRound:
    """``round_`` with random results; a share ``void`` of its tables is void."""
    return PlayedRound(
        round_, tuple(None if random.random() < void else points_of(table, random) for table in round_.tables)
    )


def play(
    entrants: Entrants, seats: int, next_round: Callable[[History], Round | None], most: int, random: Random
) -> History:
    """Play up to ``most`` rounds at random."""
    lots = random.sample(range(len(entrants)), len(entrants))
    history = History(entrants, seats, [], lots)
    while len(history.played) < most and (following := next_round(history)) is not None:
        history = History(entrants, seats, [*history.played, played(following, random, void=0.05)], lots)
    return history


def before(history: History, number: int) -> History:
    """What was known when round ``number``, from 0, was paired."""
    return History(history.entrants, history.seats, history.played[:number], history.lots)


def everyone_once(round_: Round, among: Sequence[int]) -> bool:
    """Whether every entrant of ``among`` is at one table or has a bye, and no one else is."""
    seated = [entrant for table in round_.tables for entrant in table]
    return sorted([*seated, *round_.byes]) == sorted(among)
