"""Hot statements: SQL that Django writes once per process and a cursor executes each time.

For a row found by its key, Django takes several times as long to write the SQL as the database to answer it. The
statements of every match of the workers, of every move of a live game, and of every part of an API list therefore run
this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import DatabaseError, connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.expressions import DatabaseDefault
from django.db.models.functions import Now
from django.db.models.query import FlatValuesListIterable, ValuesIterable, ValuesListIterable
from django.db.models.sql import Query, UpdateQuery
from django.db.transaction import mark_for_rollback_on_error

Row = TypeVar("Row")
Instance = TypeVar("Instance", bound=Model)
Value = int | str | UUID | Sequence[int]
_Lengths = tuple[tuple[str, int | None], ...]
"""The named values, each with its length if it is a list."""

_MOST: Final = 2**63
_KEPT: Final = 256
"""LRU size: statements per length of a list of values."""


class _Gap(Expression):
    """The place of a value that comes later: the parameter ``name``, of a list the one at ``index``."""

    def __init__(self, name: str, index: int | None = None) -> None:
        super().__init__()
        self.name, self.index = name, index

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:  # noqa: ARG002
        return "%s", [self]

    def filled(self, values: Mapping[str, Any]) -> Any:
        value = values[self.name] if self.index is None else values[self.name][self.index]
        return value.hex if isinstance(value, UUID) else value  # both databases read it


class _Statement(NamedTuple):
    """``params`` has the value or the gap of each parameter. ``converters`` are Django's, by column."""

    sql: str
    params: Sequence[Any]
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    read: Callable[[Any], Any]


class Prepared(Generic[Row]):
    """A query with gaps: ``make`` gets a gap for each named value and returns the query.

    ``make`` is called once per length of a list. Values are numbers, texts, UUIDs and lists of numbers; only the length
    of a list may change the SQL. The query may be one of ``values``, ``values_list`` or whole rows with
    ``select_related``, ``only``, ``defer`` and annotations. The database is asked each time.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, Row]]) -> None:
        self._make = make
        self._statement = lru_cache(_KEPT)(self._compiled)

    def __call__(self, **values: Value) -> list[Row]:
        """The rows for ``values``, as iterating over the query returns them.

        An empty list and a number of more than 64 bits, which no row has, ask nothing.
        """
        if any(isinstance(value, int) and not -_MOST <= value < _MOST for value in values.values()):
            return []
        try:
            sql, params, converters, read = self._statement(_lengths(values))
        except EmptyResultSet:
            return []
        with connection.cursor() as cursor:
            cursor.execute(sql, _filled(params, values))
            rows: list[Any] = cursor.fetchall()
        if converters:
            rows = [_converted(row, converters) for row in rows]
        return [read(row) for row in rows]

    def _compiled(self, lengths: _Lengths) -> _Statement:
        queryset, read = _columns(self._make(**_gaps(lengths)))
        compiler: Any = queryset.query.get_compiler(connection.alias)
        sql, params = _sql_of(compiler, lengths)
        by_column = compiler.get_converters([column for column, *_ in compiler.select])
        converters = [(index, tuple(some), expression) for index, (some, expression) in by_column.items()]
        return _Statement(sql, params, converters, read)


def _lengths(values: Mapping[str, Value]) -> _Lengths:
    return tuple((name, len(value) if isinstance(value, list | tuple) else None) for name, value in values.items())


def _gaps(lengths: _Lengths) -> dict[str, Any]:
    return {
        name: _Gap(name) if length is None else [_Gap(name, index) for index in range(length)]
        for name, length in lengths
    }


def _sql_of(compiler: Any, lengths: _Lengths) -> tuple[str, Sequence[Any]]:
    sql, params = compiler.as_sql()
    filled = {param.name for param in params if isinstance(param, _Gap)}
    assert filled == {name for name, _length in lengths}, f"a value is not asked for: {sql}"
    return sql, tuple(params)


def _filled(params: Iterable[Any], values: Mapping[str, Value]) -> list[Any]:
    return [param.filled(values) if isinstance(param, _Gap) else param for param in params]


def _converted(row: Sequence[Any], converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]) -> Any:
    """``row`` with Python's values for those that the database has in another form: on SQLite times and UUIDs, say."""
    changed = list(row)
    for index, some, expression in converters:
        for convert in some:
            changed[index] = convert(changed[index], expression, connection)
    return tuple(changed)


