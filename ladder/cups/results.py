"""The results of a cup: its entrants, rounds and standings, for the next round and for every page, file and answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bots.tournaments.formats import Plan
from bots.tournaments.rounds import Entrants, PlayedRound, Points, Round, Standing, match_points
from games.rules import Document
from ladder.models import Cup, CupEntry, CupRound, CupTable, Match, SeatResult


@dataclass(frozen=True)
class RoundResults:
    """A round that has begun, with its tables by index."""

    row: CupRound
    tables: Sequence[CupTable]

    @property
    def number(self) -> int:
        return self.row.number

    @cached_property
    def round(self) -> Round:
        """Who plays whom."""
        return Round(tuple(tuple(table.entrants) for table in self.tables), tuple(self.row.byes))

    @cached_property
    def results(self) -> tuple[Points | None, ...] | None:
        """The public points by table, ``None`` for a void table. ``None`` while the round runs.

        All tables of a round that a cancellation stopped are void.
        """
        if self.row.stopped:
            return (None,) * len(self.tables)
        if self.row.ended is None:
            return None
        return tuple(None if table.points is None else tuple(table.points) for table in self.tables)

    def points(self, index: int) -> Points | None:
        """The public points of a table; ``None`` if it is void or the round runs."""
        return None if self.results is None else self.results[index]

    @property
    def decided(self) -> int:
        """The number of decided tables."""
        return sum(table.decided for table in self.tables)


_SHOWN: Final = (
    *("cup", "number", "owner_number", "rank", "state", "reason", "version__number", "version__digest"),
    *(f"bot__{name}" for name in ("slug", "name", "kind", "house_name", "retired")),
    *("bot__owner__username", "bot__owner__deleted"),
)


class CupResults:
    """What has happened in a cup. Entries, rounds and tables are read when they are needed, with one query each."""

    def __init__(self, cup: Cup) -> None:
        self.cup = cup

    @cached_property
    def entries(self) -> Sequence[CupEntry]:
        """All entries: the frozen entrants by number, others by time of entry.

        Of bots, owners and versions, only what names and links need is read (``_SHOWN``).
        """
        entries = CupEntry.objects.filter(cup=self.cup).select_related("bot__owner", "version")
        return list(entries.only(*_SHOWN).order_by("number", "pk"))

    @cached_property
    def entrants(self) -> Mapping[int, CupEntry]:
        """The frozen entrant list, by number; empty before the deadline."""
        return {entry.number: entry for entry in self.entries if entry.number is not None}

    @cached_property
    def left(self) -> Mapping[int, str]:
        """The entrants who were withdrawn or disqualified after the list was frozen, with their states."""
        entered = CupEntry.State.ENTERED
        return {number: entry.state for number, entry in self.entrants.items() if entry.state != entered}

    @cached_property
    def plan(self) -> Plan:
        """The plan of a frozen cup."""
        cup = self.cup
        owners = tuple(entry.owner_number for entry in self.entrants.values())
        design = tuple(tuple(table) for table in cup.design)
        entrants = Entrants(owners, cup.at_a_table)
        return Plan(cup.format, cup.ladder.seats, entrants, bytes(cup.key), cup.entrants_hash, cup.rounds, design)

    @cached_property
    def rounds(self) -> Sequence[RoundResults]:
        """The rounds that have begun, oldest first."""
        rows = CupRound.objects.filter(cup=self.cup).order_by("number")
        tables: dict[int, list[CupTable]] = {row.pk: [] for row in rows}
        for table in CupTable.objects.filter(round__in=list(tables)).order_by("index"):
            tables[table.round_id].append(table)
        return [RoundResults(row, tables[row.pk]) for row in rows]

    @cached_property
    def played(self) -> Sequence[PlayedRound]:
        """The rounds that have ended, with rulings. A round that a cancellation stopped is not among them."""
        ended = [round_ for round_ in self.rounds if round_.row.ended is not None and not round_.row.stopped]
        return [PlayedRound(round_.round, round_.results or ()) for round_ in ended]

    @cached_property
    def standings(self) -> Sequence[Standing]:
        """The standings after the rounds that have ended, best first. Empty before that."""
        return self.plan.standings(self.played, self.left) if self.played else ()

    @cached_property
    def matches(self) -> Mapping[tuple[int, int], Sequence[int]]:
        """The finished games of the rounds that have ended, as ids by number of the round and index of the table."""
        ended = Match.objects.filter(
            block__cup_table__round__in=[round_.row for round_ in self.rounds if round_.row.ended]
        )
        finished = ended.filter(status=Match.Status.FINISHED).order_by("block__number", "seating")
        matches = defaultdict[tuple[int, int], list[int]](list)
        place = ("block__cup_table__round__number", "block__cup_table__index")
        for number, index, match in finished.values_list(*place, "pk"):
            matches[number, index].append(match)
        return matches


# --- Tables ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableEntrant:
    """An entrant at a table. Both numbers of points are ``None`` until the round has ended, and at a void table.

    ``left``: the entrant had left the cup before the table was decided.
    """

    entry: CupEntry
    points: int | None
    match_points: int | None
    left: bool


@dataclass(frozen=True)
class TableResults:
    """A table of a round as the public sees it.

    ``matches`` are the ids of its finished games if the round has ended. ``replaced``: a block was void.
    """

    table: CupTable
    entrants: Sequence[TableEntrant]
    matches: Sequence[int]
    replaced: bool
    ended: bool

    @property
    def void(self) -> bool:
        """Whether the table has no result. A ruling is public before the round ends, a decision by games is not."""
        return self.table.decided and self.table.points is None and (self.ended or self.table.ruled)


def table_results(round_: CupRound, tables: Iterable[CupTable], entrants: Mapping[int, CupEntry]) -> list[TableResults]:
    """The results of ``tables`` of a round, with the entrants by their place in the first seating. One query."""
    tables = list(tables)
    games: dict[int, list[tuple[int, str]]] = {table.pk: [] for table in tables}
    matches = Match.objects.filter(block__cup_table__in=list(games)).order_by("pk")
    for table_id, match_id, status in matches.values_list("block__cup_table", "pk", "status"):
        games[table_id].append((match_id, status))
    ended = round_.ended is not None
    results = list[TableResults]()
    for table in tables:
        nothing: Sequence[None] = [None] * len(table.entrants)
        points = table.points if ended and table.points else None
        rows = zip(table.entrants, points or nothing, match_points(tuple(points)) if points else nothing, strict=True)
        seated = [
            TableEntrant(entrants[entrant], own, won, ended and place in table.gone)
            for place, (entrant, own, won) in enumerate(rows)
        ]
        finished = [match for match, status in games[table.pk] if status == Match.Status.FINISHED]
        replaced = any(status == Match.Status.VOID for _match, status in games[table.pk])
        results.append(TableResults(table, seated, finished if ended else [], replaced, ended))
    return results


def blocks_of(tables: Iterable[CupTable]) -> dict[int, list[Document]]:
    """By table, the blocks that were played, as the ledger has them: the commitment and the games by seating.

    ``ranks`` are by seat, and ``None`` for a match without a result, which is void or canceled.
    """
    ranks: dict[int, list[int]] = defaultdict(list)
    played = SeatResult.objects.filter(
        seat__match__block__cup_table__in=tables, seat__match__status=Match.Status.FINISHED
    )
    for match_id, rank in played.order_by("seat__match", "seat__index").values_list("seat__match", "rank"):
        ranks[match_id].append(rank)
    blocks: dict[int, Document] = {}
    by_table: dict[int, list[Document]] = {table.pk: [] for table in tables}
    matches = Match.objects.filter(block__cup_table__in=tables).order_by("block__number", "block", "seating")
    columns = ("pk", "status", "block", "block__cup_table", "block__commitment")
    for match_id, status, block_id, table_id, commitment in matches.values_list(*columns):
        if block_id not in blocks:
            blocks[block_id] = {"commitment": commitment, "games": []}
            by_table[table_id].append(blocks[block_id])
        blocks[block_id]["games"].append({"match": match_id, "status": status, "ranks": ranks.get(match_id)})
    return by_table
