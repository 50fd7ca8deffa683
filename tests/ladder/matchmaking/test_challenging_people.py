from __future__ import annotations

from collections.abc import Sequence

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import override_settings

from bots.models import Bot
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.access import challenges_seen_by
from ladder.creation import LadderPlan, found_ladder
from ladder.matchmaking.game_start import CLOCKS
from ladder.matchmaking.lobby import challenge_documents
from ladder.matchmaking.proposals import answer, challenge, create_game, withdraw
from ladder.members.invitations import invite
from ladder.models import Block, Membership, Proposal
from tests.build import DUEL, staff
from tests.ladder.matchmaking.online_bots import online_bots
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_OPEN, at, on, people, player, running
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def both(house: None) -> Sequence[User]:
    return people("ada", "bob")


@pytest.fixture
def made(both: Sequence[User]) -> Proposal:
    return challenge(both[0], on(PEOPLE), [player(user) for user in both])


def test_a_person_is_asked_and_the_game_begins_when_they_accept(both: Sequence[User], made: Proposal) -> None:
    assert (made.state, made.rated) == ("open", False)
    assert [player.accepted for player in made.players.order_by("index")] == [True, None]
    assert [list(challenges_seen_by(user)) for user in both] == [[made], [made]]
    begun = answer(made, player(both[1]), True)
    (match,) = running()
    assert (begun.state, begun.match, at(match)) == ("started", match, {"ada", "bob"})
    assert match.block.purpose == Block.Purpose.CASUAL
    assert match.table.limits["move_ms"] == CLOCKS["usual"].move_ms


def test_a_challenged_person_can_decline_and_the_creator_can_withdraw(both: Sequence[User], made: Proposal) -> None:
    assert answer(made, player(both[1]), False).state == "declined"
    again = challenge(both[0], on(PEOPLE), [player(user) for user in both])
    assert withdraw(again, both[0]).state == "withdrawn"
    with refused("withdrawn"):
        answer(again, player(both[1]), True)


def test_the_same_challenge_is_one_in_any_order_of_players(both: Sequence[User], made: Proposal) -> None:
    assert challenge(both[0], on(PEOPLE), [player(both[1]), player(both[0])]) == made
    assert challenge(both[0], on(PEOPLE), [player(user) for user in both], rated=True) != made


def test_a_rated_challenge_is_played_for_ratings(both: Sequence[User]) -> None:
    made = challenge(both[0], on(PEOPLE), [player(user) for user in both], rated=True)
    assert challenge_documents([made])[0]["rated"] is True
    match = answer(made, player(both[1]), True).match
    assert match is not None and match.block.purpose == Block.Purpose.LIVE
    assert Membership.objects.filter(ladder=on(PEOPLE)).count() == 2


def test_a_challenge_can_have_a_time_control(both: Sequence[User]) -> None:
    made = challenge(both[0], on(PEOPLE), [player(user) for user in both], limits=CLOCKS["calm"])
    assert challenge_documents([made])[0]["limits"]["move_ms"] == CLOCKS["calm"].move_ms
    match = answer(made, player(both[1]), True).match
    assert match is not None and match.table.limits["bank_ms"] == CLOCKS["calm"].bank_ms


def test_offline_players_cannot_be_challenged(both: Sequence[User]) -> None:
    cache.clear()
    with refused("offline"):
        challenge(both[0], on(PEOPLE), [player(user) for user in both])


def test_players_of_a_running_game_are_online(both: Sequence[User]) -> None:
    create_game(both[1], on(OPEN), kind=Proposal.Kind.BOTS)
    cache.clear()
    assert challenge(both[0], on(PEOPLE), [player(user) for user in both]).state == "open"


def test_bots_that_run_here_fill_up_and_are_not_asked(both: Sequence[User]) -> None:
    table = [player(both[0]), Bot.objects.get(house_name="greedy"), player(both[1])]
    made = challenge(both[0], on(THREE_OPEN), table)
    assert [player.accepted for player in made.players.order_by("index")] == [True, True, None]
    assert at(answer(made, player(both[1]), True).match) == {"ada", "bob", "Greedy"}
    begun = challenge(both[0], on(OPEN), [player(both[0]), Bot.objects.get(house_name="miser")])
    assert begun.state == "started"


