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
from bots.uploads import hints
from bots.uploads.queue import another_owner_waits
from bots.uploads.storage import ArchiveLost, OutOfReach, archive_of, program_of_upload
from bots.validation import MOST_TRIES, Check, FormatCheck
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


class Attempt:
    """What the site does for an attempt: it says which game is next, and stores its result or its failure.

    ``tries`` counts the attempts at the current game, including this one. ``problem`` is the verdict: "" if the version
    has passed, or why it is rejected; ``None`` without one. Celery workers and worker hosts share it.
    """

    def __init__(self, lease: Lease[BotVersion], version: BotVersion) -> None:
        self.lease, self.version = lease, version
        self.report: Document = version.validation_report or reports.begun(version.formats)
        self.tries = version.vain_starts
        self.problem: str | None = None

    def begin(self) -> bool:
        """Whether the version can be tried. If its workers were lost too often, it becomes undecided."""
        if self.tries > MOST_TRIES:
            self.fail("the worker was lost")
        return self.tries <= MOST_TRIES

    def next_game(self) -> tuple[str, int, int]:
        """Return the format that is next and which attempt at it this is, and show it. Raises ``LeaseLost``."""
        self.store(reports.during(self.report, self.tries), vain_starts=self.tries)
        return self.report["now"]["game"], self.report["now"]["seats"], self.tries

    def conclude(self, result: FormatCheck, wall_ms: int) -> bool:
        """Add the result of the game. ``True`` if it is stored and the next format follows.

        Otherwise ``problem`` is the verdict, which is to be stored with ``report``. If server lag has spoiled the game,
        there is none, and the lease has ended. Raises ``LeaseLost``.
        """
        if result.ok is None:
            self._put_off(reports.after_delay(self.report, result, wall_ms), TOO_BUSY)
            return False
        self.report, self.tries = reports.after_format(self.report, result, wall_ms), 1
        if self.report["ok"] is not None:
            self.problem = "" if self.report["ok"] else reports.reason_of(self.report)
        elif reports.own_ms(self.report) > 1000 * settings.MAX_VALIDATION_SECONDS:
            self.problem = _too_long(self.report)
        else:
            self.store(self.report, vain_starts=0)
        return self.problem is None

    def give_way(self) -> None:
        """End the lease after a game, so that the version waits for its next turn."""
        self.lease.release(tried=Now())
        hints.send()

    def wait(self) -> None:
        """End an attempt that could not begin yet, and that does not count."""
        self.lease.release(vain_starts=F("vain_starts") - 1)

    def fail(self, failure: str) -> None:
        """End an attempt that the site has spoiled by a failure."""
        self._put_off(reports.after_failure(self.report, failure), SITE_FAILED)

    def lose(self, lost: ArchiveLost) -> None:
        """End an attempt whose code is lost. Another one would not help soon."""
        logger.error("%s", lost)
        self.tries = MOST_TRIES
        self._put_off(reports.after_failure(self.report, "the stored file is lost"), FILE_LOST)

    def store(self, report: Document, **changes: Any) -> None:
        """Store the report for the page. Raises ``LeaseLost``."""
        if not self.lease.renew(validation_report=report, **changes):
            raise LeaseLost
        self.report = report

    def _put_off(self, report: Document, why: str) -> None:
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


# --- Celery workers --------------------------------------------------------------------------------------------------


def play(attempt: Attempt, launcher: Launcher[Program]) -> bool:
    """Play the formats of a claimed version that are left, until the verdict. Returns whether there is one.

    Otherwise there is none yet, or another worker has taken over; the lease has then ended.
    """
    version = attempt.version
    if not attempt.begin():
        return False
    try:
        with beating(on_database(attempt.lease.renew), f"the validation of {version}", RENEW_EVERY_S):
            return _played(attempt, launcher)
    except LeaseLost:
        pass
    except (OutOfReach, NoCoreFree):  # wait for the storage or for a core without a limit
        attempt.wait()
    except ArchiveLost as lost:
        attempt.lose(lost)
    except Exception as failure:  # boundary of the worker: not the bot's fault, so retry
        expected = isinstance(failure, PlatformFailure)
        logger.warning("validation of %s failed: %s", version, failure, exc_info=not expected)
        attempt.fail(str(failure) if expected else type(failure).__name__)
    return False


def _played(attempt: Attempt, launcher: Launcher[Program]) -> bool:
    """Play formats until the verdict. Raises ``LeaseLost``, ``PlatformFailure``, ``ArchiveLost`` and ``OutOfReach``."""
    version = attempt.version
    archive_of(version)  # validate the stored archive, not an unpacked copy
    program: Program = program_of_upload(version)
    with shared_core(CoreUse.VALIDATIONS, settings.VAR_DIR) as core:
        check = Check(_manifest(version), program, launcher, Limits(), core)
        while True:
            game, seats, tries = attempt.next_game()
            begun, waited_s = time.monotonic(), core.waited_s
            result = check.attempt(game, seats, tries, _WatchedTranscript(attempt))
            if not attempt.conclude(result, round(1000 * (time.monotonic() - begun - (core.waited_s - waited_s)))):
                return attempt.problem is not None
            if another_owner_waits(version):
                attempt.give_way()
                return False


class _WatchedTranscript(Transcript):
    """A transcript that shows the progress of its game when all bots have started, and then every ``SHOW_EVERY_S``."""

    def __init__(self, attempt: Attempt) -> None:
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