def _columns(queryset: QuerySet[Any, Any]) -> tuple[QuerySet[Any, Any], Callable[[Any], Any]]:
    """``queryset`` as a query of columns, and what makes its result of one row."""
    shape = queryset._iterable_class
    if issubclass(shape, ValuesIterable):
        names = list(queryset.query.selected or ())
        return queryset, lambda row: dict(zip(names, row, strict=True))
    if issubclass(shape, FlatValuesListIterable):
        return queryset, lambda row: row[0]
    if issubclass(shape, ValuesListIterable):
        return queryset, tuple
    return _of_instances(queryset)


class _Part(NamedTuple):
    """Where a row has the columns of one model; ``parent`` and ``field`` say to which part it belongs by which key."""

    model: type[Model]
    names: Sequence[str]
    start: int
    parent: int = 0
    field: Any = None


def _of_instances(queryset: QuerySet[Any, Any]) -> tuple[QuerySet[Any, Any], Callable[[Any], Any]]:
    parts: list[_Part] = []
    columns: list[str] = []

    def add(model: Any, path: str, related: Any, chosen: Any, parent: int, field: Any) -> None:
        fields, place = model._meta.concrete_fields, len(parts)
        names = [column.attname for column in fields if not chosen or column in chosen]
        parts.append(_Part(model, names, len(columns), parent, field))
        columns.extend(f"{path}{name}" for name in names)
        for name, more in related.items():
            key = model._meta.get_field(name)
            add(key.related_model, f"{path}{name}__", more, chosen.get(key, {}), place, key)

    add(queryset.model, "", queryset.query.select_related or {}, queryset.query.get_select_mask(), 0, None)
    annotations = list(queryset.query.annotations)
    return queryset.values_list(*columns, *annotations), partial(_instance, parts, annotations)


def _instance(parts: Sequence[_Part], annotations: Sequence[str], row: Sequence[Any]) -> Any:
    made: list[Any] = []
    for model, names, start, parent, field in parts:
        values = row[start : start + len(names)]
        there = field is None or (made[parent] is not None and getattr(made[parent], field.attname) is not None)
        made.append(model.from_db(connection.alias, names, values) if there else None)
        if field is not None and made[parent] is not None:
            field.set_cached_value(made[parent], made[-1])
    for name, value in zip(annotations, row[len(row) - len(annotations) :], strict=True):
        setattr(made[0], name, value)
    return made[0]


class ConditionalUpdate:
    """A conditional ``UPDATE``: ``make`` gets a gap for each named value and returns a query and the values of columns.

    Gaps are as in :class:`Prepared`. With ``returning``, the values of this column come back instead of a number.
    """

    def __init__(self, make: Callable[..., tuple[QuerySet[Any], Mapping[str, Any]]]) -> None:
        self._make = make
        self._statement = lru_cache(_KEPT)(self._compiled)

    def __call__(self, **values: Value) -> int:
        """Change the rows for ``values``, and return their number."""
        return self._execute(values, "", lambda cursor: int(cursor.rowcount))

    def returning(self, column: str, **values: Value) -> list[Any]:
        """Change the rows for ``values``, and return the new values of ``column``."""
        return self._execute(values, f" RETURNING {_quoted(column)}", lambda cursor: [row[0] for row in cursor])

    def _execute(self, values: Mapping[str, Value], more: str, read: Callable[[Any], Row]) -> Row:
        sql, params = self._statement(_lengths(values))
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            cursor.execute(sql + more, _filled(params, values))
            return read(cursor)

    def _compiled(self, lengths: _Lengths) -> tuple[str, Sequence[Any]]:
        queryset, changes = self._make(**_gaps(lengths))
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values(changes)
        return _sql_of(query.get_compiler(connection.alias), lengths)


