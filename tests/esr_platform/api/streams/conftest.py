"""A real web server on the test's database and Redis, and remote bots that hold real streams open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx2
import pytest
from pytest_django import Settings

from tests.esr_platform.api.streams.programs import Site
from tests.services.ports import free_port, wait_until
from tests.services.workers import Processes


@pytest.fixture
def started(site_processes: Processes, settings: Settings) -> Iterator[Callable[[], Site]]:
    """Starts web servers of the site; each answers when it is given."""
    settings.REDIS_URL = site_processes.environment["REDIS_URL"]
    with ExitStack() as clients:

        def start(**environment: str) -> Site:
            port = free_port()
            site_processes.environment = {**site_processes.environment, **environment}
            process = site_processes.web(port)
            url = f"http://127.0.0.1:{port}/api/v1/"
            wait_until(lambda: _answers(url), "the web server answers")
            return Site(url, process, clients)

        yield start


@pytest.fixture
def site(started: Callable[[], Site]) -> Site:
    """One web server."""
    return started()


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url + "uploads/limits", timeout=10).status_code == 200
    except httpx2.TransportError:
        return False
