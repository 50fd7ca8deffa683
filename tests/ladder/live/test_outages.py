"""The site is away for a while, and people's clocks are not charged for it."""

from __future__ import annotations

from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from ladder.live import actions, outages
from ladder.live.answers import AnswerVerdict, answer_seat, expire
from ladder.live.presence import notice_gone
from ladder.live.rights import rights_of
from ladder.live.sweep import sweep_tables
from ladder.models import Attempt, LiveSeat, Match, Outage, PlayedMove
from tests.build import snapshot
from tests.ladder.live.hosted import house_game
from tests.ladder.live.people import LATE_S, beat_ago, live_seat_at, look, people, say, seen, table_for
from tests.ladder.live.play import position, run_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def match() -> Match:
    return table_for("edel-stein-reich", people(3), rated=True)


def asked_ago(match: Match, seconds: float) -> None:
    """All who owe a decision were asked so long ago, and were here then."""
    back = timedelta(seconds=seconds)
    LiveSeat.objects.filter(table=match.pk).update(
        due_at=F("due_at") - back, deadline=F("deadline") - back, seen_at=F("seen_at") - back
    )


def others_asked_ago(match: Match, seconds: float) -> None:
    """The seats but the first were asked so long ago."""
    back = timedelta(seconds=seconds)
    others = LiveSeat.objects.filter(table=match.pk).exclude(seat__index=0)
    others.update(due_at=F("due_at") - back, deadline=F("deadline") - back)


def deadlines(match: Match) -> list[datetime]:
    return [live_seat.deadline for live_seat in position(match).live_seats if live_seat.deadline]


def moved(match: Match, before: list[datetime]) -> list[float]:
    return [(now - then).total_seconds() for now, then in zip(deadlines(match), before, strict=True)]


def test_a_beat_is_written_now_and_then_and_moves_no_clock(match: Match) -> None:
    beat_ago(match, 5)
    before = deadlines(match)
    assert outages.beat() == 0
    assert deadlines(match) == before
    assert Attempt.objects.get().heartbeat_at > timezone.now() - timedelta(seconds=3)
    noted = snapshot()
    assert outages.beat() == 0
    assert snapshot() == noted


def test_the_time_that_the_site_was_away_is_added_once(match: Match) -> None:
    asked_ago(match, 100)
    beat_ago(match, 60)
    before = deadlines(match)
    assert (outages.beat(), outages.beat()) == (1, 0)
    assert moved(match, before) == [pytest.approx(60, abs=2)] * 3
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED
    assert PlayedMove.objects.get().wall_ms == pytest.approx(40_000, abs=3000)
    assert live_seat_at(match, 0).bank_ms == 180_000