class PreparedInsert(Generic[Instance]):
    """``INSERT`` of new rows of ``model``, in one statement. The columns ``now`` get the time of the database."""

    def __init__(self, model: type[Instance], now: Iterable[str] = ()) -> None:
        self._model, self._now = model, frozenset(now)
        self._sql = lru_cache(_KEPT)(self._written)

    def __call__(self, rows: Sequence[Instance]) -> None:
        """Write ``rows`` and set their keys. Their values are plain values, or left to the database by all of them."""
        if not rows:
            return
        fields = [
            field
            for field in self._model._meta.concrete_fields
            if not field.primary_key and not isinstance(getattr(rows[0], field.attname), DatabaseDefault)
        ]
        given = [field for field in fields if field.name not in self._now]
        values = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for row in rows for field in given]
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            cursor.execute(self._sql(tuple(fields), len(rows)), values)
            for row, (key,) in zip(rows, cursor.fetchall(), strict=True):
                row.pk = key
                row._state.adding, row._state.db = False, connection.alias

    def _written(self, fields: Sequence[Any], count: int) -> str:
        now, _ = Query(self._model).get_compiler(connection.alias).compile(Now())
        gaps = ", ".join(now if field.name in self._now else "%s" for field in fields)
        named = ", ".join(_quoted(field.column) for field in fields)
        lines = ", ".join([f"({gaps})"] * count)
        meta: Any = self._model._meta
        table, key = _quoted(meta.db_table), _quoted(meta.pk.column)
        return f"INSERT INTO {table} ({named}) VALUES {lines} RETURNING {key}"  # noqa: S608 - names of the model


class PreparedUpdate(Generic[Instance]):
    """``UPDATE`` of ``columns`` of rows of ``model``, each by its key, in one statement."""

    def __init__(self, model: type[Instance], columns: Iterable[str]) -> None:
        self._model, self._columns = model, tuple(columns)
        self._sql = lru_cache(_KEPT)(self._written)

    @cached_property
    def _fields(self) -> Sequence[Any]:
        return [self._model._meta.pk, *(self._model._meta.get_field(name) for name in self._columns)]

    def _written(self, count: int) -> str:
        """Rows of values that are joined with the table. Both databases call their columns column1, column2 and so on.

        PostgreSQL would take the type of such a column from how a value is written, so the first row states it.
        """
        meta: Any = self._model._meta
        table, key = _quoted(meta.db_table), _quoted(meta.pk.column)
        changed = ", ".join(
            f"{_quoted(field.column)} = new.column{place}" for place, field in enumerate(self._fields[1:], 2)
        )
        typed = connection.vendor == "postgresql"
        # A type with a length would cut values to it.
        types = [field.rel_db_type(connection).partition("(")[0] for field in self._fields]
        first = ", ".join(f"%s::{column}" if typed else "%s" for column in types)
        lines = ", ".join([f"({first})", *[f"({', '.join(['%s'] * len(self._fields))})"] * (count - 1)])
        return f"UPDATE {table} SET {changed} FROM (VALUES {lines}) AS new WHERE {table}.{key} = new.column1"  # noqa: S608 - names of the model

    def __call__(self, rows: Sequence[Instance]) -> None:
        """Write ``rows``, whose values are plain values. Raises ``DatabaseError`` for a row that does not exist."""
        if not rows:
            return
        values = [
            field.get_db_prep_save(getattr(row, field.attname), connection) for row in rows for field in self._fields
        ]
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            cursor.execute(self._sql(len(rows)), values)
            if cursor.rowcount != len(rows):
                raise DatabaseError(f"there is no row for {len(rows) - cursor.rowcount} of {rows!r}")


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
