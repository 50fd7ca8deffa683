from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import override_settings
from django.utils import timezone

from bots import remote
from bots.house.catalogue import HOUSE
from bots.models import Bot, BotVersion, RemoteBot
from bots.uploads.upload import upload_version
from esr_platform.accounts.errors import NameRefused, Refused, TooMany
from games.registry import GAMES
from ladder.creation import LIVE_LIMITS, open_house
from ladder.matches import playing_versions
from ladder.matches.pauses import resume
from ladder.matches.schedule import fill
from ladder.members.memberships import CannotJoin, activate, declare, enter_everybody, join, leave, register, retire
from ladder.models import Block, Ladder, Membership
from tests.build import DUEL, DUEL_ONLY, new_version, person, uploaded
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]
LIVE = [f"{DUEL}-remote", f"{DUEL}-open"]


def ladders_of(bot: Bot) -> list[str]:
    return list(bot.memberships.filter(active=True).order_by("ladder").values_list("ladder__slug", flat=True))


def remote_bot(owner: str = "ada", name: str = "Afar", **declared: object) -> Bot:
    """A remote bot on the ladders for two."""
    return register(person(owner), name, DUEL_ONLY, **declared).bot  # type: ignore[arg-type]


def test_every_table_has_a_ladder_for_remote_bots_and_one_for_everybody() -> None:
    for game in GAMES.values():
        for seats in game.seat_counts:
            kinds = Ladder.objects.filter(game=game.slug, seats=seats).values_list("players", flat=True)
            assert sorted(kinds) == ["hosted", "open", "people", "remote"]
    live = Ladder.objects.get(slug="die-weinhaendler-3-open")
    assert (live.name, live.limits, live.live) == ("Die Weinhändler, 3 players, open to everyone", LIVE_LIMITS, True)


def test_house_bots_stand_where_they_may_sit() -> None:
    assert not Membership.objects.filter(ladder__players__in=["remote", "people"]).exists()
    for ladder in Ladder.objects.filter(players="open"):
        hosted = Ladder.objects.get(game=ladder.game, seats=ladder.seats, players="hosted")
        here, there = (set(each.memberships.values_list("bot__house_name", flat=True)) for each in (ladder, hosted))
        levels = {name for name, bot in HOUSE.items() if bot.is_level and bot.plays(ladder.game, ladder.seats)}
        assert here == there | levels


def test_no_block_is_scheduled_on_a_live_ladder() -> None:
    fill()
    assert set(Block.objects.values_list("ladder__players", flat=True)) == {"hosted"}


def test_a_remote_bot_is_registered_and_on_its_ladders_at_once() -> None:
    bot = remote_bot()
    assert (bot.kind, bot.remote.games_at_once, bot.active_version.label) == ("remote", 1, "main")
    assert ladders_of(bot) == LIVE


def test_it_claims_every_table_unless_it_says_otherwise() -> None:
    bot = register(person("ada"), "Afar").bot
    assert len(ladders_of(bot)) == Ladder.objects.filter(players__in=["remote", "open"]).count()


def test_registered_twice_it_is_the_same_bot() -> None:
    owner = person("ada")
    assert register(owner, "Afar", DUEL_ONLY) == register(owner, " afar ", DUEL_ONLY)
    with pytest.raises(NameRefused):
        register(owner, "Afar", DUEL_ONLY, label="other")


@override_settings(MAX_BOTS_PER_USER=1)
def test_remote_bots_count_as_bots() -> None:
    remote_bot()
    with pytest.raises(TooMany):
        register(Bot.objects.get(name="Afar").owner, "Another")


@pytest.mark.parametrize("games", [{}, {"chess": [2]}, {DUEL: [3]}, {DUEL: []}])
def test_tables_that_are_not_there_are_refused(games: dict[str, list[int]]) -> None:
    with pytest.raises(Refused):
        register(person("ada"), "Afar", games)
    assert not Bot.objects.filter(kind="remote").exists()


@pytest.mark.parametrize("label", ["", " ", "x" * 61, "a\0b", "a\u202eb", "\u3164", "\u2800", "a\u3164b"])
def test_a_label_can_be_read(label: str) -> None:
    with refused("label"):
        register(person("ada"), "Afar", label=label)


@pytest.mark.parametrize("games", [-1, 33])
def test_games_at_once_have_bounds(games: int) -> None:
    with refused("games_at_once"):
        remote_bot(games_at_once=games)


def test_a_new_label_is_a_new_version_and_an_old_one_the_version_it_was() -> None:
    bot = remote_bot()
    second = declare(bot, label="checkpoint 200")
    assert second is not None
    assert (second.number, second.active, second.formats) == (2, True, DUEL_ONLY)
    assert declare(bot, label="main") == bot.versions.get(number=1)
    assert bot.versions.count() == 2


def test_other_tables_are_another_version_and_the_ladders_follow() -> None:
    bot = remote_bot()
    version = declare(bot, formats={"die-weinhaendler": [3]})
    assert version is not None
    assert (version.number, version.label) == (2, "main")
    assert ladders_of(bot) == ["die-weinhaendler-3-remote", "die-weinhaendler-3-open"]