def test_a_table_that_cannot_go_on_keeps_no_other_one_from_its_time(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = table_for("edel-stein-reich-duel", people(2, "other"))
    for game in (match, other):
        beat_ago(game, 60)
    forgive = outages.forgive

    def broken(match_id: int) -> bool:
        if match_id == match.pk:
            raise ValueError("something of it is broken")
        return forgive(match_id)

    monkeypatch.setattr(outages, "forgive", broken)
    assert outages.beat() == 1
    assert Attempt.objects.get(match=other).heartbeat_at > timezone.now() - timedelta(seconds=3)


def test_a_seat_asked_during_an_outage_gets_its_remaining_part(match: Match) -> None:
    asked_ago(match, 20)
    beat_ago(match, 60)
    before = deadlines(match)
    outages.beat()
    assert moved(match, before) == [pytest.approx(20, abs=2)] * 3
    assert all(
        live_seat.due_at is not None and live_seat.due_at <= timezone.now() for live_seat in position(match).live_seats
    )


def test_a_lost_decision_stays_lost_and_an_unsent_one_needs_no_extension(
    match: Match,
) -> None:
    run_out(match, 0, ago=30)
    others_asked_ago(match, 90)
    LiveSeat.objects.filter(seat__index=1).update(
        due_at=timezone.now() + timedelta(seconds=9), deadline=timezone.now() + timedelta(seconds=99)
    )
    beat_ago(match, 20)
    before = deadlines(match)
    outages.beat()
    assert moved(match, before) == [0, 0, pytest.approx(20, abs=2)]


def test_while_the_site_is_away_nobody_is_absent(match: Match) -> None:
    run_out(match, 0, ago=LATE_S)
    for seat in range(3):
        seen(match, seat, ago_s=65)
    beat_ago(match, 60)
    assert (expire(match.pk), notice_gone()) == (0, 0)
    assert sweep_tables() == 1
    assert not PlayedMove.objects.exists()
    assert look(match, 1)["here"] == ["here"] * 3
    assert not rights_of(position(match), 1)["claim"]
    outages.beat()
    assert expire(match.pk) == 0
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED


def test_an_answer_before_the_first_heartbeat_is_not_late(match: Match) -> None:
    run_out(match, 0, ago=LATE_S)
    others_asked_ago(match, 90)
    beat_ago(match, 60)
    before = deadlines(match)
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED
    assert outages.beat() == 0
    assert moved(match, before[1:]) == [pytest.approx(60, abs=2)] * 2


def test_an_answer_to_what_was_asked_in_an_outage_that_ends_while_it_is_on_its_way_counts(match: Match) -> None:
    body = b'{"id": 1, "move": "gems"}'
    asked_ago(match, 20)
    beat_ago(match, 60)
    assert outages.beat() == 1
    assert answer_seat(match.pk, 0, 1, body, monotonic() - 1).verdict is AnswerVerdict.PLAYED
    assert PlayedMove.objects.get().wall_ms == 0


def test_what_comes_meanwhile_from_a_clock_that_has_run_out_keeps_what_was_forgiven(match: Match) -> None:
    """The seat's own decision was lost before; the others' clocks are moved all the same."""
    run_out(match, 0, ago=120)
    others_asked_ago(match, 90)
    beat_ago(match, 60)
    before = deadlines(match)
    assert say(match, 0, "gems").verdict is AnswerVerdict.LATE
    assert moved(match, before[1:]) == [pytest.approx(60, abs=2)] * 2


def test_after_an_outage_presence_is_as_before(match: Match) -> None:
    seen(match, 1, ago_s=62)
    seen(match, 2, ago_s=110)
    beat_ago(match, 60)
    outages.beat()
    now = timezone.now()
    gone = [(now - live_seat_at(match, seat).seen_at).total_seconds() for seat in range(3)]  # type: ignore[operator]
    assert gone == [pytest.approx(0, abs=3), pytest.approx(2, abs=3), pytest.approx(50, abs=3)]


def test_a_site_that_stays_offline_does_not_extend_clocks_forever(match: Match) -> None:
    run_out(match, 0, ago=LATE_S)
    beat_ago(match, outages.FROZEN_FOR.total_seconds() + 5)
    assert expire(match.pk) == 1
    assert PlayedMove.objects.get().default == "absent"


def test_a_heartbeat_that_redis_did_not_receive_does_not_count(match: Match, settings: Any) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:9"}
    }
    beat_ago(match, 5)
    with pytest.raises(Exception, match="connecting"):
        outages.beat()
    assert Attempt.objects.get().heartbeat_at < timezone.now() - timedelta(seconds=4)


def test_games_without_people_are_not_extended_by_outages() -> None:
    other = house_game()
    beat_ago(other, 100)
    before = snapshot()
    assert outages.beat() == 0
    assert snapshot() == before


def test_a_table_that_is_over_is_left_alone(match: Match) -> None:
    actions.abort(match.pk, 0)
    Attempt.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=100))
    assert outages.beat() == 0
    assert not outages.forgive(match.pk)
    assert not outages.forgive(match.pk + 1)


def test_an_outage_is_stored_with_the_game_and_shown_to_all_seats(match: Match) -> None:
    say(match, 0, "gems")
    assert look(match, 1)["outage_ms"] == 0
    for seconds in (60, 20):
        beat_ago(match, seconds)
        outages.beat()
    kept = [(outage.before_move, outage.ms) for outage in Outage.objects.filter(match=match)]
    assert kept == [(1, pytest.approx(60_000, abs=3000)), (1, pytest.approx(20_000, abs=3000))]
    assert [look(match, seat)["outage_ms"] for seat in range(3)] == [pytest.approx(80_000, abs=6000)] * 3


def test_the_third_outage_within_an_hour_is_an_error_however_many_tables_note_it(
    match: Match, caplog: pytest.LogCaptureFixture
) -> None:
    tables = [match, table_for("edel-stein-reich-duel", people(2, "other"))]
    errors = []
    for minutes in (130, 70, 40, 20, 0):
        for table in tables:
            beat_ago(table, 30)
        assert outages.beat() == 2
        Outage.objects.filter(ended__gt=timezone.now() - timedelta(seconds=60)).update(
            ended=F("ended") - timedelta(minutes=minutes)
        )
        errors.append(sum(record.levelname == "ERROR" for record in caplog.records))
    assert errors == [0, 0, 0, 0, 1]
