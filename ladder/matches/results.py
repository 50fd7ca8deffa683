"""The result of a match, exactly once, on every database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any, Final

from django.db import IntegrityError, transaction

from bots.models import Bot
from bots.reports import storable
from bots.runner.report import MatchReport
from esr_platform.leases import Lease
from esr_platform.prepared import Prepared, PreparedInsert, PreparedUpdate
from games.outcomes import shown_outcome
from games.record import RecordError, replay, verify
from games.registry import GAMES
from games.rules import Document, State
from games.statistics import Exchange, Figures, Habits
from ladder.ledger.entries import append, rating_rules_of, result_document
from ladder.matches import pauses
from ladder.matches.blocks import end_if_over
from ladder.matches.leases import finish
from ladder.models import Attempt, Ladder, LedgerEntry, Match, Membership, Result, Seat, SeatLog, SeatResult
from ladder.packing import pack, unpack
from ladder.ratings.rating import RatingRules, rate

# --- Figures of a game -----------------------------------------------------------------------------------------------


def figures_document(state: State) -> Document:
    """``{"seats": [figures by seat], "exchanges": [[buyer, seller, price, good]], "habits": [habits by seat]}``.

    It is made from the state that re-executing the record has given, so nothing in it is a worker's claim.
    """
    statistics = GAMES[state.rules.slug].statistics
    exchanges = [list(astuple(exchange)) for exchange in statistics.exchanges(state)]
    return {"seats": statistics.figures(state), "exchanges": exchanges, "habits": statistics.habits(state)}


def figures_of(result: Result, *, habits: bool) -> Document:
    """The document of a result: the kept one, or made from the record of results older than what is asked for.

    Results from before there were habits kept none: what they kept is read as it is unless ``habits`` are asked for.
    """
    kept: Any = result.figures
    if kept and ("habits" in kept or not habits):
        return dict(kept)
    return figures_document(replay(unpack(bytes(result.packed_record))))


def seats_in(document: Document) -> list[Figures]:
    """The figures by seat."""
    seats: list[Figures] = document["seats"]
    return seats


def habits_in(document: Document) -> list[Habits]:
    """The habits by seat; none in a document that was not asked for them."""
    seats: list[Habits] = document.get("habits", [])
    return seats


def exchanges_in(document: Document) -> list[Exchange]:
    """The exchanges, in order."""
    return [Exchange(*exchange) for exchange in document["exchanges"]]


# --- Results ---------------------------------------------------------------------------------------------------------
#
# The order inside the one transaction is the guarantee:
#
# 1. Insert the result. Its unique match is the only judge of duplicates: a second one waits for the first and is
#    refused.
# 2. End the match by a conditional UPDATE on the lease. An attempt whose lease was given to somebody else, or whose
#    match was voided, is refused even if its result would be the first: the one who holds the lease brings the result.
# 3. Lock the block's row, and end it with its last game.
# 4. If the match is rated: lock the ladder's row, then the people's bots at the table, then the memberships, each by
# id; append to the ledger; rate; write before and after; count what was a bot's own failure
# (``ladder.matches.pauses``).
#
# A refusal rolls everything back. SQLite has no row locks: there the first write makes the transaction the only writer.


_ATTEMPT: Final = Prepared(
    lambda match, token: (
        Attempt.objects.filter(match__pk=match, token=token)
        .select_related("match__ladder", "match__block__series__season")
        .only(
            *("match__seating", "match__ladder__game", "match__ladder__seats"),
            *("match__block__purpose", "match__block__number", "match__block__seed", "match__block__commitment"),
            *("match__block__series__name", "match__block__series__season__number"),
        )
    )
)
_SEATS: Final = Prepared(
    lambda match: (
        Seat.objects.filter(match__pk=match)
        .select_related("version__bot")
        .only(
            *("match", "index", "membership"),
            *("version__number", "version__digest", "version__archive", "version__command"),
            *("version__bot__name", "version__bot__owner", "version__bot__house_name"),
        )
        .order_by("index")
    )
)
_LADDER: Final = Prepared(
    lambda pk: (
        Ladder.objects.select_for_update(no_key=True).filter(pk=pk).only("slug", "name", "next_ledger", "ledger_head")
    )
)
_BOTS: Final = Prepared(
    lambda bots: (
        Bot.objects.select_for_update(no_key=True)
        .filter(pk__in=bots)
        .order_by("pk")
        .only("kind", "paused", "bad_in_a_row")
    )
)
_COUNTED: Final = ("rating", "last_change", "games", "win_shares")
_ACCOUNTS: Final = Prepared(
    lambda memberships: (
        Membership.objects.select_for_update(no_key=True).filter(pk__in=memberships).order_by("pk").only(*_COUNTED)
    )
)
_INSERT_RESULT: Final = PreparedInsert(Result)
_INSERT_SEATS: Final = PreparedInsert(SeatResult)
_INSERT_LOGS: Final = PreparedInsert(SeatLog)
_UPDATE_ACCOUNTS: Final = PreparedUpdate(Membership, _COUNTED)


class WrongRecord(ValueError):
    """What a worker brought is not a record of this match, or does not stand up to its own re-execution.

    The message is for everybody and the match may be played again, so it tells nothing of the deal; ``__cause__`` does.
    """


class _Late(Exception):
    """The match has its result already, or is in other hands."""


def seats_of(match_id: int) -> list[Seat]:
    """The seats of a match in order, with their versions and bots. One query."""
    return _SEATS(match=match_id)


def record_result(lease: Lease[Match], report: MatchReport, logs: Mapping[int, bytes] | None = None) -> Result | None:
    """Store what re-executing the report's record gives, and rate it if its block is; ``None``: late or a duplicate.

    Nothing that the worker claims about the outcome is believed, only its moves and its forfeits with their evidence.
    ``logs`` are packed ones for owners, by seat (``ladder.matches.logs``). Raises ``WrongRecord`` for a record that is
    not this match's or not a game by the rules.
    """
    (attempt,), seats = _ATTEMPT(match=lease.pk, token=lease.token), seats_of(lease.pk)
    match = attempt.match
    state = _re_executed(match, report)
    result = Result(
        match=match,
        attempt=attempt,
        packed_record=pack(report.record),
        report=_stored(report),
        figures=figures_document(state),
    )
    try:
        with transaction.atomic():
            _store(result, lease)
            _INSERT_LOGS([SeatLog(seat=seats[index], packed=log) for index, log in (logs or {}).items()])
            end_if_over([match.block_id])
            if match.block.rated:
                _rate(result, seats, state, report)
            else:
                _INSERT_SEATS(list(_seat_results(result, seats, state, report)))
    except _Late:
        return None
    return result


def _re_executed(match: Match, report: MatchReport) -> State:
    """The finished state that the match's own seed and the reported moves and forfeits give.

    Its record is equal to the reported one.
    """
    if len(report.forfeits_by_seat) != len(report.forfeits):
        raise WrongRecord("the report contains two forfeits of one seat")
    try:
        state = verify(report.record, report.forfeits_by_seat)
    except RecordError as error:
        where = "" if error.ply is None else f" at step {error.ply}"
        raise WrongRecord(f"the record failed re-execution{where}") from error
    expected = {
        "game": match.ladder.game,
        "seats": match.ladder.seats,
        "seed": bytes(match.block.seed).hex(),
        "commitment": match.block.commitment,
    }
    for key, value in expected.items():
        if report.record[key] != value:
            raise WrongRecord(f"the {key} of the record does not match this match")
    if state.outcome is None:
        raise WrongRecord("the record ends before the game is over")
    return state


def _stored(report: MatchReport) -> Any:
    """The report as it is kept: without what the bots wrote to stderr, which is in their logs."""
    document = report.document()
    for seat in document["seats"]:
        del seat["stderr_tail"]
    return storable(document)


def _store(result: Result, lease: Lease[Match]) -> None:
    """Insert the result and end the match. Raises ``_Late``."""
    try:
        _INSERT_RESULT([result])
    except IntegrityError as error:
        raise _Late from error
    if not finish(lease):
        raise _Late


def _rate(result: Result, seats: Sequence[Seat], state: State, report: MatchReport) -> None:
    """Apply the outcome to the ledger, the memberships and the people's bots, and keep ratings before and after."""
    rules = _append_to_ledger(result, seats, report.record)
    memberships = [seat.membership_id for seat in seats if seat.membership_id is not None]
    bots, accounts = _locked_bots(seats), _locked_accounts(memberships, rules)
    results = list(_seat_results(result, seats, state, report))
    rated = rate(accounts, memberships, [seat_result.rank for seat_result in results], rules)
    for seat_result, before_and_after in zip(results, rated, strict=True):
        if before_and_after:
            seat_result.rating_before, seat_result.rating_after = before_and_after
    _UPDATE_ACCOUNTS(list(accounts.values()))
    _INSERT_SEATS(results)
    pauses.count(report, results, bots)


