from __future__ import annotations

import pytest

from bots.sandbox import SandboxLauncher
from tests.ladder.house import opened_house
from tests.ladder.pages.people import People, built_with
from tests.ladder.pages.site import Site, built


@pytest.fixture
def site(house: None) -> Site:
    """A small site in every state a page can meet."""
    return built()


@pytest.fixture
def people(transactional_db: None, sandbox_launcher: SandboxLauncher) -> People:
    """Somebody with bots in every state, a stranger, and staff."""
    opened_house()
    return built_with(sandbox_launcher)
