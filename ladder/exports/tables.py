"""The tables of an export as Parquet files, with the meaning of each column."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from django.db.models import BooleanField, Case, CharField, Expression, F, QuerySet, Value, When
from django.utils import timezone

from bots.models import Bot, BotVersion
from ladder.access import public_players
from ladder.ledger.append import one_moment
from ladder.models import Block, Ladder, LedgerEntry, Match, Season, Seat
from ladder.openness import opened, opened_blocks
from ladder.ratings.elo import POINT

# --- Columns ---------------------------------------------------------------------------------------------------------

Rows = QuerySet[Any, Any]

MOMENT: Final = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Column:
    """A column. ``read`` is where a row has its value, under the same name unless said; ``made`` is made of that."""

    name: str
    kind: pa.DataType
    meaning: str
    read: str | Expression = ""
    made: Callable[[Any], Any] | None = None
    nullable: bool = False

    @property
    def field(self) -> pa.Field:
        """As Arrow has it, with its meaning."""
        return pa.field(self.name, self.kind, self.nullable, metadata={"description": self.meaning})

    def array(self, values: Sequence[Any]) -> pa.Array:
        """The column of some rows; what is null stays null."""
        if self.made is not None:
            values = [None if value is None else self.made(value) for value in values]
        return pa.array(values, self.kind)


@dataclass(frozen=True)
class Table:
    """A table, one row for each of ``rows``, in the order of their ids."""

    name: str
    rows: Rows
    columns: Sequence[Column]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([column.field for column in self.columns])

    def part(self, after: int, most: int) -> tuple[pa.RecordBatch, int]:
        """The next rows after the one with that id, ``most`` of them, and the last one's id. One query."""
        made = {f"c{number}": column.read for number, column in enumerate(self.columns) if _is_made(column)}
        names = [
            f"c{number}" if _is_made(column) else str(column.read) or column.name
            for number, column in enumerate(self.columns)
        ]
        rows = self.rows.filter(pk__gt=after).order_by("pk").annotate(**made).values_list("pk", *names)
        found = list(rows[:most])
        values = list(zip(*found, strict=True)) or [()] * (len(names) + 1)
        arrays = [column.array(its) for column, its in zip(self.columns, values[1:], strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema), found[-1][0] if found else after


def word(name: str, meaning: str, read: str | Expression = "", **more: Any) -> Column:
    return Column(name, pa.string(), meaning, read, **more)


def number(name: str, meaning: str, read: str | Expression = "", **more: Any) -> Column:
    return Column(name, pa.int64(), meaning, read, **more)


def flag(name: str, meaning: str, read: str | Expression = "", **more: Any) -> Column:
    return Column(name, pa.bool_(), meaning, read, **more)


def moment(name: str, meaning: str, read: str | Expression = "", **more: Any) -> Column:
    return Column(name, MOMENT, meaning, read, **more)


def points(name: str, meaning: str, read: str) -> Column:
    """A rating, kept in 1/1000 point; null where there is none."""
    return Column(name, pa.float64(), meaning, read, made=lambda rating: rating / POINT, nullable=True)


def as_json(name: str, meaning: str, **more: Any) -> Column:
    return Column(name, pa.string(), meaning, made=_json, **more)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _is_made(column: Column) -> bool:
    return not isinstance(column.read, str)


# --- Tables ----------------------------------------------------------------------------------------------------------
#
# What is closed of a deal is not in them (``ladder.openness``), and of games that go on, nothing is.


def tables(ladders: QuerySet[Ladder]) -> Sequence[Table]:
    """All tables of what was played on ``ladders``."""
    return (_ladders(ladders), _seasons(ladders), _bots(), _versions(), _deals(ladders), *_games(ladders))


def _ladders(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        word("ladder", "its name in addresses", "slug"),
        word("name", "what it is called"),
        word("game", "a slug of the rules"),
        number("seats", "players at a table"),
        word("players", "hosted, remote, open or people: who sits there"),
        flag("open", "whether new games are scheduled"),
        moment("created", "since when it is there"),
    )
    return Table("ladders", ladders, columns)


def _seasons(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        word("ladder", "its ladder", "ladder__slug"),
        number("season", "from 1", "number"),
        moment("opened", "when it began"),
        moment("closed", "when its table was final", nullable=True),
    )
    return Table("seasons", Season.objects.filter(ladder__in=ladders), columns)


def _bots() -> Table:
    owner = Case(When(owner__deleted=None, then=F("owner__username")), output_field=CharField(null=True))
    house = Case(
        When(owner=None, kind=Bot.Kind.HOSTED, then=Value(True)), default=Value(False), output_field=BooleanField()
    )
    columns = (
        word("bot", "its name in addresses", "slug"),
        word("name", "what it is called"),
        word("kind", "hosted or remote: where its code runs; person: who plays by hand"),
        word("owner", "user name; null for the house, for guests, and where the account is gone", owner, nullable=True),
        flag("house", "whether it is the house's", house),
        moment("created", "since when it is there"),
        moment("retired", "since when it plays no more", nullable=True),
    )
    return Table("bots", public_players().select_related(None), columns)


def _versions() -> Table:
    columns = (
        word("bot", "whose version it is", "bot__slug"),
        number("version", "from 1", "number"),
        word("label", "a remote bot's name for it; else empty"),
        word("digest", "SHA-256 of the code, hex"),
        word("language", "what it is written in; remote where nobody here knows, person where there is no code"),
        moment("created", "when it came"),
    )
    ready = BotVersion.objects.filter(bot__in=public_players(), state=BotVersion.State.READY)
    return Table("versions", ready, columns)


def _deals(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        number("deal", "its number in this export", "pk"),
        word("ladder", "where it is played", "ladder__slug"),
        number("season", "null from before the first season", "series__season__number", nullable=True),
        word("series", "what is hashed with the number to make the deal", "series__name", nullable=True),
        number("number", "of the series, from 1", nullable=True),
        word("purpose", "what it is played for"),
        word("commitment", "SHA-256 of the seed, hex"),
        word("seed", "hex", made=lambda seed: bytes(seed).hex()),
        moment("ended", "when the last of its games had ended"),
    )
    return Table("deals", Block.objects.filter(opened_blocks(), ladder__in=ladders), columns)


def _games(ladders: QuerySet[Ladder]) -> tuple[Table, Table, Table]:
    ended = Match.objects.filter(opened("block"), ladder__in=ladders, status__in=Match.ENDED)
    return _matches(ended), _seats(ended), _ledger(ladders)


def _matches(ended: QuerySet[Match]) -> Table:
    columns = (
        number("match", "as in addresses", "pk"),
        word("ladder", "where it was played", "ladder__slug"),
        number("deal", "which deal it was played with", "block"),
        number("seating", "which of the deal's seatings"),
        word("status", "finished, void, cancelled or aborted"),
        word("reason", "why it has no result; else empty"),
        moment("created", "when it was scheduled"),
        moment("started", "its last attempt; null where nobody tried", nullable=True),
        moment("ended", "when it ended"),
    )
    return Table("matches", ended, columns)


def _seats(ended: QuerySet[Match]) -> Table:
    columns = (
        number("match", "which game", "match_id"),
        number("seat", "from 0", "index"),
        word("bot", "who sat there", "version__bot__slug"),
        number("version", "which version of it", "version__number"),
        number("rank", "competition rank; null without a result", "result__rank", nullable=True),
        word("forfeit", "why it lost without playing to the end; else empty", "result__forfeit", nullable=True),
        as_json(
            "score",
            "the game's own score object, JSON; without numbers if the game ended early",
            read="result__score",
            nullable=True,
        ),
        points("rating_before", "points; null where the game does not count", "result__rating_before"),
        points("rating_after", "points; null where the game does not count", "result__rating_after"),
    )
    return Table("seats", Seat.objects.filter(match__in=ended), columns)


def _ledger(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        word("ladder", "whose ledger", "ladder__slug"),
        number("number", "the order in which it counts, from 1 without gaps"),
        word("kind", "result, void, merge, k or season"),
        number("season", "in which it counts", "season__number"),
        number("match", "of a result, and of one that was taken back", "result__match", nullable=True),
        as_json("document", "what it says, JSON"),
        word("hash", "SHA-256 over it and the entry before, hex"),
        moment("created", "when it was written"),
    )
    return Table("ledger", LedgerEntry.objects.filter(ladder__in=ladders), columns)


# --- Files -----------------------------------------------------------------------------------------------------------

AT_ONCE: Final = 20_000
"""So many rows are read, and make one row group."""

FORMAT: Final = "results/1"


def export(folder: Path, with_private: bool = False) -> dict[str, int]:
    """Write all results as they are now into ``folder``, over what is there; rows by table. Raises ``OSError``.

    Without ``with_private`` it holds what everybody may know, and nothing of private ladders.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ladders = Ladder.objects.all() if with_private else Ladder.objects.filter(private=False)
    with one_moment():
        now, found = timezone.now(), tables(ladders)
        rows = {table.name: _write(folder, table) for table in found}
    _describe(folder, now, found, rows)
    return rows


def _write(folder: Path, table: Table) -> int:
    place, written, last, rows = folder / f"{table.name}.parquet", 0, 0, AT_ONCE
    with _replaced(place) as path, pq.ParquetWriter(path, table.schema, compression="zstd") as file:
        while rows == AT_ONCE:
            batch, last = table.part(last, AT_ONCE)
            file.write_batch(batch)
            rows = batch.num_rows
            written += rows
    return written


def _describe(folder: Path, now: datetime, found: Sequence[Table], rows: dict[str, int]) -> None:
    """``tables.json``: when it was made, and every column with its type and meaning."""
    described = {
        table.name: {
            "rows": rows[table.name],
            "columns": {
                column.name: {"type": str(column.kind), "null": column.nullable, "meaning": column.meaning}
                for column in table.columns
            },
        }
        for table in found
    }
    document = {"format": FORMAT, "made": now.isoformat(), "tables": described}
    with _replaced(folder / "tables.json") as path:
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """A file beside ``path`` that takes its place once it is whole."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
