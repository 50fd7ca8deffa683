"""Whether the books of all ladders are right after everything has ended, reckoned again beside the site's own audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db.models import Max

from bots.tournaments.seatings import seatings
from games.record import RecordError, verify
from ladder.ledger.integrity import integrity_report
from ladder.ledger.rebuild import rerate
from ladder.models import Attempt, Block, DealSeries, Ladder, LedgerEntry, Match, Membership, Result, SeatResult
from ladder.packing import unpack
from ladder.ratings.chain import GENESIS, chained


def accounts() -> list[str]:
    """Whatever is wrong in the books after all matches have ended, in sentences."""
    rebuilds = rerate(check=True, records=True)
    wrong = [f"{rebuild.ladder}: {difference}" for rebuild in rebuilds for difference in rebuild.differences]
    integrity = (fault for ladder in Ladder.objects.all() for fault in _wrong_integrity(ladder))
    violated = (
        f"{ladder}: {violation.title} {violation.problem}"
        for ladder in Ladder.objects.all()
        for violation in integrity_report(ladder).violations
    )
    return [*wrong, *_wrong_matches(), *_wrong_blocks(), *integrity, *violated]


def _wrong_matches() -> Iterator[str]:
    """One result for each finished match, as many seats as that gives, no attempt left open, every record verified."""
    finished = Match.objects.filter(status="finished")
    if Match.objects.filter(status__in=Match.PENDING).exists() or Attempt.objects.filter(ending="open").exists():
        yield "a match or an attempt is still open"
    if Counter(Result.objects.values_list("match", flat=True)) != Counter(finished.values_list("pk", flat=True)):
        yield f"{finished.count()} finished matches have {Result.objects.count()} results"
    seats = sum(finished.values_list("ladder__seats", flat=True))
    if seats != SeatResult.objects.count():
        yield f"{seats} seats of finished matches have {SeatResult.objects.count()} results"
    for result in Result.objects.all():
        try:
            verify(unpack(bytes(result.packed_record)))
        except RecordError as error:
            yield f"the record of {result.match}: {error}"


def _wrong_blocks() -> Iterator[str]:
    """Every block has its own number, none is missing, and each ended with the last of its games."""
    for block in Block.objects.annotate(last=Max("matches__ended")).select_related("ladder"):
        if block.ended is None or block.last is None or block.ended < block.last:
            yield f"{block} ended at {block.ended}, its last game at {block.last}"
        live = block.purpose in Block.DRIVEN_BY_REQUESTS
        if block.matches.count() != (1 if live else len(seatings(block.ladder.seats))):
            yield f"{block} has {block.matches.count()} games"
    for series in DealSeries.objects.all():
        numbers = sorted(series.blocks.values_list("number", flat=True))
        if numbers != list(range(1, series.next_number)):
            yield f"the numbers of {series} are {numbers}, the next one is {series.next_number}"


def _wrong_integrity(ladder: Ladder) -> Iterator[str]:
    """The books of a ladder: which seats are rated, that points only move, and the chain, each reckoned here again."""
    rated = SeatResult.objects.filter(result__match__ladder=ladder, rating_after__isnull=False)
    rated_games = Match.objects.filter(ladder=ladder, status="finished", block__purpose__in=["ladder", "live"])
    due = rated_games.count() * ladder.seats
    games = sum(Membership.objects.filter(ladder=ladder).values_list("games", flat=True))
    if not rated.count() == due == games:
        yield f"{ladder}: {due} seats of finished rated matches, {rated.count()} rating rows, {games} games"
    if sum(row.change or 0 for row in rated):
        yield f"{ladder}: the changes of ratings add up to {sum(row.change or 0 for row in rated)}"
    head = GENESIS
    for number, membership in enumerate(LedgerEntry.objects.filter(ladder=ladder).order_by("number"), 1):
        head = chained(ladder.slug, number, membership.kind, membership.document, head)
        if (membership.number, membership.hash) != (number, head):
            yield f"{ladder}: ledger entry {membership.number} does not continue the chain"
    ladder.refresh_from_db()
    if ladder.ledger_head != head:
        yield f"{ladder}: the ledger's head is not its last entry's hash"
