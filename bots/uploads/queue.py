"""Validation of uploads: a worker takes up a version, plays it in the sandbox, and marks it ready or refused.

A validation plays one game after the other and stores each result, so a lost worker costs one game. A waiting version
of another owner gets its turn after the current game. The first fault of the bot ends the validation.

An attempt that the site has spoiled, by server lag or a failure, decides nothing. After ``MOST_TRIES`` of them in a
row, the version is undecided and takes a break, which is longer each time (``BREAKS``). A newer version of the bot
replaces an undecided one, which is then no longer tried.
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
from django.db.models import Case, Count, F, Max, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Now

from bots import reports
from bots.machines import current_test
from bots.manifest import Manifest
from bots.models import Bot, BotVersion
from bots.owners import make_active
from bots.protocol import Limits
from bots.runner import Transcript
from bots.runner.launcher import Launcher, NoCoreFree, PlatformFailure
from bots.runner.spec import Program
from bots.sandbox import CoreUse, launcher_for_uploads, shared_core
from bots.sandbox.cores import SharedCore
from bots.uploads.storage import ArchiveLost, OutOfReach, archive_of, program_of_upload
from bots.validation import MOST_TRIES, Check
from esr_platform.heartbeats import beating
from games.rules import Document

# --- The queue -------------------------------------------------------------------------------------------------------
#
# A lease is a token in the version's row with an end by the database clock. Every change names the token and has no
# effect after the version has another token.

LEASE: Final = timedelta(seconds=30)
RENEW_EVERY_S: Final = 5.0
RETRY_AFTER: Final = timedelta(seconds=30)
"""Minimum time between an attempt that the site has spoiled and the next one."""

BREAKS: Final = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
"""Breaks of an undecided version, in order. The last one is repeated."""

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

    No join is used: after waiting for
    another claim, PostgreSQL would not evaluate a subquery again.
    """
    free = Q(state=_State.RECEIVED) | Q(state=_State.CHECKING, lease=None)
    lost = Q(state=_State.CHECKING, lease_until__lt=Now())
    due = Q(vain_starts=0) | Q(tried=None) | Q(tried__lt=Now() - RETRY_AFTER)
    again = _undecided() & Q(retry_at__lte=Now())
    return BotVersion.objects.filter((free & due) | lost | again, bot__in=Bot.objects.filter(suspended=None))


def undecided() -> QuerySet[BotVersion]:
    """Return the undecided versions that are tried again: those that are the newest of their bot."""
    return BotVersion.objects.filter(_undecided())


def _undecided() -> Q:
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by().values("bot").annotate(last=Max("number"))
    return Q(state=_State.UNDECIDED, number=Subquery(newest.values("last")))


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
        vain_starts=Case(When(state=_State.UNDECIDED, then=Value(1)), default=F("vain_starts") + 1),
        reason="",
        retry_at=None,
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

SHOW_EVERY_S: Final = 2.0

TOO_BUSY: Final = (
    f"The server was too busy to validate this version in {MOST_TRIES} attempts. This is not a problem of the bot. The"
    " site tries again later."
)
SITE_FAILED: Final = (
    f"A problem of the site prevented the validation of this version in {MOST_TRIES} attempts. This is not a problem of"
    " the bot. The site tries again later."
)
FILE_LOST: Final = "The site lost or damaged the stored file. Upload the same file again."
"""Why a version is undecided."""

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
    attempt = _Attempt(mine, version, launcher)
    if version.vain_starts > MOST_TRIES:
        attempt.put_off(reports.after_failure(attempt.report, "the worker was lost"), SITE_FAILED)
        return None
    try:
        with beating(mine.renew, f"the validation of {version}", RENEW_EVERY_S):
            reason = attempt.run()
    except _NotOurs:
        return None
    except (OutOfReach, NoCoreFree):  # wait for the storage or for a core without a limit
        mine.end(vain_starts=F("vain_starts") - 1)
        return None
    except ArchiveLost as lost:
        logger.error("%s", lost)
        attempt.tries = MOST_TRIES  # another attempt would not help soon
        attempt.put_off(reports.after_failure(attempt.report, "the stored file is lost"), FILE_LOST)
        return None
    except Exception as failure:  # boundary of the worker: not the bot's fault, so retry
        expected = isinstance(failure, PlatformFailure)
        logger.warning("validation of %s failed: %s", version, failure, exc_info=not expected)
        said = str(failure) if expected else type(failure).__name__
        attempt.put_off(reports.after_failure(attempt.report, said), SITE_FAILED)
        return None
    return None if reason is None else _end(mine, version, reason, ended, before)


