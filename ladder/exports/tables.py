"""Export of all results as Parquet files, with a description of each column."""

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
from ladder.ledger.entries import one_moment
from ladder.models import Block, Ladder, LedgerEntry, Match, Season, Seat
from ladder.openness import opened, opened_blocks
from ladder.ratings.elo import POINT

# --- Columns ---------------------------------------------------------------------------------------------------------

Rows = QuerySet[Any, Any]

MOMENT: Final = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class ExportColumn:
    """A column. ``read`` is the field of the row, by default ``name``. ``made`` converts its values."""

    name: str
    kind: pa.DataType
    meaning: str
    read: str | Expression = ""
    made: Callable[[Any], Any] | None = None
    nullable: bool = False

    @property
    def field(self) -> pa.Field:
        """The Arrow field, with ``meaning`` as metadata."""
        return pa.field(self.name, self.kind, self.nullable, metadata={"description": self.meaning})

    def array(self, values: Sequence[Any]) -> pa.Array:
        """Return the values as an Arrow array. Null values are not converted."""
        if self.made is not None:
            values = [None if value is None else self.made(value) for value in values]
        return pa.array(values, self.kind)


@dataclass(frozen=True)
class ExportTable:
    """A table with one row for each of ``rows``, ordered by id."""

    name: str
    rows: Rows
    columns: Sequence[ExportColumn]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([column.field for column in self.columns])

    def part(self, after: int, most: int) -> tuple[pa.RecordBatch, int]:
        """Return up to ``most`` rows that follow the row with the id ``after``, and the last id. Makes one query."""
        made = {f"c{number}": column.read for number, column in enumerate(self.columns) if _is_made(column)}
        names = [
            f"c{number}" if _is_made(column) else str(column.read) or column.name
            for number, column in enumerate(self.columns)
        ]
        rows = self.rows.filter(pk__gt=after).order_by("pk").annotate(**made).values_list("pk", *names)
        chosen = list(rows[:most])
        values = list(zip(*chosen, strict=True)) or [()] * (len(names) + 1)
        arrays = [column.array(cells) for column, cells in zip(self.columns, values[1:], strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema), chosen[-1][0] if chosen else after


def word(name: str, meaning: str, read: str | Expression = "", **more: Any) -> ExportColumn:
    return ExportColumn(name, pa.string(), meaning, read, **more)


def number(name: str, meaning: str, read: str | Expression = "", **more: Any) -> ExportColumn:
    return ExportColumn(name, pa.int64(), meaning, read, **more)


def flag(name: str, meaning: str, read: str | Expression = "", **more: Any) -> ExportColumn:
    return ExportColumn(name, pa.bool_(), meaning, read, **more)


def moment(name: str, meaning: str, read: str | Expression = "", **more: Any) -> ExportColumn:
    return ExportColumn(name, MOMENT, meaning, read, **more)


def points(name: str, meaning: str, read: str) -> ExportColumn:
    """Return a column of ratings in points. They are stored in 1/1000 of a point, and can be null."""
    return ExportColumn(name, pa.float64(), meaning, read, made=lambda rating: rating / POINT, nullable=True)


def as_json(name: str, meaning: str, **more: Any) -> ExportColumn:
    return ExportColumn(name, pa.string(), meaning, made=_json, **more)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _is_made(column: ExportColumn) -> bool:
    return not isinstance(column.read, str)


# --- Tables ----------------------------------------------------------------------------------------------------------
#
# The tables contain only games and deals that are public (``ladder.openness``), and no running games.


def tables(ladders: QuerySet[Ladder]) -> Sequence[ExportTable]:
    """Return all tables for ``ladders``."""
    return (_ladders(ladders), _seasons(ladders), _bots(), _versions(), _deals(ladders), *_games(ladders))


def _ladders(ladders: QuerySet[Ladder]) -> ExportTable:
    columns = (
        word("ladder", "slug of the ladder", "slug"),
        word("name", "display name"),
        word("game", "slug of the game"),
        number("seats", "number of seats"),
        word("players", "kind of players: hosted, remote, open or people"),
        flag("open", "whether the ladder schedules new games"),
        moment("created", "time of creation"),
    )
    return ExportTable("ladders", ladders, columns)


def _seasons(ladders: QuerySet[Ladder]) -> ExportTable:
    columns = (
        word("ladder", "slug of the ladder", "ladder__slug"),
        number("season", "number of the season, from 1", "number"),
        moment("opened", "time at which the season opened"),
        moment("closed", "time at which the standings became final; null before", nullable=True),
    )
    return ExportTable("seasons", Season.objects.filter(ladder__in=ladders), columns)


def _bots() -> ExportTable:
    owner = Case(When(owner__deleted=None, then=F("owner__username")), output_field=CharField(null=True))
    house = Case(
        When(owner=None, kind=Bot.Kind.HOSTED, then=Value(True)), default=Value(False), output_field=BooleanField()
    )
    columns = (
        word("bot", "slug of the bot", "slug"),
        word("name", "display name"),
        word("kind", "hosted: a bot that runs on the site; remote: a bot that its owner runs; person: a human player"),
        word("owner", "username; null for house bots, guests and deleted accounts", owner, nullable=True),
        flag("house", "whether the bot is a house bot", house),
        moment("created", "time of creation"),
        moment("retired", "time at which the bot was retired; null if it was not", nullable=True),
    )
    return ExportTable("bots", public_players().select_related(None), columns)


def _versions() -> ExportTable:
    columns = (
        word("bot", "slug of the bot", "bot__slug"),
        number("version", "number of the version, from 1", "number"),
        word("label", "label of a remote bot's version; else empty"),
        word("digest", "SHA-256 of the code in hexadecimal"),
        word("language", "programming language; remote for remote bots, person for human players"),
        moment("created", "time of creation"),
    )
    ready = BotVersion.objects.filter(bot__in=public_players(), state=BotVersion.State.READY)
    return ExportTable("versions", ready, columns)


def _deals(ladders: QuerySet[Ladder]) -> ExportTable:
    columns = (
        number("deal", "id of the deal in this export", "pk"),
        word("ladder", "slug of the ladder", "ladder__slug"),
        number("season", "number of the season; null before the first season", "series__season__number", nullable=True),
        word("series", "name of the deal series", "series__name", nullable=True),
        number("number", "number of the deal in its series or at its table of a cup, from 1", nullable=True),
        word("purpose", "purpose of the matches"),
        word("commitment", "SHA-256 of the seed in hexadecimal"),
        word("seed", "seed in hexadecimal", made=lambda seed: bytes(seed).hex()),
        moment("ended", "time at which the last match with the deal ended"),
    )
    return ExportTable("deals", Block.objects.filter(opened_blocks(), ladder__in=ladders), columns)


def _games(ladders: QuerySet[Ladder]) -> tuple[ExportTable, ExportTable, ExportTable]:
    ended = Match.objects.filter(opened("block"), ladder__in=ladders, status__in=Match.ENDED)
    return _matches(ended), _seats(ended), _ledger(ladders)


def _matches(ended: QuerySet[Match]) -> ExportTable:
    columns = (
        number("match", "id of the match", "pk"),
        word("ladder", "slug of the ladder", "ladder__slug"),
        number("deal", "id of the deal in this export", "block"),
        number("seating", "number of the seating of the deal"),
        word("status", "finished, void, cancelled or aborted"),
        word("reason", "reason if the match has no result; else empty"),
        moment("created", "time at which the match was scheduled"),
        moment("started", "time at which the latest attempt began; null without an attempt", nullable=True),
        moment("ended", "time at which the match ended"),
    )
    return ExportTable("matches", ended, columns)


def _seats(ended: QuerySet[Match]) -> ExportTable:
    columns = (
        number("match", "id of the match", "match_id"),
        number("seat", "number of the seat, from 0", "index"),
        word("bot", "slug of the player", "version__bot__slug"),
        number("version", "number of the version", "version__number"),
        number("rank", "competition rank; null without a result", "result__rank", nullable=True),
        word("forfeit", "reason for a forfeit; else empty", "result__forfeit", nullable=True),
        number(
            "forfeit_at",
            "number of steps recorded when the seat gave up; else null",
            "result__forfeit_at",
            nullable=True,
        ),
        as_json(
            "score",
            "score in the format of the game, as JSON; only forfeits if the game ended early",
            read="result__score",
            nullable=True,
        ),
        points(
            "rating_before", "rating before the match, in points; null without a rated result", "result__rating_before"
        ),
        points(
            "rating_after", "rating after the match, in points; null without a rated result", "result__rating_after"
        ),
    )
    return ExportTable("seats", Seat.objects.filter(match__in=ended), columns)


def _ledger(ladders: QuerySet[Ladder]) -> ExportTable:
    columns = (
        word("ladder", "slug of the ladder", "ladder__slug"),
        number("number", "number of the entry, from 1 without gaps"),
        word("kind", "result, void, merge, k or season"),
        number("season", "number of the season", "season__number"),
        number("match", "id of the match of a result or void entry", "result__match", nullable=True),
        as_json("document", "content of the entry, as JSON"),
        word("hash", "SHA-256 of the entry and the previous hash, in hexadecimal"),
        moment("created", "time at which the entry was added"),
    )
    return ExportTable("ledger", LedgerEntry.objects.filter(ladder__in=ladders), columns)


# --- Files -----------------------------------------------------------------------------------------------------------

ROWS_PER_GROUP: Final = 20_000
"""Number of rows that are read at a time, which form one row group."""

FORMAT: Final = "results/1"


def export(folder: Path, with_private: bool = False) -> dict[str, int]:
    """Write all results into ``folder`` and return the number of rows by table. Existing files are replaced.

    Private ladders are included only if ``with_private`` is true. Raises ``OSError``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ladders = Ladder.objects.all() if with_private else Ladder.objects.filter(private=False)
    with one_moment():
        now, exported = timezone.now(), tables(ladders)
        rows = {table.name: _write(folder, table) for table in exported}
    _describe(folder, now, exported, rows)
    return rows


def _write(folder: Path, table: ExportTable) -> int:
    place, written, last, rows = folder / f"{table.name}.parquet", 0, 0, ROWS_PER_GROUP
    with _replaced(place) as path, pq.ParquetWriter(path, table.schema, compression="zstd") as file:
        while rows == ROWS_PER_GROUP:
            batch, last = table.part(last, ROWS_PER_GROUP)
            file.write_batch(batch)
            rows = batch.num_rows
            written += rows
    return written


def _describe(folder: Path, now: datetime, exported: Sequence[ExportTable], rows: dict[str, int]) -> None:
    """Write ``tables.json``: the time of the export, and every column with its type and meaning."""
    described = {
        table.name: {
            "rows": rows[table.name],
            "columns": {
                column.name: {"type": str(column.kind), "null": column.nullable, "meaning": column.meaning}
                for column in table.columns
            },
        }
        for table in exported
    }
    document = {"format": FORMAT, "made": now.isoformat(), "tables": described}
    with _replaced(folder / "tables.json") as path:
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces ``path`` when it is complete."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
