"""The bracket of a knockout as a drawing: a column per round, a box per table, and lines to the next tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bots.tournaments.elimination import knockout_round, ranking, survivors
from bots.tournaments.formats import Plan
from bots.tournaments.rounds import PlayedRound, Points, Round
from ladder.pages.components.crosstable import table_address
from ladder.pages.components.words import fitted

MOST_TABLES: Final = 32
"""A bracket begins with the first round that has at most this number of tables."""

MOST_REPLAYS: Final = 6
"""The most replays that a box links to. Its other replays are on the page of the round."""

ROW: Final = 24
FOOT: Final = 20
GAP: Final = 14
TOP: Final = 30
WIDTH: Final = 196
COLUMN: Final = 244
LINK: Final = 24
NAME: Final = 142


@dataclass(frozen=True)
class Line:
    """A row of a box: an entrant (``None`` if it is not known yet), its game points, and whether it advances."""

    entrant: int | None
    name: str
    points: int | None
    advances: bool
    y: int

    @property
    def short(self) -> str:
        """The name, as much as fits. Names that play on are bold."""
        return fitted(self.name, 17 if self.advances else 15, NAME)


@dataclass(frozen=True)
class Box:
    """A table of round ``round`` (from 1) with number ``table`` (from 0). ``replays`` are empty until the round ends.

    ``state`` is ``planned``, ``running``, ``void`` or ``decided``.
    """

    round: int
    table: int
    x: int
    y: int
    state: str
    lines: Sequence[Line]
    replays: Sequence[int]

    @property
    def address(self) -> str:
        return table_address(self.round, self.table)

    @property
    def height(self) -> int:
        return ROW * len(self.lines)

    @property
    def foot(self) -> int:
        return self.y + self.height + 15

    @property
    def links(self) -> Sequence[tuple[int, int, int]]:
        """Its replays: match number, place from 1, and x of the middle."""
        return [(match, place, self.x + 60 + LINK * place) for place, match in enumerate(self.replays, 1)]

    @property
    def known(self) -> bool:
        """Whether its entrants are known."""
        return any(line.entrant is not None for line in self.lines)


@dataclass(frozen=True)
class BracketRound:
    """A round with its tables from top to bottom, and its entrants with a bye."""

    number: int
    x: int
    boxes: Sequence[Box]
    byes: Sequence[str]

    @property
    def listed(self) -> Sequence[Box]:
        """The tables whose entrants are known, in their order."""
        return sorted((box for box in self.boxes if box.known), key=lambda box: box.table)


@dataclass(frozen=True)
class Bracket:
    """A drawing of ``width`` and ``height``. ``paths`` are the lines between tables."""

    columns: Sequence[BracketRound]
    paths: Sequence[str]
    width: int
    height: int

    @property
    def first(self) -> int:
        """The number of the first round that is drawn."""
        return self.columns[0].number if self.columns else 1


@dataclass(frozen=True)
class _Stage:
    """A round of the bracket, which is ``decided``, ``running`` or ``planned``. ``named`` says that it is paired."""

    round: Round
    results: Sequence[Points | None]
    stay: frozenset[int]
    named: bool
    state: str


def bracket(
    plan: Plan,
    played: Sequence[PlayedRound],
    names: Mapping[int, str],
    replays: Mapping[tuple[int, int], Sequence[int]],
    begun: int,
) -> Bracket:
    """Draw a knockout after the rounds ``played``. ``replays`` are match numbers by round and table.

    ``begun`` is the number of rounds that have begun.
    """
    stages = list(_stages(plan, played, begun))
    first = next((at for at, stage in enumerate(stages) if len(stage.round.tables) <= MOST_TABLES), len(stages))
    shown = stages[first:]
    order = _order(shown)
    tops = _tops(shown, order)
    columns = []
    for at, (stage, tables) in enumerate(zip(shown, order, strict=True)):
        number = first + at + 1
        boxes = [
            _box(stage, number, table, at * COLUMN, tops[at][table], names, replays.get((number, table), ()))
            for table in tables
        ]
        byes = [names[entrant] for entrant in stage.round.byes] if stage.named else []
        columns.append(BracketRound(number, at * COLUMN, boxes, byes))
    sure = len(played) if _may_clash(plan, stages) else len(stages)
    paths = [path for at in range(len(shown) - 1) if first + at < sure for path in _paths(shown, tops, at)]
    bottom = max((box.y + box.height + FOOT for column in columns for box in column.boxes), default=0)
    return Bracket(columns, paths, (len(shown) - 1) * COLUMN + WIDTH + 2, bottom)


def _stages(plan: Plan, played: Sequence[PlayedRound], begun: int) -> Iterator[_Stage]:
    """All rounds. Further ones are planned as if the seeding decided, which is right for sizes and places."""
    so_far: list[PlayedRound] = []
    alive: Sequence[int] = range(len(plan.entrants))
    while (following := knockout_round(plan.entrants, plan.seats, so_far)) is not None:
        ended = len(so_far) < len(played)
        played_round = played[len(so_far)] if ended else PlayedRound(following, (None,) * len(following.tables))
        is_final = len(alive) == plan.seats
        if is_final:
            stay = ranking(played_round.round.tables[0], played_round.results[0])[:1]
        else:
            stay = survivors(played_round, plan.seats, alive)
        number = len(so_far)
        state = "decided" if ended else "running" if number < begun else "planned"
        yield _Stage(played_round.round, played_round.results, frozenset(stay), number <= len(played), state)
        so_far.append(played_round)
        alive = stay


def _may_clash(plan: Plan, stages: Sequence[_Stage]) -> bool:
    """Whether the limit of entries at a table may still change who meets whom."""
    left = [entrant for stage in stages if stage.state != "decided" for entrant in stage.round.entrants]
    return plan.entrants.clashes(set(left)) > 0


def _targets(stages: Sequence[_Stage], at: int) -> dict[int, list[int]]:
    """By table of a round, the tables of the next round in which its entrants play on, in order."""
    if at + 1 == len(stages):
        return {}
    following = {entrant: index for index, table in enumerate(stages[at + 1].round.tables) for entrant in table}
    stay = stages[at].stay
    return {
        index: sorted({following[entrant] for entrant in table if entrant in stay and entrant in following})
        for index, table in enumerate(stages[at].round.tables)
    }


def _order(stages: Sequence[_Stage]) -> list[list[int]]:
    """The tables of each round from top to bottom: next to those that lead to the same table."""
    orders: list[list[int]] = []
    for at in reversed(range(len(stages))):
        tables = range(len(stages[at].round.tables))
        if not orders:
            orders.append(list(tables))
            continue
        place = {table: position for position, table in enumerate(orders[0])}
        targets = _targets(stages, at)
        means = {
            table: sum(place[to] for to in targets[table]) / len(targets[table])
            if targets[table]
            else len(place) + table
            for table in tables
        }
        orders.insert(0, sorted(tables, key=lambda table: (means[table], table)))
    return orders


def _tops(stages: Sequence[_Stage], order: Sequence[Sequence[int]]) -> list[dict[int, int]]:
    """By round and table, the upper edge of its box: in the middle of the tables that lead to it, without overlap."""
    tops: list[dict[int, int]] = []
    for at, tables in enumerate(order):
        sources: dict[int, list[int]] = {}
        if at:
            for source, targets in _targets(stages, at - 1).items():
                for target in targets:
                    sources.setdefault(target, []).append(source)
        tops.append({})
        free = TOP
        for table in tables:
            height = ROW * len(stages[at].round.tables[table])
            middles = [
                tops[at - 1][source] + ROW * len(stages[at - 1].round.tables[source]) // 2
                for source in sources.get(table, ())
            ]
            wanted = sum(middles) // len(middles) - height // 2 if middles else free
            tops[at][table] = max(free, wanted)
            free = tops[at][table] + height + FOOT + GAP
    return tops


def _paths(stages: Sequence[_Stage], tops: Sequence[Mapping[int, int]], at: int) -> Iterator[str]:
    """The lines from the tables of a round to those of the next one."""
    for table, targets in _targets(stages, at).items():
        start = tops[at][table] + ROW * len(stages[at].round.tables[table]) // 2
        for target in targets:
            end = tops[at + 1][target] + ROW * len(stages[at + 1].round.tables[target]) // 2
            middle = at * COLUMN + WIDTH + (COLUMN - WIDTH) // 2
            yield f"M{at * COLUMN + WIDTH} {start}H{middle}V{end}H{(at + 1) * COLUMN}"


def _box(
    stage: _Stage, number: int, table: int, x: int, y: int, names: Mapping[int, str], replays: Sequence[int]
) -> Box:
    entrants, points = stage.round.tables[table], stage.results[table]
    lines = [
        Line(
            entrant if stage.named else None,
            names[entrant] if stage.named else "",
            None if points is None else points[place],
            stage.state == "decided" and entrant in stage.stay,
            y + ROW * place,
        )
        for place, entrant in enumerate(entrants)
    ]
    state = "void" if stage.state == "decided" and points is None else stage.state
    return Box(number, table, x, y, state, lines, replays[:MOST_REPLAYS])
