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
from bots.sandbox import launcher_for_uploads, shared_core
from bots.sandbox.leases import SharedCore
from bots.uploads.storage import Lost, OutOfReach, archive_of, program_of_upload
from bots.validation import Check
from esr_platform.heartbeats import beating
from games.rules import Document

# --- The queue -------------------------------------------------------------------------------------------------------
#
# A lease is a token in the version's row with an end by the database's clock; every change names the token and changes
# nothing once it is not the version's any more.

LEASE: Final = timedelta(seconds=30)
RENEW_EVERY_S: Final = 5.0
RETRY_AFTER: Final = timedelta(seconds=30)
"""After a start that came to nothing, the next one is not before this."""

_State = BotVersion.State


@dataclass(frozen=True)
class Claim:
    """The right to say what came out of one version's check, until the database's clock says otherwise."""

    version_id: int
    token: UUID

    def row(self) -> QuerySet[BotVersion]:
        """The version, as long as it is ours."""
        return BotVersion.objects.filter(pk=self.version_id, lease=self.token)

    def renew(self) -> bool:
        """Hold it for another ``LEASE``; ``False`` when it is not ours any more."""
        return bool(self.row().update(lease_until=Now() + LEASE))

    def keep(self, **changes: Any) -> bool:
        """Write ``changes`` and hold it on; ``False`` when it is not ours any more."""
        return bool(self.row().update(lease_until=Now() + LEASE, **changes))

    def end(self, **changes: Any) -> bool:
        """Write ``changes`` and let it go; ``False`` when it was not ours any more."""
        return bool(self.row().update(lease=None, lease_until=None, **changes))


def waiting() -> QuerySet[BotVersion]:
    """The versions that somebody could take up now, also those whose worker was lost; none of a suspended bot.

    Without a join: after waiting for another claim PostgreSQL would not look again at what a subquery had found.
    """
    free = Q(state=_State.RECEIVED) | Q(state=_State.CHECKING, lease=None)
    lost = Q(state=_State.CHECKING, lease_until__lt=Now())
    due = Q(vain_starts=0) | Q(tried=None) | Q(tried__lt=Now() - RETRY_AFTER)
    return BotVersion.objects.filter((free & due) | lost, bot__in=Bot.objects.filter(suspended=None))


def another_owner_waits(version: BotVersion) -> bool:
    """Whether a version of another owner than that of ``version`` could be taken up now."""
    return waiting().exclude(bot__owner=version.bot.owner_id).exists()


def in_turn() -> QuerySet[BotVersion]:
    """The waiting versions in the order in which they are taken up, so that nobody with many keeps others waiting.

    First comes who has the fewest on trial at this moment, then whose turn was longest ago, then the oldest upload.
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
    """Take a waiting version up; ``None`` when it is not to be had. One of several claims gets it."""
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
    """Take up the version whose turn it is; ``None`` when none waits."""
    return next(_claims(), None)


def _claims() -> Iterator[Claim]:
    for version_id in list(in_turn().values_list("pk", flat=True)[:20]):
        mine = claim(version_id)
        if mine is not None:
            yield mine


# --- Validation ------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

MOST_STARTS: Final = 3
_GIVEN_UP: Final = (
    f"Its check was begun {MOST_STARTS} times and never came to an end, which is our fault and not the bot's."
    " Upload the same file again to have it checked once more."
)
Ended = Callable[[BotVersion], object]
"""Told of a version in the transaction that makes it ready or refused: before another one may play, or after that."""


class _NotOurs(Exception):
    """Another worker has taken the version up in the meantime."""


def _nobody(_: BotVersion) -> None:
    """Wants to be told of nothing."""


def check_next(
    launcher: Launcher[Program] | None = None, ended: Ended = _nobody, before: Ended = _nobody
) -> BotVersion | None:
    """Go on with the check whose turn it is; the version if that brought the check to its end, otherwise ``None``.

    Without a sandbox nothing is taken up: what was uploaded waits for a machine that has one. Safe to call at any time.
    """
    current_test()  # tells the site if the sandbox was repaired
    found = launcher or launcher_for_uploads()
    mine = claim_next() if found is not None else None
    return _go_on(mine, found, ended, before) if found is not None and mine is not None else None


def check(version_id: int, launcher: Launcher[Program] | None = None, ended: Ended = _nobody) -> BotVersion | None:
    """The same for one version, whoever's turn it is."""
    found = launcher or launcher_for_uploads()
    mine = claim(version_id) if found is not None else None
    return _go_on(mine, found, ended) if found is not None and mine is not None else None


def _go_on(mine: Claim, launcher: Launcher[Program], ended: Ended, before: Ended = _nobody) -> BotVersion | None:
    version = BotVersion.objects.select_related("bot").get(pk=mine.version_id)
    if version.vain_starts > MOST_STARTS:
        return _end(mine, version, _GIVEN_UP, ended, before)
    try:
        with beating(mine.renew, f"the validation of {version}", RENEW_EVERY_S):
            reason = _tried(mine, version, launcher)
    except _NotOurs:
        return None
    except (OutOfReach, NoCoreFree):  # it waits for the storage, or for a core, as long as it takes
        mine.end(vain_starts=F("vain_starts") - 1)
        return None
    except Exception as failure:  # the border of the worker: whatever it is, it is ours, and is tried again
        expected = isinstance(failure, PlatformFailure)
        logger.warning("validation of %s failed: %s", version, failure, exc_info=not expected)
        mine.end()
        return None
    return None if reason is None else _end(mine, version, reason, ended, before)


def _tried(mine: Claim, version: BotVersion, launcher: Launcher[Program]) -> str | None:
    """Play its tables until they are through or others have their turn: what is wrong, "" or ``None`` for not yet."""
    try:
        archive_of(version)  # what is checked is what the storage gives back, not what may lie unpacked here
        program: Program = program_of_upload(version)
    except Lost as lost:
        logger.error("%s", lost)
        return "What we stored is not what you uploaded, which is our fault. Upload the same file again."
    with shared_core() as core:
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
        f"Its check took longer than {settings.MAX_VALIDATION_SECONDS // 60} min: {done} of {tables}"
        " tables were through by then. Let it think less, or claim fewer tables."
    )


def _manifest(version: BotVersion) -> Manifest:
    claims = {slug: tuple(counts) for slug, counts in version.claims.items()}
    return Manifest(version.bot.name, version.language, tuple(version.command), claims)


def _end(mine: Claim, version: BotVersion, reason: str, ended: Ended, before: Ended) -> BotVersion | None:
    """The version, ready if there is no ``reason`` against it; ``None`` if it is somebody else's by now."""
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
