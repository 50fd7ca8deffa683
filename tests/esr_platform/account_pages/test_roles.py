from __future__ import annotations

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import IntegrityError, transaction

from bots.models import StaffAction
from esr_platform.account_pages.roles import give_role
from esr_platform.accounts.models import Role, User
from esr_platform.accounts.roles import has_role
from tests import page as shown
from tests.build import person, signed_in, staff, verified
from tests.refusals import refused
from tests.services.locks import Meanwhile

pytestmark = pytest.mark.django_db(transaction=True)

WHY = "They volunteered"


def role_of(user: User) -> tuple[str, bool, bool]:
    now = User.objects.get(pk=user.pk)
    return now.role, now.is_staff, now.is_superuser


@pytest.mark.parametrize(
    ("role", "stored"),
    [
        (Role.MODERATOR, ("moderator", True, False)),
        (Role.OPERATOR, ("operator", True, False)),
        (Role.ADMIN, ("admin", True, True)),
    ],
)
def test_a_site_admin_gives_and_takes_away_a_role(role: Role, stored: tuple[str, bool, bool]) -> None:
    ada, ben = staff("ada"), verified("ben")
    give_role(ben, role, ada, WHY)
    assert role_of(ben) == stored
    with refused("same_role"):
        give_role(ben, role, ada, WHY)
    give_role(ben, None, ada, WHY)
    assert role_of(ben) == ("", False, False)
    logged = StaffAction.objects.order_by("pk").values_list("by__username", "person__username", "subject", "reason")
    assert list(logged) == [("ada", "ben", role, WHY), ("ada", "ben", "none", WHY)]
    assert [message.to for message in mail.outbox] == [["ben@example.org"]] * 2
    assert WHY in str(mail.outbox[0].body)


@pytest.mark.parametrize("role", ["", Role.MODERATOR, Role.OPERATOR])
def test_only_site_admins_give_roles(role: str) -> None:
    ben = person("ben")
    with refused("staff_only"):
        give_role(ben, Role.OPERATOR, person("mona", role=role), WHY)
    assert role_of(ben) == ("", False, False)


def test_no_one_changes_their_own_role_and_closed_accounts_get_none() -> None:
    ada, ben = staff("ada"), person("ben")
    with refused("own_account"):
        give_role(ada, None, ada, WHY)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    with refused("account_closed"):
        give_role(ben, Role.OPERATOR, ada, WHY)


@pytest.mark.locks
def test_of_two_site_admins_who_take_away_each_others_role_one_does() -> None:
    ada, ben = staff("ada"), staff("ben")
    with transaction.atomic():
        give_role(ben, None, ada, WHY)
        too = Meanwhile(lambda: give_role(ada, None, ben, WHY))
        too.is_waiting()
    with refused("staff_only"):
        too.ended()
    assert list(User.objects.filter(role=Role.ADMIN)) == [ada]


def test_a_suspended_operator_has_no_role() -> None:
    olga = person("olga", role=Role.OPERATOR, is_active=False)
    assert not has_role(olga)
    assert not has_role(olga, Role.OPERATOR)


def test_the_page_lists_the_staff_and_changes_roles() -> None:
    ada = signed_in(staff("ada"))
    verified("Ben")
    assert ada.post("/staff/roles/", {"username": "ben", "role": "operator", "reason": WHY}).status_code == 302
    listed = {one["data-person"]: one["data-role"] for one in shown.page(ada, "/staff/roles/").all(data_person=True)}
    assert listed == {"ada": "admin", "Ben": "operator"}
    for wrong in ({"username": "nobody"}, {"role": "king"}, {"reason": ""}, {"username": "ada"}):
        form = {"username": "ben", "role": "none", "reason": WHY, **wrong}
        assert ada.post("/staff/roles/", form).status_code == 422
    assert ada.post("/staff/roles/", {"username": "ben", "role": "none", "reason": WHY}).status_code == 302
    assert role_of(User.objects.get(username="Ben")) == ("", False, False)


def test_createsuperuser_creates_a_site_admin() -> None:
    call_command("createsuperuser", "--noinput", username="root1", email="root1@example.org")
    assert role_of(User.objects.get(username="root1")) == ("admin", True, True)


@pytest.mark.parametrize("columns", [{"is_staff": True}, {"role": "admin"}, {"role": "king", "is_staff": True}])
def test_the_database_refuses_flags_that_contradict_the_role(columns: dict[str, object]) -> None:
    ben = person("ben")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=ben.pk).update(**columns)
