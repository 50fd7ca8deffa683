from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings
from rich.console import Console

from bots.archives import read_upload
from bots.house.catalogue import HOUSE
from bots.limits import archive_limits
from bots.models import Bot, BotVersion
from esr_platform.account_pages import deletion
from esr_platform.accounts.demo import PASSWORD_FILE, demo_login
from esr_platform.accounts.models import User
from esr_platform.demo import activities
from esr_platform.demo.activities import bring, everybody, strangers
from esr_platform.demo.cast import BOTS, MEETINGS, OFFERS, PEOPLE, VISITORS, Meeting, archive
from esr_platform.demo.program import Programme
from esr_platform.management.commands.run import print_login
from esr_platform.supervisor.terminal import Terminal
from games.registry import GAMES
from ladder.creation import open_house
from ladder.live.end import finish
from ladder.models import Exhibition, Ladder, Match, Membership, PlayedMove, Proposal, Season
from tests.build import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db: None) -> None:
    """All ladders with the house's bots on them."""
    open_house()


def test_every_version_is_an_upload_of_its_own_that_is_taken() -> None:
    for bot in BOTS:
        digests = set()
        for number in range(1, len(bot.versions) + 1):
            read = read_upload("bot.zip", archive(bot, number), archive_limits())
            assert read.manifest.name == bot.name
            assert {slug: tuple(seats) for slug, seats in read.manifest.games.items()} == bot.games
            digests.add(read.digest)
        assert len(digests) == len(bot.versions), bot.name


def test_the_cast_plays_every_game_and_its_owners_are_there() -> None:
    assert {slug for bot in BOTS for slug in bot.games} == set(GAMES)
    assert {bot.owner for bot in BOTS} <= {*PEOPLE, "demo"}
    assert len({bot.name for bot in BOTS}) == len(BOTS)
    assert {visitor.owner for visitor in VISITORS} <= {*PEOPLE, "demo"}


@pytest.mark.usefixtures("house")
def test_visitors_play_where_remote_bots_can() -> None:
    for visitor in VISITORS:
        assert Ladder.objects.get(slug=visitor.ladder).live
        assert visitor.house in HOUSE


@pytest.mark.usefixtures("house")
def test_versions_come_one_after_the_other_and_each_once() -> None:
    jackdaw = BOTS[0]
    assert not bring(jackdaw, 2)
    assert not bring(jackdaw, 2)
    assert BotVersion.objects.filter(bot__name=jackdaw.name).count() == 1
    BotVersion.objects.filter(bot__name=jackdaw.name).update(state="ready")
    assert bring(jackdaw, 1)
    assert not bring(jackdaw, 2)
    assert bring(jackdaw, 2)
    assert Bot.objects.get(name=jackdaw.name).versions.count() == 2


@pytest.mark.usefixtures("house")
def test_nobody_can_sign_in_as_one_of_the_people_and_they_are_no_strangers() -> None:
    assert not any(user.has_usable_password() for user in everybody())
    assert strangers() == 0
    ada = person("ada")
    assert strangers() == 1
    deletion.delete(ada)
    assert strangers() == 0


@pytest.mark.usefixtures("house")
def test_a_programme_can_be_begun_again_at_any_share() -> None:
    for share in (0.0, 0.6, 1.0):
        programme = Programme.whole(lambda: True, lambda _: True)
        programme.go_on(share)
        programme.go_on(share)
    assert Bot.objects.of_code().filter(owner__isnull=False).count() == len(BOTS)
    assert Ladder.objects.filter(private=True).count() == 1
    assert Season.objects.filter(closing__isnull=False).count() == 2
    assert Exhibition.objects.count() == 0  # nobody has passed a check yet


@pytest.mark.usefixtures("house")
def test_people_meet_on_their_own_ladders_and_play_like_bots_of_the_house() -> None:
    for table in (*MEETINGS, *OFFERS):
        ladder = Ladder.objects.get(slug=table.ladder)
        assert ladder.players == Ladder.Players.PEOPLE
        assert set(table.people) <= set(PEOPLE)
        assert all(HOUSE[table.plays_like(name)].plays(ladder.game, ladder.seats) for name in table.people)
    assert all(len(table.people) == Ladder.objects.get(slug=table.ladder).seats for table in MEETINGS)
    assert all(len(table.people) < Ladder.objects.get(slug=table.ladder).seats - 1 for table in OFFERS)


@pytest.mark.usefixtures("house")
def test_a_meeting_plays_its_games_by_the_door_of_everybody_and_once() -> None:
    duel = Meeting("edel-stein-reich-duel-people", ("anouk", "samir"), games=2)
    while not activities.meet(duel):
        for match in Match.objects.filter(status="running", table__over=True):
            finish(match.pk)
    assert activities.meet(duel)
    assert Match.objects.filter(status="finished").count() == 2
    assert not PlayedMove.objects.exclude(default="").exists()
    assert Membership.objects.filter(ladder__slug=duel.ladder, games=2).count() == 2


@pytest.mark.usefixtures("house")
def test_seats_stay_on_offer_and_are_offered_once() -> None:
    for _ in range(2):
        assert all(activities.offer(table) for table in OFFERS)
    assert Proposal.objects.filter(state="open").count() == len(OFFERS)
    offered = Proposal.objects.filter(state="open").order_by("pk")
    assert [seek.players.count() for seek in offered] == [len(table.people) for table in OFFERS]


def test_a_site_with_people_on_it_is_left_alone(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    person("ada")
    with pytest.raises(CommandError, match="--anyway"):
        call_command("demo_data", matches=1)


def test_a_site_that_others_reach_is_left_alone(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["arena.example.org"]
    with pytest.raises(CommandError, match="ALLOWED_HOSTS"):
        call_command("demo_data", matches=1)


def test_a_site_on_ones_own_machine_has_a_login_that_works_and_stays(tmp_path: Path, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    client = Client(SERVER_NAME="localhost")
    login = demo_login(tmp_path)
    assert login is not None
    assert demo_login(tmp_path) == login
    client.post("/account/login/", {"login": login[0], "password": login[1]})
    assert client.get("/account/").status_code == 200
    assert (tmp_path / "demo-password").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("log_format", "backend", "password_printed", "emails_printed"),
    [
        ("console", "esr_platform.accounts.console.EmailBackend", True, True),
        ("console", "django.core.mail.backends.smtp.EmailBackend", True, False),
        ("json", "esr_platform.accounts.console.EmailBackend", False, True),
    ],
)
def test_the_login_is_printed_with_its_password_only_for_people(
    tmp_path: Path, settings: Settings, log_format: str, backend: str, password_printed: bool, emails_printed: bool
) -> None:
    settings.ALLOWED_HOSTS, settings.VAR_DIR = ["localhost"], tmp_path
    settings.LOG_FORMAT, settings.EMAIL_BACKEND = log_format, backend
    output = StringIO()
    print_login(Terminal(Console(file=output)))
    password = (tmp_path / PASSWORD_FILE).read_text()
    assert (password in output.getvalue(), "Emails" in output.getvalue()) == (password_printed, emails_printed)
    assert password_printed or PASSWORD_FILE in output.getvalue()


def test_a_site_that_others_reach_has_no_default_account(tmp_path: Path, settings: Settings) -> None:
    for hosts in (["arena.example.org"], ["localhost", "arena.example.org"], ["*"]):
        settings.ALLOWED_HOSTS = hosts
        assert demo_login(tmp_path) is None
    assert not User.objects.exists()
