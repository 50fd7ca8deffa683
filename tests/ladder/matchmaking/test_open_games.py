from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from bots.models import Bot, BotVersion, Machine
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.creation import LadderPlan, found_ladder
from ladder.matchmaking import game_start, quick_pairing
from ladder.matchmaking.game_start import CLOCKS
from ladder.matchmaking.proposals import GRACE, create_game, expire, join, keep_open, leave, withdraw
from ladder.members.invitations import invite
from ladder.members.memberships import join as enter_ladder
from ladder.members.memberships import membership_of
from ladder.models import Block, Invitation, Ladder, LiveSeat, Match, Membership, Proposal
from ladder.pages.matches import names
from ladder.seasons import close
from tests.build import DUEL, staff, uploaded
from tests.ladder.matchmaking.online_bots import online_bots
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_OPEN, THREE_PEOPLE, at, on, people, player, running
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def both(house: None) -> Sequence[User]:
    return people("ada", "bob")


class Backwards:
    """Draws seats so that whoever came first to the site sits last."""

    def sample(self, bots: list[Bot], count: int) -> list[Bot]:
        return sorted(bots, key=lambda bot: -bot.pk)[:count]


def house_bot(name: str) -> Bot:
    return Bot.objects.get(house_name=name)


def test_the_game_begins_when_the_last_seat_is_taken(both: Sequence[User]) -> None:
    ada, bob = both
    made = create_game(ada, on(PEOPLE), clock="calm")
    assert (made.state, made.match, made.kind) == ("open", None, "open")
    begun = join(made, bob)
    (match,) = running()
    assert (begun.state, begun.match, match.block.purpose) == ("started", match, Block.Purpose.CASUAL)
    assert at(match) == {"ada", "bob"}
    assert match.table.limits["move_ms"] == CLOCKS["calm"].move_ms
    assert set(match.table.live_seats.values_list("kind", flat=True)) == {LiveSeat.Kind.PERSON}


def test_joining_the_last_seat_twice_returns_the_game(both: Sequence[User]) -> None:
    made = create_game(both[0], on(PEOPLE))
    begun = join(made, both[1])
    assert begun.match is not None
    assert [join(made, user).match for user in both] == [begun.match] * 2
    with refused("started"):
        join(made, *people("cid"))


