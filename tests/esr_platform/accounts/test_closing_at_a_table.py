"""An account is deleted or suspended while its person sits at a table: the others get their game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from esr_platform.account_pages import deletion, suspensions
from esr_platform.accounts.models import User
from ladder.live import actions
from ladder.models import Chair, Entry, Match, Result
from tests.build import opened_house, staff
from tests.esr_platform.api.streams.people import Tab
from tests.ladder.live.people import again, answer_any, chair_at, check_ended, miss, owing, people, seen, table_for

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _house(db: None) -> None:
    opened_house()


def suspend(person: User) -> None:
    suspensions.suspend(person, staff("eve"), "insulted everybody")


CLOSINGS = [deletion.delete, suspend]


def seated() -> tuple[Match, User, User]:
    """A rated duel that has begun, who is to go, whose turn it is, and who stays."""
    match = table_for("edel-stein-reich-duel", people(2), rated=True)
    answer_any(match, owing(match)[0])
    gone = owing(match)[0]
    users = [User.objects.get(username=f"player{seat}") for seat in (gone, 1 - gone)]
    return match, users[0], users[1]


@pytest.mark.parametrize("close", CLOSINGS)
def test_whose_account_is_closed_has_abandoned_the_game_and_the_other_one_has_won(
    close: Callable[[User], None],
) -> None:
    match, gone, stays = seated()
    tab = Tab(gone)
    close(gone)
    seat = owing(match)[0]
    for act in ("resign", "abort", "return", "chat"):
        assert tab.post(f"matches/{match.pk}/seat/{act}", {}).status_code in (401, 429)
    decision = chair_at(match, seat).asked
    assert tab.post(f"matches/{match.pk}/decisions/{decision}", {"move": "x"}).status_code in (401, 429)
    seen(match, seat, ago_s=40)
    miss(match, seat)
    assert chair_at(match, seat).kind == Chair.Kind.STAND_IN
    client = Client()
    client.force_login(stays)
    assert client.get(f"/play/tables/{match.pk}/").status_code == 200
    seen(match, seat, ago_s=70)
    actions.claim(match.pk, 1 - seat)
    record = check_ended(match)
    assert record is not None
    assert record["outcome"]["scores"][seat]["forfeit"] == "abandoned"
    assert again(match).status == "finished"
    assert "player" not in repr(Result.objects.get(match=match).report), "what is kept for good has no names of people"
    assert Entry.objects.get(bot__owner=stays).rating > Entry.objects.get(bot__owner=gone).rating


def test_nobody_reads_the_name_of_a_deleted_account_at_the_table_that_goes_on() -> None:
    match, gone, stays = seated()
    name = gone.username
    deletion.delete(gone)
    client = Client()
    client.force_login(stays)
    for reader in (client, Client()):
        for address in (f"/play/tables/{match.pk}/", f"/matches/{match.pk}/", "/play/", f"/api/v1/matches/{match.pk}"):
            text = reader.get(address, follow=True).content.decode()
            assert name not in text, address
            assert stays.username in text or address == "/play/", address
