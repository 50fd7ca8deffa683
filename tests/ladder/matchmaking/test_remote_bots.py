from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from bots import remote
from bots.models import Bot, Machine, RemoteBot
from esr_platform.accounts.models import Role
from ladder.live.end import finish, void
from ladder.matchmaking.remote_bots import offer, open_in_turn, seat, still_there
from ladder.members.memberships import declare, join
from ladder.members.memberships import leave as leave_ladder
from ladder.models import Ladder, LastSeat, LiveSeat, Match, Membership
from ladder.pairings.live import PATIENCE_S, SeatedTable
from ladder.seasons import close
from tests.build import DUEL, person, uploaded
from tests.ladder.live.play import play_out
from tests.ladder.matchmaking.online_bots import OPEN, REMOTE, at, online_bots, only, running, waited

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


def test_two_online_bots_play_a_rated_game_with_a_new_deal() -> None:
    only(REMOTE)
    online_bots("ada", "bob")
    assert seat() == 1
    (match,) = running()
    assert at(match) == {"ada afar", "bob afar"}
    assert (match.block.purpose, match.block.matches.count(), match.block.series.kind) == ("live", 1, "live")
    assert set(match.seats.values_list("membership__ladder__slug", flat=True)) == {REMOTE}


def test_nobody_is_given_more_games_than_it_wants() -> None:
    only(REMOTE)
    online_bots("ada", "bob", games_at_once=2)
    assert [seat(), seat(), seat()] == [2, 0, 0]


def test_a_bot_that_wants_no_games_gets_none() -> None:
    only(OPEN)
    (bot,) = online_bots("ada", games_at_once=0)
    assert seat() == 0
    declare(bot, games_at_once=3)
    assert seat() == 3


def test_an_offline_bot_gets_no_game() -> None:
    only(OPEN)
    online_bots("ada")
    RemoteBot.objects.update(seen_at=timezone.now() - timedelta(minutes=1))
    assert seat() == 0


def test_a_bot_whose_stream_has_closed_is_given_no_game() -> None:
    only(OPEN)
    (bot,) = online_bots("ada")
    stream = uuid4()
    RemoteBot.objects.update(stream=stream)
    assert remote.leave(bot.pk, stream)
    assert seat() == 0


def with_a_result(match: Match) -> None:
    play_out(match, lambda state, seat: state.default_move(seat))
    assert finish(match.pk)


def without_a_result(match: Match) -> None:
    assert void(match.pk, "It broke.")


@pytest.mark.parametrize("ended", [with_a_result, without_a_result])
def test_no_game_starts_right_after_another_one_so_that_a_bot_can_leave(ended: Callable[[Match], None]) -> None:
    only(REMOTE)
    online_bots("ada", "bob", games_at_once=2)
    assert seat() == 2
    ended(running()[0])
    RemoteBot.objects.update(waits_since=F("waits_since") + timedelta(hours=1))  # however slow this test is
    rests = list(RemoteBot.objects.order_by("pk").values_list("waits_since", flat=True))
    assert seat() == 0
    assert list(RemoteBot.objects.order_by("pk").values_list("waits_since", flat=True)) == rests
    RemoteBot.objects.update(waits_since=F("waits_since") - timedelta(hours=2))
    assert seat() == 1


def test_no_game_that_was_drawn_before_starts_either() -> None:
    only(REMOTE)
    bots = online_bots("ada", "bob")
    drawn = offer()
    remote.rest([bots[0].pk])
    RemoteBot.objects.update(waits_since=F("waits_since") + timedelta(hours=1))
    table = SeatedTable(Ladder.objects.get(slug=REMOTE).pk, tuple(drawn.players), next(iter(drawn.players)))
    assert open_in_turn(drawn, [table]) == 0
    RemoteBot.objects.update(waits_since=None)
    assert open_in_turn(drawn, [table]) == 1


@pytest.mark.parametrize("gone", ["paused", "retired", "suspended"])
def test_a_paused_or_retired_bot_gets_no_game(gone: str) -> None:
    only(OPEN)
    (bot,) = online_bots("ada")
    why = {"paused": {"pause_reason": "x"}, "suspended": {"suspension_reason": "x"}, "retired": {}}[gone]
    Bot.objects.filter(pk=bot.pk).update(**{gone: timezone.now()}, **why)
    assert seat() == 0


def test_a_former_member_gets_no_game() -> None:
    (ladder,) = only(OPEN)
    (bot,) = online_bots("ada")
    leave_ladder(bot, ladder)
    assert seat() == 0


def test_an_open_table_is_filled_up_with_code_of_the_house() -> None:
    only("edel-stein-reich-4-open")
    online_bots("ada", formats={"edel-stein-reich": [4]})
    assert seat() == 1
    kinds = LiveSeat.objects.filter(table__match__in=running()).values_list("kind", flat=True)
    assert sorted(kinds) == ["hosted", "hosted", "hosted", "remote"]


