"""Validation of uploads: a worker takes up a version, plays it in the sandbox, and marks it ready or refused.

A validation plays one game after the other and stores each result, so a lost worker costs one game. A waiting version
of another owner gets its turn after the current game, also if server lag made it necessary to repeat the game. After a
failure of the platform the validation starts again, up to ``MOST_STARTS`` times. A failure of the bot is final.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from bots import reports
from bots.machines import current_test
from bots.manifest import Manifest
from bots.models import Bot, BotVersion
from bots.owners import make_active
from bots.protocol import Limits
from bots.runner.launcher import Launcher, NoCoreFree, PlatformFailure
from bots.runner.spec import Program
from bots.sandbox import CoreUse, launcher_for_uploads, shared_core
from bots.sandbox.cores import SharedCore
from bots.uploads.storage import ArchiveLost, OutOfReach, archive_of, program_of_upload
from bots.validation import Check
from esr_platform.heartbeats import beating
from games.rules import Document

# --- The queue -------------------------------------------------------------------------------------------------------
#
# A lease is a token in the version's row with an end by the database clock. Every change names the token and has no
# effect after the version has another token.

LEASE: Final = timedelta(seconds=30)
RENEW_EVERY_S: Final = 5.0
RETRY_AFTER: Final = timedelta(seconds=30)
"""Minimum time between a failed start and the next one."""

_State = BotVersion.State


@dataclass(frozen=True)
class Claim:
    """The right to store the result of one version's validation, until the lease ends by the database clock."""

    version_id: int
    token: UUID

    def row(self) -> QuerySet[BotVersion]:
        """The version, if this claim still holds its lease."""
        return BotVersion.objects.filter(pk=self.version_id, lease=self.token)

    def renew(self) -> bool:
        """Extend the lease by ``LEASE``; ``False`` if it was lost."""
        return bool(self.row().update(lease_until=Now() + LEASE))

    def keep(self, **changes: Any) -> bool:
        """Store ``changes`` and extend the lease; ``False`` if it was lost."""
        return bool(self.row().update(lease_until=Now() + LEASE, **changes))

    def end(self, **changes: Any) -> bool:
        """Store ``changes`` and end the lease; ``False`` if it was lost."""
        return bool(self.row().update(lease=None, lease_until=None, **changes))


def waiting() -> QuerySet[BotVersion]:
    """Return the versions that can be validated now, including those with a lost worker; none of suspended bots.

    No join is used: after waiting for another claim, PostgreSQL would not evaluate a subquery again.
    """
    free = Q(state=_State.RECEIVED) | Q(state=_State.CHECKING, lease=None)
    lost = Q(state=_State.CHECKING, lease_until__lt=Now())
    due = Q(vain_starts=0) | Q(tried=None) | Q(tried__lt=Now() - RETRY_AFTER)
    return BotVersion.objects.filter((free & due) | lost, bot__in=Bot.objects.filter(suspended=None))


def another_owner_waits(version: BotVersion) -> bool:
    """Whether a version of another owner is waiting."""
    return waiting().exclude(bot__owner=version.bot.owner_id).exists()


def in_turn() -> QuerySet[BotVersion]:
    """Return the waiting versions in fair order.

    Owners with the fewest running validations come first, then those whose last turn is longest ago, then old uploads.
    """
    its_owners = BotVersion.objects.filter(bot__owner=OuterRef("bot__owner")).order_by().values("bot__owner")
    on_trial = its_owners.filter(state=_State.CHECKING, lease_until__gte=Now()).annotate(n=Count("pk")).values("n")
    last_turn = its_owners.annotate(last=Max("tried")).values("last")
    return (
        waiting()
        .annotate(on_trial=Subquery(on_trial), last_turn=Subquery(last_turn))
        .order_by(F("on_trial").asc(nulls_first=True), F("last_turn").asc(nulls_first=True), "created", "pk")
    )


def claim(version_id: int) -> Claim | None:
    """Claim a waiting version; ``None`` if it is not available. Only one of several concurrent claims succeeds."""
    mine = Claim(version_id, uuid4())
    taken = waiting().filter(pk=version_id)
    changed = taken.update(
        state=_State.CHECKING,
        lease=mine.token,
        lease_until=Now() + LEASE,
        tried=Now(),
        vain_starts=F("vain_starts") + 1,
    )
    return mine if changed else None


def claim_next() -> Claim | None:
    """Claim the next version in order; ``None`` if none is waiting."""
    return next(_claims(), None)


def _claims() -> Iterator[Claim]:
    for version_id in list(in_turn().values_list("pk", flat=True)[:20]):
        mine = claim(version_id)
        if mine is not None:
            yield mine


# --- Validation ------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

MOST_STARTS: Final = 3
GIVEN_UP: Final = (
    f"The validation failed {MOST_STARTS} times because of a problem of the site, not of the bot. Upload the same file"
    " again to repeat the validation."
)
Ended = Callable[[BotVersion], object]
"""Called in the transaction that ends a validation, before or after the version becomes active."""


