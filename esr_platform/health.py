"""Health of the site: one registry of checks, for ``/readyz``, ``/metrics`` and ``manage.py health``.

A check raises ``Unhealthy`` with a sentence that says what is wrong. ``Check.remedy`` says what to do, and the runbook
(``docs/guides/runbook.md``) has a section for each check.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from math import inf
from threading import Lock, Thread
from typing import Any, Final

from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from psycopg_pool import PoolTimeout

from bots.machines import Sandbox, sandbox_state
from bots.models import BotVersion, Machine
from esr_platform import figures, queues
from esr_platform.disconnects import connection_problem, is_busy
from ladder.models import Attempt, Match

# --- Checks ----------------------------------------------------------------------------------------------------------

SCHEDULER_LATE_S: Final = 60.0
QUEUE_LATE: Final = timedelta(minutes=5)
CLOCK_OFF_S: Final = 30.0
LEAST_FREE_FILES: Final = 1000


class Unhealthy(Exception):
    """A check has failed. The message is a sentence for operators."""


class Unknown(Exception):
    """A check cannot tell yet. The message is a sentence for operators."""


POOL_WAIT_S: Final = 1.0


def check_database() -> None:
    pool: Any = getattr(connection, "pool", None)
    if pool is not None:
        pool.open()
        try:
            pool.putconn(pool.getconn(timeout=POOL_WAIT_S))
        except PoolTimeout:
            problem = connection_problem(timeout_s=2) or "All connections of this process are in use"
            raise Unhealthy(f"{problem}.") from None
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            _check_sqlite(cursor)
            return
        cursor.execute("SHOW transaction_read_only")
        if cursor.fetchone()[0] == "on":
            raise Unhealthy("The database is read-only.")


def _check_sqlite(cursor: Any) -> None:
    """Begin a write that changes nothing. SQLite cannot say whether its file is read-only."""
    cursor.execute("SELECT count(*) FROM sqlite_master WHERE name = 'django_migrations'")
    if not cursor.fetchone()[0]:
        return
    cursor.execute("PRAGMA busy_timeout=0")
    try:
        cursor.execute("DELETE FROM django_migrations WHERE 0")
    except OperationalError as error:
        if is_busy(error):  # another process writes, so the file is not read-only
            return
        if int(getattr(error.__cause__, "sqlite_errorcode", 0)) & 0xFF == sqlite3.SQLITE_READONLY:
            raise Unhealthy("The database is read-only.") from error
        raise


def check_redis() -> None:
    figures.client(settings.REDIS_URL).set("figures:probe", 1, ex=60)  # a ping succeeds even if nothing can be stored


def check_scheduler() -> None:
    age_s = figures.scheduler_age_s()
    if age_s == inf:
        raise Unhealthy("The scheduler has not run a task yet.")
    if age_s > SCHEDULER_LATE_S:
        raise Unhealthy(f"The last task of the scheduler ran {age_s:.0f} s ago.")


def check_sandbox() -> None:
    state = sandbox_state()
    if state is Sandbox.UNKNOWN:
        raise Unknown("No worker has tested its sandbox yet.")
    if state is not Sandbox.HOLDS:
        what = "No machine can run uploaded bots" if state is Sandbox.FAILS else "Uploaded bots play only unrated games"
        reports = [(machine.host, machine.sandbox) for machine in Machine.objects.all()]
        problems = [f"{host}: {report['problem']} {report['remedy']}".strip() for host, report in reports]
        raise Unhealthy(f"{what}. {' '.join(problems)}")


def check_disk() -> None:
    free = shutil.disk_usage(settings.VAR_DIR).free
    if free < settings.MIN_FREE_DISK_BYTES:
        least = settings.MIN_FREE_DISK_BYTES / 1e6
        raise Unhealthy(f"{free / 1e6:.0f} MB are free in {settings.VAR_DIR}, less than {least:.0f} MB.")
    files = os.statvfs(settings.VAR_DIR)
    if files.f_files and files.f_favail < LEAST_FREE_FILES:
        raise Unhealthy(f"{files.f_favail} more files fit into {settings.VAR_DIR}, less than {LEAST_FREE_FILES}.")


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """The migrations of the code. They are modules, so they are loaded once per process."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def check_migrations() -> None:
    missing = sorted(_migrations() - set(MigrationRecorder(connection).applied_migrations()))
    if missing:
        names = ", ".join(f"{app}.{name}" for app, name in missing[:3])
        raise Unhealthy(f"Unapplied migrations: {len(missing)} ({names}{' …' if len(missing) > 3 else ''}).")


