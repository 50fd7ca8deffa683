"""The crosstables and the bracket of a cup, as pure functions of its rounds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, pairwise
from random import Random

import pytest
from django.utils import timezone

from bots.tournaments.formats import Plan
from bots.tournaments.rounds import Entrants, PlayedRound, Points, Table
from ladder.cups.results import RoundResults
from ladder.models import CupRound, CupTable
from ladder.pages.components.bracket import MOST_TABLES, WIDTH, Bracket, bracket
from ladder.pages.components.crosstable import TABLES, by_opponent, by_round, table_address
from tests.page import parsed


def begun(
    number: int,
    tables: Sequence[Table],
    byes: Sequence[int] = (),
    points: Sequence[Points | None] | None = None,
    ruled: Collection[int] = (),
) -> RoundResults:
    """A round that has ended if it has ``points``."""
    row = CupRound(number=number, byes=list(byes), ended=None if points is None else timezone.now())
    return RoundResults(
        row,
        [
            CupTable(index=index, entrants=list(table), points=points and points[index], ruled=index in ruled)
            for index, table in enumerate(tables)
        ],
    )


FIRST = begun(1, [(0, 1), (2, 3)], (4,), [(3, 1), None], {1})
SECOND = begun(2, [(0, 2), (1, 4)], (3,))


def texts(cells: list[str | None]) -> list[str]:
    return [parsed(cell or "").text for cell in cells]


def test_a_crosstable_has_the_match_points_against_each_opponent() -> None:
    rows = by_opponent([FIRST], [0, 1, 2, 3, 4], scores=True)
    assert texts(rows[0]) == ["", "2 3–1", "", "", ""]
    assert texts(rows[1]) == ["0 1–3", "", "", "", ""]
    assert texts(rows[2]) == ["", "", "", "–*", ""]
    assert rows[0][0] is None


def test_a_row_of_a_crosstable_adds_up_to_the_match_points() -> None:
    rounds = [begun(1, [(0, 1, 2)], points=[(9, 5, 5)]), begun(2, [(2, 1, 0)], points=[(8, 2, 2)])]
    rows = by_opponent(rounds, [0, 1, 2], scores=False)
    sums = [sum(int(point) for cell in texts(row) for point in cell.split()) for row in rows]
    assert sums == [4 + 1, 1 + 1, 1 + 4]


def test_results_by_round_name_the_opponents_by_their_places() -> None:
    rows = by_round([FIRST, SECOND], [0, 4], 2, {entrant: entrant + 1 for entrant in range(5)})
    assert texts(rows[0]) == ["2 3–1 #2", "· #3"]
    assert texts(rows[1])[0].split()[0] == "2"
    assert parsed(rows[1][0] or "").links == []


def test_the_address_of_a_table_leads_to_its_page_of_the_round() -> None:
    assert table_address(3, 0) == "rounds/3/#table-1"
    assert table_address(3, TABLES) == f"rounds/3/?page=2#table-{TABLES + 1}"


def drawn(size: int, seats: int, rounds: int, owners: int = 0) -> Bracket:
    plan = Plan(
        "knockout", seats, Entrants(tuple(entrant % (owners or size) for entrant in range(size))), b"k" * 32, ""
    )
    random, played = Random(size), list[PlayedRound]()
    while len(played) < rounds and (following := plan.next_round(played)) is not None:
        results = tuple(tuple(random.sample(range(20), len(table))) for table in following.tables)
        played.append(PlayedRound(following, results))
    return bracket(
        plan, played, {entrant: f"Bot {entrant}" for entrant in range(size)}, {(1, 0): range(1, 10)}, len(played) + 1
    )


@pytest.mark.parametrize(("size", "seats"), [(2, 2), (11, 2), (64, 2), (20, 3), (64, 4), (23, 5)])
@pytest.mark.parametrize("rounds", [0, 1, 99])
def test_boxes_of_a_bracket_do_not_overlap_and_fit_the_drawing(size: int, seats: int, rounds: int) -> None:
    drawing = drawn(size, seats, rounds)
    for column in drawing.columns:
        for above, below in pairwise(column.boxes):
            assert above.foot < below.y
        for box in column.boxes:
            assert box.x + WIDTH <= drawing.width
            assert box.foot <= drawing.height


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_those_who_play_on_are_marked_and_appear_in_the_next_round(seats: int) -> None:
    columns = drawn(24, seats, 99).columns
    for column, following in pairwise(columns):
        marked = {line.name for box in column.boxes for line in box.lines if line.advances}
        later = {line.name for box in following.boxes for line in box.lines} | set(following.byes)
        assert marked | set(column.byes) == later
    assert sum(line.advances for line in columns[-1].boxes[0].lines) == 1


def test_later_rounds_are_planned_without_names_or_points() -> None:
    first, second, *_rest = drawn(16, 2, 1).columns[1:]
    assert {box.state for box in first.boxes} == {"running"}
    assert {box.state for box in second.boxes} == {"planned"}
    assert not any(line.name or line.points is not None for box in second.boxes for line in box.lines)
    assert all(line.points is None for box in first.boxes for line in box.lines)


def test_lines_to_planned_tables_are_drawn_only_if_no_owner_can_change_them() -> None:
    assert len(drawn(16, 2, 0).paths) == 8 + 4 + 2
    assert drawn(16, 2, 0, owners=4).paths == []


def test_a_large_bracket_begins_with_a_later_round() -> None:
    drawing = drawn(512, 2, 0)
    assert len(drawing.columns[0].boxes) == MOST_TABLES
    assert drawing.first == 4
    assert not any(a.x == b.x for a, b in combinations(drawing.columns, 2))
