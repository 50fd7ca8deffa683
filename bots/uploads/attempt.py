"""An attempt at the validation of an uploaded version: a worker plays its formats in the sandbox.

An attempt plays one game after the other and stores each result, so a lost worker costs one game. A waiting version of
another owner gets its turn after the current game. The first fault of the bot ends the validation.

An attempt that the site has spoiled, by server lag or a failure, decides nothing. After ``MOST_TRIES`` of them in a
row, the version is undecided and takes a break, which is longer each time (``BREAKS``).
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from bots import reports
from bots.manifest import Manifest
from bots.models import BotVersion
from bots.protocol import Limits
from bots.runner import Transcript
from bots.runner.launcher import Launcher, NoCoreFree, PlatformFailure
from bots.runner.spec import Program
from bots.sandbox import CoreUse, shared_core
from bots.sandbox.cores import SharedCore
from bots.uploads import hints
from bots.uploads.queue import another_owner_waits
from bots.uploads.storage import ArchiveLost, OutOfReach, archive_of, program_of_upload
from bots.validation import MOST_TRIES, Check
from esr_platform.heartbeats import LeaseLost, beating
from esr_platform.leases import RENEW_EVERY_S, Lease, on_database
from games.rules import Document

logger = logging.getLogger(__name__)

BREAKS: Final = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
"""Breaks of an undecided version, in order. The last one is repeated."""

SHOW_EVERY_S: Final = 2.0

TOO_BUSY: Final = (
    f"No verdict in {MOST_TRIES} attempts: the bot was late, but the server was busy and may have slowed it. The site"
    " tries again later. A bot that is well below its time limits gets a verdict sooner."
)
SITE_FAILED: Final = (
    f"A problem of the site prevented the validation of this version in {MOST_TRIES} attempts. This is not a problem of"
    " the bot. The site tries again later."
)
FILE_LOST: Final = "The site lost or damaged the stored file. Upload the same file again."
"""Why a version is undecided."""


def play(lease: Lease[BotVersion], version: BotVersion, launcher: Launcher[Program]) -> str | None:
    """Play the formats of a claimed version that are left, until the verdict.

    Returns "" if the version has passed, or why it is rejected. ``None`` means that there is no verdict yet, or that
    another worker has taken over; the lease has then ended.
    """
    attempt = _Attempt(lease, version, launcher)
    if version.vain_starts > MOST_TRIES:
        attempt.put_off(reports.after_failure(attempt.report, "the worker was lost"), SITE_FAILED)
        return None
    try:
        with beating(on_database(lease.renew), f"the validation of {version}", RENEW_EVERY_S):
            return attempt.run()
    except LeaseLost:
        pass
    except (OutOfReach, NoCoreFree):  # wait for the storage or for a core without a limit
        lease.release(vain_starts=F("vain_starts") - 1)
    except ArchiveLost as lost:
        logger.error("%s", lost)
        attempt.tries = MOST_TRIES  # another attempt would not help soon
        attempt.put_off(reports.after_failure(attempt.report, "the stored file is lost"), FILE_LOST)
    except Exception as failure:  # boundary of the worker: not the bot's fault, so retry
        expected = isinstance(failure, PlatformFailure)
        logger.warning("validation of %s failed: %s", version, failure, exc_info=not expected)
        description = str(failure) if expected else type(failure).__name__
        attempt.put_off(reports.after_failure(attempt.report, description), SITE_FAILED)
    return None


class _Attempt:
    """The work of one lease. ``tries`` counts the attempts at the current game, including this one."""

    def __init__(self, lease: Lease[BotVersion], version: BotVersion, launcher: Launcher[Program]) -> None:
        self.lease, self.version, self.launcher = lease, version, launcher
        self.report: Document = version.validation_report or reports.begun(version.formats)
        self.tries = version.vain_starts

    def run(self) -> str | None:
        """Play formats until the verdict. Returns the problem, "" or ``None`` (no verdict yet).

        Raises ``LeaseLost``, ``PlatformFailure``, ``ArchiveLost`` and ``OutOfReach``.
        """
        archive_of(self.version)  # validate the stored archive, not an unpacked copy
        program: Program = program_of_upload(self.version)
        with shared_core(CoreUse.VALIDATIONS, settings.VAR_DIR) as core:
            check = Check(_manifest(self.version), program, self.launcher, Limits(), core)
            while self._game(check, core):
                if self.report["ok"] is not None:
                    return "" if self.report["ok"] else reports.reason_of(self.report)
                if reports.own_ms(self.report) > 1000 * settings.MAX_VALIDATION_SECONDS:
                    return _too_long(self.report)
                if another_owner_waits(self.version):
                    self.lease.release(tried=Now())
                    hints.send()
                    return None
                self.tries = 1
        return None

    def put_off(self, report: Document, why: str) -> None:
        """End an attempt that decided nothing. The last one of ``MOST_TRIES`` leaves the version undecided: ``why``."""
        if self.tries < MOST_TRIES:
            self.lease.release(validation_report=report, vain_starts=self.tries)
            return
        rounds = report["undecided"]
        retry_at = Now() + BREAKS[min(rounds, len(BREAKS) - 1)]
        report = {**report, "undecided": rounds + 1}
        undecided = BotVersion.State.UNDECIDED
        if self.lease.release(state=undecided, reason=why, validation_report=report, retry_at=retry_at):
            logger.warning("validation of %s is undecided: %s", self.version, report["attempts"][-1])

    def _game(self, check: Check[Program], core: SharedCore) -> bool:
        """Play the next format and store the result. ``False`` if server lag has spoiled the game."""
        transcript = _WatchedTranscript(self)
        self.store(reports.during(self.report, self.tries), vain_starts=self.tries)
        begun, waited_s = time.monotonic(), core.waited_s
        result = check.attempt(self.report["now"]["game"], self.report["now"]["seats"], self.tries, transcript)
        wall_ms = round(1000 * (time.monotonic() - begun - (core.waited_s - waited_s)))
        if result.ok is None:
            self.put_off(reports.after_delay(self.report, result, wall_ms), TOO_BUSY)
            return False
        self.store(reports.after_format(self.report, result, wall_ms), vain_starts=0)
        return True

    def store(self, report: Document, **changes: Any) -> None:
        """Store the report for the page. Raises ``LeaseLost``."""
        if not self.lease.renew(validation_report=report, **changes):
            raise LeaseLost
        self.report = report


class _WatchedTranscript(Transcript):
    """A transcript that shows the progress of its game when all bots have started, and then every ``SHOW_EVERY_S``."""

    def __init__(self, attempt: _Attempt) -> None:
        super().__init__(attempt.report["untried"][0]["seats"])
        self._attempt = attempt
        self._show_at = 0.0

    def sent(self, seat: int, line: bytes) -> None:
        super().sent(seat, line)
        questions = sum(len(conversation.exchanges) for conversation in self.seats)
        if questions and time.monotonic() >= self._show_at:
            report, tries = self._attempt.report, self._attempt.tries
            self._attempt.store(reports.during(report, tries, started=True, decisions=questions - 1))
            self._show_at = time.monotonic() + SHOW_EVERY_S


def _too_long(report: Document) -> str:
    done = len(report["formats"])
    formats = done + len(report["untried"])
    return (
        f"The bot used more than {settings.MAX_VALIDATION_SECONDS // 60} min in {done} of {formats} formats. Make the"
        " bot faster or support fewer formats."
    )


def _manifest(version: BotVersion) -> Manifest:
    formats = {slug: tuple(counts) for slug, counts in version.formats.items()}
    return Manifest(version.bot.name, version.language, tuple(version.command), formats)
