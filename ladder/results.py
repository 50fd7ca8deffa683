"""A match's result, exactly once, on every database.

The order inside the one transaction is the guarantee:

1. Insert the result. Its unique match is the only judge of duplicates: a second one waits for the first and is refused.
2. End the match by a conditional UPDATE on the lease. An attempt whose lease was given to somebody else, or whose match
   was voided, is refused even if its result would be the first: the one who holds the lease brings the result.
3. Lock the ladder's row, then its entries by id; take the ladder's next ledger number; rate; write before and after.

A refusal rolls everything back. SQLite has no row locks: there the first write makes the transaction the only writer.
"""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from bots.runner.report import MatchReport
from games.base import Document, State
from games.record import RecordError, verify
from ladder.leases import Lease, finish
from ladder.models import Attempt, Entry, Ladder, LedgerEntry, Match, Result, Seat, SeatResult
from ladder.ratings.elo import Player, changes
from ladder.ratings.shares import win_shares
from ladder.records import pack


class WrongRecord(ValueError):
    """What a worker brought is not a record of this match, or does not stand up to its own re-execution.

    The message is for everybody and the match may be played again, so it tells nothing of the deal; ``__cause__`` does.
    """


class _Late(Exception):
    """The match has its result already, or is in other hands."""


def record_result(lease: Lease, report: MatchReport) -> Result | None:
    """Store and rate what re-executing the report's record gives; ``None``: late or a duplicate, and nothing changed.

    Nothing that the worker claims about the outcome is believed, only its moves and its forfeits with their evidence.
    Raises ``WrongRecord`` for a record that is not this match's or not a game by the rules.
    """
    match = Match.objects.select_related("ladder").get(pk=lease.match_id)
    state = _re_executed(match, report)
    attempt = Attempt.objects.get(match=match, token=lease.token)
    result = Result(match=match, attempt=attempt, packed_record=pack(state.record), report=_storable(report.document()))
    try:
        with transaction.atomic():
            _store(result, lease, state, report)
    except _Late:
        return None
    return result


def _re_executed(match: Match, report: MatchReport) -> State:
    """The finished state that the match's own seed and the reported moves and forfeits give."""
    if len(report.forfeit_reasons) != len(report.forfeits):
        raise WrongRecord("a seat is reported to have forfeited twice")
    try:
        state = verify(report.record, report.forfeit_reasons)
    except RecordError as error:
        where = "" if error.ply is None else f" at step {error.ply}"
        raise WrongRecord(f"the record does not stand up to re-execution{where}") from error
    mine = {
        "game": match.ladder.game,
        "seats": match.ladder.seats,
        "seed": bytes(match.seed).hex(),
        "commitment": match.commitment,
    }
    for key, value in mine.items():
        if state.record[key] != value:
            raise WrongRecord(f"the record's {key} is not this match's")
    if state.outcome is None:
        raise WrongRecord("the record ends before the game does")
    return state


def _storable(value: Any) -> Any:
    """``value`` with every NUL in its texts written out: PostgreSQL stores none, and a bot must not veto its result."""
    if isinstance(value, str):
        return value.replace("\0", "\\x00")
    if isinstance(value, dict):
        return {key: _storable(one) for key, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list | tuple) else value


def _store(result: Result, lease: Lease, state: State, report: MatchReport) -> None:
    try:
        result.save(force_insert=True)
    except IntegrityError as error:
        raise _Late from error
    if not finish(lease):
        raise _Late
    ladder = Ladder.objects.select_for_update(no_key=True).get(pk=result.match.ladder_id)
    LedgerEntry.objects.create(ladder=ladder, number=ladder.next_ledger, result=result)
    Ladder.objects.filter(pk=ladder.pk).update(next_ledger=ladder.next_ledger + 1)
    _rate(result, state, report)


def _rate(result: Result, state: State, report: MatchReport) -> None:
    """Apply the outcome to the entries, under the ladder's lock, and keep each seat's rating before and after."""
    seats = list(Seat.objects.filter(match_id=result.match_id).order_by("index"))
    locked = Entry.objects.select_for_update(no_key=True).filter(pk__in=[seat.entry_id for seat in seats])
    by_id = {entry.pk: entry for entry in locked.select_related("bot").order_by("pk")}
    entries = [by_id[seat.entry_id] for seat in seats]
    outcome = state.outcome or {}
    gains = changes([Player(entry.rating, entry.games) for entry in entries], outcome["ranks"])
    SeatResult.objects.bulk_create(
        _seat_result(result, seat, outcome, report, entry.rating, gain)
        for seat, entry, gain in zip(seats, entries, gains, strict=True)
    )
    for entry, gain, share in zip(entries, gains, win_shares(outcome["ranks"]), strict=True):
        entry.count(gain, share)
        entry.save(update_fields=["rating", "last_change", "games", "wins"])
    scores = outcome["scores"]
    leave.count(result, {entry.bot: scores[seat.index].get("forfeit", "") for seat, entry in zip(seats, entries, strict=True)})


def _seat_result(
    result: Result, seat: Seat, outcome: Document, report: MatchReport, rating: int, gain: int
) -> SeatResult:
    score = outcome["scores"][seat.index]
    evidence = {forfeit.seat: _storable(forfeit.evidence) for forfeit in report.forfeits}
    return SeatResult(
        result=result,
        seat=seat,
        rank=outcome["ranks"][seat.index],
        score=score,
        forfeit=score.get("forfeit", ""),
        evidence=evidence.get(seat.index, ""),
        rating_before=rating,
        rating_after=rating + gain,
    )
