"""Tokens of worker hosts, and the abilities that a host named when it asked for work."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import timedelta
from secrets import token_urlsafe
from time import time
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

import games
from bots.models import WorkerHost, WorkerScope
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
