"""Members of invitation-only ladders let organizers add their bots."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from esr_platform.accounts.models import Role, User
from ladder.creation import found_ladder
from ladder.members.invitations import enroll, enrollable, invite, member_by_link
from ladder.members.memberships import leave
from ladder.models import Invitation, Ladder, Membership
from tests.build import person, signed_in, uploaded
from tests.ladder.test_creation import DUEL, plan
from tests.page import parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def eve() -> User:
    return User.objects.create_user("eve", role=Role.OPERATOR)


@pytest.fixture
def course(eve: User) -> Ladder:
    return found_ladder(plan(private=True), eve)


def test_organizers_add_bots_of_members_who_accepted_the_invitation(course: Ladder) -> None:
    ada, bob = person("ada"), person("bob")
    bots = {owner: uploaded(owner, f"bot of {owner.username}", formats={DUEL: [2]}) for owner in (ada, bob)}
    uploaded(ada, "for three", formats={"edel-stein-reich": [3]})
    invite(course, [ada, bob])
    assert enrollable(course) == []
    member_by_link(course.invitation, ada)
    assert enrollable(course) == [bots[ada]]
    assert enroll(course, {bot.pk for bot in bots.values()}) == [bots[ada]]
    assert [membership.bot for membership in course.memberships.filter(active=True)] == [bots[ada]]


def test_a_user_invited_by_username_accepts_on_the_page_of_the_ladder(course: Ladder, eve: User) -> None:
    ada = person("ada")
    bot = uploaded(ada, formats={DUEL: [2]})
    student, address = signed_in(ada), f"/ladders/{course.slug}/"
    assert student.post(f"{address}members/accept/").status_code == 404
    signed_in(eve).post(f"{address}members/", {"names": "ada"})
    assert enrollable(course) == []
    assert parsed(student.get(address)).one("form", id="invitation")["action"] == f"{address}members/accept/"
    for _ in range(2):
        assert student.post(f"{address}members/accept/").status_code == 302
    assert enrollable(course) == [bot]
    assert parsed(student.get(address)).all("form", id="invitation") == []


def test_a_bot_that_its_owner_removed_is_not_added_again(course: Ladder) -> None:
    ada = person("ada")
    bot = uploaded(ada, formats={DUEL: [2]})
    member_by_link(course.invitation, ada)
    enroll(course, {bot.pk})
    leave(bot, course)
    assert enrollable(course) == enroll(course, {bot.pk}) == []
    assert Membership.objects.get(ladder=course, bot=bot).declined


def test_the_members_page_adds_bots_and_lists_the_steps_at_the_end_of_a_term(course: Ladder, eve: User) -> None:
    ada = person("ada")
    bot = uploaded(ada, formats={DUEL: [2]})
    student, staff, address = signed_in(ada), signed_in(eve), f"/ladders/{course.slug}/members/"
    assert student.post(f"/ladders/invitations/{course.invitation}/").status_code == 302
    assert Invitation.objects.get(person=ada).agreed is not None
    assert parsed(staff.get(address)).one("input", name="bot")["value"] == str(bot.pk)
    assert student.post(f"{address}bots/", {"bot": bot.pk}).status_code in (403, 404)
    staff.post(f"{address}bots/", {"bot": [bot.pk, "x"]})
    assert course.memberships.get().bot == bot
    page = parsed(staff.get(address))
    assert page.all("input", name="bot") == []
    links = {link["href"] for link in page.one(id="term-end").all("a")}
    assert links == {
        f"/ladders/{course.slug}/schedule/",
        f"/staff/collusion/{course.slug}/",
        f"/ladders/{course.slug}/seasons/1/",
        f"/ladders/{course.slug}/standings.csv",
    }
    assert all(staff.get(link).status_code == 200 for link in links)


def test_after_the_deadline_no_bot_is_added(course: Ladder, eve: User) -> None:
    ada = person("ada")
    bot = uploaded(ada, formats={DUEL: [2]})
    member_by_link(course.invitation, ada)
    Ladder.objects.filter(pk=course.pk).update(freezes_at=timezone.now())
    answer = signed_in(eve).post(f"/ladders/{course.slug}/members/bots/", {"bot": bot.pk}, follow=True)
    assert answer.status_code == 200
    assert not course.memberships.exists()


def test_visitors_cannot_add_bots(course: Ladder) -> None:
    assert Client().post(f"/ladders/{course.slug}/members/bots/").status_code == 302
