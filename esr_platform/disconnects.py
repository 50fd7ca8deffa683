"""Retry after lost database connections, and isolate other failures."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

PATIENCE_S: Final = 20.0
"""Maximum duration of a database outage. It is shorter than a lease, so leases are still valid after it."""

PAUSE_S: Final = 0.1
"""Pause between two attempts, in seconds."""

DISCONNECTED: Final = (OperationalError, InterfaceError)
"""Errors that Django raises for an unavailable database or a lock timeout."""

_BUSY_STATES: Final = frozenset({"40001", "40P01", "55P03"})
"""SQLSTATE of PostgreSQL: serialization failure, deadlock, lock timeout."""

_NOT_WRITABLE_STATES: Final = frozenset({"25006", "53100"})
"""SQLSTATE of PostgreSQL: read-only transaction, disk full."""

_NOT_WRITABLE_CODES: Final = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL)

_BUSY_CODES: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

logger = logging.getLogger(__name__)

Done = TypeVar("Done")


def retry_on_disconnect(do: Callable[[], Done], patience_s: float = PATIENCE_S, pause_s: float = PAUSE_S) -> Done:
    """Call ``do`` and return its result. After a lost connection, retry with a new one for ``patience_s`` seconds.

    ``do`` must be one transaction that is safe to repeat, because the lost one may have been committed. There is always
    at least one retry, even if the first attempt waited for a lock for a long time. Raises the last error. Inside a
    transaction, the first error is raised immediately because the transaction cannot continue. Without patience, an
    attempt that got no connection in time is not repeated.
    """
    until: float | None = None
    while True:
        try:
            return do()
        except DISCONNECTED as error:
            if connection.in_atomic_block or (until is not None and time.monotonic() > until):
                raise
            if not patience_s and _has_no_connection(error):
                raise
            until = until or time.monotonic() + patience_s
            logger.warning("database connection lost, retrying: %s", error)
            connection.close()
            time.sleep(pause_s)


def connection_problem(timeout_s: int = 10) -> str:
    """Return why PostgreSQL accepts no new connection within ``timeout_s`` (at least 2), or an empty string.

    The text has no final period. It contains the reason of PostgreSQL itself, while the pool of connections knows only
    that its time is over.
    """
    postgres: Any = connection
    if postgres.vendor != "postgresql":
        return ""
    try:
        with postgres.wrap_database_errors:
            parameters = {"connect_timeout": timeout_s, **postgres.get_connection_params()}
            postgres.Database.connect(**parameters).close()
    except DatabaseError as error:
        return f"Cannot connect to the database: {' '.join(str(error).split()).rstrip('.?')}"
    return ""


def is_busy(error: Exception) -> bool:
    """Whether another transaction is the cause of ``error``: a deadlock, a lock timeout or a locked SQLite database.

    The connection works and the transaction was rolled back, so it can be repeated.
    """
    cause = error.__cause__
    state, code = getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorcode", None)
    return state in _BUSY_STATES or (code is not None and code & 0xFF in _BUSY_CODES)


def is_not_writable(error: BaseException | None) -> bool:
    """Whether ``error`` shows a database that is read-only or whose disk is full. The transaction changed nothing."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else None
    state, code = getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorcode", None)
    return state in _NOT_WRITABLE_STATES or (code is not None and code & 0xFF in _NOT_WRITABLE_CODES)


def _has_no_connection(error: BaseException) -> bool:
    """Whether the connection pool had no free connection in time. The pool is only used on PostgreSQL."""
    if connection.vendor != "postgresql":
        return False
    from psycopg_pool import PoolTimeout

    return isinstance(error.__cause__, PoolTimeout)


def is_overload(error: BaseException | None) -> bool:
    """Whether ``error`` shows an overloaded database: no connection was free in time, or ``is_busy``.

    The transaction that raised it has changed nothing, so a request can be repeated. After a connection that was lost
    within a transaction, this is unknown.
    """
    return isinstance(error, DISCONNECTED) and (is_busy(error) or _has_no_connection(error))


def run_isolated(
    do: Callable[[], Done],
    default: Done,
    log: logging.Logger,
    failed: str,
    *args: object,
    busy: Done | None = None,
) -> Done:
    """Call ``do`` and return its result. If it raises, log the message ``failed`` and return ``default``.

    One broken row therefore cannot stop a loop over many rows. After a deadlock or a lock timeout, return ``busy`` if
    it is given: nothing is broken, and the next run can try again. Only errors of a lost connection are raised.
    """
    try:
        return do()
    except DISCONNECTED as error:
        if not is_busy(error):
            raise
        log.warning(failed, *args, exc_info=True)
        return default if busy is None else busy
    except Exception:
        log.exception(failed, *args)
        return default