def _append_to_ledger(result: Result, seats: Sequence[Seat], record: Document) -> RatingRules:
    """Write the result down, and say by which rules it counts; the ladder's row is held from here on."""
    (ladder,) = _LADDER(pk=result.match.ladder_id)
    document = result_document(result.match, seats, record)
    append(ladder, LedgerEntry.Kind.RESULT, document, result=result)
    return rating_rules_of(ladder)


def _locked_bots(seats: Sequence[Seat]) -> dict[int, Bot]:
    """By seat, the people's bots, each locked: always before memberships, here and in
    ``ladder.members.memberships``.
    """
    owned = {seat.index: seat.version.bot_id for seat in seats if seat.version.bot.owner_id is not None}
    by_id = {bot.pk: bot for bot in _BOTS(bots=sorted(set(owned.values())))}
    return {index: by_id[bot_id] for index, bot_id in owned.items()}


def _locked_accounts(memberships: Sequence[int], rules: RatingRules) -> dict[int, Membership]:
    """By id, for whom the results of ``memberships`` count, locked in the order of their ids."""
    owners = {owner for owner in map(rules.counts_for, memberships) if owner is not None}
    return {membership.pk: membership for membership in _ACCOUNTS(memberships=sorted(owners))}


def _seat_results(result: Result, seats: Sequence[Seat], state: State, report: MatchReport) -> Iterator[SeatResult]:
    outcome = shown_outcome(state) or {}
    evidence = {forfeit.seat: storable(forfeit.evidence) for forfeit in report.forfeits}
    for seat, rank, score in zip(seats, outcome["ranks"], outcome["scores"], strict=True):
        yield SeatResult(
            result=result,
            seat=seat,
            rank=rank,
            score=score,
            forfeit=score.get("forfeit", ""),
            forfeit_at=score.get("forfeit_at"),
            evidence=evidence.get(seat.index, ""),
        )
