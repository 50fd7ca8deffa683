from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from bots.models import Bot, RemoteBot
from bots.remote import note_seen
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.access import challenges_seen_by
from ladder.creation import LadderPlan, found_ladder
from ladder.matchmaking.limits import MOST_ASKED
from ladder.matchmaking.lobby import challenge_documents, challenges_waiting_for
from ladder.matchmaking.proposals import (
    answer,
    challenge,
    expire,
    withdraw,
)
from ladder.members.invitations import invite
from ladder.members.memberships import declare, join, register, retire
from ladder.models import Ladder, Match, Proposal
from ladder.seasons import close
from tests.build import DUEL, DUEL_ONLY, person, staff, uploaded
from tests.ladder.matchmaking.online_bots import OPEN, REMOTE, at, online_bots, running
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


def on(slug: str) -> Ladder:
    return Ladder.objects.get(slug=slug)


def owner(bot: Bot) -> User:
    return User.objects.get(bots=bot)


@pytest.fixture
def pair(house: None) -> Sequence[Bot]:
    """Two remote bots that are here, of two people."""
    return online_bots("ada", "bob")


@pytest.fixture
def made(pair: Sequence[Bot]) -> Proposal:
    return challenge(owner(pair[0]), on(REMOTE), pair)


def test_the_game_begins_when_the_other_accepts(pair: Sequence[Bot], made: Proposal) -> None:
    assert (made.state, made.match) == ("open", None)
    begun = answer(made, pair[1], True)
    (match,) = running()
    assert (begun.state, begun.match, match.block.purpose) == ("started", match, "casual")
    assert list(match.seats.values_list("version__bot", "membership")) == [(pair[0].pk, None), (pair[1].pk, None)]


def test_a_challenge_is_listed_for_the_player_it_waits_for(pair: Sequence[Bot], made: Proposal) -> None:
    (document,) = challenges_waiting_for(pair[1].pk)
    assert document == challenge_documents([made])[0]
    assert (document["id"], document["ladder"], document["by"], document["limits"]["move_ms"]) == (
        made.pk,
        REMOTE,
        "ada",
        5000,
    )
    assert [player["accepted"] for player in document["players"]] == [True, None]
    assert challenges_waiting_for(pair[0].pk) == []
    answer(made, pair[1], True)
    assert challenges_waiting_for(pair[1].pk) == []


def test_one_refusal_ends_it(pair: Sequence[Bot], made: Proposal) -> None:
    assert answer(made, pair[1], False).state == "declined"
    with refused("declined"):
        answer(made, pair[1], True)
    assert not running()


def test_the_same_answer_twice_is_one(pair: Sequence[Bot], made: Proposal) -> None:
    assert answer(made, pair[1], True) == answer(made, pair[1], True)
    assert len(running()) == 1
    with refused("started"):
        answer(made, pair[1], False)


def test_the_same_proposal_while_the_first_is_open_is_that_one(pair: Sequence[Bot], made: Proposal) -> None:
    assert challenge(owner(pair[0]), on(REMOTE), pair) == made


def test_only_its_creator_withdraws_a_challenge(pair: Sequence[Bot], made: Proposal) -> None:
    with refused("not_yours"):
        withdraw(made, owner(pair[1]))
    assert withdraw(made, owner(pair[0])).state == "withdrawn"
    assert withdraw(made, owner(pair[0])).state == "withdrawn"
    with refused("withdrawn"):
        answer(made, pair[1], True)


def test_it_ends_by_itself_if_nobody_answers(pair: Sequence[Bot], made: Proposal) -> None:
    assert expire() == 0
    Proposal.objects.update(expires=timezone.now())
    assert challenges_waiting_for(pair[1].pk) == []
    with refused("expired"):
        answer(made, pair[1], True)
    assert (expire(), expire()) == (1, 0)
    made.refresh_from_db()
    assert made.state == "expired"


def test_code_and_ones_own_bots_need_not_be_asked() -> None:
    (mine,) = online_bots("ada")
    house = Bot.objects.get(house_name="greedy")
    begun = challenge(owner(mine), on(OPEN), [house, mine])
    assert (begun.state, at(running()[0])) == ("started", {"Greedy", "ada afar"})


def test_own_bots_can_meet_in_casual_games() -> None:
    (first,) = online_bots("ada")
    second = register(owner(first), "another", DUEL_ONLY).bot
    note_seen([second.pk])
    assert challenge(owner(first), on(REMOTE), [first, second]).state == "started"


@pytest.mark.parametrize(("who", "code"), [("ada", "unavailable"), ("bob", "offline")])
def test_offline_bots_cannot_be_challenged_and_cannot_begin(pair: Sequence[Bot], who: str, code: str) -> None:
    RemoteBot.objects.filter(bot__owner__username=who).update(seen_at=timezone.now() - timedelta(minutes=1))
    with refused(code):
        answer(challenge(owner(pair[0]), on(REMOTE), pair), pair[1], True)
    assert not Match.objects.filter(status="running").exists()


