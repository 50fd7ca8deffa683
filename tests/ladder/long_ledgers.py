"""Ledgers of any length without a game: results that nobody played, which count as if somebody had."""

from __future__ import annotations

from random import Random
from uuid import uuid4

from django.db import connection
from django.utils import timezone

from games.chance import commitment
from ladder.ledger.entries import result_document
from ladder.models import Attempt, Block, DealSeries, Ladder, LedgerEntry, Match, Membership, Result, Seat, SeatResult
from ladder.packing import pack
from ladder.ratings.chain import chained
from tests.build import report_of

GAMES_PER_BATCH = 500


def append_results(ladder: Ladder, count: int, seed: int = 1) -> None:
    """``count`` finished matches at random tables, a block each, all with one stored record; none of them is rated."""
    random, now = Random(seed), timezone.now()
    entries = list(Membership.objects.filter(ladder=ladder).select_related("bot").order_by("pk"))
    versions = {entry: entry.bot.active_version for entry in entries}
    series = DealSeries.objects.select_related("season").get(
        season__ladder=ladder, season__closed=None, kind=DealSeries.Kind.LADDER
    )
    ladder.refresh_from_db()
    record = None
    for first in range(0, count, GAMES_PER_BATCH):
        numbers = range(series.next_number + first, series.next_number + min(first + GAMES_PER_BATCH, count))
        seeds = [number.to_bytes(32, "big") for number in numbers]
        blocks = Block.objects.bulk_create(
            Block(ladder=ladder, series=series, number=number, seed=deal, commitment=commitment(deal), ended=now)
            for number, deal in zip(numbers, seeds, strict=True)
        )
        matches = Match.objects.bulk_create(
            Match(ladder=ladder, block=block, status=Match.Status.FINISHED, ended=now) for block in blocks
        )
        record = record or report_of(matches[0]).record
        packed = pack(record)
        attempts = Attempt.objects.bulk_create(
            Attempt(match=match, number=1, token=uuid4(), started=now, heartbeat_at=now, ended=now, ending="finished")
            for match in matches
        )
        results = Result.objects.bulk_create(
            Result(match=match, attempt=attempt, packed_record=packed, report={"machine_delays": []})
            for match, attempt in zip(matches, attempts, strict=True)
        )
        tables = [random.sample(entries, ladder.seats) for _ in matches]
        seats = Seat.objects.bulk_create(
            Seat(match=match, index=index, membership=entry, version=versions[entry])
            for match, table in zip(matches, tables, strict=True)
            for index, entry in enumerate(table)
        )
        _write(
            ladder, series, results, [seats[n : n + ladder.seats] for n in range(0, len(seats), ladder.seats)], record
        )
    ladder.save(update_fields=["next_ledger", "ledger_head"])
    DealSeries.objects.filter(pk=series.pk).update(next_number=series.next_number + count)


def _write(ladder: Ladder, series: DealSeries, results: list[Result], tables: list[list[Seat]], record: object) -> None:
    outcome = record["outcome"]  # type: ignore[index]
    SeatResult.objects.bulk_create(
        SeatResult(result=result, seat=seat, rank=outcome["ranks"][seat.index], score=outcome["scores"][seat.index])
        for result, table in zip(results, tables, strict=True)
        for seat in table
    )
    written = []
    for result, table in zip(results, tables, strict=True):
        number, document = ladder.next_ledger, result_document(result.match, table, record)  # type: ignore[arg-type]
        ladder.ledger_head = chained(ladder.slug, number, "result", document, ladder.ledger_head)
        ladder.next_ledger = number + 1
        written.append(
            LedgerEntry(
                ladder=ladder,
                season=series.season,
                number=number,
                result=result,
                document=document,
                hash=ladder.ledger_head,
            )
        )
    LedgerEntry.objects.bulk_create(written)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # nothing else tells PostgreSQL how long the tables are before this is committed
