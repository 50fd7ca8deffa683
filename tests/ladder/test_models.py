"""What the tables themselves refuse, whoever writes to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.db import DataError, IntegrityError, models, transaction
from django.db.models.functions import Now

from bots.models import Bot
from ladder.matches.results import record_result
from ladder.models import (
    Attempt,
    Block,
    DealSeries,
    Ladder,
    LedgerEntry,
    Match,
    Membership,
    Result,
    Season,
    Seat,
    SeatResult,
)
from tests.build import claimed, report_of


@contextmanager
def refused() -> Iterator[None]:
    with pytest.raises((IntegrityError, DataError)), transaction.atomic():
        yield


@pytest.fixture
def result(match: Match) -> Result:
    stored = record_result(claimed(match), report_of(match))
    assert stored is not None
    return stored


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "paused"},
        {"status": "running"},
        {"status": "running", "started": Now()},
        {"lease": uuid4()},
        {"lease_until": Now()},
        {"ended": Now()},
        {"status": "finished"},
        {"status": "void", "ended": Now()},
        {"status": "cancelled", "ended": Now()},
        {"status": "aborted", "ended": Now()},
        {"status": "void", "reason": "why"},
        {"reason": "why"},
        {"status": "finished", "ended": Now(), "reason": "why"},
    ],
)
def test_a_match_is_in_one_of_its_states_or_not_at_all(match: Match, changes: dict[str, Any]) -> None:
    with refused():
        Match.objects.filter(pk=match.pk).update(**changes)


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        (Ladder, {"seats": 1}),
        (Ladder, {"seats": 6}),
        (Ladder, {"next_ledger": 0}),
        (Membership, {"win_shares": 61}),
        (Seat, {"index": 5}),
        (Attempt, {"number": 0}),
        (Attempt, {"ending": "lost"}),
        (Attempt, {"ending": "failed"}),
        (Attempt, {"ended": None}),
        (Attempt, {"failure": "but it finished"}),
        (Season, {"number": 0}),
        (Season, {"closed": Now()}),
        (Season, {"next_num": 1}),
        (Season, {"next_num": 3, "next_den": 2}),
        (DealSeries, {"kind": "dark"}),
        (DealSeries, {"key": b"short"}),
        (DealSeries, {"key_hash": "ab"}),
        (DealSeries, {"next_number": 0}),
        (Block, {"seed": b"short"}),
        (Block, {"commitment": "ab"}),
        (Block, {"number": 0}),
        (Block, {"number": None}),
        (Block, {"series": None}),
        (Block, {"purpose": "early"}),
        (Block, {"purpose": "practice"}),
        (LedgerEntry, {"number": 0}),
        (LedgerEntry, {"hash": "ab"}),
        (LedgerEntry, {"kind": "result"}),
        (LedgerEntry, {"kind": "void"}),
        (LedgerEntry, {"kind": "gift"}),
        (SeatResult, {"rating_before": None}),
        (SeatResult, {"rating_after": None}),
        (SeatResult, {"rank": 0}),
        (SeatResult, {"rank": 6}),
        (SeatResult, {"evidence": "of nothing"}),
    ],
)
def test_values_out_of_range_are_refused(result: Result, model: type[models.Model], changes: dict[str, Any]) -> None:
    rows = model._default_manager.order_by("pk")[:1].values("pk")
    with refused():
        model._default_manager.filter(pk__in=list(rows.values_list("pk", flat=True))).update(**changes)


def again(row: models.Model, **changes: Any) -> Callable[[], None]:
    """A second row like ``row``."""

    def insert() -> None:
        row.pk = None
        for name, value in changes.items():
            setattr(row, name, value)
        row.save(force_insert=True)

    return insert


def test_nothing_that_is_unique_exists_twice(result: Result, match: Match) -> None:
    seat, other = match.seats.order_by("index")[:2]
    attempt, season = match.attempts.get(), match.ladder.seasons.get()
    seat_result = result.seat_results.first()
    for insert in (
        again(Result.objects.get(pk=result.pk)),
        again(result.ledger_entries.get(), result_id=None),
        again(LedgerEntry.objects.get(result=result), number=99),
        again(Match.objects.get(pk=match.pk)),
        again(Block.objects.get(pk=match.block_id)),
        again(DealSeries.objects.get(blocks=match.block_id)),
        again(season),
        again(season, number=2),
        again(seat_result),
        again(seat, membership=Membership.objects.exclude(seats__match=match).first()),
        again(other, index=4),
        again(attempt),
        again(attempt, token=uuid4()),
        again(match.ladder.memberships.first()),
        again(Ladder.objects.get(pk=match.ladder_id)),
    ):
        with refused():
            insert()


def test_a_match_has_one_open_attempt(match: Match) -> None:
    claimed(match)
    with refused():
        Attempt.objects.create(match=match, number=2, token=uuid4(), worker="", started=Now(), heartbeat_at=Now())


def test_a_match_that_was_played_cannot_be_deleted(result: Result) -> None:
    with pytest.raises(models.ProtectedError):
        Match.objects.get(pk=result.match_id).delete()
    with pytest.raises(models.ProtectedError):
        Bot.objects.all()[0].delete()