def test_a_busy_player_can_accept_later(pair: Sequence[Bot], made: Proposal) -> None:
    declare(pair[0], games_at_once=0)
    with refused("unavailable"):
        answer(made, pair[1], True)
    declare(pair[0], games_at_once=1)
    assert answer(made, pair[1], True).state == "started"


def test_a_challenge_takes_the_place_of_a_game(pair: Sequence[Bot], made: Proposal) -> None:
    answer(made, pair[1], True)
    again = challenge(owner(pair[0]), on(REMOTE), pair)
    with refused("unavailable"):
        answer(again, pair[1], True)


@pytest.mark.parametrize(
    ("slug", "names", "code"),
    [
        (DUEL, ["ada afar", "bob afar"], "not_live"),
        (REMOTE, ["ada afar"], "wrong_players"),
        (REMOTE, ["ada afar", "ada afar"], "wrong_players"),
        (REMOTE, ["bob afar", "cid afar"], "not_a_player"),
        (OPEN, ["Mine", "Greedy"], "all_hosted"),
        (REMOTE, ["ada afar", "Greedy"], "cannot_play"),
        (REMOTE, ["ada afar", "Hers"], "not_on_ladder"),
        (OPEN, ["ada afar", "Hers"], "not_on_ladder"),
        ("edel-stein-reich-3-remote", ["ada afar", "bob afar", "cid afar"], "not_on_ladder"),
    ],
)
def test_a_table_that_cannot_be_is_refused(slug: str, names: Sequence[str], code: str) -> None:
    online_bots("ada", "bob", "cid")
    ada = User.objects.get(username="ada")
    uploaded(ada)
    uploaded(person("eve"), "Hers")
    with refused(code):
        challenge(ada, on(slug), [Bot.objects.get(name=name) for name in names])


def test_a_stranger_answers_for_nobody(pair: Sequence[Bot], made: Proposal) -> None:
    (stranger,) = online_bots("cid")
    with refused("not_a_player"):
        answer(made, stranger, True)
    assert list(challenges_seen_by(owner(stranger))) == []
    assert [list(challenges_seen_by(owner(bot))) for bot in pair] == [[made], [made]]


def test_a_retired_bot_begins_nothing(pair: Sequence[Bot], made: Proposal) -> None:
    retire(pair[0])
    with refused("not_playing"):
        answer(made, pair[1], True)


def test_without_a_season_nothing_begins(pair: Sequence[Bot], made: Proposal) -> None:
    close(on(REMOTE).seasons.get(), then=None)
    with refused("no_season"):
        answer(made, pair[1], True)


def test_a_private_ladder_is_not_named_to_non_members(pair: Sequence[Bot]) -> None:
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="remote", private=True), staff("eve"))
    invite(ladder, [owner(pair[0])])
    join(pair[0], ladder)
    with refused("not_on_ladder"):
        challenge(owner(pair[0]), ladder, pair)
    invite(ladder, [owner(pair[1])])
    join(pair[1], ladder)
    assert challenge(owner(pair[0]), ladder, pair).state == "open"


def test_a_hidden_ladder_is_not_found(pair: Sequence[Bot]) -> None:
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="open", private=True), staff("eve"))
    with refused("no_ladder"):
        challenge(owner(pair[0]), ladder, [pair[0], Bot.objects.get(house_name="greedy")])


@override_settings(MAX_OPEN_CHALLENGES_PER_USER=1)
def test_open_challenges_per_user_are_limited(pair: Sequence[Bot], made: Proposal) -> None:
    with refused("open_challenges", TooMany):
        challenge(owner(pair[0]), on(OPEN), pair)
    answer(made, pair[1], True)
    with refused("open_challenges", TooMany):
        challenge(owner(pair[0]), on(OPEN), pair)


@override_settings(MAX_CHALLENGES_PER_DAY=1)
def test_challenges_per_user_and_day_are_limited(pair: Sequence[Bot], made: Proposal) -> None:
    withdraw(made, owner(pair[0]))
    with refused("challenges_per_day", TooMany):
        challenge(owner(pair[0]), on(REMOTE), pair)


def test_unanswered_challenges_per_bot_are_limited(pair: Sequence[Bot]) -> None:
    for number in range(MOST_ASKED):
        (bot,) = online_bots(f"p{number}")
        challenge(owner(bot), on(REMOTE), [bot, pair[1]])
    with refused("unanswered_challenges", TooMany):
        challenge(owner(pair[0]), on(REMOTE), pair)


@override_settings(MAX_LIVE_HOSTED_SEATS=0)
def test_code_plays_challenges_only_while_there_is_room() -> None:
    (mine,) = online_bots("ada")
    with refused("no_hosted_seat", TooMany):
        challenge(owner(mine), on(OPEN), [mine, Bot.objects.get(house_name="greedy")])
    assert not Proposal.objects.exists()
