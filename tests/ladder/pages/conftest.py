from __future__ import annotations

import pytest

from tests.ladder.pages.site import Site, built


@pytest.fixture
def site(house: None) -> Site:
    """A small site in every state a page can meet."""
    return built()
