from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from bots.machines import write_down
from bots.models import Machine
from bots.sandbox import SandboxLauncher, remedies
from bots.sandbox.status import status
from ladder.pages.staff import REMEDIES
from tests.build import person, staff
from tests.ladder.pages.people import SCRIPT

pytestmark = pytest.mark.django_db
ADDRESS = "/staff/sandboxes/"

BROKEN = {
    "ok": False,
    "problem": f"The sandbox does not hold: {SCRIPT}",
    "remedy": remedies.APPARMOR,
    "checks": [{"name": "There is no /proc.", "problem": f"/proc is there {SCRIPT}"}, {"name": "Fine.", "problem": ""}],
    "kernel": "6.1",
    "bubblewrap": "",
    "python": "",
    "numpy": "",
    "users": False,
}


def html(user: Any, status_code: int = 200) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(ADDRESS)
    assert response.status_code == status_code
    return response.content.decode()


def test_only_staff_finds_the_page() -> None:
    html(None, 302)
    html(person("ada"), 404)
    html(staff("eve"))


def test_without_any_word_of_a_worker_it_says_when_there_will_be_one() -> None:
    assert "make run" in html(staff("eve"))


def test_a_machine_that_holds_shows_what_was_tried(sandbox_launcher: SandboxLauncher) -> None:
    found = status()
    write_down(found)
    text = html(staff("eve"))
    assert Machine.objects.get().host in text
    assert f"All {len(found['checks'])} properties" in text
    assert found["python"] in text
    assert "does not hold" not in text


def test_a_machine_that_fails_says_what_is_wrong_and_what_helps() -> None:
    write_down(BROKEN)
    text = html(staff("eve"))
    assert "does not hold" in text
    assert "/proc is there" in text
    assert "apparmor_parser" in text
    assert SCRIPT not in text


def test_every_known_remedy_stands_there() -> None:
    text = html(staff("eve"))
    for title, _ in REMEDIES:
        assert title.replace("'", "&#x27;") in text
    for word in ("apparmor-profiles", "seccomp=unconfined", "ESR_BOT_PYTHON", "max_user_namespaces"):
        assert word in text


def test_the_languages_on_the_upload_page_are_those_of_the_machines(client: Client) -> None:
    write_down({**BROKEN, "ok": True, "rated": True, "problem": "", "python": "3.11.2", "numpy": "1.24.2"})
    text = client.get("/bots/new/").content.decode()
    assert "3.11.2" in text
    assert "numpy 1.24.2, inside 512 MiB of address space." in text
