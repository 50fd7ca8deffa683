from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import override_settings
from django.utils import timezone, translation

from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.chat import AFTERWARDS, LONGEST, PRESETS, hidden_lines, lines_after, report, say, settle, switch
from ladder.matchmaking.guests import play_now
from ladder.matchmaking.proposals import create_game, join
from ladder.models import ChatLine, ChatReport, Match
from tests.build import staff
from tests.ladder.matchmaking.people import OPEN, PEOPLE, ended, level, on, people
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def both(house: None) -> Sequence[User]:
    return people("ada", "bob")


def game_of(both: Sequence[User], *, rated: bool = False) -> Match:
    match = join(create_game(both[0], on(PEOPLE), rated=rated), both[1]).match
    assert match is not None
    return match


@pytest.fixture
def match(both: Sequence[User]) -> Match:
    return game_of(both)


def seat(match: Match, user: User) -> int:
    return match.seats.get(version__bot__owner=user).index


def tell(match: Match, user: User, text: str = "", preset: str = "") -> int:
    return int(say(match.pk, seat(match, user), user, text=text, preset=preset)["id"])


def read(match: Match, user: User | None, after: int = 0, most: int = 100) -> list[Any]:
    return lines_after(match.pk, user.pk if user else None, after, most)


def test_the_same_words_sent_twice_are_one_line(both: Sequence[User], match: Match) -> None:
    ada, bob = both
    first = tell(match, ada, "Hello")
    assert tell(match, ada, "Hello") == first
    assert len({first, tell(match, ada, preset="hello"), tell(match, bob, "Hello"), tell(match, ada, "Hello")}) == 4
    ChatLine.objects.update(created=F("created") - timedelta(seconds=3))
    tell(match, ada, "Hello")
    assert len(read(match, bob)) == 5


def test_messages_are_read_by_the_other_players(both: Sequence[User], match: Match) -> None:
    ada, bob = both
    line = say(match.pk, seat(match, ada), ada, text="  Nice \n offer ")
    assert read(match, bob) == read(match, ada) == [line]
    assert (line["text"], line["seat"], line["preset"]) == ("Nice offer", seat(match, ada), "")


def test_messages_are_paginated_after_the_last_known_one(both: Sequence[User], match: Match) -> None:
    ids = [tell(match, both[turn % 2], f"line {turn}") for turn in range(7)]
    ids_read, after = [], 0
    while part := read(match, both[1], after, 3):
        ids_read += [line["id"] for line in part]
        after = ids_read[-1]
    assert ids_read == ids


def test_nobody_else_reads_it(both: Sequence[User], match: Match) -> None:
    (cid,) = people("cid")
    tell(match, both[0], "secret")
    assert read(match, cid) == read(match, None) == []
    other = join(create_game(cid, on(PEOPLE)), both[0]).match
    assert other is not None and read(other, cid) == []


def test_nobody_talks_from_a_seat_that_is_not_theirs(both: Sequence[User], match: Match) -> None:
    (cid,) = people("cid")
    for user, place in ((cid, 0), (both[0], 1 - seat(match, both[0])), (both[0], 5)):
        with refused("not_at_the_table"):
            say(match.pk, place, user, text="hello")


def test_rated_tables_have_presets_alone(both: Sequence[User]) -> None:
    match = game_of(both, rated=True)
    with refused("presets_only"):
        tell(match, both[0], "give me your gems")
    tell(match, both[0], preset="good-game")
    (line,) = read(match, both[1])
    assert (line["preset"], line["text"]) == ("good-game", "Good game")


def test_a_preset_is_known_by_its_name_and_read_in_ones_own_language(both: Sequence[User], match: Match) -> None:
    with refused("unknown_preset"):
        tell(match, both[0], preset="nonsense")
    for name in PRESETS:
        tell(match, both[0], preset=name)
    with translation.override("en"):
        assert [line["text"] for line in read(match, both[1])] == [str(words) for words in PRESETS.values()]


@pytest.mark.parametrize(
    "text", ["", "   ", "x" * (LONGEST + 1), "a\u202eb", "\u3164\u3164", "\u2800 \u2800", "Z\u0316\u0317\u0318\u0319"]
)
def test_words_can_be_read(both: Sequence[User], match: Match, text: str) -> None:
    with pytest.raises(Refused):
        tell(match, both[0], text)


