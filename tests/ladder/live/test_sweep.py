"""Sweeps of live tables while another transaction holds a row that they need."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from ladder.live.sweep import sweep_tables
from ladder.models import Match, PlayedMove
from tests.ladder.live.play import game_of, run_out, table_of
from tests.services.locks import Meanwhile

pytestmark = [pytest.mark.locks, pytest.mark.django_db(transaction=True)]


def impatient_sweep() -> int:
    """Sweep all tables, and wait hardly at all for rows that others hold."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 50" if connection.vendor == "postgresql" else "PRAGMA busy_timeout = 50")
    return sweep_tables()


def test_a_locked_table_is_left_for_the_next_sweep_without_delaying_others() -> None:
    first = game_of("edel-stein-reich", 3)
    second = table_of(first.ladder, [seat.version.bot for seat in first.seats.order_by("index")])
    for match in (first, second):
        run_out(match, 0)
    with transaction.atomic():
        Match.objects.filter(pk=first.pk).update(priority=1)
        assert Meanwhile(impatient_sweep).ended() == 2
    assert not PlayedMove.objects.filter(match=first).exists()
    if connection.vendor == "postgresql":  # SQLite has one lock for all rows
        assert PlayedMove.objects.get(match=second).default == "late"
    sweep_tables()
    assert set(Match.objects.values_list("status", flat=True)) == {"running"}
    assert list(PlayedMove.objects.values_list("default", flat=True)) == ["late", "late"]
