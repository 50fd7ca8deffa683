from __future__ import annotations

import re
from datetime import timedelta
from random import Random

import orjson
import pytest
from django.test import Client
from django.utils import timezone

from esr_platform.accounts.models import User
from ladder.live import actions
from ladder.live.end import finish
from ladder.matchmaking.presence import note_here
from ladder.models import LiveSeat, Match, Outage, Proposal
from tests.build import person, signed_in
from tests.ladder.live_tables import as_if_later, table_of
from tests.ladder.pages.lobby.meeting import met, move_on, play_out
from tests.page import at_most

pytestmark = pytest.mark.usefixtures("house")

MOST_QUERIES = 12


def html(client: Client, match: Match) -> str:
    response = client.get(f"/play/tables/{match.pk}/")
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bob() -> User:
    return person("bob")


def test_the_page_of_a_seat_has_what_the_table_needs(ada: User, bob: User) -> None:
    match = met(ada, bob)
    as_if_later(match)
    client = signed_in(ada)
    with at_most(MOST_QUERIES):
        text = html(client, match)
    for road in ("seat/stream", "decisions/", "seat/", "viewers"):
        assert f'"/api/v1/matches/{match.pk}/{road}"' in text
    data = re.search(r'<script type="application/json">(.*?)</script>', text)
    assert data
    table = orjson.loads(data[1])
    assert table["order"] == [1, 0]
    assert table["names"] == ["ada", "bob"]
    assert 'id="resign-title"' in text
    assert "data-say" in text


def test_strangers_watch_and_who_sat_there_sees_the_result(ada: User, bob: User, client: Client) -> None:
    match = met(ada, bob)
    for stranger in (client, signed_in(person("eve"))):
        assert stranger.get(f"/play/tables/{match.pk}/")["Location"] == f"/matches/{match.pk}/"
    play_out(match, Random(1))
    assert signed_in(ada).get(f"/play/tables/{match.pk}/")["Location"] == f"/matches/{match.pk}/"
    assert client.get("/play/tables/999999/").status_code == 404
    assert client.get("/play/tables/99999999999999999999/").status_code == 404


def test_without_a_script_a_move_is_chosen_in_a_form(ada: User, bob: User) -> None:
    match = met(ada, bob)
    as_if_later(match)
    clients = [signed_in(ada), signed_in(bob)]
    seat = next(seat for seat, live_seat in enumerate(table_of(match).live_seats) if live_seat.owes)
    text = html(clients[seat], match)
    assert f'action="/play/tables/{match.pk}/answer/"' in text
    assert '<option value="&quot;money&quot;">' in text
    answered = {"decision": "1", "move": '"everything"'}
    clients[seat].post(f"/play/tables/{match.pk}/answer/", answered, follow=True)
    assert not table_of(match).rows
    clients[seat].post(f"/play/tables/{match.pk}/answer/", {"decision": "1", "move": '"money"'})
    assert table_of(match).rows[0].move == "money"
    assert f'action="/play/tables/{match.pk}/answer/"' not in html(clients[seat], match)


def test_without_a_script_who_looks_at_the_table_is_there(ada: User, bob: User) -> None:
    match = met(ada, bob)
    live_seats = LiveSeat.objects.filter(table=match.pk, seat__index=0)
    live_seats.update(seen_at=timezone.now() - timedelta(minutes=5))
    html(signed_in(ada), match)
    assert live_seats.filter(seen_at__gt=timezone.now() - timedelta(minutes=1)).exists()


def test_a_form_that_is_not_whole_is_harmless(ada: User, bob: User, client: Client) -> None:
    match = met(ada, bob)
    as_if_later(match)
    browser = signed_in(ada)
    for sent in (
        {},
        {"decision": "x", "move": "1"},
        {"decision": "9" * 30, "move": "1"},
        {"decision": "1", "move": "[" * 500},
        {"decision": "1", "move": "[" * 500 + "]" * 500},
    ):
        assert browser.post(f"/play/tables/{match.pk}/answer/", sent).status_code == 302
    assert browser.post(f"/play/tables/{match.pk}/act/", {"do": "win"}).status_code == 302
    assert client.post(f"/play/tables/{match.pk}/act/", {"do": "resign"})["Location"] == f"/matches/{match.pk}/"
    assert table_of(match).rows == ()


def test_a_hidden_choice_is_in_nobody_elses_page(ada: User, bob: User, client: Client) -> None:
    match = met(ada, bob)
    as_if_later(match)
    position = table_of(match)
    asked = [seat for seat, live_seat in enumerate(position.live_seats) if live_seat.owes]
    clients = {0: signed_in(ada), 1: signed_in(bob)}
    before = {other: _without_tokens(html(clients[other], match)) for other in (0, 1)}
    watched = _without_tokens(client.get(f"/matches/{match.pk}/").content.decode())
    clients[asked[0]].post(f"/play/tables/{match.pk}/answer/", {"decision": "1", "move": '"gems"'})
    other = 1 - asked[0]
    if len(asked) > 1:
        assert _without_tokens(html(clients[other], match)) == before[other]
    assert _without_tokens(client.get(f"/matches/{match.pk}/").content.decode()) == watched


def test_who_resigns_in_the_form_has_lost(ada: User, bob: User) -> None:
    match = met(ada, bob)
    browser = signed_in(ada)
    assert 'value="resign"' in html(browser, match)
    browser.post(f"/play/tables/{match.pk}/act/", {"do": "resign"})
    assert LiveSeat.objects.get(table=match.pk, seat__index=0).forfeit == "resign"


