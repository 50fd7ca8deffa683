"""Streams of people at their tables, from a real web server with real Redis."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import end_all
from esr_platform.api.streams.seat import MOST_WINDOWS
from ladder.live.end import finish
from ladder.models import LiveSeat
from tests.esr_platform.api.streams.followers import Follower, play, seated
from tests.esr_platform.api.streams.people import people, session_of, table_of_people, window
from tests.esr_platform.api.streams.programs import Site, Stream
from tests.ladder.live.play import position
from tests.services.ports import wait_until

pytestmark = pytest.mark.slow

DUEL = "edel-stein-reich-duel"


@pytest.fixture
def users(transactional_db: None) -> list[User]:
    return people(2)


def test_a_game_is_played_by_two_windows_that_break_off_and_nothing_is_missed_or_doubled(
    site: Site, users: list[User]
) -> None:
    match = table_of_people(DUEL, users)
    followers, random = seated(site, users, match), Random(3)
    play(match, followers, 1000, random, breaking=0.2)
    assert finish(match.pk)
    state = position(match).state(journal=True)
    for follower in followers:
        wait_until(lambda follower=follower: follower.take_in() or follower.end is not None, "the end")  # type: ignore[misc]
        assert follower.end is not None
        assert (follower.end["status"], follower.end["outcome"]) == ("finished", state.outcome)
        assert follower.end["href"] == f"/matches/{match.pk}/"
        assert follower.begun is not None
        assert follower.entries == state.entries(follower.seat)[follower.begun :]
        assert follower.begun == 0


def test_who_comes_new_is_shown_the_running_round_and_the_one_before(site: Site, users: list[User]) -> None:
    match = table_of_people(DUEL, users)
    followers, random = seated(site, users, match), Random(4)
    while position(match).state().rounds_begun < 4:
        play(match, followers, 1, random)
    late = Follower(match, 0, window(site, users[0]))
    wait_until(lambda: late.asked is not None or late.entries != [], "it is shown something")
    state = position(match).shown_to(0)
    assert late.begun is not None and 0 < late.begun < len(state.entries(0))
    assert late.entries == state.entries(0)[late.begun :]
    followers[0].take_in()
    assert late.present["you"] == followers[0].present["you"]


def test_windows_of_one_seat_go_on_beside_each_other_until_there_are_many(site: Site, users: list[User]) -> None:
    match = table_of_people(DUEL, users)
    key = session_of(users[0])
    windows = [window(site, session=key).sit(match.pk) for _ in range(MOST_WINDOWS)]
    for stream in windows:
        stream.wait_for("moments")
    more = window(site, users[0]).sit(match.pk)
    more.wait_for("moments")
    assert windows[0].wait_for("closed")["reason"]
    wait_until(lambda: windows[0].ended, "the oldest makes room")
    assert not any(stream.of("closed") for stream in (*windows[1:], more))


def test_nobody_else_gets_a_seats_stream(site: Site, users: list[User]) -> None:
    match = table_of_people(DUEL, users)
    (stranger,) = people(1, "sid")
    for browser, status in (
        (window(site, stranger), 404),
        (window(site), 401),
        (window(site, session="x" * 32), 401),
        (window(site, session=session_of(None, guest="a secret")), 404),
    ):
        opened = browser.sit(match.pk)
        assert (opened.status, opened.problem["status"]) == (status, status)
        assert browser.answer(match.pk, 1, "anything").status_code == status
        assert browser.post(f"matches/{match.pk}/seat/resign").status_code == status
    assert window(site, users[0]).sit(match.pk + 1).status == 404
    assert LiveSeat.objects.filter(forfeit="", resigned=False).count() == 2


@pytest.mark.parametrize(
    "end", [end_all, lambda user: User.objects.filter(pk=user.pk).update(is_active=False)], ids=["out", "suspended"]
)
def test_a_stream_ends_with_its_session(site: Site, users: list[User], end: Callable[[User], Any]) -> None:
    match = table_of_people(DUEL, users)
    browser, others = (window(site, user) for user in users)
    streams = [browser.sit(match.pk), others.sit(match.pk)]
    for stream in streams:
        stream.wait_for("moments")
    end(users[0])
    assert streams[0].wait_for("closed")["reason"]
    wait_until(lambda: streams[0].ended, "the stream ends")
    assert not streams[1].of("closed")
    assert browser.sit(match.pk).status == 401, "the cookie opens nothing any more"
    assert browser.answer(match.pk, 1, "anything").status_code == 401


def test_who_holds_a_stream_open_is_seen_at_the_table(site: Site, users: list[User]) -> None:
    match = table_of_people(DUEL, users)
    long_ago = timezone.now() - timedelta(minutes=5)
    LiveSeat.objects.update(seen_at=long_ago, left_at=long_ago)
    window(site, users[1]).sit(match.pk).wait_for("moments")
    wait_until(lambda: LiveSeat.objects.get(table=match.pk, seat__index=1).left_at is None, "it is noted")
    assert LiveSeat.objects.get(table=match.pk, seat__index=1).seen_at > long_ago  # type: ignore[operator]
    assert LiveSeat.objects.get(table=match.pk, seat__index=0).seen_at == long_ago


def quiet(stream: Stream) -> list[str]:
    """What has come but for signs of life."""
    return [line for line in stream.lines if line.startswith(("event:", "data:"))]


def test_a_choice_that_lies_face_down_is_told_to_nobody_else(site: Site, users: list[User]) -> None:
    users = [*users, *people(1, "carl")]
    match = table_of_people("edel-stein-reich", users)
    followers = seated(site, users, match)
    for follower in followers:
        wait_until(lambda follower=follower: follower.asked is not None, "all are asked at once")  # type: ignore[misc]
    first, *others = followers
    heard = [quiet(follower.stream) for follower in others]
    spectator = window(site).stream(f"matches/{match.pk}/stream")
    spectator.wait_for("game")
    watched = quiet(spectator)
    move = first.present["question"]["legal"][-1]
    assert first.browser.answer(match.pk, first.present["decision"], move).status_code == 200
    wait_until(lambda: first.asked is None, "its own window knows")
    for follower, before in zip(others, heard, strict=True):
        assert follower.browser.answer(match.pk, follower.present["decision"], "no such").status_code == 422
        follower.vanish()
        wait_until(lambda follower=follower: bool(follower.stream.of("present")), "how things stand")  # type: ignore[misc]
        again = follower.stream.of("present")[0]["present"]
        assert again["waiting"] == [1, 2], "that a choice lies there is seen, and not which"
        of_it = ("clock", "waiting")
        assert {name: again[name] for name in again if name not in of_it} == {
            name: follower.present[name] for name in again if name not in of_it
        }
        assert [line for line in quiet(follower.stream) if "moments" in line] == []
        assert before
    assert quiet(spectator) == watched or all(event["type"] == "viewers" for event in spectator.events[1:])
