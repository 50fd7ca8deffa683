from __future__ import annotations

import pytest
from django.test import Client

from bots.machines import write_down
from bots.sandbox import SelfTest
from bots.sandbox.status import document

pytestmark = pytest.mark.django_db
SENTENCE = "There is no working sandbox."


def test_without_a_sandbox_the_site_says_so_and_nobody_but_staff_hears_why(client: Client) -> None:
    write_down(document(SelfTest(ok=False, problem="/srv/bwrap is missing.", remedy="Install it.")))
    for address in ("/", "/ladders/", "/about/"):
        text = client.get(address).content.decode()
        assert SENTENCE in text
        assert "/srv/bwrap" not in text
    assert 'href="/about/#sandbox"' in client.get("/").content.decode()
    assert "Code of anybody else does not run" in client.get("/about/").content.decode()


def test_where_no_rated_games_are_played_the_site_says_so(client: Client) -> None:
    write_down(document(SelfTest(ok=True, problem="/usr lies on a disk.", remedy="Use a tmpfs.")))
    for address in ("/", "/about/"):
        text = client.get(address).content.decode()
        assert "Uploaded bots play unrated games only." in text
        assert SENTENCE not in text
        assert "/usr lies" not in text


def test_with_a_sandbox_the_site_says_that_its_test_has_passed(client: Client) -> None:
    write_down({"ok": True, "rated": True})
    assert SENTENCE not in client.get("/").content.decode()
    assert "Here that test has passed" in client.get("/about/").content.decode()


def test_before_any_worker_has_said_anything_the_site_claims_nothing(client: Client) -> None:
    assert SENTENCE not in client.get("/").content.decode()
    about = client.get("/about/").content.decode()
    assert SENTENCE not in about
    assert "Here that test has passed" not in about
