"""Crosstables of a cup: entrants by entrants if all meet, otherwise entrants by rounds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from bots.tournaments.rounds import Points, Round, bye_points, match_points

TABLES: Final = 50
"""Tables per page of a round."""


def table_address(round_: int, table: int) -> str:
    """The URL of a table (from 0), relative to the page of the cup."""
    page = f"?page={table // TABLES + 1}" if table >= TABLES else ""
    return f"rounds/{round_}/{page}#table-{table + 1}"


@dataclass(frozen=True)
class CourseRound:
    """A round that has begun. ``results`` are ``None`` until it has ended; ``ruled`` are tables with a ruling."""

    number: int
    round: Round
    results: Sequence[Points | None] | None
    ruled: Collection[int] = ()

    def points(self, table: int) -> Points | None:
        """The game points of a table, ``None`` if it is void or the round has not ended."""
        return None if self.results is None else self.results[table]


Cell = SafeString
"""The HTML of a cell: links to tables with match points, ``·`` for a running round and ``–`` for a void table."""


def by_opponent(course: Sequence[CourseRound], entrants: Sequence[int], *, scores: bool) -> list[list[Cell | None]]:
    """A row of cells per entrant, with a cell for each of ``entrants`` as the opponent; ``None`` on the diagonal.

    With ``scores``, the cells of a cup at two seats also have the game points.
    """
    wanted = set(entrants)
    found: dict[tuple[int, int], list[Cell]] = {}
    for one in course:
        for index, table in enumerate(one.round.tables):
            present = [(place, entrant) for place, entrant in enumerate(table) if entrant in wanted]
            for (place, entrant), (other, opponent) in permutations(present, 2):
                points = one.points(index)
                won = None if points is None else 2 * (points[place] > points[other]) + (points[place] == points[other])
                score = _score(points, place) if scores else ""
                found.setdefault((entrant, opponent), []).append(_result(one, index, won, score))
    cells = {pair: Cell(" ".join(found[pair])) for pair in found}
    return [[None if one == other else cells.get((one, other), Cell()) for other in entrants] for one in entrants]


def by_round(
    course: Sequence[CourseRound], entrants: Sequence[int], seats: int, places: Mapping[int, int]
) -> list[list[Cell | None]]:
    """A row of cells per entrant, with a cell for each round. ``places`` are the numbers to show for opponents."""
    columns = [_column(one, set(entrants), seats, places) for one in course]
    return [[column.get(one, Cell()) for column in columns] for one in entrants]


def _column(one: CourseRound, wanted: Collection[int], seats: int, places: Mapping[int, int]) -> Mapping[int, Cell]:
    bye = format_html('{} <span class="meta">{}</span>', bye_points(seats), gettext("bye"))
    cells = dict.fromkeys(one.round.byes, bye)
    for index, table in enumerate(one.round.tables):
        points = one.points(index)
        won: Sequence[int | None] = match_points(points) if points is not None else [None] * len(table)
        for place, entrant in enumerate(table):
            if entrant in wanted:
                others = ", ".join(f"#{places[other]}" for other in table if other != entrant)
                cells[entrant] = _result(one, index, won[place], f"{_score(points, place)} {others}".strip())
    return cells


def _score(points: Points | None, place: int) -> str:
    """The game points of both entrants at a table for two."""
    return f"{points[place]}–{points[1 - place]}" if points is not None and len(points) == 2 else ""


def _result(one: CourseRound, index: int, won: int | None, more: str) -> Cell:
    text = "·" if one.results is None else "–" if won is None else str(won)
    link = format_html(
        '<a href="{}">{}{}</a>', table_address(one.number, index), text, "*" if index in one.ruled else ""
    )
    return format_html('{} <span class="meta">{}</span>', link, more) if more else link
