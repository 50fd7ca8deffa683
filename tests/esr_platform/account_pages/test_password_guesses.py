"""Guessing passwords: who is locked out, who is not, and what the page says."""

from __future__ import annotations

import re

import pytest
from allauth.core.internal.ratelimit import parse_rate
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core import mail
from django.test import Client
from pytest_django import Settings

from esr_platform.accounts.limits import address
from esr_platform.accounts.models import User
from tests.build import PASSWORD
from tests.page import parsed

pytestmark = pytest.mark.django_db

MOST = parse_rate(settings.ACCOUNT_RATE_LIMITS["lockout"]).amount
THERE, HERE = "198.51.100.7", "203.0.113.9"


def tries(login: str, password: str, address: str, **headers: str) -> int:
    form = {"login": login, "password": password}
    return Client(REMOTE_ADDR=address, headers=headers).post("/account/login/", form).status_code


def guess(login: str, times: int, address: str = THERE) -> list[int]:
    return [tries(login, "wrong", address) for _ in range(times)]


def test_who_guesses_is_locked_out_and_the_owner_elsewhere_is_not(miriam: User) -> None:
    statuses = guess("miriam", MOST)
    assert statuses[-1] == 429
    assert tries("miriam", PASSWORD, THERE) == 429, "the right password does not help there"
    assert tries("miriam", PASSWORD, HERE) == 302


def test_attempts_during_a_lockout_do_not_lock_out_the_owner_elsewhere(miriam: User) -> None:
    statuses = guess("miriam", 50)
    assert statuses == [200] * (MOST - 1) + [429] * (51 - MOST)
    assert tries("miriam", PASSWORD, HERE) == 302


def test_the_lockout_names_the_contact_of_the_site(miriam: User, settings: Settings) -> None:
    settings.CONTACT_EMAIL = "staff@example.org"
    guess("miriam", MOST)
    page = Client(REMOTE_ADDR=THERE).post("/account/login/", {"login": "miriam", "password": "wrong"})
    assert page.status_code == 429
    assert "mailto:staff@example.org" in parsed(page).one("main").links


def test_an_account_is_tried_40_times_an_hour_from_everywhere_whatever_the_host_header_says(miriam: User) -> None:
    def tried(number: int, password: str) -> int:
        address = f"198.51.100.{number}"
        return tries("miriam", password, address, host=f"localhost:{9000 + number}")

    for number in range(40):
        assert tried(number, "wrong") == 200
    assert tried(40, PASSWORD) == 429, "the right password is refused, too"
    refused = Client(REMOTE_ADDR=HERE).post("/account/login/", {"login": "miriam", "password": PASSWORD})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")


def test_a_class_behind_one_address_signs_in_after_some_wrong_names(miriam: User) -> None:
    for number in range(15):
        assert tries(f"nobody-{number}", "wrong", THERE) == 200
    assert tries("miriam", PASSWORD, THERE) == 302


def test_an_address_that_tries_many_names_waits_for_a_minute_at_most(miriam: User) -> None:
    statuses = [tries(f"nobody-{number}", "wrong", THERE) for number in range(31)]
    assert statuses == [200] * 30 + [429]
    refused = Client(REMOTE_ADDR=THERE).post("/account/login/", {"login": "miriam", "password": PASSWORD})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert tries("miriam", PASSWORD, HERE) == 302


def test_an_address_signs_in_60_times_a_minute(miriam: User) -> None:
    assert [tries("miriam", PASSWORD, THERE) for _ in range(60)] == [302] * 60
    refused = Client(REMOTE_ADDR=THERE).post("/account/login/", {"login": "miriam", "password": PASSWORD})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")


def test_an_address_is_guessed_at_however_it_is_written(miriam: User) -> None:
    guess("miriam@example.org", MOST // 2)
    assert guess("Miriam@Example.org ", MOST // 2)[-1] == 429


def test_guessing_does_not_tell_whose_an_address_is(miriam: User) -> None:
    User.objects.create_user("carl", "carl@example.org", PASSWORD)
    guess("miriam", MOST - 1)
    guess("carl", MOST - 1, HERE)
    assert guess("miriam@example.org", 1) == guess("miriam@example.org", 1, HERE) == [200]


def test_nobody_is_locked_out_of_another_account(miriam: User) -> None:
    User.objects.create_user("carl", "carl@example.org", PASSWORD)
    guess("carl", MOST)
    assert tries("miriam", PASSWORD, THERE) == 302


def test_a_claimed_address_changes_nothing(miriam: User) -> None:
    for number in range(MOST):
        tries("miriam", "wrong", THERE, **{"X-Forwarded-For": f"192.0.2.{number}"})
    assert tries("miriam", PASSWORD, THERE, **{"X-Forwarded-For": "192.0.2.77"}) == 429


def test_the_page_says_how_long_and_which_ways_are_open(miriam: User) -> None:
    guess("miriam", MOST)
    page = Client(REMOTE_ADDR=THERE).post("/account/login/", {"login": "miriam", "password": "wrong"})
    text = page.content.decode()
    assert 'href="/account/password/reset/"' in text
    assert page.headers["Retry-After"] == "900"


def test_an_account_that_is_not_there_answers_like_one_that_is(miriam: User) -> None:
    assert guess("miriam", 8) == guess("nobody", 8, HERE)


def test_who_is_locked_out_comes_in_by_the_link_to_a_new_password(miriam: User) -> None:
    guess("miriam", MOST)
    client = Client(REMOTE_ADDR=THERE)
    client.post("/account/password/reset/", {"email": "miriam@example.org"})
    link = re.search(rf"{settings.SITE_URL}(\S+)", str(mail.outbox[-1].body))
    assert link is not None
    form = client.get(link[1], follow=True)
    client.post(form.request["PATH_INFO"], {"password1": "another cellar", "password2": "another cellar"})
    assert client.get("/account/").status_code == 200
    assert tries("miriam", "another cellar", THERE) == 302, "the slips are forgotten"


def test_a_link_to_a_new_password_is_not_a_way_around_a_second_factor(miriam: User) -> None:
    Authenticator.objects.create(user=miriam, type="totp", data={"secret": "x"})
    client = Client()
    client.post("/account/password/reset/", {"email": "miriam@example.org"})
    link = re.search(rf"{settings.SITE_URL}(\S+)", str(mail.outbox[-1].body))
    assert link is not None
    form = client.get(link[1], follow=True)
    answer = client.post(form.request["PATH_INFO"], {"password1": "another cellar", "password2": "another cellar"})
    assert answer.headers["Location"].startswith("/account/2fa/authenticate/")
    assert client.get("/account/").status_code == 302


@pytest.mark.parametrize("written", ["miriam", "miriam@example.org"])
def test_signing_in_forgets_earlier_slips(miriam: User, written: str) -> None:
    for slips in (MOST - 1, 4):
        assert guess(written, slips)[-1] == 200
        assert tries("miriam", PASSWORD, THERE) == 302


def test_entering_the_password_once_more_is_guessed_at_no_faster(miriam: User) -> None:
    client = Client(REMOTE_ADDR=THERE)
    client.force_login(miriam)
    statuses = [client.post("/account/reauthenticate/", {"password": "wrong"}).status_code for _ in range(7)]
    assert 429 in statuses


def test_what_was_typed_of_any_length_and_kind_is_no_error(miriam: User) -> None:
    for typed in ("x" * 100_000, "@", "a@b\0c", "\u202e", " "):
        assert tries(typed, "wrong", HERE) in (200, 429)


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_one_line_is_one_address(peer: str, counted: str) -> None:
    assert address({"REMOTE_ADDR": peer}) == counted