def check_queue() -> None:
    """Fail if something is late in a queue of which nothing was begun lately. A long queue only means much work.

    After an outage everything is late, so the workers first get as long to begin.
    """
    if figures.scheduler_runs_s() < QUEUE_LATE.total_seconds():
        return
    ages, lately = queues.ages(), Now() - QUEUE_LATE
    playing = Match.objects.filter(status=Match.Status.RUNNING, lease_until__gt=Now(), table=None)
    latest = Attempt.objects.of_workers().order_by("-pk")[:1]
    begun = {
        "matches": lambda: playing.exists() or Attempt.objects.filter(pk__in=latest, started__gt=lately).exists(),
        "validations": lambda: BotVersion.objects.filter(tried__gt=lately).exists(),
    }
    for queue, age in ages.items():
        if age > QUEUE_LATE and not begun[queue]():
            minutes = age.total_seconds() / 60
            raise Unhealthy(f"The oldest of the {queue} has waited for {minutes:.0f} min, and no worker has begun any.")


def check_mail() -> None:
    problem = figures.noted_problem("mail")
    if problem is None:
        raise Unknown("No connection to the mail server was tried yet.")
    if problem:
        raise Unhealthy(f"The mail server does not accept emails: {problem}")


def clock_offset_s() -> float:
    """Return the seconds by which this machine's clock is ahead of Redis or PostgreSQL, whichever differs more."""
    seconds, microseconds = figures.client(settings.REDIS_URL).time()
    offsets = [time.time() - (seconds + microseconds / 1e6)]
    if connection.vendor != "sqlite":  # that is the clock of this machine
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            now: datetime = cursor.fetchone()[0]
        offsets.append(time.time() - now.timestamp())
    return max(offsets, key=abs)


def check_clock() -> None:
    offset_s = clock_offset_s()
    if abs(offset_s) > CLOCK_OFF_S:
        ahead = "ahead of" if offset_s > 0 else "behind"
        raise Unhealthy(
            f"The clock of this machine is {abs(offset_s):.0f} s {ahead} the clock of the database or Redis."
        )


@dataclass(frozen=True)
class Check:
    """A check and what to do if it fails. It is not done while one of those that it ``needs`` fails or is unknown."""

    name: str
    test: Callable[[], None]
    remedy: str
    needs: tuple[str, ...] = ()


CHECKS: Final = (
    Check("database", check_database, "Start the database, end its read-only mode or correct DATABASE_URL."),
    Check("redis", check_redis, "Start Redis, free its memory or disk, or correct REDIS_URL."),
    Check("disk", check_disk, "Free some space on the disk of VAR_DIR, or lower MIN_FREE_DISK_BYTES."),
    Check("migrations", check_migrations, "Run `manage.py migrate`, and restart the site.", ("database",)),
    Check("scheduler", check_scheduler, "Restart the scheduler (Celery beat) and the worker `default`.", ("redis",)),
    Check("sandbox", check_sandbox, "Follow the advice on the staff page *Sandboxes*.", ("migrations",)),
    Check("queue", check_queue, "Restart the worker `bots`, and read its log.", ("migrations", "scheduler")),
    Check("mail", check_mail, "Correct EMAIL_URL, and send a test with `manage.py sendtestemail`.", ("redis",)),
    Check("clock", check_clock, "Synchronize the clocks of all machines with NTP.", ("database", "redis")),
)
"""All checks, in the order in which they are listed."""

# --- Findings --------------------------------------------------------------------------------------------------------


