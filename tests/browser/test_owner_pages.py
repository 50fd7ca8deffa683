from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from playwright.sync_api import Page, expect

from bots.machines import write_down
from bots.models import Bot, Machine
from bots.sandbox import SandboxLauncher
from bots.sandbox.status import status
from bots.starter_kits import starting_kit
from esr_platform.accounts.models import User
from tests.bots.uploads.brought import check
from tests.browser.looker import Looker
from tests.browser.sessions import sign_in
from tests.build import DUEL, HONEST
from tests.ladder.pages.people import People
from tests.ladder.pages.test_staff import BROKEN

pytestmark = pytest.mark.slow


def test_every_page_of_an_owner_fits_its_window_and_axe_finds_nothing(people: People, looker: Looker) -> None:
    long = "A_name_as_long_as_a_bots_name_may_be_40x"
    Bot.objects.filter(pk=people.magpie.pk).update(
        name=long, paused=people.magpie.created, pause_reason="It failed in 3 matches in a row: match 1 (strikes)."
    )
    User.objects.filter(pk=people.ada.pk).update(username="somebody-with-a-long-user-name")
    looker.open("/bots/new/")
    sign_in(looker.page, people.ada)
    looker.open(*people.addresses)


def test_the_formats_of_a_game_share_a_row(people: People, watched: Page) -> None:
    watched.set_viewport_size({"width": 1280, "height": 800})
    sign_in(watched, people.ada)
    for path in ("/bots/new/", "/bots/new/remote/"):
        watched.goto(path)
        boxes = watched.locator("input[name=formats][value^='edel-stein-reich:']")
        assert boxes.count() == 3
        assert len({box.bounding_box()["y"] for box in boxes.all()}) == 1  # type: ignore[index]


def test_a_check_is_followed_without_reloading(
    people: People, watched: Page, sandbox_launcher: SandboxLauncher
) -> None:
    sign_in(watched, people.ada)
    watched.goto(f"/bots/{people.new.slug}/")
    expect(watched.locator("#check")).to_have_attribute("data-state", "received")
    note = watched.locator("#check-said")
    expect(note).to_contain_text("v1")
    waits = note.inner_text()
    version = people.new.versions.get()
    version.formats = {DUEL: [2]}
    version.save(update_fields=["formats"])
    check(version.pk, sandbox_launcher)
    expect(watched.locator("#check")).to_have_attribute("data-state", "ready", timeout=60_000)
    expect(note).not_to_have_text(waits)
    expect(watched.locator("#bot")).to_have_attribute("data-active", "1")
    expect(watched.locator("#stands")).to_contain_text("1500")
    assert watched.locator("#check").get_attribute("data-live") is None


def test_a_refused_file_stays_chosen_and_the_sentence_has_the_focus(
    people: People, watched: Page, tmp_path: Path
) -> None:
    file = tmp_path / "bot.py"
    file.write_bytes(b"")
    sign_in(watched, people.ada)
    page = watched.context.new_page()  # Chromium itself writes refusals to the console, which `watched` takes ill
    page.goto("/bots/new/")
    page.get_by_label("Name").fill("Kept")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.locator("#id_file_error")).to_contain_text("is empty")
    expect(page.get_by_label("File")).to_be_focused()
    expect(page.get_by_label("Name")).to_have_value("Kept")
    assert page.evaluate("document.querySelector('#id_file').files[0].name") == "bot.py"


def test_a_file_that_is_too_large_is_reported_before_the_upload(
    people: People, watched: Page, tmp_path: Path, settings: Any
) -> None:
    settings.MAX_ARCHIVE_BYTES = 1 << 20
    file = tmp_path / "bot.py"
    file.write_bytes(b"#" * (3 << 20))
    sign_in(watched, people.ada)
    watched.goto("/bots/new/")
    watched.get_by_label("File").set_input_files(file)
    expect(watched.get_by_role("alert")).to_contain_text(re.compile(r"3 MiB.*1 MiB"))
    sent: list[str] = []
    watched.on("request", lambda request: sent.append(request.method))
    watched.get_by_role("button", name="Upload").click()
    assert "POST" not in sent
    small = tmp_path / "small.py"
    small.write_bytes(HONEST)
    watched.get_by_label("File").set_input_files(small)
    expect(watched.get_by_role("alert")).to_have_count(0)


def test_a_file_is_dropped_on_the_form(people: People, watched: Page) -> None:
    sign_in(watched, people.ada)
    watched.goto("/bots/new/")
    dropped = watched.evaluate_handle(
        "() => { const d = new DataTransfer(); d.items.add(new File(['x'], 'bot.py')); return d; }"
    )
    watched.locator("#id_file").dispatch_event("drop", {"dataTransfer": dropped})
    assert watched.evaluate("document.querySelector('#id_file').files[0].name") == "bot.py"


def test_a_bot_is_uploaded_without_javascript(people: People, watched: Page, tmp_path: Path) -> None:
    browser = watched.context.browser
    assert browser is not None
    context = browser.new_context(base_url=watched.url or None, java_script_enabled=False)
    watched.goto("/about/")
    base = watched.url.removesuffix("/about/")
    page = context.new_page()
    client = Client()
    client.force_login(people.bob)
    cookie = client.cookies[site_settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": base}])
    kit = tmp_path / "my-bot.zip"
    kit.write_bytes(starting_kit(DUEL))
    page.goto(f"{base}/bots/new/")
    page.get_by_label("File").set_input_files(kit)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="my-bot")).to_be_visible()
    expect(page.locator("#check")).to_have_attribute("data-state", "received")
    context.close()


def test_an_owner_works_with_the_keyboard_alone(people: People, watched: Page) -> None:
    sign_in(watched, people.ada)
    watched.goto(f"/bots/{people.magpie.slug}/")
    tick = watched.locator(f"input[name=ladder][value={DUEL}]")
    tick.focus()
    watched.keyboard.press("Space")
    watched.keyboard.press("Tab")
    expect(watched.locator(f"input[name=ladder][value={DUEL}-open]")).to_be_focused()
    watched.keyboard.press("Tab")
    expect(watched.get_by_role("button", name="Save ladders")).to_be_focused()
    watched.keyboard.press("Enter")
    expect(watched.get_by_role("status").filter(has_text=f"{people.magpie.name} left")).to_be_visible()


def test_the_page_of_machines_fits_its_window_and_axe_finds_nothing(people: People, looker: Looker) -> None:
    write_down(status())
    Machine.objects.create(host="a-machine-with-a-rather-long-name.example.org", sandbox=BROKEN)
    sign_in(looker.page, people.eve)
    looker.page.goto("/staff/sandboxes/")
    looker.page.locator("summary").first.click()
    looker.look("sandboxes")
