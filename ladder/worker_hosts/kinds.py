"""What every kind of work for worker hosts has: a lease of a row, and errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from bots import worker_hosts
from bots.languages import LANGUAGES
from bots.machines import offered_libraries
from bots.models import BotVersion, WorkerHost, WorkerScope
from bots.programs import NotHere, house_bot
from bots.runner.spec import HouseProgram
from bots.uploads.storage import ArchiveLost
from bots.worker.documents import UploadedProgram
from bots.worker_hosts import Abilities, host_of
from esr_platform.leases import RENEW_EVERY_S, Lease
from games.rules import Document
from ladder.matches.assignments import ProgramOf
from ladder.models import Attempt, LiveSeat

GIVEN_UP: Final = {
    "failed": (Attempt.Ending.FAILED, "the worker could not play the match"),
    "busy": (Attempt.Ending.BUSY, "no processor core was free for long enough"),
    "returned": (Attempt.Ending.RETURNED, "the worker stopped or could not get the code of a bot"),
}
"""How a host can end an attempt without a result. What it says beyond that is only logged, because it is not ours."""


class LeaseGone(Exception):
    """The lease is not, or no longer, the host's. Nothing was changed. ``code`` says why."""

    def __init__(self, code: str = "lease_ended", message: str = "The lease has ended. Ask for other work.") -> None:
        super().__init__(message)
        self.code = code


class TooManyLeases(Exception):
    """The host has as many leases of a kind as a token may have."""


class NoSuchCode(LookupError):
    """No bot that plays by the lease has this code."""


class Held(ABC):
    """A lease that a host has. ``work`` names the row among what the host can fail at (``bots.worker_hosts``)."""

    work: str

    @abstractmethod
    def renew(self) -> bool:
        """Extend the lease; ``False`` if it has ended, or if the work has taken longer than it can."""

    @abstractmethod
    def versions(self) -> list[BotVersion]:
        """The versions whose code the host may read by this lease. Raises ``LeaseGone`` if it has ended."""

    @abstractmethod
    def lose(self, version: BotVersion, lost: ArchiveLost) -> None:
        """End the attempt because the code of ``version`` is lost."""

    @abstractmethod
    def bring(self, data: bytes) -> str:
        """Store what the host has played, and return how the attempt ended.

        Raises ``LeaseGone``, and after a record or report that is wrong, which ends the attempt, ``WrongRecord`` or
        ``BadReport``.
        """

    @abstractmethod
    def give_up(self, code: str) -> bool:
        """End the attempt without a result, for a code of ``GIVEN_UP``; ``False`` if the lease has ended already."""

    def gone(self) -> LeaseGone:
        """Why the lease has ended."""
        return LeaseGone()


class Kind(ABC):
    """A kind of work. ``name`` is a part of its leases and URLs, ``scope`` what a host needs for it."""

    name: ClassVar[str]
    scope: ClassVar[WorkerScope]

    @abstractmethod
    def waits(self) -> bool:
        """Whether there may be such work for a host. At most one query."""

    @abstractmethod
    def next_for(self, host: WorkerHost, worker: str, abilities: Abilities) -> Document | None:
        """Claim such work for ``worker`` of the host, and return its assignment; ``None`` if there is none for it.

        Raises ``TooManyLeases``.
        """

    @abstractmethod
    def held(self, host: WorkerHost, row: int, token: UUID) -> Held | None:
        """The lease of ``row`` that was given to the host; ``None`` if there is none with this token."""

    def is_for_others(self, worker: str, work: str, row: BotVersion | LiveSeat) -> bool:
        """Whether the host of ``worker`` has failed at ``work`` or has let its lease of ``row`` run out.

        Where nobody else does such work, it may try again.
        """
        withheld = row.lease is not None and host_of(row.worker) == host_of(worker)
        if withheld:
            worker_hosts.leave_to_others(worker, work)
        return (withheld or worker_hosts.has_failed(worker, work)) and worker_hosts.others_do(worker, self.scope)

    def assignment(self, lease: Lease[Any], task: Document) -> Document:
        """The document of claimed work."""
        times = {"lasts_s": lease.lasts.total_seconds(), "renew_every_s": RENEW_EVERY_S}
        return {"kind": self.name, "lease": f"{self.name}/{lease.pk}/{lease.token}", **times, **task}


def of_host(host: WorkerHost) -> dict[str, str]:
    """The condition that a row names a worker of the host."""
    return {"worker__startswith": f"{host.worker}/"}


def require_room(leases: QuerySet[Any]) -> None:
    """Raise ``TooManyLeases`` if the host has these leases, and they are as many as it may have."""
    if leases.count() >= settings.MAX_LEASES_PER_WORKER_HOST:
        raise TooManyLeases


def program_for(abilities: Abilities) -> ProgramOf:
    """Return the function that names the program of a version for a host with ``abilities``."""

    def program(version: BotVersion, rated: bool) -> HouseProgram | UploadedProgram:
        entry = house_bot(version)
        if entry is not None:
            return HouseProgram(entry.name, version.digest)
        if not version.archive:
            raise NotHere(f"the code of {version} ({version.digest[:12]}…) is not installed on this machine")
        if not abilities.uploads or (rated and not abilities.rated):
            raise NotHere(f"the host cannot play {version}: {abilities.problem}")
        if version.language not in abilities.languages:
            raise NotHere(f"{version} is written in {version.language}, which the host does not offer")
        if not LANGUAGES[version.language].is_interpreted and not offered_libraries() <= abilities.libraries:
            raise NotHere(f"{version} is an executable, and the host lacks a library")
        return uploaded_program(version)

    return program


def uploaded_program(version: BotVersion) -> UploadedProgram:
    """The program of an uploaded version, whose code a host fetches."""
    command, *args = version.command
    suffix = version.archive.rpartition(".")[2]
    return UploadedProgram(version.digest, f"bot.{suffix}", command, tuple(args))
