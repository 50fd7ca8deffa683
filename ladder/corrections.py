"""What site admins change: end a match, void a result, merge a membership, set another K."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.rules import Document
from ladder.ledger.append import NoSeason, append, rules_of
from ladder.ledger.comparison import Reading
from ladder.ledger.rebuild import beside, write
from ladder.live.end import rise
from ladder.matches.blocks import end_if_over, schedule_block
from ladder.matches.candidates import standing_by
from ladder.matches.dispatch import dispatch
from ladder.models import (
    Attempt,
    Block,
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
from ladder.ratings.replay import Correction, Merge, NewK, Void

# --- Matches that have not ended -------------------------------------------------------------------------------------
#
# Who, when and why is kept, and why is shown to everybody on the match's page.

REASON_LENGTH: Final = 400

_ENDED: Final = "It was ended by staff."


def withdraw(match_id: int, reason: str, by: User) -> Match.Status:
    """End a match that has not ended; cancelled if nobody has begun it, else void. A worker at it is not waited for.

    What that worker brings is refused, since its lease is gone. Raises ``Refused``.
    """
    reason = by_staff(by, reason)
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).filter(pk=match_id).first()
        if match is None or match.status not in Match.PENDING:
            raise Refused(f"Match {match_id} has ended, so it cannot be withdrawn.")
        action = Intervention.Action.VOIDED if match.attempts_started else Intervention.Action.CANCELLED
        status = Match.Status.VOID if match.attempts_started else Match.Status.CANCELLED
        Match.objects.filter(pk=match.pk).update(
            status=status, reason=f"Withdrawn by staff: {reason}", lease=None, lease_until=None, ended=Now()
        )
        Attempt.objects.filter(match=match, ending=Attempt.Ending.OPEN).update(
            ending=Attempt.Ending.FAILED, failure=_ENDED, ended=Now()
        )
        rise(match.pk)
        Intervention.objects.create(match=match, action=action, reason=reason, author=by)
        end_if_over([match.block_id])
    return status


def by_staff(by: User, reason: str, read_by: str = "everybody can read it in the ledger") -> str:
    """``reason`` as it is kept, if ``by`` may correct anything and says why. Raises ``Refused``."""
    if not (by.is_staff and by.is_active):
        raise Refused("Only the people who look after the site can do that.")
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(f"Say why: {read_by}.")
    if len(reason) > REASON_LENGTH:
        raise Refused(f"The reason is longer than {REASON_LENGTH} characters.")
    return reason


# --- Replacements of blocks that no longer count ---------------------------------------------------------------------


def replace(ladder: Ladder, match: Match) -> str:
    """Schedule a block with the bots of ``match`` and what plays for them now; in a sentence, whether one was.

    The caller's transaction holds the row of ``ladder``. A block is replaced once, however many results of it are taken
    back.
    """
    if ladder.live:
        return "No game replaces it: a live game has a deal of its own, and the next one is another."
    if _replaced(match):
        return "A new block replaces its own already."
    first = Match.objects.filter(block=match.block_id).order_by("lineup", "seating")[0]
    memberships = [
        one.membership for one in Seat.objects.filter(match=first).select_related("membership__bot").order_by("index")
    ]
    ready, rules = standing_by(ladder), rules_of(ladder)
    missing = [
        membership.bot.name
        for membership in memberships
        if membership and (membership.pk not in ready.players or rules.counts_for(membership.pk) != membership.pk)
    ]
    if missing or not ladder.open:
        return f"No block replaces its own: {', '.join(missing) or ladder.name} does not play now."
    players = [ready.players[membership.pk] for membership in memberships if membership]
    try:
        with transaction.atomic():
            block = schedule_block(ladder, players, sent=False)
    except NoSeason:
        return "No block replaces its own: the season is closing."
    ready.remember([(block, [membership.pk for membership in memberships if membership])])
    transaction.on_commit(dispatch)
    return f"{_name(block)} replaces its own."


def _replaced(match: Match) -> bool:
    taken_back = Intervention.objects.filter(match__block=match.block_id, action=Intervention.Action.TAKEN_BACK)
    return taken_back.exclude(match=match).exists()


def _name(block: Block) -> str:
    return f"A new block, number {block.number} of the season,"


# --- Corrections -----------------------------------------------------------------------------------------------------
#
# A correction is appended to the ledger with its reason, for everybody to read, and counts from the beginning of the
# season that is open. The ratings that follow are made beside the live ones and written in the transaction that appends
# it (``ladder.ledger.rebuild``). Nothing is deleted, no game is played again, and closed seasons stay as they are.

_PLANNED: Final = 0
"""The number of a correction that has none yet; only what it says matters to a rebuild."""

_CLOSED: Final = "{season} is closed and its table is frozen, so its results stay as they are."


@dataclass(frozen=True)
class _Plan:
    """A correction to be written to the ledger of ``ladder`` by ``author``."""

    ladder: Ladder
    kind: LedgerEntry.Kind
    document: Document
    meaning: Correction
    author: User


def void(match_id: int, reason: str, by: User) -> str:
    """Take back the result of a finished match; what becomes of its block, in a sentence.

    A rated one counts no more from the beginning of its season, and a new block of the same bots replaces its block.
    Raises ``Refused``.
    """
    reason = by_staff(by, reason)
    match = Match.objects.select_related("ladder", "block").filter(pk=match_id).first()
    if match is None or match.status != Match.Status.FINISHED:
        raise Refused(f"Match {match_id} has no result that could be taken back.")
    if not match.block.rated:
        with transaction.atomic():
            _take_back(match, reason, by)
        return "It was not rated, so no rating changes and no block replaces its own."
    counted = LedgerEntry.objects.select_related("season__ladder", "result").get(
        result__match=match, kind=LedgerEntry.Kind.RESULT
    )
    if counted.season.closed:
        raise Refused(_CLOSED.format(season=counted.season))
    document = {"match": match.pk, "result": counted.number, "reason": reason}
    plan = _Plan(match.ladder, LedgerEntry.Kind.VOID, document, Void(_PLANNED, counted.number), by)
    return _void_rated(plan, match, counted)


def merge(membership: Membership, into: Membership | None, reason: str, by: User) -> LedgerEntry:
    """Count the results of ``membership`` for another of its ladder, for nobody (``None``), or for itself again.

    Pairs of two that count for the same membership, or of one that counts for nobody, count nothing. Raises
    ``Refused``.
    """
    reason = by_staff(by, reason)
    if into is not None and into.ladder_id != membership.ladder_id:
        raise Refused("Both have to be on the same ladder.")
    if into == membership and membership.pk not in rules_of(membership.ladder).merged:
        raise Refused(f"The results of {membership.bot} count for itself already.")
    into_id = None if into is None else into.pk
    document = {"entry": membership.pk, "into": into_id, "reason": reason}
    return _correct(
        _Plan(membership.ladder, LedgerEntry.Kind.MERGE, document, Merge(_PLANNED, membership.pk, into_id), by)
    )


def change_k(ladder: Ladder, k: KFactor, reason: str, by: User) -> LedgerEntry:
    """Rate the open season, and what follows, with another K. Raises ``Refused``."""
    reason = by_staff(by, reason)
    if rules_of(ladder).k == k:
        raise Refused("That is the K that counts already.")
    document = {
        "provisional": k.provisional,
        "established": k.established,
        "provisional_games": k.provisional_games,
        "reason": reason,
    }
    return _correct(_Plan(ladder, LedgerEntry.Kind.K, document, NewK(_PLANNED, k), by))


def _void_rated(plan: _Plan, match: Match, counted: LedgerEntry) -> str:
    """Lock the match, then the ladder; take the result back, rebuild, and write a block that replaces the match's."""
    replacement = ""
    started = timezone.now()

    def first() -> None:
        _take_back(match, plan.document["reason"], plan.author)

    def then(ladder: Ladder, reading: Reading) -> None:
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
        raise Refused(f"No season of {plan.ladder} is open, and closed ones stay as they are. Open the next one first.")
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
    plan: _Plan, ladder: Ladder, reading: Reading, started: datetime, counted: Result | None = None
) -> LedgerEntry:
    """Append the correction and write the ratings that follow from it; the ladder's row is held."""
    if reading.broken or reading.head != ladder.ledger_head:
        told = reading.found.sentences[0] if reading.broken else "its last hash is another one"
        raise Refused(
            f"The ledger does not stand up to a check ({told}), so it is not corrected. See `rerate --check`."
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
    """End the match as void, holding its row; of two who do it at once, one does. Raises ``Refused``."""
    finished = Match.objects.filter(pk=match.pk, status=Match.Status.FINISHED)
    if not finished.update(status=Match.Status.VOID, reason=f"Taken back by staff: {reason}"[:REASON_LENGTH]):
        raise Refused(f"The result of match {match.pk} was taken back already.")
    Intervention.objects.create(match=match, action=Intervention.Action.TAKEN_BACK, reason=reason, author=by)


def _refusal(error: Exception) -> Refused:
    return error if isinstance(error, Refused) else Refused(f"This cannot stand in the ledger: {error}.")
