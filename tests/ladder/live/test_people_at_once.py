"""What happens at a table of people between two steps of something else: nothing of it is lost or overwritten."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from ladder.live import actions, end, outages, sweep
from ladder.live.answers import AnswerVerdict
from ladder.live.game import LockedMatch
from ladder.live.hosted import take
from ladder.live.person_view import SeatViews, moments, present
from ladder.live.presence import note_seen, notice_gone
from ladder.live.sweep import sweep_tables
from ladder.live.visibility import ended
from ladder.models import LiveSeat, Match, PlayedMove, Table
from tests.ladder.live.people import (
    again,
    answer_any,
    ask_workers,
    beat_ago,
    check_ended,
    house,
    live_seat_at,
    look,
    miss,
    owing,
    people,
    say,
    seen,
    settle,
    table_for,
)
from tests.ladder.live.play import position
from tests.services.locks import Meanwhile

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

GEMS = "edel-stein-reich"
rows_alone = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no locks of rows")


@pytest.fixture
def match() -> Match:
    return table_for(GEMS, people(3), rated=True)


@pytest.mark.locks
@rows_alone
@pytest.mark.django_db(transaction=True)
def test_presence_is_stored_without_waiting_for_locks(match: Match) -> None:
    for seat in range(3):
        seen(match, seat, ago_s=31)
    beat_ago(match, 0)
    with transaction.atomic():
        list(LiveSeat.objects.select_for_update().filter(seat__index=1))
        assert Meanwhile(notice_gone).ended() == 2
        assert Meanwhile(partial(note_seen, {match.pk: {0, 1, 2}})).ended() == 2
    assert note_seen({match.pk: {0, 1, 2}}) == 1
    assert look(match, 0)["here"] == ["here"] * 3


def test_players_present_at_the_start_of_an_outage_stay_present(match: Match) -> None:
    """It is the database that has written when that was, to the millisecond."""
    before = [live_seat_at(match, seat).seen_at for seat in range(3)]
    beat_ago(match, 60)
    assert outages.beat() == 1
    after = [live_seat_at(match, seat).seen_at for seat in range(3)]
    assert all(then is not None and now is not None and then < now for then, now in zip(before, after, strict=True))


def test_a_resignation_keeps_the_turn_of_the_asking_worker(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    seen(match, 0, ago_s=31)
    miss(match, 0)
    while not LiveSeat.objects.filter(table=match.pk, seat__index=0, owes=True).exists():
        answer_any(match, owing(match)[0])
    go_on = LockedMatch.go_on

    def meanwhile(table: LockedMatch) -> None:
        assert take(match.pk, 0) is not None
        go_on(table)

    monkeypatch.setattr(LockedMatch, "go_on", meanwhile)
    actions.resign(match.pk, 0)
    live_seat = live_seat_at(match, 0)
    assert (live_seat.resigned, live_seat.owes, live_seat.kind) == (True, True, "substitute")
    assert live_seat.lease is not None


def test_an_answer_after_a_resignation_is_late_before_the_result_exists() -> None:
    match = table_for("edel-stein-reich-duel", people(2))
    (seat,) = owing(match)
    actions.resign(match.pk, seat)
    assert again(match).status == "running"
    assert say(match, seat, "gems").verdict is AnswerVerdict.LATE


def test_a_game_that_ends_while_something_is_held_back_shows_nothing_before_that() -> None:
    """A default move of who has lost by a claim is still to be shown when the last one resigns."""
    match = table_for(GEMS, [*people(2), *house("greedy")], rated=True, players="open")
    seen(match, 1, ago_s=70)
    beat_ago(match, 0)
    actions.claim(match.pk, 0)
    held_back = PlayedMove.objects.filter(match=match, visible_at__gt=timezone.now())
    for _ in range(9):
        if held_back.exists():
            break
        ask_workers(match)
    later = timezone.now() + timedelta(minutes=1)
    assert held_back.update(visible_at=later)
    Table.objects.filter(pk=match.pk).update(settled_at=later)
    actions.resign(match.pk, 0)
    assert Table.objects.get(pk=match.pk).over
    shown = list(PlayedMove.objects.order_by("number").values_list("visible_at", flat=True))
    assert shown == sorted(shown)
    for seat in range(2):
        assert present(position(match), seat) and moments(position(match), seat, 0)
    assert not position(match).shown_to(None).outcome
    check_ended(match)


def test_hidden_moves_do_not_delay_the_end() -> None:
    """A forced move is still to be shown when all but one have resigned: there is nothing to hide any more."""
    match = table_for("die-weinhaendler", people(3))
    while not PlayedMove.objects.exclude(delays=[]).exists():
        settle(match)
        seat = owing(match)[0]
        say(match, seat, position(match).state().legal_moves(seat)[-1])
    assert SeatViews(position(match)).again_ms(0) is not None
    actions.resign(match.pk, 0)
    actions.resign(match.pk, 1)
    check_ended(match)
    at = position(match)
    for viewer in range(3):
        assert SeatViews(at).again_ms(viewer) is None
        assert at.shown_to(viewer).steps_since(0) == ended(at)[0].steps_since(0)


def test_a_game_that_has_taken_too_long_and_ends_just_now_has_its_result(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    Match.objects.update(lease_until=Now() - timedelta(seconds=1))
    void = end.void

    def at_last(match_id: int, **how: Any) -> bool:
        Table.objects.filter(pk=match_id).update(over=True)
        return void(match_id, **how)

    monkeypatch.setattr(sweep, "void", at_last)
    sweep_tables()
    assert again(match).status == "running"
    Table.objects.update(over=False)
    monkeypatch.setattr(sweep, "void", void)
    sweep_tables()
    assert again(match).status == "void"


def test_absent_players_are_noticed_even_if_the_sweep_fails(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> int:
        raise RuntimeError("something is broken")

    monkeypatch.setattr(sweep, "remind", broken)
    seen(match, 0, ago_s=31)
    beat_ago(match, 0)
    sweep_tables()
    assert live_seat_at(match, 0).left_at is not None
