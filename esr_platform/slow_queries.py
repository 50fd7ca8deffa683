"""The latest database queries that took long, of all processes of the site, for the page of operators.

The time is measured where the query is made, so it includes waiting for locks and for the connection to the database.
SQLite computes later rows while they are read: only the time until the first row counts there. Texts of queries contain
no values.
"""

from __future__ import annotations

import time
from typing import Any, Final

import structlog
from django.conf import settings
from django.db.backends.signals import connection_created

from esr_platform.figures import SLOW_QUERIES

MOST_SQL: Final = 600


def watch() -> None:
    """Measure the queries of all connections to the database from now on."""
    connection_created.connect(_watch_connection, dispatch_uid="slow_queries")


def _watch_connection(connection: Any, **_: object) -> None:
    if _measured not in connection.execute_wrappers:
        connection.execute_wrappers.append(_measured)


def _measured(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
    began_s = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        took_ms = (time.perf_counter() - began_s) * 1000
        if took_ms >= settings.SLOW_QUERY_MS > 0:
            known = structlog.contextvars.get_contextvars()
            SLOW_QUERIES.add(
                ms=round(took_ms),
                sql=str(sql)[:MOST_SQL],
                task=str(known.get("task", "")),
                request_id=str(known.get("request_id", "")),
            )
