"""Questions to the database, and rows for it, whose SQL is made once a process.

For a row found by its key, Django takes several times as long to write the SQL as the database to answer it. What is
asked or written for every move of every live game, or asked for every part of a list, goes this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import DatabaseError, connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import mark_for_rollback_on_error

Row = TypeVar("Row")
Instance = TypeVar("Instance", bound=Model)
Value = int | str | Sequence[int]

_KEPT: Final = 256
"""So many lengths of lists have SQL of their own; those asked for long ago make way."""


class _Gap(Expression):
    """Where a value comes later: the parameter ``name``, of a list the one at ``index``."""

    def __init__(self, name: str, index: int | None = None) -> None:
        super().__init__()
        self.name, self.index = name, index

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:  # noqa: ARG002
        return "%s", [self]

    def filled(self, values: Mapping[str, Any]) -> Any:
        return values[self.name] if self.index is None else values[self.name][self.index]


class _Made(NamedTuple):
    """``params`` has for each parameter of the SQL its value, or a gap."""

    queryset: QuerySet[Any, Any]
    compiler: SQLCompiler
    sql: str
    params: tuple[Any, ...]
    converters: Mapping[int, Any]


class Prepared(Generic[Row]):
    """A query with gaps: ``make`` gives it, called with a gap for each value by name, once for every length of a list.

    Values are numbers, texts and lists of numbers; none may decide how the SQL looks but by its length. The database is
    asked anew each time.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, Row]]) -> None:
        self._make = make
        self._made = lru_cache(_KEPT)(self._compiled)

    def __call__(self, **values: Value) -> list[Row]:
        """The rows for ``values``, as iterating over the query gives them; an empty list asks nothing."""
        lengths = tuple((name, None if isinstance(one, int | str) else len(one)) for name, one in values.items())
        try:
            made = self._made(lengths)
        except EmptyResultSet:
            return []
        params = tuple(one.filled(values) if isinstance(one, _Gap) else one for one in made.params)
        compiler: Any = copy(made.compiler)
        compiler.connection = connection  # the one of this thread
        compiler.as_sql = lambda *_args, **_kwargs: (made.sql, params)
        compiler.get_converters = lambda *_args: made.converters
        query: Any = copy(made.queryset.query)
        query.get_compiler = lambda *_args, **_kwargs: compiler
        asked: Any = SimpleNamespace(
            query=query, db=connection.alias, model=made.queryset.model, _known_related_objects={}
        )
        return list(cast("Iterable[Row]", made.queryset._iterable_class(asked)))

    def _compiled(self, lengths: Sequence[tuple[str, int | None]]) -> _Made:
        gaps = {
            name: _Gap(name) if length is None else [_Gap(name, index) for index in range(length)]
            for name, length in lengths
        }
        queryset = self._make(**gaps)
        compiler = queryset.query.get_compiler(connection.alias)
        sql, params = compiler.as_sql()
        filled = {param.name for param in params if isinstance(param, _Gap)}
        assert filled == set(gaps), f"a value is not asked for: {sql}"
        columns: Any = compiler
        converters = columns.get_converters([column for column, *_ in columns.select])
        return _Made(queryset, compiler, sql, tuple(params), converters)


class PreparedInsert(Generic[Instance]):
    """``INSERT`` for new rows of ``model``, whose keys the database gives; they are not read back."""

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
        """Write ``rows``. None of their values is an expression: what the database is to fill in, it is not asked."""
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            for row in rows:
                cursor.execute(self._sql, _values(row, self._fields))


class PreparedUpdate(Generic[Instance]):
    """``UPDATE`` of the ``columns`` of rows of ``model``, each found by its key."""

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
        """Write ``rows``. None of their values is an expression. Raises ``DatabaseError`` for one that is not there."""
        with mark_for_rollback_on_error(), connection.cursor() as cursor:
            for row in rows:
                cursor.execute(self._sql, _values(row, self._fields))
                if cursor.rowcount != 1:
                    raise DatabaseError(f"there is no {row!r} to be written")


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _values(row: Model, fields: Iterable[Any]) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
