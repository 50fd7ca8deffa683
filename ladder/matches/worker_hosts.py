"""Matches for worker hosts: what a host may play, the code of its seats, and what it brings.

A host is a machine with a token (``bots.worker_hosts``). The site trusts none: a lease belongs to the host that got it,
a host gets code only for seats of a match that it holds, and the site re-executes every record. A match that failed on
a host, or whose result the host did not bring, is not given to it again within ``ELSEWHERE_FIRST``. So one host cannot
void a match as long as others play.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from secrets import SystemRandom
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, IntegerField, When
from django.db.models.functions import Now
from django.utils import timezone

from bots.languages import LANGUAGES
from bots.machines import offered_libraries
from bots.models import BotVersion, WorkerHost
from bots.programs import LostCode, NotHere, house_bot
from bots.runner.launcher import PlatformFailure
from bots.runner.spec import HouseProgram, MatchSpec
from bots.uploads.storage import ArchiveLost, verified_bytes_of
from bots.worker.documents import UploadedProgram, assignment
from bots.worker_hosts import Abilities
from esr_platform import figures
from esr_platform import leases as rows
from esr_platform.disconnects import DISCONNECTED
from esr_platform.leases import FREE, RENEW_EVERY_S
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.matches import worker_reports
from ladder.matches.assignments import ProgramOf, assign, fail, finish, spec_of
from ladder.matches.leases import LEASE, delays, lease_of, renew
from ladder.matches.machines import FAILED_MATCHES, REST
from ladder.matches.results import WrongRecord, seats_of
from ladder.matches.traffic import SEND_AGAIN
from ladder.matches.worker_reports import BadReport
from ladder.models import Attempt, Match, Recheck, Result
from ladder.packing import unpack

logger = logging.getLogger(__name__)

ELSEWHERE_FIRST: Final = timedelta(hours=1)
"""How long a match that failed on a host is left to others."""

CANDIDATES: Final = 64
_BAD: Final = (Attempt.Ending.FAILED, Attempt.Ending.EXPIRED)
MOST_RECHECKS: Final = 5
"""How often a game is given out to be played again at most."""

# --- Errors ----------------------------------------------------------------------------------------------------------


class TooManyLeases(Exception):
    """The host has as many leases as a token may have."""


class LeaseGone(Exception):
    """The lease is not, or no longer, the host's. Nothing was changed. ``code`` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


_GONE: Final = {
    Attempt.Ending.EXPIRED: ("lease_expired", "The lease was not renewed in time. Another worker plays the match."),
    Attempt.Ending.WITHDRAWN: ("lease_withdrawn", "The match was withdrawn. Its result is not needed."),
}
_LOST: Final = ("lease_ended", "The lease has ended. Ask for other work.")


class NoSuchCode(LookupError):
    """No seat of the match has this code."""


# --- Work ------------------------------------------------------------------------------------------------------------

_OPEN: Final = Match.objects.filter(
    ~Match.another_runs(),
    ~Match.on_hold(),
    status=Match.Status.QUEUED,
    due_at__lte=Now(),
    sent_at__gte=Now() - SEND_AGAIN,
)
"""Matches that the scheduler has sent to the workers (``ladder.matches.dispatch``) and that none has begun."""

_FIRST: Final = Case(When(priority__gt=0, then=F("priority")), default=0, output_field=IntegerField())
_SENT: Final = Prepared(
    lambda: (
        _OPEN.annotate(first=_FIRST)
        .order_by("-first", "sent_at", "pk")
        .values_list("pk", "attempts_started")[:CANDIDATES]
    )
)
_FREE: Final = Recheck.objects.filter(FREE, outcome="waiting")
_TO_PLAY: Final = _FREE.filter(tries__lt=MOST_RECHECKS)
_WAITING: Final = Prepared(lambda: _TO_PLAY.order_by().values_list("pk")[:1])


def work_waits() -> bool:
    """Whether there may be work for a host. At most two queries."""
    return bool(_SENT()) or bool(_WAITING())


def next_for(host: WorkerHost, slot: int, abilities: Abilities) -> Document | None:
    """Give a match to process ``slot`` of a host, as the document of its assignment; ``None`` if there is none for it.

    Raises ``TooManyLeases``.
    """
    held = Attempt.objects.filter(ending=Attempt.Ending.OPEN, worker__startswith=f"{host.worker}/")
    if held.count() >= settings.MAX_LEASES_PER_WORKER_HOST:
        raise TooManyLeases
    if rests(host):
        return None
    worker, program_of = f"{host.worker}/{slot}", program_for(abilities)
    again = _recheck_for(host, worker, program_of)
    if again is not None:
        return again
    for match_id, attempts in _SENT():
        if attempts and _failed_here(match_id, host):
            continue
        given = assign(match_id, worker, program_of)
        if given is None:
            continue
        if isinstance(given.spec, PlatformFailure):
            lost = given.spec if isinstance(given.spec, LostCode) else None
            fail(given.lease, Attempt.Ending.FAILED, str(given.spec), lost)
            continue
        return _document(given.lease.token, given.spec)
    return None


