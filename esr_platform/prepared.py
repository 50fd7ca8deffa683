"""Hot statements: SQL that Django writes once per process and a cursor executes each time.

For a row found by its key, Django takes several times as long to write the SQL as the database to answer it. The
statements of every move of a live game, and of every part of an API list, therefore run this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import DatabaseError, connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.query import FlatValuesListIterable, ValuesIterable, ValuesListIterable
from django.db.transaction import mark_for_rollback_on_error

Row = TypeVar("Row")
Instance = TypeVar("Instance", bound=Model)
Value = int | str | Sequence[int]

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
        return values[self.name] if self.index is None else values[self.name][self.index]


class _Statement(NamedTuple):
    """``params`` has the value or the gap of each parameter. ``converters`` are Django's, by column."""

    sql: str
    params: tuple[Any, ...]
    converters: Sequence[tuple[int, Sequence[Callable[..., Any]], Any]]
    read: Callable[[Any], Any]


class Prepared(Generic[Row]):
    """A query with gaps: ``make`` gets a gap for each named value and returns the query.

    ``make`` is called once per length of a list. Values are numbers, texts and lists of numbers; only the length of a
    list may change the SQL. The query may be one of ``values``, ``values_list`` or rows with ``select_related``,
    annotations and ``only`` or ``defer``. The database is asked each time.
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
        lengths = tuple((name, None if isinstance(value, int | str) else len(value)) for name, value in values.items())
        try:
            sql, params, converters, read = self._statement(lengths)
        except EmptyResultSet:
            return []
        with connection.cursor() as cursor:
            cursor.execute(sql, [param.filled(values) if isinstance(param, _Gap) else param for param in params])
            rows: list[Any] = cursor.fetchall()
        if converters:
            rows = [_converted(row, converters) for row in rows]
        return [read(row) for row in rows]

    def _compiled(self, lengths: Sequence[tuple[str, int | None]]) -> _Statement:
        gaps = {
            name: _Gap(name) if length is None else [_Gap(name, index) for index in range(length)]
            for name, length in lengths
        }
        queryset, read = _columns(self._make(**gaps))
        compiler: Any = queryset.query.get_compiler(connection.alias)
        sql, params = compiler.as_sql()
        filled = {param.name for param in params if isinstance(param, _Gap)}
        assert filled == set(gaps), f"a value is not asked for: {sql}"
        by_column = compiler.get_converters([column for column, *_ in compiler.select])
        converters = [(index, tuple(some), expression) for index, (some, expression) in by_column.items()]
        return _Statement(sql, tuple(params), converters, read)


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


class PreparedInsert(Generic[Instance]):
    """``INSERT`` of new rows of ``model``. Their keys come from the database and are not read back."""

    def __init__(self, model: type[Instance]) -> None:
        self._model = model

    @cached_property
    def _fields(self) -> Sequence[Any]:
        return [field for field in self._model._meta.concrete_fields if not field.primary_key]

    @cached_property
    def _sql(self) -> str:
        named = ", ".join(_quoted(field.column) for field in self._fields)
        gaps = ", ".join(["%s"] * len(self._fields))
        return f"INSERT INTO {_quoted(self._model._meta.db_table)} ({named}) VALUES ({gaps})"  # noqa: S608 - names of the model

    def __call__(self, rows: Iterable[Instance]) -> None:
        """Write ``rows``. Their values are plain values, not expressions of Django."""
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            for row in rows:
                cursor.execute(self._sql, _values(row, self._fields))


class PreparedUpdate(Generic[Instance]):
    """``UPDATE`` of ``columns`` of rows of ``model``, each by its key."""

    def __init__(self, model: type[Instance], columns: Iterable[str]) -> None:
        self._model, self._columns = model, tuple(columns)

    @cached_property
    def _fields(self) -> Sequence[Any]:
        return [*(self._model._meta.get_field(name) for name in self._columns), self._model._meta.pk]

    @cached_property
    def _sql(self) -> str:
        *changed, key = [f"{_quoted(field.column)} = %s" for field in self._fields]
        return f"UPDATE {_quoted(self._model._meta.db_table)} SET {', '.join(changed)} WHERE {key}"  # noqa: S608 - names of the model

    def __call__(self, rows: Iterable[Instance]) -> None:
        """Write ``rows``, whose values are plain values. Raises ``DatabaseError`` for a row that does not exist."""
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            for row in rows:
                cursor.execute(self._sql, _values(row, self._fields))
                if cursor.rowcount != 1:
                    raise DatabaseError(f"there is no {row!r} to be written")


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _values(row: Model, fields: Iterable[Any]) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
