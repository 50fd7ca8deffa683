"""Leases: one worker at a time may change a row, until the row's ``lease_until`` by the clock of the database.

A row names its newest lease by a random token in ``lease``. A claim is a conditional UPDATE that writes a new token,
and every later change is a conditional UPDATE that names it. So a worker whose lease was taken over has no effect, and
the clocks of workers need not agree. A lease that has expired stays valid until another worker claims the row.
``esr_platform.heartbeats`` renews a lease while long work runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Generic, TypeVar
from uuid import UUID, uuid4

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Model, Q, QuerySet
from django.db.models.functions import Now

from esr_platform.heartbeats import NotReached

Row = TypeVar("Row", bound=Model)

RENEW_EVERY_S: Final = 5.0
"""The interval of heartbeats in seconds. A lease lasts several times as long."""

EXPIRED: Final = Q(lease_until__lt=Now())
"""Rows whose worker is lost."""

FREE: Final = Q(lease_until=None) | EXPIRED
"""Rows without a lease or with an expired one."""


RELEASED: Final = {"lease": None, "lease_until": None}
"""The columns of a row whose lease has ended."""


def claimed(token: UUID, lasts: timedelta) -> dict[str, Any]:
    """The columns of a row that is claimed now for ``lasts``."""
    return {"lease": token, "lease_until": Now() + lasts}


@dataclass(frozen=True)
class Lease(Generic[Row]):
    """The right to change the row ``pk`` of ``model``, for ``lasts`` after the claim and after each renewal."""

    model: type[Row]
    pk: int
    token: UUID
    lasts: timedelta

    @property
    def row(self) -> QuerySet[Row]:
        """The row, while it names this lease."""
        return self.model._default_manager.filter(pk=self.pk, lease=self.token)

    def renew(self, **changes: Any) -> bool:
        """Extend the lease and store ``changes``; ``False`` if it was lost."""
        return bool(self.row.update(lease_until=Now() + self.lasts, **changes))

    def release(self, only: Q | None = None, **changes: Any) -> bool:
        """End the lease and store ``changes``; ``False`` if it was lost, or if the row does not match ``only``."""
        return bool(self.row.filter(only or Q()).update(**RELEASED, **changes))


def claim(free: QuerySet[Row], pk: int, lasts: timedelta, **changes: Any) -> Lease[Row] | None:
    """Claim the row ``pk`` if ``free`` contains it, and store ``changes``. One of several concurrent claims succeeds.

    ``free`` must decide by columns of the same table: Django turns joins into a subquery, which PostgreSQL does not
    evaluate again after it has waited for another claim.
    """
    lease = Lease(free.model, pk, uuid4(), lasts)
    taken = free.filter(pk=pk).update(**claimed(lease.token, lasts), **changes)
    return lease if taken else None


def on_database(beat: Callable[[], bool]) -> Callable[[], bool]:
    """Return ``beat`` with its own connection each time, for a thread of ``esr_platform.heartbeats``."""

    def beaten() -> bool:
        try:
            return beat()
        except (DatabaseError, InterfaceError) as error:
            raise NotReached(error) from error
        finally:
            connection.close()  # many heartbeats can run at the same time, each in its thread

    return beaten