def test_rows_of_players_are_locked_in_the_order_of_ids(both: Sequence[User], monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []

    def noted(version: BotVersion, ladder: Ladder) -> Membership:
        held.append(version.bot_id)
        return membership_of(version, ladder)

    monkeypatch.setattr(game_start, "membership_of", noted)
    monkeypatch.setattr(game_start, "_RANDOM", Backwards())
    assert join(create_game(both[0], on(PEOPLE), rated=True), both[1]).match is not None
    assert held == sorted(held) and len(held) == 2


def test_a_rated_game_is_of_entries_and_played_at_the_usual_clock(both: Sequence[User]) -> None:
    ada, bob = both
    with refused("rated_time_control"):
        create_game(ada, on(PEOPLE), rated=True, clock="quick")
    match = join(create_game(ada, on(PEOPLE), rated=True), bob).match
    assert match is not None and match.block.purpose == Block.Purpose.LIVE
    assert set(match.seats.values_list("membership__bot__name", flat=True)) == {"ada", "bob"}
    assert match.table.limits["move_ms"] == CLOCKS["usual"].move_ms


def test_seats_are_drawn(both: Sequence[User]) -> None:
    ada, bob = both
    first = set()
    for _ in range(24):
        match = join(create_game(ada, on(PEOPLE)), bob).match
        assert match is not None
        first.add(match.seats.get(index=0).version.bot.name)
        Match.objects.filter(pk=match.pk).update(
            status="void", reason="over", lease=None, lease_until=None, ended=timezone.now()
        )
        if len(first) == 2:
            break
    assert first == {"ada", "bob"}


def test_rated_seats_need_a_verified_address() -> None:
    (ada,), (bob,) = people("ada"), people("bob", verified=False)
    with refused("email_not_verified"):
        create_game(bob, on(PEOPLE), rated=True)
    made = create_game(ada, on(PEOPLE), rated=True)
    with refused("email_not_verified"):
        join(made, bob)
    assert join(create_game(ada, on(PEOPLE)), bob).state == "started"


def test_a_table_for_three_waits_for_all_and_people_come_and_go() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    made = create_game(ada, on(THREE_PEOPLE))
    assert join(made, bob).state == "open"
    assert join(made, bob).players.count() == 2, "twice is once"
    leave(made, bob)
    assert join(made, cid).state == "open"
    assert join(made, bob).state == "started"
    assert at(running()[0]) == {"ada", "bob", "cid"}
    with refused("already_started"):
        leave(made, bob)


def test_a_creator_who_leaves_withdraws_the_game(both: Sequence[User]) -> None:
    ada, bob = both
    made = create_game(ada, on(THREE_PEOPLE))
    join(made, bob)
    with refused("not_yours"):
        withdraw(made, bob)
    assert leave(made, ada).state == "withdrawn"
    assert withdraw(made, ada).state == "withdrawn"
    with refused("withdrawn"):
        join(made, bob)


def test_the_same_offer_is_one_while_it_is_open(both: Sequence[User]) -> None:
    ada, _ = both
    made = create_game(ada, on(PEOPLE))
    assert create_game(ada, on(PEOPLE)) == made
    assert create_game(ada, on(PEOPLE), clock="quick") != made


def test_joining_too_late_is_refused() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    made = create_game(ada, on(PEOPLE))
    join(made, bob)
    with refused("started"):
        join(made, cid)


# --- links -----------------------------------------------------------------------------------------------------------


def test_anyone_with_the_link_can_join(both: Sequence[User]) -> None:
    ada, bob = both
    made = create_game(ada, on(PEOPLE), kind="link")
    assert len(made.token) == 43
    with refused("invalid_link"):
        join("x" * 43, bob)
    with refused("invalid_link"):
        join("", bob)
    with refused("needs_link"):
        join(made, bob)
    assert join(made, ada).state == "open"
    assert join(made.token, bob).state == "started"


def test_a_link_lasts_a_day_whether_its_maker_is_here_or_not(both: Sequence[User]) -> None:
    ada, _ = both
    made = create_game(ada, on(PEOPLE), kind="link")
    assert timedelta(hours=23) < made.expires - timezone.now() < timedelta(hours=25)
    assert keep_open([ada.pk]) == 0


# --- bots ------------------------------------------------------------------------------------------------------------


def test_against_bots_the_game_begins_at_once(both: Sequence[User]) -> None:
    ada, _ = both
    made = create_game(ada, on(THREE_OPEN), kind="bots", bots=[house_bot("greedy")])
    assert made.state == "started" and made.match is not None
    assert {"ada", "Greedy"} < at(made.match)
    assert sorted(made.match.table.live_seats.values_list("kind", flat=True)) == ["hosted", "hosted", "person"]


def test_a_second_click_begins_no_second_game(both: Sequence[User]) -> None:
    ada, _ = both
    made = create_game(ada, on(OPEN), kind="bots")
    assert create_game(ada, on(OPEN), kind="bots") == made
    assert create_game(ada, on(OPEN), kind="bots", bots=[None]) == made
    assert len(running()) == 1


def test_a_rated_game_with_bots_is_one_of_the_open_ladder(both: Sequence[User]) -> None:
    ada, _ = both
    match = create_game(ada, on(OPEN), rated=True, kind="bots", bots=[house_bot("greedy")]).match
    assert match is not None and match.block.purpose == Block.Purpose.LIVE
    assert match.seats.filter(membership__isnull=False).count() == 2
    assert match.table.limits["move_ms"] == CLOCKS["usual"].move_ms


def test_bots_sit_with_several_people(both: Sequence[User]) -> None:
    ada, bob = both
    made = create_game(ada, on(THREE_OPEN), bots=[house_bot("greedy")])
    assert made.state == "open"
    assert at(join(made, bob).match) == {"ada", "bob", "Greedy"}


def test_a_house_bot_plays_several_seats_of_a_casual_game(both: Sequence[User]) -> None:
    ada, _ = both
    made = create_game(ada, on(THREE_OPEN), kind="bots", bots=[house_bot("greedy")] * 2)
    assert list(made.players.values_list("bot__name", "copy")) == [("ada", 0), ("Greedy", 0), ("Greedy", 1)]
    assert made.match is not None
    assert sorted(names(list(made.match.seats.all()))) == ["Greedy #1", "Greedy #2", "ada"]


def test_bots_that_cannot_sit_there_are_refused(both: Sequence[User]) -> None:
    ada, bob = both
    greedy, (remote,) = house_bot("greedy"), online_bots("cid")
    mine, theirs = uploaded(ada, "Mine"), uploaded(bob, "Theirs")
    cases: list[tuple[str, dict[str, Any], str]] = [
        (PEOPLE, {"kind": "bots", "bots": [greedy]}, "cannot_play"),
        (PEOPLE, {"kind": "bots"}, "too_few_house_bots"),
        (OPEN, {"bots": [greedy]}, "no_free_seat"),
        (OPEN, {"kind": "bots", "bots": [greedy, house_bot("miser")]}, "too_many_bots"),
        (THREE_OPEN, {"kind": "bots", "bots": [greedy, greedy], "rated": True}, "same_bot_twice"),
        (THREE_OPEN, {"kind": "bots", "bots": [mine, mine]}, "same_bot_twice"),
        (OPEN, {"kind": "bots", "bots": [remote]}, "needs_challenge"),
        (OPEN, {"kind": "bots", "bots": [theirs]}, "not_on_ladder"),
        (OPEN, {"kind": "bots", "bots": [mine], "rated": True}, "not_on_ladder"),
        (OPEN, {"kind": "nonsense"}, "unknown_kind"),
        (OPEN, {"clock": "nonsense"}, "unknown_time_control"),
        (DUEL, {}, "bots_only"),
    ]
    for slug, offered, code in cases:
        with refused(code):
            create_game(ada, on(slug), **offered)
    enter_ladder(mine, on(OPEN))
    with refused("own_bot"):
        create_game(ada, on(OPEN), kind="bots", bots=[mine], rated=True)
    assert not Proposal.objects.exists()
    assert create_game(ada, on(OPEN), kind="bots", bots=[mine]).state == "started"


def test_nobody_sits_down_with_their_own_bot_for_a_rating(both: Sequence[User]) -> None:
    ada, bob = both
    theirs = uploaded(bob, "Theirs", formats={"edel-stein-reich": [3]})
    enter_ladder(theirs, on(THREE_OPEN))
    with refused("own_bot"):
        join(create_game(ada, on(THREE_OPEN), rated=True, bots=[theirs]), bob)


def test_nobody_plays_an_uploaded_bot_for_a_rating_where_its_files_lie_on_a_disk(both: Sequence[User]) -> None:
    ada, bob = both
    theirs = uploaded(bob, "Theirs")
    enter_ladder(theirs, on(OPEN))
    machine = Machine.objects.create(host="here", sandbox={"ok": True, "rated": False})
    with refused("no_sandbox"):
        create_game(ada, on(OPEN), rated=True, kind="bots", bots=[theirs])
    with refused("no_sandbox"):
        game_start.begin(on(OPEN), [player(ada), theirs], rated=True)
    assert create_game(ada, on(OPEN), kind="bots", bots=[theirs]).state == "started"
    machine.delete()
    assert create_game(ada, on(OPEN), rated=True, kind="bots", bots=[theirs]).state == "started"


def test_two_bots_of_one_user_cannot_meet_in_a_rated_game(both: Sequence[User]) -> None:
    ada, bob = both
    theirs = [uploaded(bob, name, formats={"edel-stein-reich": [3]}) for name in ("Theirs", "Theirs too")]
    for bot in theirs:
        enter_ladder(bot, on(THREE_OPEN))
    with refused("same_owner"):
        create_game(ada, on(THREE_OPEN), rated=True, kind="bots", bots=theirs)
    assert create_game(ada, on(THREE_OPEN), kind="bots", bots=theirs).state == "started"


@override_settings(MAX_LIVE_HOSTED_SEATS=0)
def test_bots_sit_down_while_there_is_room_for_them(both: Sequence[User]) -> None:
    with refused("no_hosted_seat", TooMany):
        create_game(both[0], on(OPEN), kind="bots")
    assert not Proposal.objects.exists()


@override_settings(MAX_HOSTED_SEATS_PER_USER=1)
def test_hosted_seats_per_user_are_limited_including_games_they_left(both: Sequence[User]) -> None:
    ada, bob = both
    match = create_game(ada, on(OPEN), kind="bots").match
    LiveSeat.objects.filter(table__match=match, kind="person").update(resigned=True)
    with refused("hosted_seats", TooMany):
        create_game(ada, on(OPEN), clock="calm", kind="bots")
    assert create_game(bob, on(OPEN), kind="bots").state == "started"


# --- limits ----------------------------------------------------------------------------------------------------------


def test_nobody_is_in_two_rated_games_at_once() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    join(create_game(ada, on(PEOPLE), rated=True), bob)
    with refused("rated_at_once", TooMany):
        create_game(ada, on(PEOPLE), rated=True)
    with refused("rated_at_once", TooMany):
        join(create_game(cid, on(PEOPLE), rated=True), bob)
    assert join(create_game(cid, on(PEOPLE)), bob).state == "started"


@override_settings(MAX_LIVE_GAMES_PER_USER=1)
def test_concurrent_games_per_user_are_limited() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    match = join(create_game(ada, on(PEOPLE)), bob).match
    with refused("games_at_once", TooMany):
        join(create_game(cid, on(PEOPLE)), bob)
    LiveSeat.objects.filter(table__match=match, seat__version__bot=player(bob)).update(resigned=True)
    assert join(Proposal.objects.get(by=cid), bob).state == "started"


def test_starting_a_game_ends_open_games_and_searches() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    other, joined = create_game(bob, on(PEOPLE), clock="quick"), create_game(cid, on(THREE_PEOPLE))
    join(joined, bob)
    quick_pairing.look_for(bob, on(PEOPLE))
    join(create_game(ada, on(PEOPLE)), bob)
    other.refresh_from_db()
    assert other.state == "withdrawn"
    assert list(joined.players.values_list("bot__name", flat=True)) == ["cid"]
    assert not quick_pairing.stop(bob)


def test_a_casual_game_with_bots_ends_no_search(both: Sequence[User]) -> None:
    ada, _ = both
    made = create_game(ada, on(PEOPLE))
    quick_pairing.look_for(ada, on(PEOPLE))
    create_game(ada, on(OPEN), kind="bots")
    made.refresh_from_db()
    assert made.state == "open" and quick_pairing.stop(ada)


@override_settings(MAX_LIVE_GAMES_PER_USER=1)
def test_a_busy_player_leaves_a_full_game_and_the_others_keep_waiting() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    made = create_game(ada, on(THREE_PEOPLE))
    join(made, bob)
    create_game(bob, on(OPEN), kind="bots")
    assert join(made, cid).state == "open"
    assert set(made.players.values_list("bot__name", flat=True)) == {"ada", "cid"}
    create_game(ada, on(OPEN), kind="bots")
    (dora,) = people("dora")
    assert join(made, dora).state == "withdrawn"


def test_closed_accounts_cannot_join() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    made = create_game(ada, on(THREE_PEOPLE))
    join(made, bob)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert join(made, cid).state == "open"
    with refused("account_closed"):
        join(made, bob)
    with pytest.raises(Refused):
        create_game(bob, on(PEOPLE))


@override_settings(MAX_HOSTED_SEATS_PER_USER=2)
def test_a_player_at_the_hosted_seat_limit_does_not_block_the_others() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    made = create_game(ada, on("edel-stein-reich-4-open"), bots=[house_bot("greedy")])
    join(made, bob)
    create_game(bob, on(THREE_OPEN), kind="bots")
    assert join(made, cid).state == "open"
    assert set(made.players.values_list("bot__name", flat=True)) == {"ada", "cid", "Greedy"}


def test_a_former_member_does_not_block_the_others() -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    club = found_ladder(LadderPlan("Club", "edel-stein-reich", 3, players="people", by_invitation=True), staff("eve"))
    invite(club, [ada, bob, cid])
    made = create_game(ada, club)
    join(made, bob)
    Invitation.objects.filter(person=bob).delete()
    assert join(made, cid).state == "open"
    assert set(made.players.values_list("bot__name", flat=True)) == {"ada", "cid"}


@override_settings(MAX_OPEN_GAMES_PER_USER=2, MAX_OPEN_GAMES_PER_DAY=4)
def test_open_games_per_user_are_limited_at_once_and_per_day(both: Sequence[User]) -> None:
    ada, bob = both
    first = create_game(ada, on(PEOPLE))
    join(create_game(bob, on(THREE_PEOPLE)), ada)
    with refused("open_games", TooMany):
        create_game(ada, on(PEOPLE), clock="quick")
    assert create_game(ada, on(OPEN), kind="bots").state == "started", "there nobody waits"
    withdraw(first, ada)
    withdraw(create_game(ada, on(PEOPLE), clock="quick"), ada)
    withdraw(create_game(ada, on(PEOPLE), clock="calm"), ada)
    with refused("open_games_per_day", TooMany):
        create_game(ada, on(PEOPLE), clock="quick")


# --- who may know of it ----------------------------------------------------------------------------------------------


def test_a_private_ladder_is_for_its_members() -> None:
    ada, bob = people("ada", "bob")
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="people", private=True), staff("eve"))
    with refused("no_ladder"):
        create_game(ada, ladder)
    invite(ladder, [ada])
    made = create_game(ada, ladder, kind="link")
    with refused("no_ladder"):
        join(made.token, bob)
    invite(ladder, [bob])
    assert join(made.token, bob).state == "started"


