"""``manage.py operations`` and ``manage.py roles``: the same as the pages, for when these do not answer."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from bots.models import Drain, Machine, StaffAction, WorkerHost
from esr_platform.accounts.models import IntakePause, Role, User
from ladder.models import Intervention, Ladder, Match
from tests.build import DUEL, block_on, opened_house, person, staff

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def olga(settings: Settings, broker: str) -> User:
    settings.REDIS_URL = broker
    opened_house()
    Machine.objects.create(host="alpha", sandbox={"ok": True, "rated": True})
    WorkerHost.objects.create(name="lab", digest="0" * 64)
    return person("olga", role=Role.OPERATOR)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def operate(*arguments: str) -> str:
    return run("operations", *arguments, "--by", "olga", "--reason", "A test")


def test_it_shows_what_the_page_shows(olga: User) -> None:
    operate("drain", "alpha")
    operate("pause", DUEL)
    shown = run("operations")
    assert shown == run("operations", "show")
    for word in ("database", "validations", "alpha", "A test.", "lab", DUEL):
        assert word in shown


def test_it_does_what_the_page_does(olga: User) -> None:
    match = block_on(Ladder.objects.get(slug=DUEL)).matches.get(seating=0)
    Match.objects.filter(pk=match.pk).update(sent_at=match.created)
    operate("requeue", str(match.pk))
    assert Match.objects.get(pk=match.pk).sent_at is None
    for host in ("alpha", "lab"):
        operate("drain", host)
    assert set(Drain.objects.values_list("host", flat=True)) == {"alpha", "host:lab"}
    for host in ("alpha", "lab"):
        operate("resume-host", host)
    operate("pause", DUEL)
    operate("resume", DUEL)
    operate("pause-intake", "uploads")
    assert IntakePause.objects.get().kind == "uploads"
    operate("resume-intake", "uploads")
    assert (StaffAction.objects.count(), Intervention.objects.count()) == (6, 3)


@pytest.mark.parametrize(
    "arguments",
    [("requeue", "x"), ("requeue", "999"), ("drain", "nobody"), ("pause", "nothing"), ("resume", DUEL)],
)
def test_bad_input_is_refused_with_a_sentence(olga: User, arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError) as error:
        operate(*arguments)
    assert arguments[1] in str(error.value) or "paused" in str(error.value)


def test_it_needs_the_name_of_an_operator(olga: User) -> None:
    person("mona", role=Role.MODERATOR)
    for name in ("mona", "nobody"):
        with pytest.raises(CommandError):
            run("operations", "pause", DUEL, "--by", name, "--reason", "A test")
    assert Ladder.objects.get(slug=DUEL).paused is None


def test_site_admins_give_roles(olga: User) -> None:
    staff("ada")
    person("ben")
    run("roles", "give", "ben", "moderator", "--by", "ada", "--reason", "He volunteered")
    assert "moderator ben" in run("roles")
    with pytest.raises(CommandError):
        run("roles", "give", "ben", "admin", "--by", "olga", "--reason", "A test")
    run("roles", "give", "ben", "none", "--by", "ada", "--reason", "He left")
    assert "ben" not in run("roles", "list")
