"""Tokens of worker hosts, the abilities that a host named when it asked for work, and what it failed at."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import timedelta
from secrets import token_urlsafe
from time import time
from typing import Final

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

import games
from bots.machines import GONE_AFTER
from bots.models import Machine, WorkerHost, WorkerScope
from bots.reports import storable
from bots.worker.documents import PROTOCOL
from esr_platform.accounts.models import digest_of
from esr_platform.prepared import Prepared

logger = logging.getLogger(__name__)

PREFIX: Final = "esrw_"
"""The prefix of every token of a worker host, by which scanners recognize leaked tokens."""

HINT_LENGTH: Final = 9
NOTED_WITHIN: Final = timedelta(seconds=30)
"""Precision of ``asked``, so that frequent requests do not write the row each time."""

MOST_MESSAGE: Final = 300


def host_of(worker: str) -> str:
    """The host of ``worker``, whose name is ``host/number``: a machine of the site, or ``WorkerHost.worker``."""
    return worker.rpartition("/")[0]


class NameTaken(ValueError):
    """A worker host with this name exists. Names are not used twice, because attempts at matches contain them."""


@dataclass(frozen=True)
class Abilities:
    """What a host says that it can play: uploaded bots at all, in rated games, languages and libraries of executables.

    ``problem`` is the problem of its sandbox, empty if uploads can play rated games.
    """

    uploads: bool
    rated: bool
    languages: frozenset[str]
    libraries: frozenset[str]
    problem: str = ""


CLOCK_TOLERANCE_S: Final = 60.0


def state_of(release: str, protocol: int, clock: float, abilities: Abilities) -> tuple[WorkerHost.State, str]:
    """The state of a host that asks for work, and a sentence about what to do; empty if it is ready.

    ``clock`` is its time in seconds since 1970. Nothing depends on it: leases last by the clock of the database, and a
    host counts their seconds without its clock.
    """
    if (release, protocol) != (games.__version__, PROTOCOL):
        return WorkerHost.State.OTHER_RELEASE, (
            f"This worker runs Steinreich {release}, but the site runs {games.__version__}. "
            "It gets no work until it runs the same release. Matches that it plays now still count."
        )
    ahead_s = clock - time()
    if abs(ahead_s) > CLOCK_TOLERANCE_S:
        side = "ahead of" if ahead_s > 0 else "behind"
        return WorkerHost.State.CLOCK_OFF, (
            f"The clock of this host is {abs(ahead_s) / 60:.0f} min {side} the site's. It gets work, because leases do "
            "not depend on it. Set the clock, so that the times in its logs are right and TLS works."
        )
    if not abilities.uploads or not abilities.rated:
        return WorkerHost.State.NO_SANDBOX, f"Not all uploaded bots can play on this host: {abilities.problem}"
    return WorkerHost.State.READY, ""


def drained(reason: str) -> tuple[WorkerHost.State, str]:
    """The state of a drained host that asks for work, and a sentence about what to do."""
    return WorkerHost.State.DRAINED, (
        f"An operator has drained this host: {reason} It gets no work until it is resumed. Matches that it plays now "
        "still count."
    )


def create(name: str, scopes: Collection[WorkerScope]) -> tuple[WorkerHost, str]:
    """Create a host and return it with its token, which is not stored. Raises ``NameTaken``."""
    secret = PREFIX + token_urlsafe(32)
    try:
        with transaction.atomic():
            host = WorkerHost.objects.create(
                name=name,
                hint=secret[:HINT_LENGTH],
                digest=digest_of(secret),
                scopes=sorted(scope.value for scope in set(scopes)),
            )
    except IntegrityError as error:
        raise NameTaken(f"There is already a worker host named {name}.") from error
    return host, secret


def revoke(name: str) -> bool:
    """Revoke the token of a host. Returns whether it existed and was not revoked. Its leases run out."""
    return bool(WorkerHost.objects.live().filter(name=name).update(revoked=timezone.now()))


def find(secret: str) -> WorkerHost | None:
    """The host of a token that is not revoked."""
    return next(iter(_of_token(digest=digest_of(secret))), None)


def _of_digest(digest: str) -> QuerySet[WorkerHost]:
    return WorkerHost.objects.live().filter(digest=digest).order_by()


_of_token: Final = Prepared(_of_digest)


def note(host: WorkerHost, state: WorkerHost.State, message: str, release: str, abilities: Abilities) -> None:
    """Store what the host said with its request for work, if it is new or was stored a while ago."""
    said = {**asdict(abilities), "languages": sorted(abilities.languages), "libraries": sorted(abilities.libraries)}
    values = {
        "state": state,
        "message": storable(message)[:MOST_MESSAGE],
        "release": storable(release),
        "sandbox": storable(said),
    }
    now = timezone.now()
    changed = any(getattr(host, name) != value for name, value in values.items())
    if not changed and host.asked is not None and now - host.asked < NOTED_WITHIN:
        return
    if state != host.state:
        logger.log(
            logging.INFO if state == WorkerHost.State.READY else logging.WARNING,
            "worker host %s %s. %s", host.name, state.label, message,
        )  # fmt: skip
    WorkerHost.objects.filter(pk=host.pk).update(asked=now, **values)


# --- Failures --------------------------------------------------------------------------------------------------------
#
# They are kept in Redis: if they are lost, a host is trusted again a little too early. A piece of work is named by its
# kind and its row, such as ``matches/12``.

FAILURES: Final = 3
REST_S: Final = 60
"""A host that has failed this often, with less than this time in between, gets nothing for as long."""

ELSEWHERE_FIRST: Final = timedelta(hours=1)
"""How long work that failed on a host is left to others."""


def failed(worker: str, work: str) -> None:
    """Note that a worker host failed at ``work``, or did not bring it. Workers of the site are not counted here."""
    if worker.startswith(WorkerHost.WORKER):
        host = host_of(worker)
        leave_to_others(worker, work)
        cache.set(f"{host}/failures", cache.get(f"{host}/failures", 0) + 1, REST_S)


def leave_to_others(worker: str, work: str) -> None:
    """Do not give ``work`` to this worker host again for a while."""
    if worker.startswith(WorkerHost.WORKER):
        cache.set(f"{host_of(worker)}/failed/{work}", True, ELSEWHERE_FIRST.total_seconds())


def has_failed(worker: str, work: str) -> bool:
    """Whether ``work`` is left to others because it failed on the host of ``worker``."""
    return bool(cache.get(f"{host_of(worker)}/failed/{work}"))


def rests(host: WorkerHost) -> bool:
    """Whether the host gets nothing for a while, because it has failed several times."""
    return int(cache.get(f"{host.worker}/failures", 0)) >= FAILURES


PRESENT: Final = timedelta(minutes=5)


def others_do(worker: str, scope: WorkerScope) -> bool:
    """Whether such work is also done elsewhere than on the host of ``worker``.

    That is on another worker host that has asked for work lately, or on a machine with Celery workers and a sandbox.
    """
    lately = WorkerHost.objects.live().filter(asked__gt=timezone.now() - PRESENT)
    others = [host for host in lately if host.allows(scope) and not worker.startswith(f"{host.worker}/")]
    if any(host.sandbox.get("uploads") for host in others):
        return True
    machines = Machine.objects.filter(told__gt=timezone.now() - GONE_AFTER)
    return any(machine.sandbox.get("ok") for machine in machines)