def test_guests_say_nothing(both: Sequence[User]) -> None:
    match, _ = play_now(on(OPEN), level(2), None, "192.0.2.1")
    for place in range(2):
        with refused("not_at_the_table"):
            say(match.pk, place, both[0], text="hello")


def test_there_is_something_to_say_until_a_while_after_the_game(both: Sequence[User], match: Match) -> None:
    ended(match)
    tell(match, both[0], preset="good-game")
    Match.objects.filter(pk=match.pk).update(ended=F("ended") - AFTERWARDS)
    with refused("not_at_the_table"):
        tell(match, both[0], preset="thanks")
    assert len(read(match, both[1])) == 1


def test_a_player_with_chat_off_reads_and_writes_nothing(both: Sequence[User], match: Match) -> None:
    ada, bob = both
    tell(match, ada, "hello")
    switch(bob, False)
    assert read(match, bob) == []
    with refused("chat_off"):
        tell(match, bob, preset="thanks")
    switch(bob, True)
    assert len(read(match, bob)) == 1


def test_an_account_that_is_closed_says_and_reads_nothing(both: Sequence[User], match: Match) -> None:
    tell(match, both[0], "hello")
    User.objects.filter(pk=both[1].pk).update(is_active=False)
    with pytest.raises(Refused):
        tell(match, both[1], "hello")
    assert read(match, both[1]) == []


@override_settings(MAX_CHAT_LINES_PER_MINUTE=2, MAX_CHAT_LINES_PER_GAME=3)
def test_nobody_talks_all_the_time(both: Sequence[User], match: Match) -> None:
    ada, bob = both
    tell(match, ada, "again")
    tell(match, ada, "and once again")
    with refused("lines_per_minute", TooMany):
        tell(match, ada, "and again")
    tell(match, bob, "enough")
    ChatLine.objects.update(created=timezone.now() - timedelta(minutes=2))
    tell(match, ada, "once more")
    with refused("lines_per_game", TooMany):
        tell(match, ada, "and more")


# --- reports ---------------------------------------------------------------------------------------------------------


def test_a_line_is_reported_once_by_those_at_the_table(both: Sequence[User], match: Match) -> None:
    ada, bob = both
    (cid,) = people("cid")
    line = tell(match, ada, "rude")
    assert report(match.pk, line, bob) == report(match.pk, line, bob)
    assert ChatReport.objects.count() == 1
    with refused("own_line"):
        report(match.pk, line, ada)
    for stranger, where, which in ((cid, match.pk, line), (bob, match.pk + 1, line), (bob, match.pk, line + 1)):
        with refused("no_line"):
            report(where, which, stranger)


@override_settings(MAX_CHAT_REPORTS_PER_DAY=1)
def test_chat_reports_per_user_and_day_are_limited(both: Sequence[User], match: Match) -> None:
    lines = [tell(match, both[0], f"rude {time}") for time in range(2)]
    report(match.pk, lines[0], both[1])
    with refused("reports_per_day", TooMany):
        report(match.pk, lines[1], both[1])


def test_staff_hides_a_message_also_on_open_pages(both: Sequence[User], match: Match) -> None:
    ada, bob = both
    rude, fine = (ChatLine.objects.get(pk=tell(match, ada, text)) for text in ("rude", "fine"))
    report(match.pk, rude.pk, bob)
    with refused("not_staff"):
        settle(rude, bob, hide=True)
    eve = staff("eve")
    settle(rude, eve, hide=True)
    settle(rude, eve, hide=True)
    assert [line["text"] for line in read(match, bob)] == ["fine"]
    assert hidden_lines(match.pk) == {rude.pk}
    rude.refresh_from_db()
    assert (rude.hidden_by, ChatReport.objects.get().settled_by) == (eve, eve)
    with refused("no_line"):
        report(match.pk, rude.pk, bob)
    report(match.pk, fine.pk, bob)
    settle(fine, eve, hide=False)
    assert not ChatReport.objects.filter(settled_at=None).exists()
    assert [line["text"] for line in read(match, bob)] == ["fine"]