class _Attempt:
    """The work of one claim: games, one after the other, until the verdict, or until something stops it.

    ``tries`` counts the attempts at the current game, including this one.
    """

    def __init__(self, mine: Claim, version: BotVersion, launcher: Launcher[Program]) -> None:
        self.mine, self.version, self.launcher = mine, version, launcher
        self.report: Document = version.check_report or reports.begun(version.claims)
        self.tries = version.vain_starts

    def run(self) -> str | None:
        """Play formats until the verdict. Returns the problem, "" or ``None`` (no verdict yet).

        Raises ``_NotOurs``, ``PlatformFailure``, ``ArchiveLost`` and ``OutOfReach``.
        """
        archive_of(self.version)  # validate the stored archive, not an unpacked copy
        program: Program = program_of_upload(self.version)
        with shared_core(CoreUse.CHECKS, settings.VAR_DIR) as core:
            trial = Check(_manifest(self.version), program, self.launcher, Limits(), core)
            while self._game(trial, core):
                if self.report["ok"] is not None:
                    return "" if self.report["ok"] else reports.reason_of(self.report)
                if reports.own_ms(self.report) > 1000 * settings.MAX_VALIDATION_SECONDS:
                    return _too_long(self.report)
                if another_owner_waits(self.version):
                    self.mine.end(tried=Now())
                    return None
                self.tries = 1
        return None

    def put_off(self, report: Document, why: str) -> None:
        """End an attempt that decided nothing. The last one of ``MOST_TRIES`` leaves the version undecided: ``why``."""
        if self.tries < MOST_TRIES:
            self.mine.end(check_report=report, vain_starts=self.tries)
            return
        rounds = report.get("undecided", 0)
        retry_at = Now() + BREAKS[min(rounds, len(BREAKS) - 1)]
        report = {**report, "undecided": rounds + 1}
        if self.mine.end(state=_State.UNDECIDED, reason=why, check_report=report, retry_at=retry_at):
            logger.warning("validation of %s is undecided: %s", self.version, report["attempts"][-1])

    def _game(self, trial: Check[Program], core: SharedCore) -> bool:
        """Play the next format and store the result. ``False`` if server lag has spoiled the game."""
        transcript = _WatchedTranscript(self)
        self._keep(reports.at_table(self.report, self.tries), vain_starts=self.tries)
        begun, waited_s = time.monotonic(), core.waited_s
        table = trial.table(self.report["now"]["game"], self.report["now"]["seats"], self.tries, transcript)
        wall_ms = round(1000 * (time.monotonic() - begun - (core.waited_s - waited_s)))
        if table.ok is None:
            self.put_off(reports.after_delay(self.report, table, wall_ms), TOO_BUSY)
            return False
        self._keep(reports.after_table(self.report, table, wall_ms), vain_starts=0)
        return True

    def _keep(self, report: Document, **changes: Any) -> None:
        if not self.mine.keep(check_report=report, **changes):
            raise _NotOurs
        self.report = report

    def show(self, decisions: int) -> None:
        """Store the progress of the game for the page. Raises ``_NotOurs``."""
        self._keep(reports.at_table(self.report, self.tries, started=True, decisions=decisions))


class _WatchedTranscript(Transcript):
    """A transcript that shows the progress of its game when all bots have started, and then every ``SHOW_EVERY_S``."""

    def __init__(self, attempt: _Attempt) -> None:
        super().__init__(attempt.report["untried"][0]["seats"])
        self._attempt = attempt
        self._show_at = 0.0

    def sent(self, seat: int, line: bytes) -> None:
        super().sent(seat, line)
        asked = sum(len(conversation.exchanges) for conversation in self.seats)
        if asked and time.monotonic() >= self._show_at:
            self._attempt.show(asked - 1)
            self._show_at = time.monotonic() + SHOW_EVERY_S


def _too_long(report: Document) -> str:
    done = len(report["tables"])
    tables = done + len(report["untried"])
    return (
        f"The bot used more than {settings.MAX_VALIDATION_SECONDS // 60} min in {done} of {tables} formats. Make the"
        " bot faster or support fewer formats."
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