def rests(host: WorkerHost) -> bool:
    """Whether the host gets nothing for a while: it has just failed at several matches, or withheld their results."""
    bad = Attempt.objects.filter(ending__in=_BAD, worker__startswith=f"{host.worker}/", ended__gt=Now() - REST)
    return len(set(bad.values_list("match", flat=True)[: 10 * FAILED_MATCHES])) >= FAILED_MATCHES


def withdraw(token: UUID) -> None:
    """Take back an assignment that its host never received."""
    attempt = Attempt.objects.filter(token=token).first()
    if attempt is not None:
        fail(lease_of(attempt.match_id, token), Attempt.Ending.RETURNED, "the worker did not receive the match")
    else:
        Recheck.objects.filter(lease=token).update(lease=None, lease_until=None, tries=F("tries") - 1)


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
        command, *args = version.command
        suffix = version.archive.rpartition(".")[2]
        return UploadedProgram(version.digest, f"bot.{suffix}", command, tuple(args))

    return program


def _failed_here(match_id: int, host: WorkerHost) -> bool:
    lately = Attempt.objects.filter(match=match_id, ended__gt=Now() - ELSEWHERE_FIRST)
    bad = lately.filter(ending__in=_BAD)
    return bad.filter(worker__startswith=f"{host.worker}/").exists()


def _document(token: UUID, spec: MatchSpec[object]) -> Document:
    return assignment(str(token), LEASE.total_seconds(), RENEW_EVERY_S, spec)


# --- A lease ---------------------------------------------------------------------------------------------------------


def renew_for(host: WorkerHost, token: UUID) -> None:
    """Extend a lease of the host. Raises ``LeaseGone``."""
    held = _held(host, token)
    renewed = held.renew() if isinstance(held, rows.Lease) else renew(lease_of(held.match_id, token))
    if not renewed:
        raise _gone(held)


def code_for(host: WorkerHost, token: UUID, digest: str) -> bytes:
    """The uploaded file of a seat of the match that the host holds. Lost code ends the attempt.

    Raises ``LeaseGone``, ``NoSuchCode`` and ``OutOfReach``.
    """
    held = _held(host, token)
    if isinstance(held, rows.Lease) or not Match.objects.filter(pk=held.match_id, lease=token).exists():
        raise NoSuchCode if isinstance(held, rows.Lease) else _gone(held)
    version = next((seat.version for seat in seats_of(held.match_id) if seat.version.digest == digest), None)
    if version is None or not version.archive:
        logger.warning("worker host %s asked for code that is not in its match %s", host.name, held.match_id)
        raise NoSuchCode
    try:
        return verified_bytes_of(version)
    except ArchiveLost as lost:
        fail(lease_of(held.match_id, token), Attempt.Ending.FAILED, str(lost), LostCode(version, str(lost)))
        raise LeaseGone("code_lost", "The code of a seat is lost. The attempt has ended.") from lost


def bring(host: WorkerHost, token: UUID, data: bytes) -> tuple[int, str]:
    """Store what the host has played; the match and how the attempt ended. A repeated request gets the same answer.

    Raises ``LeaseGone``, and after a record or report that is wrong, which ends the attempt, ``WrongRecord`` or
    ``BadReport``.
    """
    held = _held(host, token)
    if isinstance(held, rows.Lease):
        return 0, _compare(held, data)
    if held.ending not in _ANSWERED:
        lease, seats = lease_of(held.match_id, token), seats_of(held.match_id)
        try:
            sent = worker_reports.unpacked(data)
            report = worker_reports.report_of(sent, seats)
            ending = finish(
                lease, report, delays(lease), lambda final: worker_reports.packed_logs(sent.logs, final, seats)
            )
        except DISCONNECTED:  # nothing was stored, and the host repeats the request
            raise
        except (WrongRecord, BadReport) as wrong:
            fail(lease, Attempt.Ending.FAILED, str(wrong))
            raise
        except Exception as error:
            logger.exception("result of match %s from worker host %s not stored", held.match_id, host.name)
            fail(lease, Attempt.Ending.FAILED, f"internal error ({type(error).__name__})")
            raise WrongRecord("the result could not be stored") from error
        if ending == Attempt.Ending.FINISHED:
            figures.PLAY.observe((timezone.now() - held.started).total_seconds(), held.match.block.purpose)
            _sample(held)
        held.refresh_from_db()
        if ending is None and held.ending not in _ANSWERED:
            raise _gone(held)
    return held.match_id, str(held.ending)


_ANSWERED: Final = (Attempt.Ending.FINISHED, Attempt.Ending.DELAYED)