def test_a_remote_bot_is_asked_by_a_person(both: Sequence[User]) -> None:
    (remote,) = online_bots("cid")
    made = challenge(both[0], on(OPEN), [player(both[0]), remote], rated=True)
    assert made.state == "open"
    assert at(answer(made, remote, True).match) == {"ada", "cid afar"}


@override_settings(MAX_LIVE_GAMES_PER_USER=1)
def test_players_with_the_maximum_number_of_games_cannot_begin(both: Sequence[User], made: Proposal) -> None:
    ada, bob = both
    (cid,) = people("cid")
    create_game(ada, on(OPEN), kind=Proposal.Kind.BOTS)
    with refused("busy"):
        answer(made, player(bob), True)
    made.refresh_from_db()
    assert made.state == "open" and made.players.get(bot__owner=bob).accepted is None
    with refused("busy"):
        challenge(cid, on(PEOPLE), [player(cid), player(ada)])


def test_rated_challenges_are_for_people_with_a_verified_address_and_not_for_ones_own_bots(
    both: Sequence[User],
) -> None:
    ada, bob = both
    (cid,) = people("cid", verified=False)
    (mine,) = online_bots("dora")
    dora = User.objects.get(username="dora")
    people_table = [player(cid), player(ada)]
    with refused("opponent_not_rated"):
        challenge(ada, on(PEOPLE), people_table, rated=True)
    with refused("email_not_verified"):
        challenge(cid, on(PEOPLE), people_table, rated=True)
    with refused("same_owner"):
        challenge(dora, on(OPEN), [player(dora), mine], rated=True)
    (other,) = online_bots("eve")
    with refused("not_yourself"):
        challenge(dora, on(OPEN), [mine, other], rated=True)
    assert bob is not None


def test_a_rated_challenge_begins_only_while_all_players_can_play_rated_games(both: Sequence[User]) -> None:
    ada, bob = both
    made = challenge(ada, on(PEOPLE), [player(user) for user in both], rated=True)
    EmailAddress.objects.filter(user=bob).update(verified=False)
    with refused("email_not_verified"):
        answer(made, player(bob), True)
    EmailAddress.objects.filter(user=bob).update(verified=True)
    EmailAddress.objects.filter(user=ada).update(verified=False)
    with refused("opponent_not_rated"):
        answer(made, player(bob), True)
    assert made.players.get(bot__owner=bob).accepted is None
    EmailAddress.objects.update(verified=True)
    assert answer(made, player(bob), True).state == "started"


def test_closed_accounts_cannot_accept(both: Sequence[User], made: Proposal) -> None:
    User.objects.filter(pk=both[0].pk).update(is_active=False)
    with refused("opponent_unavailable"):
        answer(made, player(both[1]), True)
    User.objects.filter(pk=both[1].pk).update(is_active=False)
    with refused("account_closed"):
        answer(made, Bot.objects.get(owner=both[1]), True)


def test_people_of_a_private_ladder_alone_are_challenged_there(both: Sequence[User]) -> None:
    ada, bob = both
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="people", private=True), staff("eve"))
    table = [player(ada), player(bob)]
    with refused("no_ladder"):
        challenge(ada, ladder, table)
    invite(ladder, [ada])
    with refused("invitation_only"):
        challenge(ada, ladder, table)
    invite(ladder, [bob])
    assert challenge(ada, ladder, table).state == "open"


@override_settings(MAX_CHALLENGES_TO_ONE_USER_PER_DAY=1)
def test_nobody_is_asked_all_day_long_by_the_same_person(both: Sequence[User], made: Proposal) -> None:
    answer(made, player(both[1]), False)
    with refused("challenges_to_one", TooMany):
        challenge(both[0], on(PEOPLE), [player(user) for user in both])
    assert challenge(both[1], on(PEOPLE), [player(user) for user in both]).state == "open"