def test_a_ladder_by_invitation_is_seen_by_all_and_played_by_members(both: Sequence[User]) -> None:
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="people", by_invitation=True), staff("eve"))
    with refused("invitation_only"):
        create_game(both[0], ladder)


def test_without_a_season_nothing_begins(both: Sequence[User]) -> None:
    ada, bob = both
    made = create_game(ada, on(PEOPLE))
    close(on(PEOPLE).seasons.get(), then=None)
    with refused("no_season"):
        join(made, bob)


# --- time ------------------------------------------------------------------------------------------------------------


def test_an_offer_stays_while_its_maker_is_seen_and_a_moment_longer(both: Sequence[User]) -> None:
    ada, bob = both
    made = create_game(ada, on(PEOPLE))
    assert keep_open([ada.pk]) == 0, "nothing is written before it is time"
    Proposal.objects.filter(pk=made.pk).update(expires=timezone.now() + timedelta(seconds=5))
    assert (keep_open([bob.pk]), keep_open([ada.pk])) == (0, 1)
    made.refresh_from_db()
    assert made.expires - timezone.now() > GRACE * 0.9
    Proposal.objects.filter(pk=made.pk).update(expires=timezone.now() - timedelta(seconds=1))  # SQLite's clock has ms
    assert keep_open([ada.pk]) == 0, "what is over does not come back"
    with refused("expired"):
        join(made, bob)
    assert (expire(), expire()) == (1, 0)
    made.refresh_from_db()
    assert made.state == "expired"
