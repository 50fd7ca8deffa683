"""A site with any number of matches: some are played at random and recorded as usual, the rest are copies.

Matches are copied in the database, row by row with new ids, so every page has real records, figures and statistics.
Ratings and sums are multiplied where a page shows them. The hashes of the ledger do not cover the copies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from django.db import connection
from django.db.models import F, Max, Model

from bots.manifest import every_format
from ladder import estimates, season_statistics
from ladder.creation import open_house
from ladder.matches.leases import claim
from ladder.matches.schedule import fill
from ladder.models import (
    Attempt,
    Block,
    DealSeries,
    Ladder,
    LedgerEntry,
    Match,
    Membership,
    PairTally,
    Result,
    Seat,
    SeatResult,
    SeatTally,
)
from tests.build import finished_blocks, first_games, person, uploaded

BLOCKS: Final = 40
"""Played on every ladder, unless told otherwise."""

RUNNING: Final = 6
_TOKEN: Final = {"sqlite": "lower(hex(randomblob(16)))", "postgresql": "gen_random_uuid()"}


def crowd(matches: int, people: int, say: Callable[[str], None], blocks: int = BLOCKS) -> None:
    """Fill an empty database: ``people`` with a bot each that supports every format, and about so many ``matches``.

    ``blocks`` are played on every ladder before anything is copied.
    """
    open_house()
    tables = {slug: list(counts) for slug, counts in every_format().items()}
    for number in range(people):
        uploaded(person(f"player{number}"), f"Bot {number:04}", formats=tables)
    say(f"{people} people have come")
    for ladder in Ladder.objects.filter(players=Ladder.Players.HOSTED).order_by("pk"):
        finished_blocks(ladder, blocks)
    _reckon()
    played = Match.objects.count()
    say(f"{played} games have been played")
    copies = max(0, matches // played - 1)
    _multiply(copies)
    fill(Random(1))
    for match_id in first_games().filter(status="queued").values_list("pk", flat=True)[:RUNNING]:
        claim(match_id, "bench")
    say(f"{Match.objects.count()} matches are there")


def _reckon() -> None:
    while season_statistics.gather():
        pass
    estimates.estimate_due()
    season_statistics.measure()


def _multiply(copies: int) -> None:
    last = {model: _last(model) for model in (Block, Match, Seat, Attempt, Result, SeatResult, LedgerEntry)}
    numbers = DealSeries.objects.aggregate(last=Max("next_number"))["last"]
    token = _TOKEN[connection.vendor]

    def shift(model: type[Model], copy: int) -> int:
        return last[model] * copy

    for copy in range(1, copies + 1):
        block, match = {"block_id": shift(Block, copy)}, {"match_id": shift(Match, copy)}
        result = {"result_id": shift(Result, copy)}
        _copied(Block, last[Block], {"id": shift(Block, copy), "number": numbers * copy})
        _copied(Match, last[Match], {"id": shift(Match, copy), **block})
        _copied(Seat, last[Seat], {"id": shift(Seat, copy), **match})
        _copied(Attempt, last[Attempt], {"id": shift(Attempt, copy), **match}, {"token": token})
        _copied(Result, last[Result], {"id": shift(Result, copy), "attempt_id": shift(Attempt, copy), **match})
        _copied(SeatResult, last[SeatResult], {"id": shift(SeatResult, copy), "seat_id": shift(Seat, copy), **result})
    for ladder in Ladder.objects.order_by("pk"):
        _longer_ledger(ladder, copies, last)
    _multiplied(copies + 1)
    DealSeries.objects.update(next_number=F("next_number") + numbers * copies)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for model in last:
                table = model._meta.db_table
                cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
            cursor.execute("ANALYZE")  # what autovacuum does by itself after a while


def _longer_ledger(ladder: Ladder, copies: int, last: Mapping[type[Model], int]) -> None:
    results = LedgerEntry.objects.filter(ladder=ladder, kind="result").count()
    where = f"ladder_id = {ladder.pk} AND kind = 'result' AND "
    for copy in range(1, copies + 1):
        shifts = {
            "id": last[LedgerEntry] * copy,
            "number": results * copy,
            "result_id": last[Result] * copy,
        }
        _copied(LedgerEntry, last[LedgerEntry], shifts, where=where)
    Ladder.objects.filter(pk=ladder.pk).update(next_ledger=F("next_ledger") + results * copies)


def _multiplied(times: int) -> None:
    """What is added up over all games."""
    Membership.objects.update(games=F("games") * times, win_shares=F("win_shares") * times)
    SeatTally.objects.update(games=F("games") * times, win_shares=F("win_shares") * times, points=F("points") * times)
    sums = ("games", "points", "blocks", "share_sum", "share_squares")
    PairTally.objects.update(**{name: F(name) * times for name in sums})


def _last(model: Any) -> int:
    last: int = model.objects.aggregate(last=Max("pk"))["last"]
    return last


def _copied(
    model: type[Model],
    last: int,
    shifts: Mapping[str, int],
    others: Mapping[str, str] | None = None,
    where: str = "",
) -> None:
    """Copy the rows up to id ``last``, with ``shifts`` added to columns, and ``others`` put in their place."""
    columns = [field.column for field in model._meta.concrete_fields]
    values = [(others or {}).get(name) or _shifted(name, shifts) for name in columns]
    table, names = model._meta.db_table, ", ".join(f'"{name}"' for name in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" ({names}) SELECT {", ".join(values)} FROM "{table}" WHERE {where}id <= {last}'
        )


def _shifted(name: str, shifts: Mapping[str, int]) -> str:
    return f'"{name}" + {shifts[name]}' if name in shifts else f'"{name}"'
