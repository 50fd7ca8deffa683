"""Crosstables of a cup: entrants by entrants if all meet, otherwise entrants by rounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import permutations
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from bots.tournaments.rounds import Points, bye_points, match_points
from ladder.cups.results import RoundResults

TABLES: Final = 50
"""Tables per page of a round."""


def table_address(round_: int, table: int) -> str:
    """The URL of a table (from 0), relative to the page of the cup."""
    page = f"?page={table // TABLES + 1}" if table >= TABLES else ""
    return f"rounds/{round_}/{page}#table-{table + 1}"


Cell = SafeString
"""The HTML of a cell: links to tables with match points, ``·`` for a running round and ``–`` for a void table."""


def by_opponent(rounds: Sequence[RoundResults], entrants: Sequence[int], *, scores: bool) -> list[list[Cell | None]]:
    """A row of cells per entrant, with a cell for each of ``entrants`` as the opponent; ``None`` on the diagonal.

    With ``scores``, the cells of a cup at two seats also have the game points.
    """
    wanted = set(entrants)
    results = defaultdict[tuple[int, int], list[Cell]](list)
    for round_ in rounds:
        for index, table in enumerate(round_.round.tables):
            present = [(place, entrant) for place, entrant in enumerate(table) if entrant in wanted]
            for (place, entrant), (other, opponent) in permutations(present, 2):
                points = round_.points(index)
                won = None if points is None else 2 * (points[place] > points[other]) + (points[place] == points[other])
                score = _score(points, place) if scores else ""
                results[entrant, opponent].append(_result(round_, index, won, score))
    cells = {pair: Cell(" ".join(results[pair])) for pair in results}
    return [
        [None if entrant == other else cells.get((entrant, other), Cell()) for other in entrants]
        for entrant in entrants
    ]


def by_round(
    rounds: Sequence[RoundResults], entrants: Sequence[int], seats: int, places: Mapping[int, int]
) -> list[list[Cell | None]]:
    """A row of cells per entrant, with a cell for each round. ``places`` are the numbers to show for opponents."""
    columns = [_column(round_, set(entrants), seats, places) for round_ in rounds]
    return [[column.get(entrant, Cell()) for column in columns] for entrant in entrants]


def _column(round_: RoundResults, wanted: Collection[int], seats: int, places: Mapping[int, int]) -> Mapping[int, Cell]:
    bye = format_html('{} <span class="meta">{}</span>', bye_points(seats), gettext("bye"))
    cells = dict.fromkeys(round_.round.byes, bye)
    for index, table in enumerate(round_.round.tables):
        points = round_.points(index)
        won: Sequence[int | None] = match_points(points) if points is not None else [None] * len(table)
        for place, entrant in enumerate(table):
            if entrant in wanted:
                others = ", ".join(f"#{places[other]}" for other in table if other != entrant)
                cells[entrant] = _result(round_, index, won[place], f"{_score(points, place)} {others}".strip())
    return cells


def _score(points: Points | None, place: int) -> str:
    """The game points of both entrants at a table for two."""
    return f"{points[place]}–{points[1 - place]}" if points is not None and len(points) == 2 else ""


def _result(round_: RoundResults, index: int, won: int | None, more: str) -> Cell:
    text = "·" if round_.results is None else "–" if won is None else str(won)
    mark = "*" if round_.tables[index].ruled else ""
    link = format_html('<a href="{}">{}{}</a>', table_address(round_.number, index), text, mark)
    return format_html('{} <span class="meta">{}</span>', link, more) if more else link
