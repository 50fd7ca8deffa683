from __future__ import annotations

from random import Random

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.corrections import void, withdraw
from ladder.matches.leases import give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.models import Attempt, Block, Intervention, Ladder, Match
from tests.build import claimed, report_of, snapshot, staff


@pytest.fixture
def eve(db: None) -> User:
    return staff("eve")


def test_a_queued_match_is_cancelled_and_it_is_kept_who_did_it_when_and_why(match: Match, eve: User) -> None:
    assert withdraw(match.pk, "not needed", eve) == "cancelled"
    match.refresh_from_db()
    assert (match.status, match.reason) == ("cancelled", "Withdrawn by staff: not needed")
    one = Intervention.objects.get()
    assert (one.match, one.action, one.reason, one.author) == (match, "cancelled", "not needed", eve)


def test_a_match_that_was_tried_is_void(match: Match, eve: User) -> None:
    give_back(claimed(match), Attempt.Ending.FAILED, "no sandbox")
    assert withdraw(match.pk, "it cannot be played", eve) == "void"
    assert Intervention.objects.get().action == "voided"


def test_what_a_worker_brings_of_a_withdrawn_match_is_refused(match: Match, eve: User) -> None:
    lease = claimed(match)
    assert withdraw(match.pk, "stuck", eve) == "void"
    before = snapshot()
    assert record_result(lease, report_of(match)) is None
    assert not give_back(lease, Attempt.Ending.FAILED, "too late")
    assert snapshot() == before
    attempt = Attempt.objects.get(match=match)
    assert (attempt.ending, attempt.failure) == ("failed", "It was ended by staff.")


def test_a_block_opens_with_its_last_game_that_is_withdrawn(match: Match, eve: User) -> None:
    games = list(Match.objects.filter(block=match.block_id).order_by("pk"))
    for place, game in enumerate(games, 1):
        withdraw(game.pk, "not needed", eve)
        assert (Block.objects.get(pk=match.block_id).ended is None) == (place < len(games))


def test_what_has_ended_is_not_withdrawn(match: Match, eve: User) -> None:
    record_result(claimed(match), report_of(match))
    before = snapshot()
    for pk in (match.pk, 10**9):
        with pytest.raises(Refused, match=f"Match {pk} has ended"):
            withdraw(pk, "late", eve)
    assert snapshot() == before


def test_the_audit_log_lists_what_staff_did_to_matches(played: Ladder, eve: User) -> None:
    finished = Match.objects.filter(ladder=played, status="finished").order_by("pk")[:1].get()
    fill(Random(2))
    withdrawn = Match.objects.filter(ladder=played, status="queued").order_by("pk")[:1].get()
    void(finished.pk, "<b>a wrong deal</b>", eve)
    withdraw(withdrawn.pk, "stuck", eve)
    client = Client()
    client.force_login(eve)
    response = client.get("/staff/trail/?of=matches")
    rows = response.context["actions"].rows
    assert [(one.match_id, one.action, one.reason, one.author) for one in rows] == [
        (withdrawn.pk, "cancelled", "stuck", eve),
        (finished.pk, "taken back", "<b>a wrong deal</b>", eve),
    ]
    text = response.content.decode()
    assert f'href="/matches/{finished.pk}/"' in text and "&lt;b&gt;a wrong deal&lt;/b&gt;" in text and "eve" in text
    assert client.get("/staff/trail/").context["actions"].rows == []


@pytest.mark.parametrize(
    "statement", ["UPDATE ladder_intervention SET reason = 'x'", "DELETE FROM ladder_intervention"]
)
def test_the_database_refuses_to_change_what_staff_did_to_matches(match: Match, eve: User, statement: str) -> None:
    withdraw(match.pk, "stuck", eve)
    if statement.startswith("DELETE") and connection.vendor != "postgresql":
        pytest.skip("SQLite refuses changes alone: its tables are emptied by DELETE")
    with pytest.raises(DatabaseError, match="stays on record"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Intervention.objects.get().reason == "stuck"
