"""Corrections by site admins: end a match, void a result, merge members, change the K-factor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from esr_platform.accounts.roles import REASON_LENGTH, reason_of_staff
from games.rules import Document
from ladder.ledger.comparison import LedgerComparison
from ladder.ledger.entries import NoSeason, append, rating_rules_of
from ladder.ledger.rebuild import beside, write
from ladder.live.end import clear_open_decisions
from ladder.matches.blocks import end_if_over, schedule_block
from ladder.matches.candidates import candidates_of
from ladder.matches.dispatch import dispatch
from ladder.matches.leases import NOTICE
from ladder.models import (
    Attempt,
    Intervention,
    Ladder,
    LedgerEntry,
    Match,
    Membership,
    RebuildRun,
    Result,
    Season,
    Seat,
)
from ladder.ratings.elo import KFactor
from ladder.ratings.rating import RatingRules
from ladder.ratings.replay import Correction, Merge, NewK, Void

# --- Matches that have not ended -------------------------------------------------------------------------------------
#
# The reason is shown on the match page. Author and time are stored.

_READ_BY: Final = "Everyone can read it in the ledger."

_ENDED: Final = "Site staff ended the match."


def withdraw(match_id: int, reason: str, by: User) -> Match.Status:
    """End a pending match without waiting for its worker: canceled if it has not started, else void.

    A result of that worker is discarded, because its lease has ended. Other matches of its block wait until the worker
    has noticed. Raises ``Refused``.
    """
    reason = reason_of_staff(by, reason, None, _READ_BY)
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).filter(pk=match_id).first()
        if match is None:
            raise Refused(f"Match {match_id} not found. Its number is in the URL of its page.", code="match_ended")
        if match.status == Match.Status.FINISHED:
            raise Refused(f"Match {match_id} has ended. Void its result instead.", code="match_ended")
        if match.status not in Match.PENDING:
            raise _without_result(match)
        if match.status == Match.Status.RUNNING:
            others = Match.objects.filter(block=match.block_id, status=Match.Status.QUEUED)
            others.filter(due_at__lt=Now() + NOTICE).update(due_at=Now() + NOTICE, sent_at=None)
        action = Intervention.Action.VOIDED if match.attempts_started else Intervention.Action.CANCELLED
        status = Match.Status.VOID if match.attempts_started else Match.Status.CANCELLED
        ended = "Voided" if match.attempts_started else "Canceled"
        Match.objects.filter(pk=match.pk).update(
            status=status, reason=f"{ended} by site staff: {reason}", lease=None, lease_until=None, ended=Now()
        )
        Attempt.objects.filter(match=match, ending=Attempt.Ending.OPEN).update(
            ending=Attempt.Ending.WITHDRAWN, failure=_ENDED, ended=Now()
        )
        clear_open_decisions(match.pk)
        Intervention.objects.create(match=match, action=action, reason=reason, author=by)
        end_if_over([match.block_id])
    return status


def status_word(status: str) -> str:
    """The status of a match in a sentence."""
    return "canceled" if status == Match.Status.CANCELLED else status


def _without_result(match: Match) -> Refused:
    """The refusal to end or to void a match that is void, canceled or aborted: since when, and by whom."""
    status = status_word(match.status)
    ends = Intervention.objects.filter(match=match).exclude(action=Intervention.Action.REQUEUED)
    action = ends.select_related("author").first()
    when = match.ended if action is None else action.created
    since = "" if when is None else f" on {when.astimezone(UTC):%d %b %Y, %H:%M} UTC"
    if action is None:
        how = f"became {status}{since}"
    else:
        verb = "canceled" if action.action == Intervention.Action.CANCELLED else "voided"
        how = f"is already {status}. {action.author or 'A deleted user'} {verb} it{since}"
    text = f"Match {match.pk} {how}. Nothing was changed."
    if match.status == Match.Status.VOID:
        return Refused(text, code="already_voided")
    return Refused(text, code="match_ended")


# --- Replacements of blocks that no longer count ---------------------------------------------------------------------


def replace(ladder: Ladder, match: Match) -> str:
    """Schedule a new block with the bots of ``match`` and their current versions, and return a message about it.

    The caller's transaction locks the row of ``ladder``. A block is replaced only once, even if several of its results
    are voided.
    """
    if ladder.live:
        return "The result was voided. Live games are not replaced."
    if _replaced(match):
        return "The result was voided. Its block has already been replaced."
    first = Match.objects.filter(block=match.block_id).order_by("lineup", "seating")[0]
    memberships = [
        seat.membership for seat in Seat.objects.filter(match=first).select_related("membership__bot").order_by("index")
    ]
    ready, rules = candidates_of(ladder), rating_rules_of(ladder)
    missing = [
        membership.bot.name
        for membership in memberships
        if membership and (membership.pk not in ready.players or rules.counts_for(membership.pk) != membership.pk)
    ]
    if missing or not ladder.open:
        names = ", ".join(missing) or ladder.name
        text = "The result was voided. Its block was not replaced because these players cannot be paired now"
        return f"{text}: {names}."
    players = [ready.players[membership.pk] for membership in memberships if membership]
    try:
        with transaction.atomic():
            block = schedule_block(ladder, players, sent=False)
    except NoSeason:
        return "The result was voided. Its block was not replaced, because the season is closing."
    ready.remember([(block, [membership.pk for membership in memberships if membership])])
    transaction.on_commit(dispatch)
    return f"The result was voided. Block {block.number} replaces its block."


def _replaced(match: Match) -> bool:
    taken_back = Intervention.objects.filter(match__block=match.block_id, action=Intervention.Action.TAKEN_BACK)
    return taken_back.exclude(match=match).exists()


# --- Corrections -----------------------------------------------------------------------------------------------------
#
# A correction is appended to the public ledger with its reason, and applies from the beginning of the open season. The
# new ratings are computed without blocking results, and written in the transaction that appends the correction
# (``ladder.ledger.rebuild``). Nothing is deleted, no game is re-run, and closed seasons do not change.

_PLANNED: Final = 0
"""The number of a correction that is not in the ledger yet; a rebuild does not use it."""


@dataclass(frozen=True)
class _Plan:
    """A correction to be written to the ledger of ``ladder`` by ``author``."""

    ladder: Ladder
    kind: LedgerEntry.Kind
    document: Document
    meaning: Correction
    author: User


def refusal_to_void(match: Match) -> Refused | None:
    """Why the result of ``match`` cannot be voided, or ``None`` if it can."""
    if match.status in Match.PENDING:
        return Refused(f"Match {match.pk} has not ended. Cancel it instead.", code="no_result")
    if match.status != Match.Status.FINISHED:
        return _without_result(match)
    if match.block.cup_table_id is not None:
        text = f"Match {match.pk} belongs to a cup, whose records never change. Rule on its table at the cup instead."
        return Refused(text, code="match_of_a_cup")
    if match.block.rated and (season := _result_entry(match).season).closed:
        text = f"{season} is closed, so its results and final standings can no longer change."
        return Refused(text, code="season_closed")
    return None


def _result_entry(match: Match) -> LedgerEntry:
    """The ledger entry of the result of a rated match."""
    entries = LedgerEntry.objects.select_related("season__ladder", "result")
    return entries.get(result__match=match, kind=LedgerEntry.Kind.RESULT)


def void(match_id: int, reason: str, by: User) -> str:
    """Void the result of a finished match, and return a message about its block.

    A rated result no longer counts, and a new block with the same bots replaces its block. Raises ``Refused``.
    """
    reason = reason_of_staff(by, reason, None, _READ_BY)
    match = Match.objects.select_related("ladder", "block").filter(pk=match_id).first()
    if match is None:
        raise Refused(f"Match {match_id} not found. Its number is in the URL of its page.", code="no_result")
    if refusal := refusal_to_void(match):
        raise refusal
    if not match.block.rated:
        with transaction.atomic():
            _take_back(match, reason, by)
        return "The result was voided. The match was not rated, so no ratings changed."
    counted = _result_entry(match)
    document = {"match": match.pk, "result": counted.number, "reason": reason}
    plan = _Plan(match.ladder, LedgerEntry.Kind.VOID, document, Void(_PLANNED, counted.number), by)
    return _void_rated(plan, match, counted)


def merge(membership: Membership, into: Membership | None, reason: str, by: User) -> LedgerEntry:
    """Count the results of ``membership`` for another member of the ladder, for none (``None``), or for itself again.

    Results between members that count for the same member, or for none, do not change ratings. Raises ``Refused``.
    """
    reason = reason_of_staff(by, reason, None, _READ_BY)
    if into is not None and into.ladder_id != membership.ladder_id:
        raise Refused("The members are on different ladders. Choose two of one ladder.", code="different_ladders")
    into_id, merged = None if into is None else into.pk, rating_rules_of(membership.ladder).merged
    if merged.get(membership.pk, membership.pk) == into_id:
        whom = "no member" if into is None else into.bot
        raise Refused(f"The results of {membership.bot} already count for {whom}.", code="not_merged")
    if into is not None and into != membership:
        try:
            RatingRules(merged={**merged, membership.pk: into_id}).counts_for(into.pk)
        except ValueError as error:
            text = f"The results of {into.bot} already count for {membership.bot}. Undo this merge first."
            raise Refused(text, code="invalid_correction") from error
    document = {"entry": membership.pk, "into": into_id, "reason": reason}
    return _correct(
        _Plan(membership.ladder, LedgerEntry.Kind.MERGE, document, Merge(_PLANNED, membership.pk, into_id), by)
    )


def change_k(ladder: Ladder, k: KFactor, reason: str, by: User) -> LedgerEntry:
    """Rate the open season and later results with another K-factor. Raises ``Refused``."""
    reason = reason_of_staff(by, reason, None, _READ_BY)
    if rating_rules_of(ladder).k == k:
        raise Refused("This is already the current K-factor. Enter another value.", code="same_k")
    document = {
        "provisional": k.provisional,
        "established": k.established,
        "provisional_games": k.provisional_games,
        "reason": reason,
    }
    return _correct(_Plan(ladder, LedgerEntry.Kind.K, document, NewK(_PLANNED, k), by))


def _void_rated(plan: _Plan, match: Match, counted: LedgerEntry) -> str:
    """Lock the match, then the ladder; void the result, rebuild the ratings, and schedule a replacement block."""
    replacement = ""
    started = timezone.now()

    def first() -> None:
        _take_back(match, plan.document["reason"], plan.author)

    def then(ladder: Ladder, reading: LedgerComparison) -> None:
        nonlocal replacement
        _apply(plan, ladder, reading, started, counted.result)
        replacement = replace(ladder, match)

    try:
        beside(match.ladder_id, then, planned=[plan.meaning], before=first)
    except (NoSeason, ValueError) as error:
        raise _refusal(error) from error
    return replacement


def _correct(plan: _Plan) -> LedgerEntry:
    if not Season.objects.filter(ladder=plan.ladder, closed=None).exists():
        text = f"{plan.ladder} has no open season, and closed seasons cannot be corrected. Open the next season first."
        raise Refused(text, code="no_open_season")
    started = timezone.now()
    try:
        return beside(
            plan.ladder.pk,
            lambda ladder, reading: _apply(plan, ladder, reading, started),
            planned=[plan.meaning],
        )
    except (NoSeason, ValueError) as error:
        raise _refusal(error) from error


def _apply(
    plan: _Plan, ladder: Ladder, reading: LedgerComparison, started: datetime, counted: Result | None = None
) -> LedgerEntry:
    """Append the correction and write the new ratings; the ladder's row is locked."""
    if reading.broken or reading.head != ladder.ledger_head:
        fault = reading.differences.sentences[0] if reading.broken else "the hash of the last entry does not match"
        raise Refused(
            f"The ledger failed verification ({fault}), so corrections are not possible. Run `rerate --check`.",
            code="broken_ledger",
        )
    entry = append(ladder, plan.kind, plan.document, result=counted, author=plan.author)
    changed = write(ladder, reading)
    RebuildRun.objects.create(
        ladder=ladder,
        purpose=RebuildRun.Purpose.CORRECTION,
        ledger_number=entry.number,
        results=reading.results,
        differences=changed,
        author=plan.author,
        started=started,
    )
    return entry


def _take_back(match: Match, reason: str, by: User) -> None:
    """Lock the match and set it to void, once. Raises ``Refused``."""
    finished = Match.objects.filter(pk=match.pk, status=Match.Status.FINISHED)
    if not finished.update(status=Match.Status.VOID, reason=f"Voided by site staff: {reason}"[:REASON_LENGTH]):
        match.refresh_from_db()
        raise _without_result(match)
    Intervention.objects.create(match=match, action=Intervention.Action.TAKEN_BACK, reason=reason, author=by)


def _refusal(error: Exception) -> Refused:
    text = f"This correction is not possible: {error}."
    return error if isinstance(error, Refused) else Refused(text, code="invalid_correction")
