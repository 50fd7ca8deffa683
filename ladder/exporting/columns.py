"""What a table for export is made of. The types are Arrow's, and what a column means goes into the file with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from django.db.models import Expression, QuerySet

from ladder.ratings.elo import POINT

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