class State(StrEnum):
    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Finding:
    """The result of a check. ``problem`` is a sentence, empty if it is ``OK``."""

    check: Check
    state: State
    problem: str = ""
    seconds: float = 0.0


class Health:
    """Does ``checks``, each in a separate thread, and keeps the findings for ``kept_s``. Thread-safe.

    So requests of strangers cannot burden the site. A check that takes longer than ``patience_s`` has failed, and
    is not done again before it has ended.
    """

    def __init__(self, checks: Sequence[Check] = CHECKS, kept_s: float = 2.0, patience_s: float = 3.0) -> None:
        self.checks, self._kept_s, self._patience_s = checks, kept_s, patience_s
        self._lock = Lock()
        self._running: dict[str, Thread] = {}
        self._found: list[Finding] = []
        self._found_s = -inf

    def findings(self) -> list[Finding]:
        """Return the findings in the order of the checks."""
        with self._lock:
            if time.monotonic() > self._found_s + self._kept_s:
                self._found, self._found_s = self._look(), time.monotonic()
            return self._found

    def _look(self) -> list[Finding]:
        found: dict[str, Finding] = {}
        left = list(self.checks)
        while left:
            now = [check for check in left if found.keys() >= {*check.needs}]
            left = [check for check in left if check not in now]
            failed = {name for name, finding in found.items() if finding.state is not State.OK}
            found |= self._done([check for check in now if not failed & {*check.needs}])
            found |= {check.name: _not_done(check, failed) for check in now if failed & {*check.needs}}
        return [found[check.name] for check in self.checks]

    def _done(self, checks: Iterable[Check]) -> dict[str, Finding]:
        """Do ``checks`` at the same time."""
        late = f"No answer within {self._patience_s:g} s."
        found: dict[str, Finding] = {}
        begun: list[tuple[Check, Thread]] = []

        def do(check: Check, into: dict[str, Finding]) -> None:
            into[check.name] = _finding(check)

        for check in checks:
            before = self._running.get(check.name)
            if before is None or not before.is_alive():
                thread = Thread(target=do, args=(check, found), name=f"health-{check.name}", daemon=True)
                self._running[check.name] = thread
                thread.start()
            begun.append((check, self._running[check.name]))
        until_s = time.monotonic() + self._patience_s
        for _, thread in begun:
            thread.join(max(0.0, until_s - time.monotonic()))
        answered = dict(found)
        return {
            check.name: answered.get(check.name) or Finding(check, State.FAILED, late, self._patience_s)
            for check, _ in begun
        }


def _finding(check: Check) -> Finding:
    began_s, state, problem = time.monotonic(), State.OK, ""
    try:
        check.test()
    except Unknown as unknown:
        state, problem = State.UNKNOWN, str(unknown)
    except Unhealthy as failure:
        state, problem = State.FAILED, str(failure)
    except Exception as error:  # whatever a service raises, the check has failed
        state, problem = State.FAILED, f"{type(error).__name__}: {str(error).strip()}"
    finally:
        connection.close()
    return Finding(check, state, problem, time.monotonic() - began_s)


def _not_done(check: Check, failed: set[str]) -> Finding:
    needed = " and ".join(sorted(failed & {*check.needs}))
    return Finding(check, State.UNKNOWN, f"Not checked, because it needs {needed}.")


HEALTH: Final = Health()
"""The findings of this process."""


def document(findings: Iterable[Finding], *, details: bool) -> dict[str, Any]:
    """Return the findings as JSON values. Only with ``details`` do they say what is wrong and how to fix it."""
    listed = list(findings)
    failing = [finding.check.name for finding in listed if finding.state is State.FAILED]
    checks = [
        {"name": finding.check.name, "state": finding.state.value}
        | ({"problem": finding.problem} if details and finding.problem else {})
        | ({"remedy": finding.check.remedy} if details and finding.state is State.FAILED else {})
        for finding in listed
    ]
    return {"status": "failing" if failing else "ready", "failing": failing, "checks": checks}