def test_uploaded_bots_sit_there_by_their_owners_wish() -> None:
    (ladder,) = only(OPEN)
    online_bots("ada")
    Membership.objects.filter(ladder=ladder, bot__owner=None).update(active=False)
    bot = uploaded(person("eve"))
    assert seat() == 0
    join(bot, ladder)
    assert seat() == 1
    assert at(running()[0]) == {"ada afar", "Mine"}


@pytest.mark.parametrize("sandbox", [{"ok": True, "rated": False}, {"ok": False}])
def test_uploaded_bots_do_not_sit_there_while_no_machine_can_play_them_for_a_rating(sandbox: dict[str, bool]) -> None:
    (ladder,) = only(OPEN)
    online_bots("ada")
    Membership.objects.filter(ladder=ladder, bot__owner=None).update(active=False)
    join(uploaded(person("eve")), ladder)
    Machine.objects.create(host="here", sandbox=sandbox)
    assert seat() == 0
    Machine.objects.create(host="there", sandbox={"ok": True, "rated": True})
    assert seat() == 1


@override_settings(MAX_LIVE_HOSTED_SEATS=2)
def test_no_more_code_sits_at_live_tables_than_the_site_has_room_for() -> None:
    only(OPEN)
    online_bots("ada", games_at_once=5)
    assert [seat(), seat()] == [2, 0]


def test_a_hosted_ladder_is_not_ours_to_seat() -> None:
    only(DUEL)
    online_bots("ada", "bob")
    assert seat() == 0


def test_without_an_open_season_nobody_sits_down() -> None:
    (ladder,) = only(OPEN)
    online_bots("ada")
    close(ladder.seasons.get(), then=None)
    assert seat() == 0


def test_ladders_take_turns() -> None:
    only(REMOTE, OPEN)
    online_bots("ada", "bob", games_at_once=4)
    seat(Random(1))
    waited()
    seat(Random(1))
    assert set(running().values_list("ladder__slug", flat=True)) == {REMOTE, OPEN}


def test_a_bot_waits_a_while_for_others_and_then_plays_elsewhere() -> None:
    only(REMOTE, OPEN)
    ada, bob = online_bots("ada", "bob")
    LastSeat.objects.create(membership=ada.memberships.get(ladder__slug=OPEN), since=1)
    declare(bob, games_at_once=0)
    assert seat() == 0
    waited(PATIENCE_S + 1)
    assert seat() == 1
    assert running()[0].ladder.slug == OPEN
    last = LastSeat.objects.get(membership__bot=ada, membership__ladder__slug=REMOTE)
    assert last.version is None


def test_the_start_of_a_wait_is_stored_and_cleared() -> None:
    only(REMOTE)
    ada, bob = online_bots("ada", "bob")
    declare(bob, games_at_once=0)
    seat()
    assert RemoteBot.objects.get(pk=ada.pk).waits_since is not None
    assert RemoteBot.objects.get(pk=bob.pk).waits_since is None
    declare(bob, games_at_once=1)
    assert seat() == 1
    assert not RemoteBot.objects.filter(waits_since__isnull=False).exists()


def test_no_table_is_opened_for_a_state_that_another_has_replaced_since_the_draw() -> None:
    only(REMOTE)
    ada, _ = online_bots("ada", "bob")
    drawn = offer()
    declare(ada, label="two")
    players = [drawn.players[membership.pk] for membership in Membership.objects.filter(pk__in=drawn.players)]
    assert not still_there(players)
    assert still_there([player for player in players if player.version.bot != ada])
    assert seat() == 1
    assert running()[0].seats.get(version__bot=ada).version.label == "two"


def test_a_frozen_entry_plays_with_the_version_of_then() -> None:
    (ladder,) = only(OPEN)
    (bot,) = online_bots("ada")
    Ladder.objects.filter(pk=ladder.pk).update(freezes_at=timezone.now())
    declare(bot, label="later")
    assert seat() == 1
    assert running()[0].seats.get(version__bot=bot).version.label == "main"


def test_merged_memberships_do_not_play(django_user_model: Any) -> None:
    from ladder.corrections import merge

    (ladder,) = only(OPEN)
    ada, bob = online_bots("ada", "bob")
    staff = django_user_model.objects.create(username="eve", role=Role.MODERATOR)
    merge(ladder.memberships.get(bot=ada), ladder.memberships.get(bot=bob), "the same program", staff)
    seat()
    seated = LiveSeat.objects.filter(kind="remote").values_list("seat__version__bot", flat=True)
    assert list(seated) == [bob.pk]
