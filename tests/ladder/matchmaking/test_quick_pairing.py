from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import override_settings
from django.utils import timezone

from bots.models import Machine
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.creation import LadderPlan, found_ladder
from ladder.matchmaking import proposals, quick_pairing
from ladder.matchmaking.game_start import CLOCKS, begin
from ladder.matchmaking.quick_pairing import FORGOTTEN, HERE, forget, look_for, pair, seen, stop
from ladder.members.invitations import invite
from ladder.members.memberships import join
from ladder.models import Block, Invitation, Ladder, LiveSeat, Match, Membership, Pairing, Proposal
from ladder.pairings.people import ANYBODY_AFTER_S, BOTS_AFTER_S
from ladder.seasons import close
from tests.build import DUEL, person, staff, uploaded
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_OPEN, at, on, people, player, rated_at, running, waited
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def both(house: None) -> Sequence[User]:
    return people("ada", "bob")


def gone(user: User, ago: timedelta) -> None:
    Pairing.objects.filter(bot__owner=user).update(seen_at=timezone.now() - ago)


def test_two_searching_players_get_a_rated_game(both: Sequence[User]) -> None:
    for user in both:
        look_for(user, on(PEOPLE))
    assert (pair(), pair()) == (1, 0)
    (match,) = running()
    assert (at(match), match.block.purpose) == ({"ada", "bob"}, Block.Purpose.LIVE)
    assert match.table.limits["move_ms"] == CLOCKS["usual"].move_ms
    assert not Pairing.objects.exists()


def test_one_alone_waits(both: Sequence[User]) -> None:
    look_for(both[0], on(PEOPLE))
    assert pair() == 0
    assert Pairing.objects.count() == 1


def test_the_nearest_ratings_meet_and_later_any_two() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    for user, points in ((ada, 1500), (bob, 1900), (cid, 1560)):
        rated_at(user, on(PEOPLE), points)
        look_for(user, on(PEOPLE))
    assert pair() == 1
    assert at(running()[0]) == {"ada", "cid"}
    (dora,) = people("dora")
    look_for(dora, on(PEOPLE))
    assert pair() == 0
    waited(ANYBODY_AFTER_S, bob)
    assert pair() == 1


def test_looking_again_is_the_same_search_and_elsewhere_a_new_one(both: Sequence[User]) -> None:
    ada, _ = both
    first = look_for(ada, on(PEOPLE))
    waited(20, ada)
    assert look_for(ada, on(PEOPLE)).since < first.since
    other = look_for(ada, on(OPEN))
    assert (other.pk, other.ladder.slug) == (first.pk, OPEN)
    assert other.since >= first.since


def test_a_canceled_search_is_not_paired(both: Sequence[User]) -> None:
    ada, bob = both
    for user in both:
        look_for(user, on(PEOPLE))
    assert (stop(ada), stop(ada)) == (True, False)
    assert pair() == 0
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [bob.pk]


def test_a_paired_search_cannot_be_canceled(both: Sequence[User]) -> None:
    for user in both:
        look_for(user, on(PEOPLE))
    pair()
    assert not stop(both[0])
    assert len(running()) == 1


def test_a_silent_search_is_not_paired_and_expires(both: Sequence[User]) -> None:
    ada, bob = both
    for user in both:
        look_for(user, on(PEOPLE))
    gone(ada, HERE * 1.1)
    assert (pair(), forget()) == (0, 0)
    assert seen([ada.pk, bob.pk]) == 1, "what was written a moment ago is not written again"
    gone(bob, FORGOTTEN * 1.1)
    assert (forget(), forget()) == (1, 0)
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [ada.pk]


def test_to_be_seen_keeps_open_seats_too(both: Sequence[User]) -> None:
    made = proposals.create_game(both[0], on(PEOPLE))
    Proposal.objects.filter(pk=made.pk).update(expires=timezone.now() + timedelta(seconds=3))
    assert seen([both[0].pk]) == 1
    assert seen([]) == 0


def test_rated_games_need_a_verified_address_and_one_at_a_time(both: Sequence[User]) -> None:
    (cid,) = people("cid", verified=False)
    with refused("email_not_verified"):
        look_for(cid, on(PEOPLE))
    for user in both:
        look_for(user, on(PEOPLE))
    pair()
    with refused("rated_at_once", TooMany):
        look_for(both[0], on(OPEN))


def test_a_player_in_a_rated_game_is_skipped_and_the_others_keep_waiting() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    for user in (ada, bob):
        look_for(user, on(PEOPLE))
    Pairing.objects.filter(bot__owner=ada).update(since=timezone.now() - timedelta(seconds=30))
    search = Pairing.objects.get(bot__owner=ada)
    proposals.join(proposals.create_game(ada, on(PEOPLE), rated=True), cid)
    search.pk = None
    search.save()  # as if it had been made while the game began
    assert pair() == 0
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [bob.pk]


def test_closed_accounts_are_skipped(both: Sequence[User]) -> None:
    for user in both:
        look_for(user, on(PEOPLE))
    User.objects.filter(pk=both[0].pk).update(is_active=False)
    assert pair() == 0
    assert Pairing.objects.count() == 1