def test_how_many_games_at_once_is_no_version() -> None:
    bot = remote_bot()
    declare(bot, games_at_once=8)
    assert (RemoteBot.objects.get(pk=bot.pk).games_at_once, bot.versions.count()) == (8, 1)


@override_settings(MAX_UPLOADS_PER_HOUR=2)
def test_labels_are_as_many_an_hour_as_uploads() -> None:
    bot = remote_bot()
    declare(bot, label="b")
    with pytest.raises(TooMany):
        declare(bot, label="c")
    declare(bot, label="main")
    assert bot.active_version.label == "main"


def test_a_remote_bot_takes_no_uploads_and_an_uploaded_one_no_labels() -> None:
    with pytest.raises(Refused):
        upload_version(remote_bot(), "bot.py", b"print()")
    with refused("not_remote"):
        declare(uploaded(person("eve")), label="x")


def test_a_retired_bot_declares_nothing() -> None:
    bot = remote_bot()
    retire(bot)
    with refused("retired"):
        declare(bot, label="x")
    assert ladders_of(bot) == []


def test_remote_bots_stay_off_hosted_ladders_and_uploaded_ones_off_remote_ones() -> None:
    with refused("hosted_only", CannotJoin):
        join(remote_bot(), Ladder.objects.get(slug=DUEL))
    with refused("remote_only", CannotJoin):
        join(uploaded(person("eve")), Ladder.objects.get(slug=LIVE[0]))


def test_an_uploaded_bot_is_on_an_open_ladder_by_its_owners_wish() -> None:
    bot, ladder = uploaded(person("eve")), Ladder.objects.get(slug=LIVE[1])
    assert ladders_of(bot) == [DUEL]
    join(bot, ladder)
    enter_everybody()
    activate(new_version(bot))
    assert ladders_of(bot) == [DUEL, LIVE[1]]
    leave(bot, ladder)
    assert ladders_of(bot) == [DUEL]


def test_opening_again_changes_nothing_for_remote_bots() -> None:
    remote_bot()
    before = list(Membership.objects.order_by("pk").values()), list(BotVersion.objects.values())
    open_house()
    assert (list(Membership.objects.order_by("pk").values()), list(BotVersion.objects.values())) == before


def test_what_is_declared_after_a_deadline_does_not_play_on_the_frozen_ladder() -> None:
    bot = remote_bot()
    Ladder.objects.filter(slug=LIVE[0]).update(freezes_at=timezone.now())
    declare(bot, label="later")
    playing_versions.freeze_all()
    frozen = {
        membership.ladder.slug: membership.frozen for membership in bot.memberships.select_related("ladder", "frozen")
    }
    assert frozen == {LIVE[0]: bot.versions.get(label="main"), LIVE[1]: None}


def test_a_bot_is_here_while_it_is_seen() -> None:
    bot = remote_bot()
    assert not remote.here().exists()
    assert remote.note_seen([bot.pk]) == 1
    assert [available.pk for available in remote.available()] == [bot.pk]
    RemoteBot.objects.update(seen_at=timezone.now() - remote.HERE - timedelta(seconds=1))
    assert not remote.here().exists()


def test_a_bot_whose_stream_has_closed_is_offline_and_a_late_note_does_not_bring_it_back() -> None:
    bot, stream = remote_bot(), uuid4()
    RemoteBot.objects.update(stream=stream)
    assert remote.note_seen(streams={stream: bot.pk}) == 1
    assert remote.leave(bot.pk, stream)
    assert not remote.here().exists()
    assert remote.note_seen(streams={stream: bot.pk}) == 0
    assert not remote.here().exists()
    assert remote.note_seen([bot.pk]) == 1, "it asks for decisions now"
    assert remote.here().exists()


def test_a_bot_stays_online_if_an_older_stream_of_it_closes() -> None:
    bot, old, new = remote_bot(), uuid4(), uuid4()
    RemoteBot.objects.update(stream=new)
    remote.note_seen(streams={new: bot.pk})
    assert not remote.leave(bot.pk, old)
    assert remote.note_seen(streams={old: bot.pk}) == 0
    assert remote.here().exists()


def test_being_here_begins_anew_after_it_was_away() -> None:
    bot = remote_bot()
    remote.note_seen([bot.pk])
    came = RemoteBot.objects.get(pk=bot.pk).here_since
    remote.note_seen([bot.pk])
    assert RemoteBot.objects.get(pk=bot.pk).here_since == came
    RemoteBot.objects.update(seen_at=timezone.now() - 2 * remote.HERE)
    remote.note_seen([bot.pk])
    again = RemoteBot.objects.get(pk=bot.pk).here_since
    assert came is not None
    assert again is not None
    assert again > came


def test_who_is_on_leave_is_not_available_until_put_back() -> None:
    bot = remote_bot()
    remote.note_seen([bot.pk])
    Bot.objects.filter(pk=bot.pk).update(paused=timezone.now(), pause_reason="It failed.")
    assert not remote.available().exists()
    assert resume(bot)
    assert remote.available().exists()
