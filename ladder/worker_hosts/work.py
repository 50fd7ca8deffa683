"""What a worker host can ask for: work, and all that it does with the lease that it gets with it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final
from uuid import UUID

from bots import worker_hosts
from bots.models import WorkerHost
from bots.uploads.storage import ArchiveLost, verified_bytes_of
from bots.worker_hosts import Abilities
from games.rules import Document
from ladder.worker_hosts.kinds import Held, Kind, LeaseGone, NoSuchCode
from ladder.worker_hosts.live import LiveTurns
from ladder.worker_hosts.matches import Matches
from ladder.worker_hosts.rechecks import Rechecks
from ladder.worker_hosts.validations import Validations

logger = logging.getLogger(__name__)

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {kind.name: kind for kind in (LiveTurns(), Validations(), Rechecks(), Matches())}
)
"""All kinds of work by name, in the order in which a host gets them."""


def waits() -> frozenset[str]:
    """The names of the kinds of which there may be work for a host. One query for each."""
    return frozenset(name for name, kind in KINDS.items() if kind.waits())


def next_for(host: WorkerHost, slot: int, abilities: Abilities, kinds: Collection[str]) -> Document | None:
    """Give work of one of ``kinds`` to process ``slot`` of a host, as its assignment; ``None`` if there is none for it.

    Kinds for which the host lacks the scope are left out. Raises ``TooManyLeases``.
    """
    if worker_hosts.rests(host):
        return None
    asked = (kind for name, kind in KINDS.items() if name in kinds and host.allows(kind.scope))
    given = (kind.next_for(host, f"{host.worker}/{slot}", abilities) for kind in asked)
    return next((assignment for assignment in given if assignment is not None), None)


def withdraw(host: WorkerHost, assignment: Document) -> None:
    """Take back an assignment that its host never received."""
    name, row, token = assignment["lease"].split("/")
    held = KINDS[name].held(host, int(row), UUID(token))
    if held is not None:
        held.give_up("returned")


def renew(host: WorkerHost, kind: str, row: int, lease: UUID) -> None:
    """Extend a lease of the host. Raises ``LeaseGone``."""
    held = _held(host, kind, row, lease)
    if not held.renew():
        raise held.gone()


def code(host: WorkerHost, kind: str, row: int, lease: UUID, digest: str) -> bytes:
    """The uploaded file of a bot that plays by a lease of the host. Lost code ends the attempt.

    Raises ``LeaseGone``, ``NoSuchCode`` and ``OutOfReach``.
    """
    held = _held(host, kind, row, lease)
    version = next((each for each in held.versions() if each.digest == digest and each.archive), None)
    if version is None:
        logger.warning("worker host %s asked for code that is not in its %s", host.name, held.work)
        raise NoSuchCode
    try:
        return verified_bytes_of(version)
    except ArchiveLost as lost:
        held.lose(version, lost)
        raise LeaseGone("code_lost", "The code of a bot is lost. The attempt has ended.") from lost


def bring(host: WorkerHost, kind: str, row: int, lease: UUID, data: bytes) -> str:
    """Store what the host has played, and return how the attempt ended. A result counts once.

    Raises ``LeaseGone``, and after a record or report that is wrong, which ends the attempt, ``WrongRecord`` or
    ``BadReport``.
    """
    return _held(host, kind, row, lease).bring(data)


def give_up(host: WorkerHost, kind: str, row: int, lease: UUID, because: str, reason: str) -> None:
    """End an attempt without a result, for a code of ``GIVEN_UP``. Raises ``LeaseGone``."""
    held = _held(host, kind, row, lease)
    logger.warning("worker host %s gave %s back (%s): %r", host.name, held.work, because, reason)
    if not held.give_up(because):
        raise held.gone()


def _held(host: WorkerHost, kind: str, row: int, lease: UUID) -> Held:
    held = KINDS[kind].held(host, row, lease)
    if held is None:
        raise LeaseGone("lease_unknown", "This lease is not one of this host. It may have ended.")
    return held