class _NotOurs(Exception):
    """Another worker has claimed the version in the meantime."""


def _nobody(_: BotVersion) -> None:
    """Do nothing."""


def check_next(
    launcher: Launcher[Program] | None = None, ended: Ended = _nobody, before: Ended = _nobody
) -> BotVersion | None:
    """Continue the next validation. Returns the version if its validation has ended, otherwise ``None``.

    Without a sandbox nothing is claimed: uploads wait for a machine with a sandbox. Safe to call at any time.
    """
    current_test()  # reports a repaired sandbox to the site
    found = launcher or launcher_for_uploads()
    mine = claim_next() if found is not None else None
    return _go_on(mine, found, ended, before) if found is not None and mine is not None else None


def check(version_id: int, launcher: Launcher[Program] | None = None, ended: Ended = _nobody) -> BotVersion | None:
    """Continue the validation of one version, regardless of the order."""
    found = launcher or launcher_for_uploads()
    mine = claim(version_id) if found is not None else None
    return _go_on(mine, found, ended) if found is not None and mine is not None else None


def _go_on(mine: Claim, launcher: Launcher[Program], ended: Ended, before: Ended = _nobody) -> BotVersion | None:
    version = BotVersion.objects.select_related("bot").get(pk=mine.version_id)
    if version.vain_starts > MOST_STARTS:
        return _end(mine, version, GIVEN_UP, ended, before)
    try:
        with beating(mine.renew, f"the validation of {version}", RENEW_EVERY_S):
            reason = _tried(mine, version, launcher)
    except _NotOurs:
        return None
    except (OutOfReach, NoCoreFree):  # wait for the storage or for a core without a limit
        mine.end(vain_starts=F("vain_starts") - 1)
        return None
    except Exception as failure:  # boundary of the worker: not the bot's fault, so retry
        expected = isinstance(failure, PlatformFailure)
        logger.warning("validation of %s failed: %s", version, failure, exc_info=not expected)
        mine.end()
        return None
    return None if reason is None else _end(mine, version, reason, ended, before)


def _tried(mine: Claim, version: BotVersion, launcher: Launcher[Program]) -> str | None:
    """Play formats until all are done or others have their turn. Returns the problem, "" or ``None`` (not done)."""
    try:
        archive_of(version)  # validate the stored archive, not an unpacked copy
        program: Program = program_of_upload(version)
    except ArchiveLost as lost:
        logger.error("%s", lost)
        return "The site lost or damaged the stored file. Upload the same file again."
    with shared_core(CoreUse.CHECKS, settings.VAR_DIR) as core:
        return _at_tables(mine, version, Check(_manifest(version), program, launcher, Limits(), core), core)


def _at_tables(mine: Claim, version: BotVersion, trial: Check[Program], core: SharedCore) -> str | None:
    report = version.check_report or reports.begun(version.claims)
    while True:
        report = _one_table(mine, trial, report, core)
        if report["ok"] is not None:
            return "" if report["ok"] else reports.reason_of(report)
        if reports.wall_ms(report) > 1000 * settings.MAX_VALIDATION_SECONDS:
            return _too_long(report)
        if another_owner_waits(version):
            mine.end(tried=Now())
            return None


def _one_table(mine: Claim, trial: Check[Program], report: Document, core: SharedCore) -> Document:
    report = reports.at_table(report)
    if not mine.keep(check_report=report):
        raise _NotOurs
    begun, waited_s = time.monotonic(), core.waited_s
    table = trial.table(report["now"]["game"], report["now"]["seats"], tries=(reports.reruns(report),))
    after = reports.after_late_machine if table.played.report.play_again else reports.after_table
    took_s = time.monotonic() - begun - (core.waited_s - waited_s)
    report = after(report, table, round(1000 * took_s))
    if not mine.keep(check_report=report, vain_starts=0):
        raise _NotOurs
    return report


def _too_long(report: Document) -> str:
    done = len(report["tables"])
    tables = done + len(report["untried"])
    return (
        f"The validation timed out after {settings.MAX_VALIDATION_SECONDS // 60} min with {done} of {tables} formats"
        " done. Make the bot faster or support fewer formats."
    )


def _manifest(version: BotVersion) -> Manifest:
    claims = {slug: tuple(counts) for slug, counts in version.claims.items()}
    return Manifest(version.bot.name, version.language, tuple(version.command), claims)


def _end(mine: Claim, version: BotVersion, reason: str, ended: Ended, before: Ended) -> BotVersion | None:
    """End the validation; the version is rejected if there is a ``reason``. ``None`` if the lease was lost."""
    state = _State.REFUSED if reason else _State.READY
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        if not mine.end(state=state, reason=reason, checked=Now()):
            return None
        before(version)
        if state == _State.READY and not version.bot.versions.filter(active=True, number__gt=version.number).exists():
            make_active(version)
        version.refresh_from_db()
        ended(version)
    return version
