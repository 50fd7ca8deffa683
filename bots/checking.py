"""Trying out what was uploaded: claimed by one worker, played in the sandbox, and then ready or refused.

The version's row is the queue; a message to a worker is only a hint. A check that a worker did not finish is begun again
by the next; after ``MOST_STARTS`` the version is refused with the reason, so that no upload can keep the workers busy.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from bots.local.checking import Check, CheckReport, TableCheck
from bots.manifest import Manifest
from bots.models import Bot, BotVersion
from bots.protocol import Limits
from bots.runner.failures import PlatformFailure
from bots.runner.launching import Launcher
from bots.runner.spec import Program
from bots.sandbox import sandbox
from bots.stored import Lost, program_of_upload

logger = logging.getLogger(__name__)

LEASE: Final = timedelta(seconds=int(settings.CELERY_TASK_TIME_LIMIT) + 30)
"""Longer than a worker can be at it: Celery ends the task before."""

MOST_STARTS: Final = 3
SHOWN_STDERR: Final = 8 * 1024
_State = BotVersion.State


@dataclass(frozen=True)
class Claim:
    """The right to say what came out of one version's check."""

    version_id: int
    token: UUID


def waiting() -> QuerySet[BotVersion]:
    """The versions that have to be checked, the oldest first; also those whose worker was lost."""
    return BotVersion.objects.filter(
        Q(state=_State.RECEIVED) | Q(state=_State.CHECKING, lease_until__lt=Now())
    ).order_by("created", "pk")


def check(version_id: int, launcher: Launcher[Program] | None = None) -> BotVersion | None:
    """Check a version, if it still has to be; the version once it is ready, ``None`` otherwise.

    Without a sandbox nothing is claimed: the version waits for a machine that has one. Safe to call at any time.
    """
    found = launcher or sandbox()[0]
    claim = _claimed(version_id) if found is not None else None
    if found is None or claim is None:
        return None
    version = BotVersion.objects.select_related("bot").get(pk=version_id)
    if version.checks_started > MOST_STARTS:
        _refuse(claim, "Its check was begun three times and never came to an end on our side. Please report this.")
        return None
    try:
        report = _tried(claim, version, found)
    except (PlatformFailure, Lost) as failure:
        logger.warning("the check of %s failed: %s", version, failure)
        _give_back(claim)
        return None
    if report.ok:
        return version if _accept(claim, version, report) else None
    _refuse(claim, reason_of(report), report)
    return None


def reason_of(report: CheckReport) -> str:
    """The first thing that went wrong, as a sentence."""
    for table in report.tables:
        for problem in table.problems:
            where = f"{table.game} with {table.seats} seats"
            return f"At {where}, seat {problem.seat}: {problem.reason}. {problem.detail}"[:1000]
    return "It did not start."


def stored(report: CheckReport) -> dict[str, Any]:
    """What is kept of a report: everything, with the questions and stderr of the first problems only."""
    document = report.document()
    for table in document["tables"]:
        del table["problems"][3:]
        for problem in table["problems"]:
            problem["stderr_tail"] = problem["stderr_tail"][-SHOWN_STDERR:]
    return _without_nul(document)


def _tried(claim: Claim, version: BotVersion, launcher: Launcher[Program]) -> CheckReport:
    """Play every table the version claims; the page sees each as it passes."""
    entry = Check(_manifest(version), program_of_upload(version), launcher, Limits())
    done: list[TableCheck] = []
    for table in entry.tables():
        done.append(table)
        so_far = stored(entry.report(iter(done)))
        if not _mine(claim).update(check_report=so_far, lease_until=Now() + LEASE):
            raise PlatformFailure("somebody else checks it by now")
    return entry.report(iter(done))


def _manifest(version: BotVersion) -> Manifest:
    claims = {slug: tuple(counts) for slug, counts in version.claims.items()}
    return Manifest(version.bot.name, version.language, tuple(version.command), claims)


def _claimed(version_id: int) -> Claim | None:
    claim = Claim(version_id, uuid4())
    taken = waiting().filter(pk=version_id).update(
        state=_State.CHECKING,
        lease=claim.token,
        lease_until=Now() + LEASE,
        check_report=None,
        checks_started=F("checks_started") + 1,
    )
    return claim if taken else None


def _accept(claim: Claim, version: BotVersion, report: CheckReport) -> bool:
    """Ready, and the version that plays from now on, unless a later one already does."""
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if not _ended(claim, state=_State.READY, check_report=stored(report)):
            return False
        if not version.bot.versions.filter(active=True, number__gt=version.number).exists():
            make_active(version)
    return True


def _refuse(claim: Claim, reason: str, report: CheckReport | None = None) -> None:
    kept = {} if report is None else {"check_report": stored(report)}
    _ended(claim, state=_State.REFUSED, reason=_without_nul(reason), **kept)


def _give_back(claim: Claim) -> None:
    _mine(claim).update(state=_State.RECEIVED, lease=None, lease_until=None, sent_at=Now())


def _ended(claim: Claim, **changes: Any) -> int:
    return _mine(claim).update(lease=None, lease_until=None, checked=Now(), **changes)


def _mine(claim: Claim) -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(pk=claim.version_id, lease=claim.token)


def make_active(version: BotVersion) -> None:
    """Give new matches this version, in a transaction that holds the bot; it has to be ready."""
    version.bot.versions.filter(active=True).exclude(pk=version.pk).update(active=False)
    version.bot.versions.filter(pk=version.pk, state=_State.READY).update(active=True)


def _without_nul(value: Any) -> Any:
    """``value`` with every NUL written out: PostgreSQL stores none."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00")
    if isinstance(value, dict):
        return {key: _without_nul(one) for key, one in value.items()}
    return [_without_nul(one) for one in value] if isinstance(value, list | tuple) else value
