"""A new user's way through the real site: from nothing to a rated match, in a browser, under two minutes."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bots.sandbox import SandboxLauncher
from tests.esr_platform.supervisor.test_site import STARTED, Running, site
from tests.services.ports import wait_until

pytestmark = pytest.mark.slow

MOST_SECONDS = 120
PASSWORD = "a cellar full of amethysts"
EMAIL = "miriam@example.org"


@pytest.fixture
def running(tmp_path: Path, sandbox_launcher: SandboxLauncher) -> Iterator[Running]:
    """The site as ``make run`` starts it, with its pages up."""
    data = tmp_path / "data"
    data.mkdir()
    with site(data) as started:
        started.says(STARTED)
        yield started
        started.interrupt()


@pytest.fixture
def page(browser: Browser, running: Running) -> Iterator[Page]:
    context = browser.new_context(base_url=f"http://localhost:{running.port}", accept_downloads=True)
    yield context.new_page()
    context.close()


def emailed_code(running: Running) -> str:
    """The verification code of the email that the site has printed to the terminal."""

    def codes() -> list[str]:
        return re.findall(r"^(?: *\S+ +│ )?([A-Z0-9]{3,4}-?[A-Z0-9]{3,4})\s*$", running.output, re.MULTILINE)

    wait_until(lambda: bool(codes()), "the email has arrived")
    return codes()[-1]


def sign_up(page: Page, running: Running) -> None:
    page.locator("main a[href^='/account/signup/']").first.click()
    page.locator("input[name=username]").fill("miriam")
    page.locator("input[name=email]").fill(EMAIL)
    page.locator("input[name=password1]").fill(PASSWORD)
    page.locator("input[name=terms]").check()
    page.locator("form[action='/account/signup/'] button").click()
    page.locator("input[name=code]").fill(emailed_code(running))
    page.keyboard.press("Enter")


def test_a_new_user_has_a_rated_match_within_two_minutes(page: Page, running: Running, tmp_path: Path) -> None:
    started = time.monotonic()
    page.goto("/")
    page.goto("/bots/new/")
    sign_up(page, running)
    expect(page).to_have_url(re.compile(r"/bots/new/$"), timeout=60_000)

    with page.expect_download() as downloading:
        page.locator(".kits form[action$='-duel.zip'] button").click()
    kit = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(kit)
    assert kit.suffix == ".zip"

    page.get_by_label("File").set_input_files(kit)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="my-bot", exact=True)).to_be_visible()
    expect(page.locator("#check")).to_have_attribute("data-state", "ready", timeout=60_000)
    expect(page.locator("#bot")).to_have_attribute("data-active", "1")

    first = page.locator("#matches tbody tr", has_text=re.compile(r"[12] of 2")).first
    expect(first).to_be_visible(timeout=1000 * (MOST_SECONDS - (time.monotonic() - started)))
    took = time.monotonic() - started
    expect(first).to_contain_text(re.compile(r"[+−]\d"))
    assert took < MOST_SECONDS

    first.get_by_role("link", name=re.compile(r"^Match")).click()
    expect(page.get_by_role("slider")).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="View bot log").click()
    expect(page.get_by_role("heading", name="Bot log of my-bot")).to_be_visible()
    (tmp_path / "seconds").write_text(f"{took:.1f}")
    artefacts = Path("test-artefacts")
    artefacts.mkdir(exist_ok=True)
    shutil.copy(tmp_path / "seconds", artefacts / "new-user-seconds")
