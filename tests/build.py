"""Database contents that many tests start from: built once per process, then inserted as rows."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import DateTimeField, Model
from django.utils import timezone

from ladder.creation import open_house
from tests.fixed_randomness import fixed_randomness

T = TypeVar("T")
Rows = dict[type[Model], list[Any]]


@dataclass(frozen=True)
class Saved:
    """The result of a build, the rows that it wrote and the time when they were complete."""

    value: Any
    rows: Rows
    at: datetime


_saved: dict[str, Saved] = {}


def built_once(name: str, build: Callable[[], T]) -> T:
    """Return the result of ``build``, with all its rows in the database.

    The first call in a process runs ``build``; later calls insert the same rows, with the same keys and with their
    times moved to now. A build may return model instances, also in tuples and dataclasses. Where one of the tables
    that it fills is not empty, it runs for real.
    """
    before = _filled()
    saved = _saved.get(name)
    if saved is not None and not before & set(saved.rows):
        _insert(saved)
        return _reread(saved.value)
    with fixed_randomness(name):
        value: T = build()
    if saved is None and not before:
        rows = {model: list(model._base_manager.all()) for model in _filled()}
        _saved[name] = Saved(value, rows, timezone.now())
    return _reread(value)


def opened_house() -> None:
    """Put all ladders with the house bots into the database."""
    built_once("house", open_house)


def _tables(*labels: str) -> set[type[Model]]:
    return {model for model in apps.get_models(include_auto_created=True) if model._meta.app_label in labels}


def _filled() -> set[type[Model]]:
    """The tables of the project that have rows, from one query."""
    models = sorted(_tables("accounts", "bots", "ladder"), key=lambda model: model._meta.db_table)
    names = [connection.ops.quote_name(model._meta.db_table) for model in models]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(f"EXISTS (SELECT 1 FROM {name})" for name in names))
        found = cursor.fetchone()
    return {model for model, filled in zip(models, found, strict=True) if filled}


def _insert(saved: Saved) -> None:
    passed = timezone.now() - saved.at
    with transaction.atomic():
        for model, rows in saved.rows.items():
            times = [field.attname for field in model._meta.concrete_fields if isinstance(field, DateTimeField)]
            moved = [copy(row) for row in rows]
            for row in moved:
                for attname in times:
                    if (time := getattr(row, attname)) is not None:
                        setattr(row, attname, time + passed)
            _insert_rows(model, moved)
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(saved.rows)):
                cursor.execute(statement)


def _insert_rows(model: type[Model], rows: list[Any]) -> None:
    """Insert rows as they are: ``raw`` keeps Django from setting the current time."""
    columns = [field for field in model._meta.concrete_fields if not field.generated]
    size = max(1, connection.ops.bulk_batch_size(columns, rows))
    for start in range(0, len(rows), size):
        model._base_manager._insert(rows[start : start + size], fields=columns, using=connection.alias, raw=True)


def _reread(value: Any) -> Any:
    """A copy of ``value`` whose model instances are read from the database."""
    if isinstance(value, Model):
        return type(value)._base_manager.get(pk=value.pk)
    if isinstance(value, tuple):
        return tuple(_reread(one) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _reread(getattr(value, field.name)) for field in fields(value)})
    assert value is None, f"a build returns model instances, tuples and dataclasses, no {type(value)}"
    return None