def test_a_resigned_game_has_no_score_on_any_page_nor_in_the_api(ada: User, bob: User, client: Client) -> None:
    match = met(ada, bob)
    random = Random(4)
    for _ in range(15):
        move_on(match, random)
    now = len(table_of(match).state().steps_since(0))
    signed_in(ada).post(f"/play/tables/{match.pk}/act/", {"do": "resign"})
    assert finish(match.pk)
    document = client.get(f"/api/v1/matches/{match.pk}").json()
    assert [
        (player["rank"], player["score"], player["forfeit"], player["forfeit_at"]) for player in document["players"]
    ] == [
        (2, None, "resign", now),
        (1, None, "", None),
    ]
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "data-ended-early" in page
    assert "default moves" not in page
    listed = client.get("/matches/").content.decode()
    assert "score-note" in listed
    assert listed.count("score-note") == 1, "that the other one forfeited"
    replay = client.get(f"/matches/{match.pk}/replay.json").json()
    assert replay["outcome"] == {"ranks": [2, 1], "scores": [{"forfeit": "resign", "forfeit_at": now}, {}]}
    assert "money" in client.get(f"/api/v1/matches/{match.pk}/record").json()["outcome"]["scores"][1]


def test_guests_have_no_talk_and_at_rated_tables_there_are_presets_alone(ada: User, bob: User, client: Client) -> None:
    client.post("/play/now/", {"game": "edel-stein-reich-duel"})
    text = html(client, Match.objects.latest("pk"))
    assert "data-say" not in text
    assert "data-preset" not in text
    rated = html(signed_in(ada), met(ada, bob, rated=True))
    assert "data-say" not in rated
    assert 'data-preset="good-game"' in rated
    User.objects.filter(pk=ada.pk).update(chat=False)
    assert "data-preset" not in html(signed_in(ada), met(ada, bob))


def test_a_rematch_is_asked_for_at_the_end_by_who_played(ada: User, bob: User, client: Client) -> None:
    match = met(ada, bob)
    play_out(match, Random(2))
    form = f'action="/play/tables/{match.pk}/rematch/"'
    assert form in signed_in(ada).get(f"/matches/{match.pk}/").content.decode()
    for stranger in (client, signed_in(person("eve"))):
        assert form not in stranger.get(f"/matches/{match.pk}/").content.decode()
    note_here([bob.pk])
    signed_in(ada).post(f"/play/tables/{match.pk}/rematch/")
    assert Proposal.objects.get().again == match
    assert 'data-note="accept"' in signed_in(bob).get(f"/matches/{match.pk}/").content.decode()
    asked = signed_in(ada).get(f"/matches/{match.pk}/").content.decode()
    assert 'data-note="accept"' not in asked
    assert "Waiting for bob" in asked
    for user in (bob, ada):
        response = signed_in(user).post(f"/play/tables/{match.pk}/rematch/", {"want": "no"})
        assert response["Location"] == f"/matches/{match.pk}/", "they stay there"
    assert Proposal.objects.get().state == Proposal.State.DECLINED
    note_here([ada.pk])
    signed_in(bob).post(f"/play/tables/{match.pk}/rematch/")
    response = signed_in(ada).post(f"/play/tables/{match.pk}/rematch/")
    table = f"/play/tables/{Match.objects.latest('pk').pk}/"
    assert response["Location"] == table
    assert f'href="{table}" data-go' in signed_in(bob).get(f"/matches/{match.pk}/").content.decode()
    Match.objects.filter(pk=match.pk).update(ended=timezone.now() - timedelta(hours=1))
    assert form not in signed_in(ada).get(f"/matches/{match.pk}/").content.decode()


def test_who_plays_finds_back_from_the_page_for_spectators(ada: User, bob: User, client: Client) -> None:
    match = met(ada, bob)
    link = f'href="/play/tables/{match.pk}/"'
    assert link in signed_in(ada).get(f"/matches/{match.pk}/").content.decode()
    assert link not in client.get(f"/matches/{match.pk}/").content.decode()
    client.post("/play/now/", {"game": "edel-stein-reich-duel"})
    own = Match.objects.latest("pk")
    assert f'href="/play/tables/{own.pk}/"' in client.get(f"/matches/{own.pk}/").content.decode()


def test_who_stood_in_for_whom_is_told_when_the_game_is_over(bob: User, client: Client) -> None:
    people = (person("cid"), bob, person("eve"))
    match = met(*people, ladder="edel-stein-reich-3-people")
    actions.resign(match.pk, 0)
    sentence = "played for cid from move"
    assert sentence not in client.get(f"/matches/{match.pk}/").content.decode()
    actions.abort(match.pk, 1)
    assert sentence in client.get(f"/matches/{match.pk}/").content.decode()


def test_an_outage_of_the_site_is_on_the_page_of_the_table_and_later_on_that_of_the_match(
    ada: User, bob: User, client: Client
) -> None:
    match = met(ada, bob)
    Outage.objects.create(match=match, before_move=3, ended=timezone.now(), ms=29_000)
    sentence = "unavailable for 29\u00a0s"
    assert sentence in html(signed_in(ada), match)
    assert sentence not in client.get(f"/matches/{match.pk}/").content.decode(), (
        "moves of a running game are not counted"
    )
    actions.abort(match.pk, 1)
    assert f"{sentence} before move 4" in client.get(f"/matches/{match.pk}/").content.decode()


def _without_tokens(text: str) -> str:
    """The page without what is another one each time it is asked for."""
    text = re.sub(r'(csrfmiddlewaretoken" value=|data-csrf=)"[^"]*"', "", text)
    return re.sub(r"\d+\s*(s|min)\b|<time.*?</time>", "", text)


def test_moves_go_on_from_both_sides(ada: User, bob: User) -> None:
    match, random = met(ada, bob), Random(3)
    for _ in range(6):
        assert move_on(match, random)
    as_if_later(match)
    text = html(signed_in(ada), match)
    assert "Phase 1, turn 1" in text
