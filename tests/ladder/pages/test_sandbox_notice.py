from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from bots.sandbox import sandbox
from bots.sandbox.interpreter import VARIABLE, bots_interpreter

pytestmark = pytest.mark.django_db
SENTENCE = "There is no working sandbox on this machine."


def forget() -> None:
    """Let the process look again."""
    bots_interpreter.cache_clear()
    sandbox.cache_clear()


@pytest.fixture
def machine_without_an_interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bots' Python is set to one that is not there."""
    forget()
    monkeypatch.setenv(VARIABLE, "/nowhere/python3")
    yield
    forget()


@pytest.mark.usefixtures("machine_without_an_interpreter")
def test_without_a_sandbox_the_site_says_so_and_what_to_do(client: Client) -> None:
    for address in ("/", "/ladders/"):
        text = client.get(address).content.decode()
        assert SENTENCE in text
        assert 'href="/about/#sandbox"' in text
    about = client.get("/about/").content.decode()
    assert SENTENCE in about
    assert "Code of anybody else does not run" in about
    assert f"{VARIABLE} names /nowhere/python3" in about
