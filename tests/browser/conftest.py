"""A real browser, Chromium from the system, in front of a real server with a small site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from bots.sandbox import SandboxLauncher
from ladder.creation import open_house
from tests.bots.conftest import sandbox_launcher
from tests.browser.hall import CLOCK, Hall, answers
from tests.browser.looker import Looker
from tests.ladder.pages.people import People, built_with
from tests.ladder.pages.site import Site, built
from tests.services.ports import free_port, wait_until
from tests.services.tools import missing, runs
from tests.services.workers import Processes

__all__ = ["sandbox_launcher"]

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]


expect.set_options(timeout=60_000)  # milliseconds; the default of 5 s is too short for a loaded machine


@pytest.fixture(scope="session", autouse=True)
def _database_beside_the_browser() -> Iterator[None]:
    """Playwright keeps an event loop in the test's thread, and Django would refuse the database there."""
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    yield
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium; the tests never fetch one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    name = next((name for name in names if runs(name, "--version")), None)
    if name is None:
        missing("No Chromium runs on this machine: install it with `make services` or `apt-get install chromium`")
    return {**browser_type_launch_args, "executable_path": shutil.which(name), "args": QUIET}


@pytest.fixture
def site(transactional_db: None) -> Site:
    """A small site in every state a page can meet."""
    return built()


@pytest.fixture
def people(transactional_db: None, sandbox_launcher: SandboxLauncher) -> People:
    """Somebody with bots in every state, a stranger, and staff."""
    return built_with(sandbox_launcher)


@pytest.fixture
def watched(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A page on the live server that fails the test if anything was written to its console."""
    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: messages.append(str(error)))
    yield page
    context.close()
    assert messages == []


@pytest.fixture
def looker(request: pytest.FixtureRequest, watched: Page) -> Iterator[Looker]:
    """Looks at pages, and fails the test if anything is wrong with one of them."""
    looker = Looker(watched, kind=request.module.__name__.rpartition("test_")[2])
    yield looker
    assert looker.faults == []


@pytest.fixture
def hall(browser: Browser, site_processes: Processes) -> Iterator[Hall]:
    """The site as it is on a server, for people at tables: streams, a clock that looks after tables, house bots."""
    open_house()
    port = free_port()
    site_processes.web(port)
    site_processes.environment = {**site_processes.environment, "DJANGO_SETTINGS_MODULE": "esr_platform.settings"}
    site_processes.python("-c", CLOCK)
    site_processes.worker("seats,live,default")
    url = f"http://localhost:{port}"
    wait_until(lambda: answers(f"{url}/about/"), "the web server answers")
    hall = Hall(browser, url)
    yield hall
    hall.close()