def test_a_player_without_verified_email_is_skipped_and_the_other_keeps_searching(both: Sequence[User]) -> None:
    ada, bob = both
    for user in both:
        look_for(user, on(PEOPLE))
    EmailAddress.objects.filter(user=ada).update(verified=False)
    assert pair() == 0
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [bob.pk]
    (cid,) = people("cid")
    look_for(cid, on(PEOPLE))
    assert pair() == 1
    assert at(running()[0]) == {"bob", "cid"}


def test_a_player_without_invitation_is_skipped(both: Sequence[User]) -> None:
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="people", private=True), staff("eve"))
    invite(ladder, both)
    for user in both:
        look_for(user, ladder)
    Invitation.objects.filter(person=both[0]).delete()
    assert pair() == 0
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [both[1].pk]


def test_new_members_after_the_deadline_are_skipped(both: Sequence[User]) -> None:
    _, bob = both
    for user in both:
        look_for(user, on(PEOPLE))
    Membership.objects.create(ladder=on(PEOPLE), bot=player(bob))
    Ladder.objects.filter(slug=PEOPLE).update(freezes_at=timezone.now())
    assert pair() == 0
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [bob.pk]


def test_on_an_open_ladder_bots_fill_up_after_a_while(both: Sequence[User]) -> None:
    ada, bob = both
    look_for(ada, on(THREE_OPEN))
    look_for(bob, on(THREE_OPEN))
    assert pair() == 0
    waited(BOTS_AFTER_S + 1, ada)
    assert pair(Random(1)) == 1
    (match,) = running()
    assert {"ada", "bob"} < at(match)
    assert match.seats.filter(membership__isnull=False).count() == 3
    assert sorted(LiveSeat.objects.filter(table__match=match).values_list("kind", flat=True)) == [
        "hosted",
        "person",
        "person",
    ]


@override_settings(MAX_LIVE_HOSTED_SEATS=0)
def test_bots_fill_up_only_while_there_is_room(both: Sequence[User]) -> None:
    look_for(both[0], on(OPEN))
    waited(60)
    assert pair() == 0


@override_settings(MAX_HOSTED_SEATS_PER_USER=0)
def test_a_refused_table_does_not_block_others(both: Sequence[User]) -> None:
    cid, dora = people("cid", "dora")
    look_for(cid, on(OPEN))
    waited(60)
    for user in both:
        look_for(user, on(PEOPLE))
    assert pair() == 1
    assert at(running()[0]) == {"ada", "bob"}
    assert dora is not None


def test_a_failing_table_does_not_block_others(both: Sequence[User], monkeypatch: pytest.MonkeyPatch) -> None:
    others = people("cid", "dora", "emil")
    for user in (*both, *others):
        look_for(user, on(PEOPLE if user in both else "die-weinhaendler-3-people"))
    waited(20, *both)

    def broken(ladder: Ladder, *args: Any, **more: Any) -> Match:
        if ladder == on(PEOPLE):
            raise ValueError("something of it is broken")
        return begin(ladder, *args, **more)

    monkeypatch.setattr(quick_pairing, "begin", broken)
    assert pair() == 1
    (match,) = running()
    assert at(match) == {"cid", "dora", "emil"}


@override_settings(MAX_HOSTED_SEATS_PER_USER=1)
def test_a_player_without_hosted_seats_does_not_block_others(both: Sequence[User]) -> None:
    ada, bob = both
    proposals.create_game(ada, on(OPEN), kind=Proposal.Kind.BOTS)
    for user in both:
        look_for(user, on(THREE_OPEN))
    waited(60)
    assert pair() == 0
    assert list(Pairing.objects.values_list("bot__owner", flat=True)) == [bob.pk]


def test_where_no_game_can_begin_nobody_looks_in_vain(both: Sequence[User]) -> None:
    ada, _ = both
    with refused("bots_only"):
        look_for(ada, on(DUEL))
    Ladder.objects.filter(slug=PEOPLE).update(freezes_at=timezone.now())
    with refused("deadline_passed"):
        look_for(ada, on(PEOPLE))
    Membership.objects.create(ladder=on(PEOPLE), bot=player(ada))
    assert look_for(ada, on(PEOPLE)).ladder == on(PEOPLE)
    stop(ada)
    close(on(OPEN).seasons.get(), then=None)
    with refused("no_season"):
        look_for(ada, on(OPEN))


def test_a_private_ladder_is_for_its_members(both: Sequence[User]) -> None:
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="people", private=True), staff("eve"))
    with refused("no_ladder"):
        look_for(both[0], ladder)
    invite(ladder, both)
    for user in both:
        look_for(user, ladder)
    assert pair() == 1


def test_quick_pairing_seats_no_uploaded_bot_where_its_files_lie_on_a_disk() -> None:
    ladder = on(OPEN)
    Membership.objects.filter(ladder=ladder).update(active=False)
    join(uploaded(person("eve")), ladder)
    (ada,) = people("ada")
    look_for(ada, ladder)
    waited(BOTS_AFTER_S)
    machine = Machine.objects.create(host="here", sandbox={"ok": True, "rated": False})
    assert pair() == 0
    machine.delete()
    assert pair() == 1
