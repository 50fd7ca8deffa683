"""What a stream of a seat tells, made of the rows alone: nobody waits here."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from esr_platform.accounts.models import User
from esr_platform.api.streams.match import SpectatorCursor, spectator_events
from esr_platform.api.streams.seat import MOST_LINES, MOST_MOMENTS, SeatCursor, SeatEvents, SeatRequest, seat_events
from ladder import chat
from ladder.live import actions
from ladder.live.end import finish
from ladder.matchmaking.proposals import rematch
from ladder.models import Attempt, ChatLine, LiveSeat, Match
from tests.build import staff
from tests.esr_platform.api.streams.people import people, table_of_people
from tests.ladder.live.people import answer_any, owing, settle
from tests.ladder.live.play import at_random, play_out, position

pytestmark = pytest.mark.django_db


@pytest.fixture
def users(db: None) -> list[User]:
    return people(2)


@pytest.fixture
def match(users: list[User]) -> Match:
    table = table_of_people("edel-stein-reich-duel", users)
    later = timezone.now() + timedelta(hours=1)
    LiveSeat.objects.filter(table=table.pk).update(seen_at=later)
    Attempt.objects.filter(match=table).update(heartbeat_at=later)
    return table


def look(match: Match, seat: int, user: User | None, known: SeatCursor) -> SeatEvents:
    (news,) = seat_events(match.pk, [SeatRequest(seat, user.pk if user else None, known)])
    return news


def types(news: SeatEvents) -> list[str]:
    return [event["type"] for event, _ in news.events]


def entries(news: SeatEvents) -> list[Any]:
    moments = [moment for event, _ in news.events if event["type"] == "moments" for moment in event["moments"]]
    return [entry for moment in moments for entry in moment["entries"]]


def test_nothing_is_told_twice_and_time_alone_is_no_news(match: Match, users: list[User]) -> None:
    first = look(match, 0, users[0], SeatCursor())
    assert types(first) == ["moments"]
    assert first.events[0][0]["reset"]
    LiveSeat.objects.filter(deadline__isnull=False).update(deadline=timezone.now() + timedelta(minutes=9))
    assert types(look(match, 0, users[0], first.known)) == []
    again = look(match, 0, users[0], SeatCursor(log=first.known.log))
    assert entries(again) == [], "who comes again with the place is told how it stands"
    assert again.events[-1][0]["present"]["seat"] == 0


def test_a_long_way_comes_in_parts_and_every_place_between_them_is_one_to_go_on_from(
    match: Match, users: list[User]
) -> None:
    play_out(match, at_random(5))
    whole = look(match, 1, users[1], SeatCursor(log=0))
    state = position(match).state(journal=True)
    assert entries(whole) == state.entries(1)
    parts = [(event, place) for event, place in whole.events if event["type"] == "moments"]
    assert len(parts) > 2
    assert max(len(event["moments"]) for event, _ in parts) == MOST_MOMENTS
    for _, place in parts[:-1]:
        assert entries(look(match, 1, users[1], SeatCursor(log=int(place)))) == state.entries(1)[int(place) :]
    beyond = look(match, 1, users[1], SeatCursor(log=10**6))
    assert beyond.events[0][0]["reset"], "who brings a place that there is not is told anew"
    assert beyond.known.log == len(state.entries(1))


def test_the_end_comes_last_and_once_and_then_only_words(match: Match, users: list[User]) -> None:
    before = look(match, 0, users[0], SeatCursor())
    play_out(match, at_random(6))
    assert finish(match.pk)
    news = look(match, 0, users[0], before.known)
    assert types(news)[-1] == "end"
    assert news.known.over
    assert news.events[-1][0]["outcome"] == position(match).state().outcome
    assert types(look(match, 0, users[0], news.known)) == []
    chat.say(match.pk, 1, users[1], preset="good-game")
    assert types(look(match, 0, users[0], news.known)) == ["chat"]
    new = look(match, 0, users[0], SeatCursor())
    assert types(new)[0] == "moments"
    assert types(new)[-1] == "end"


def test_a_game_without_a_result_ends_with_the_reason(match: Match, users: list[User]) -> None:
    actions.abort(match.pk, 0)
    (end,) = [event for event, _ in look(match, 1, users[1], SeatCursor()).events if event["type"] == "end"]
    assert (end["status"], end["outcome"]) == ("aborted", None)
    assert end["reason"]


def leave(match: Match, seat: int, seconds: int) -> None:
    """Let the person of ``seat`` be offline for ``seconds``, while the site is available."""
    now = timezone.now()
    LiveSeat.objects.filter(table=match.pk, seat__index=seat).update(seen_at=now - timedelta(seconds=seconds))
    Attempt.objects.filter(match=match).update(heartbeat_at=now)


def test_a_stream_looks_again_when_victory_can_be_claimed(match: Match, users: list[User]) -> None:
    leave(match, 1, 40)
    again_s = look(match, 0, users[0], SeatCursor()).again_s
    assert again_s is not None and 0 < again_s <= 20.01
    leave(match, 1, 61)
    news = look(match, 0, users[0], SeatCursor())
    assert news.events[-1][0]["present"]["rights"]["claim"]
    assert news.again_s is None


def test_the_end_does_not_wait_for_a_player_who_has_left(match: Match, users: list[User]) -> None:
    leave(match, 1, 40)
    actions.abort(match.pk, 0)
    assert types(look(match, 0, users[0], SeatCursor()))[-1] == "end"


def test_words_are_told_once_none_is_skipped_and_hidden_ones_are_taken_back(match: Match, users: list[User]) -> None:
    seat = match.seats.get(index=1)
    lines = ChatLine.objects.bulk_create(
        ChatLine(match=match, seat=seat, by=users[1], text=f"line {number}") for number in range(2 * MOST_LINES + 5)
    )
    place = look(match, 0, None, SeatCursor()).known.log
    news = look(match, 0, users[0], SeatCursor(log=place))
    messages = [line for event, _ in news.events if event["type"] == "chat" for line in event["lines"]]
    assert [line["text"] for line in messages] == [line.text for line in lines]
    assert news.known.place == f"{place}.{lines[-1].pk}"
    assert types(look(match, 0, users[0], news.known)) == []
    middle = replace(news.known, line=lines[MOST_LINES].pk)
    rest = [line for event, _ in look(match, 0, users[0], middle).events for line in event["lines"]]
    assert [line["id"] for line in rest] == [line.pk for line in lines[MOST_LINES + 1 :]]
    chat.settle(lines[3], staff("eve"), hide=True)
    (event,) = [event for event, _ in look(match, 0, users[0], news.known).events]
    assert event == {"type": "chat", "lines": [{"id": lines[3].pk, "hidden": True}]}
    chat.switch(users[0], on=False)
    silent = [event for event, _ in look(match, 0, users[0], SeatCursor(log=place)).events if event["type"] == "chat"]
    assert [line for event in silent for line in event["lines"] if "text" in line] == []


def test_guests_hear_nothing_of_what_is_said(match: Match, users: list[User]) -> None:
    chat.say(match.pk, 0, users[0], text="hello")
    assert "chat" not in types(look(match, 1, None, SeatCursor()))


def answer_some(match: Match) -> None:
    for salt in range(9):
        answer_any(match, owing(match)[0], salt)
    settle(match)


def recorded(match: Match) -> int:
    """The number of steps so far."""
    return len(position(match).state().steps_since(0))


def test_who_stays_when_the_other_resigns_is_shown_the_table_as_it_was(match: Match, users: list[User]) -> None:
    answer_some(match)
    known, now = look(match, 1, users[1], SeatCursor()).known, recorded(match)
    actions.resign(match.pk, 0)
    before_the_result = look(match, 1, users[1], known)
    finish(match.pk)
    news = look(match, 1, users[1], before_the_result.known)
    assert entries(before_the_result) == entries(news) == []
    end = news.events[-1][0]
    lost = {"forfeit": "resign", "forfeit_at": now}
    assert (end["type"], end["outcome"]) == ("end", {"ranks": [2, 1], "scores": [lost, {}]})


def test_spectators_are_shown_the_table_as_it_was_when_the_other_resigned(match: Match) -> None:
    answer_some(match)
    before, now = position(match).state(journal=True), recorded(match)
    actions.resign(match.pk, 0)
    finish(match.pk)
    (news,) = spectator_events(match.pk, [SpectatorCursor()])
    (event,) = news.events
    assert (event["view"], event["log"]) == (before.view(None), before.entries(None))
    assert event["outcome"] == {"ranks": [2, 1], "scores": [{"forfeit": "resign", "forfeit_at": now}, {}]}


def test_a_request_for_a_rematch_is_told_to_everybody_at_the_table(match: Match, users: list[User]) -> None:
    actions.resign(match.pk, 0)
    finish(match.pk)
    known = [look(match, seat, user, SeatCursor()).known for seat, user in enumerate(users)]
    rematch(Match.objects.select_related("ladder", "block", "table").get(pk=match.pk), users[1])
    for seat, user in enumerate(users):
        news = look(match, seat, user, known[seat])
        (event,) = [event for event, _ in news.events if event["type"] == "rematch"]
        assert (event["state"], event["by"], event["waiting"]) == ("open", 1, [0])
        assert types(look(match, seat, user, news.known)) == []
    assert "rematch" in types(look(match, 0, users[0], SeatCursor())), "who comes again is told, too"
    assert "rematch" in types(look(match, 0, None, SeatCursor())), "a guest is told as well"
