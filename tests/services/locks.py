"""Two transactions that meet at one row: what the second does while the first is open."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

from django.db import connection, connections

from tests.services.ports import wait_until

_WAITING = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)"


class Meanwhile:
    """Runs ``act`` on a connection of its own; what it gave or raised is there after :meth:`ended`."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self._answer: Any = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def is_waiting(self) -> None:
        """Wait until it waits for a row of ours. SQLite cannot tell: it has one writer, so nothing is to be told."""
        if connection.vendor == "postgresql":
            wait_until(self._is_held_up, "the other transaction waits for a row of ours")

    def ended(self) -> Any:
        """What it gave; raises what it raised."""
        self._thread.join(180)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error
        return self._answer

    def _run(self) -> None:
        try:
            self._answer = self._act()
        except BaseException as error:
            self._error = error
        finally:
            connections.close_all()

    def _is_held_up(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(_WAITING)
            return bool(cursor.fetchone()[0])