GIVEN_UP: Final = {
    "failed": (Attempt.Ending.FAILED, "the worker could not play the match"),
    "busy": (Attempt.Ending.BUSY, "no processor core was free for long enough"),
    "returned": (Attempt.Ending.RETURNED, "the worker stopped or could not get the code of a bot"),
}
"""How a host can end an attempt without a result. What it says beyond that is only logged, because it is not ours."""


def give_up(host: WorkerHost, token: UUID, code: str, reason: str) -> int:
    """End an attempt without a result, for a ``code`` of ``GIVEN_UP``; the match. Raises ``LeaseGone``."""
    held = _held(host, token)
    logger.warning("worker host %s gave a match back (%s): %r", host.name, code, reason)
    if isinstance(held, rows.Lease):
        held.release()
        return 0
    if fail(lease_of(held.match_id, token), *GIVEN_UP[code]) is None:
        raise _gone(held)
    return held.match_id


def _held(host: WorkerHost, token: UUID) -> Attempt | rows.Lease[Recheck]:
    """The attempt or the recheck that was given to the host with this lease. Raises ``LeaseGone``."""
    of_host = Attempt.objects.filter(token=token, worker__startswith=f"{host.worker}/")
    attempt = of_host.select_related("match__block").first()
    if attempt is not None:
        return attempt
    recheck = Recheck.objects.filter(lease=token, worker__startswith=f"{host.worker}/").first()
    if recheck is None:
        raise LeaseGone("lease_unknown", "This lease is not one of this host. It may have ended.")
    return rows.Lease(Recheck, recheck.pk, token, LEASE)


def _gone(held: Attempt | rows.Lease[Recheck]) -> LeaseGone:
    if isinstance(held, rows.Lease):
        return LeaseGone(*_LOST)
    held.refresh_from_db()
    return LeaseGone(*_GONE.get(Attempt.Ending(held.ending), _LOST))


# --- Games that are played again -------------------------------------------------------------------------------------
#
# The games of house bots follow from their seeds alone. Some of those that a host has played are played again on
# another machine, once their deal is public. No host can tell which ones.


def _sample(attempt: Attempt) -> None:
    """Let a share of the games of house bots be played again."""
    if SystemRandom().random() >= settings.WORKER_RECHECK_PERCENT / 100:
        return
    if all(house_bot(seat.version) is not None for seat in seats_of(attempt.match_id)):
        Recheck.objects.get_or_create(result=Result.objects.only("pk").get(match=attempt.match_id))


def give_up_rechecks() -> int:
    """End rechecks that were given out too often; how many. Safe to run concurrently."""
    unknown = {"outcome": Recheck.Outcome.UNKNOWN, "detail": "no host brought the game", "ended": Now()}
    return _FREE.filter(tries__gte=MOST_RECHECKS).update(**unknown, **rows.RELEASED)


def _recheck_for(host: WorkerHost, worker: str, program_of: ProgramOf) -> Document | None:
    """Claim a game that another worker played, to play it again on ``host``."""
    if not _WAITING():
        return None
    others = _TO_PLAY.filter(result__match__block__ended__isnull=False)
    others = others.exclude(result__attempt__worker__startswith=f"{host.worker}/").order_by("pk")
    recheck = others.select_related("result__match__ladder", "result__match__block").first()
    if recheck is None:
        return None
    lease = rows.claim(_FREE, recheck.pk, LEASE, worker=worker, tries=F("tries") + 1)
    if lease is None:
        return None
    try:
        return _document(lease.token, spec_of(recheck.result.match, program_of))
    except NotHere as problem:  # the code of a house bot was replaced
        _end(lease, Recheck.Outcome.UNKNOWN, str(problem))
        return None


def _compare(lease: rows.Lease[Recheck], data: bytes) -> str:
    """Compare a game that was played again with the stored one. Raises ``LeaseGone`` and ``BadReport``."""
    result = Recheck.objects.select_related("result__match").get(pk=lease.pk).result
    sent = worker_reports.unpacked(data)
    report = worker_reports.report_of(sent, seats_of(result.match_id))
    if report.machine_delays:  # a late answer changes the game
        lease.release()
        return str(Attempt.Ending.DELAYED)
    difference = _difference(unpack(bytes(result.packed_record)), report.record)
    outcome = Recheck.Outcome.DIFFERENT if difference else Recheck.Outcome.SAME
    if not _end(lease, outcome, difference):
        raise LeaseGone(*_LOST)
    figures.RECHECKS.add(outcome)
    if difference:
        logger.error("match %s differs if it is played again: %s", result.match_id, difference)
    return str(Attempt.Ending.FINISHED)


def _end(lease: rows.Lease[Recheck], outcome: Recheck.Outcome, detail: str) -> bool:
    return lease.release(outcome=outcome, detail=detail[:300], ended=Now())


def _difference(stored: Document, again: Document) -> str:
    pairs = enumerate(zip(stored["steps"], again.get("steps") or [], strict=False))
    for number, (first, second) in pairs:
        if first != second:
            return f"step {number}"
    return "" if stored == again else "the end of the game"
