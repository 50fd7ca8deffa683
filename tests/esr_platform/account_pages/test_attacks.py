"""What somebody tries who means harm: other addresses, other people's accounts, other people's browsers."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

from esr_platform.accounts.models import User
from tests.build import PASSWORD
from tests.esr_platform.accounts.hashing import hashed_by
from tests.page import parsed

pytestmark = pytest.mark.django_db


EVIL = ["https://evil.example/", "//evil.example/", r"/\evil.example", "https:evil.example", "javascript:alert(1)"]


def waiting_for_its_code(email: str) -> None:
    user = User.objects.create_user("waiting", email, PASSWORD)
    EmailAddress.objects.create(user=user, email=email, verified=False, primary=True)


def login(client: Client, password: str = PASSWORD, login: str = "miriam", **more: str) -> str:
    """Where signing in leads, empty where it fails."""
    answer = client.post("/account/login/", {"login": login, "password": password, **more})
    return answer.headers.get("Location", "")


def without_tokens(page: str) -> str:
    return re.sub(r'value="[^"]{40,}"', "", page)


@pytest.mark.parametrize("address", EVIL)
def test_signing_in_and_out_leads_to_no_other_site(miriam: User, client: Client, address: str) -> None:
    assert login(client, next=address) == "/play/"
    assert client.post("/account/logout/", {"next": address}).headers["Location"] == "/"
    page = client.get("/account/login/", {"next": address}).content.decode()
    assert "evil.example" not in page.replace('name="next"', "").partition("<form")[0]


def test_signing_in_leads_back_to_where_one_was(miriam: User, client: Client) -> None:
    assert login(client, next="/bots/") == "/bots/"


@pytest.mark.parametrize(
    ("here", "back"),
    [("/bots/?kind=remote", "/bots/?kind=remote"), ("/", "/"), ("/account/signup/", ""), ("/nothing-here/", "")],
)
def test_the_link_to_sign_in_leads_back_to_the_page_except_from_account_pages(
    client: Client, here: str, back: str
) -> None:
    expected = f"/account/login/?{urlencode({'next': back})}" if back else "/account/login/"
    header = parsed(client.get(here)).one("header")
    assert [link["href"] for link in header.all("a") if link["href"].startswith("/account/")] == [expected]


def test_signing_in_without_a_page_to_return_to_leads_to_the_lobby(miriam: User, client: Client) -> None:
    assert login(client) == "/play/"


def test_signing_up_does_not_tell_whether_an_address_has_an_account(miriam: User) -> None:
    answers = []
    for email in ("miriam@example.org", "nobody@example.org"):
        client, form = Client(), {"username": "carl", "email": email, "password1": PASSWORD, "terms": "on"}
        User.objects.filter(username="carl").delete()
        page = client.post("/account/signup/", form, follow=True)
        answers.append((page.redirect_chain, without_tokens(page.content.decode()).replace(email, "")))
    assert answers[0] == answers[1]
    assert len(mail.outbox) == 2, "the owner of the address is told"


@pytest.mark.parametrize("email", ["miriam@example.org", "nobody@example.org", "waiting@example.org"])
def test_signing_up_hashes_one_password_whether_or_not_an_address_has_an_account(miriam: User, email: str) -> None:
    waiting_for_its_code("waiting@example.org")
    form = {"username": "carl", "email": email, "password1": PASSWORD, "terms": "on"}
    assert hashed_by(lambda: Client().post("/account/signup/", form)) == 1


@pytest.mark.parametrize("name", ["miriam", "nobody", "miriam@example.org", "nobody@example.org", "Miriam@Example.org"])
def test_a_wrong_password_costs_one_hash_whether_or_not_there_is_such_an_account(miriam: User, name: str) -> None:
    form = {"login": name, "password": "wrong"}
    assert hashed_by(lambda: Client().post("/account/login/", form)) == 1


def test_an_address_that_waits_for_its_code_costs_one_hash_as_well(miriam: User) -> None:
    waiting_for_its_code("waiting@example.org")
    form = {"login": "waiting@example.org", "password": "wrong"}
    assert hashed_by(lambda: Client().post("/account/login/", form)) == 1


@pytest.mark.parametrize("names", [("miriam", "nobody"), ("miriam@example.org", "nobody@example.org")])
def test_a_wrong_name_and_a_wrong_password_are_one_answer(miriam: User, names: tuple[str, str]) -> None:
    pages = []
    for name in names:
        form = {"login": name, "password": "wrong"}
        page = Client().post("/account/login/", form).content.decode()
        pages.append(without_tokens(page).replace(name, ""))
    assert len({page.partition("<main")[2] for page in pages}) == 1


def test_emails_lead_to_this_site_whatever_host_was_asked(miriam: User, settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL = ["*"], "https://arena.example.org"
    client = Client(headers={"host": "evil.example"})
    client.post("/account/password/reset/", {"email": "miriam@example.org"})
    client.post("/account/password/reset/", {"email": "nobody@example.org"})
    again = {"username": "carl", "email": "miriam@example.org", "password1": PASSWORD, "terms": "on"}
    client.post("/account/signup/", again)
    new = {"username": "carl", "email": "carl@example.org", "password1": PASSWORD, "terms": "on"}
    Client(headers={"host": "evil.example"}).post("/account/signup/", new)
    assert len(mail.outbox) == 4
    for letter in mail.outbox:
        assert "evil.example" not in f"{letter.subject}{letter.body}"
        assert "arena.example.org" in letter.body


def test_a_host_that_is_not_ours_gets_no_page(client: Client) -> None:
    assert client.get("/account/login/", headers={"host": "evil.example"}).status_code == 400


def test_a_session_from_before_signing_in_is_worth_nothing_after_it(miriam: User, client: Client) -> None:
    session = client.session
    session["x"] = 1
    session.save()
    planted = session.session_key
    client.cookies["sessionid"] = planted
    login(client)
    thief = Client()
    thief.cookies["sessionid"] = planted
    assert client.get("/account/").status_code == 200
    assert thief.get("/account/").status_code == 302


def test_signing_out_and_a_new_password_end_the_other_sessions(miriam: User, client: Client) -> None:
    login(client)
    other, stolen = Client(), Client()
    login(other)
    stolen.cookies["sessionid"] = client.cookies["sessionid"].value
    client.post("/account/logout/")
    assert stolen.get("/account/").status_code == 302
    login(client)
    new = {"oldpassword": PASSWORD, "password1": "another cellar", "password2": "another cellar"}
    client.post("/account/password/change/", new)
    miriam.refresh_from_db()
    assert miriam.check_password("another cellar")
    assert other.get("/account/").status_code == 302


@pytest.mark.parametrize(
    "address",
    [
        "signup",
        "login",
        "logout",
        "password/reset",
        "password/change",
        "email",
        "tokens",
        "tokens/1/revoke",
        "emails",
        "delete",
        "export",
        "terms",
        "name",
        "2fa/totp/activate",
        "2fa/webauthn/add",
        "2fa/webauthn/login",
        "2fa/recovery-codes/generate",
    ],
)
def test_another_site_can_send_no_form_in_ones_name(miriam: User, address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(miriam)
    assert client.post(f"/account/{address}/", {"name": "x", "scopes": "upload", "wanted": "no"}).status_code == 403
    miriam.refresh_from_db()
    assert miriam.wants_digests
    assert not miriam.tokens.exists()


def test_reading_a_page_changes_nothing(miriam: User, client: Client) -> None:
    login(client)
    for address in ("logout", "tokens/1/revoke", "emails", "delete", "export", "terms", "name"):
        client.get(f"/account/{address}/")
    assert client.get("/account/").status_code == 200


def test_passwords_are_guessed_at_one_pace_whatever_address_is_claimed(miriam: User) -> None:
    for number in range(30):
        headers = {"X-Forwarded-For": f"198.51.100.{number}"}
        Client(headers=headers).post("/account/login/", {"login": f"user{number}", "password": "wrong"})
    another = Client(headers={"X-Forwarded-For": "203.0.113.9"})
    another.post("/account/login/", {"login": "miriam", "password": PASSWORD})
    assert "_auth_user_id" not in another.session


def test_codes_are_not_guessed(client: Client) -> None:
    client.post(
        "/account/signup/", {"username": "carl", "email": "carl@example.org", "password1": PASSWORD, "terms": "on"}
    )
    code = re.search(r"^([A-Z0-9-]{6,9})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code is not None
    for _ in range(5):
        client.post("/account/confirm-email/", {"code": "AAAAAA"})
    client.post("/account/confirm-email/", {"code": code[1]})
    assert client.get("/account/").status_code == 302
    assert not EmailAddress.objects.filter(verified=True).exists()


def test_emails_are_not_sent_in_floods(miriam: User, client: Client) -> None:
    for _ in range(30):
        client.post("/account/password/reset/", {"email": "miriam@example.org"})
    assert len(mail.outbox) <= 5


def test_many_accounts_do_not_come_from_one_address() -> None:
    statuses = []
    for number in range(25):
        form = {"username": f"user{number}", "email": f"u{number}@example.org", "password1": PASSWORD, "terms": "on"}
        statuses.append(Client().post("/account/signup/", form).status_code)
    assert 429 in statuses


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(miriam: User, client: Client) -> None:
    login(client)
    assert client.cookies["sessionid"]["httponly"]
    assert client.cookies["sessionid"]["samesite"] == "Lax"


def test_every_address_of_an_account_that_shows_ones_own_is_closed_to_strangers() -> None:
    own = {"", "tokens/", "email/", "password/change/", "password/set/", "reauthenticate/", "delete/"}
    own |= {"2fa/", "2fa/webauthn/", "2fa/webauthn/add/", "2fa/totp/activate/", "2fa/recovery-codes/"}
    for address in own:
        assert Client().get(f"/account/{address}").status_code == 302, address
    assert Client().get("/account/inactive/").status_code == 200


def test_no_page_of_django_s_own_administration_is_there() -> None:
    def addresses(patterns: list[URLPattern | URLResolver]) -> list[str]:
        return [str(pattern.pattern) for pattern in patterns]

    assert not any("admin" in address for address in addresses(get_resolver().url_patterns))


def test_a_session_left_open_is_not_enough_to_take_an_account_over(miriam: User, client: Client) -> None:
    client.force_login(miriam)  # nobody has entered a password for a while
    answer = client.post("/account/email/", {"email": "thief@example.org", "action_add": ""})
    assert answer.headers["Location"].startswith("/account/reauthenticate/")
    assert not EmailAddress.objects.filter(email="thief@example.org").exists()
    assert mail.outbox == []


def test_a_link_to_a_new_password_works_once(miriam: User, client: Client) -> None:
    client.post("/account/password/reset/", {"email": "miriam@example.org"})
    link = re.search(r"http://localhost:8000(\S+)", str(mail.outbox[-1].body))
    assert link is not None
    form = client.get(link[1], follow=True)
    client.post(form.request["PATH_INFO"], {"password1": "another cellar", "password2": "another cellar"})
    assert 'name="password1"' not in Client().get(link[1], follow=True).content.decode()


@pytest.mark.parametrize("number", ["0", "99999999999999999999", "9" * 400])
def test_a_number_that_no_token_has_is_no_error(miriam: User, client: Client, number: str) -> None:
    client.force_login(miriam)
    assert client.post(f"/account/tokens/{number}/revoke/").status_code == 302
