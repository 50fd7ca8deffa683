from __future__ import annotations

import pytest

from bots.sandbox import SandboxLauncher
from ladder.ledger import integrity
from tests.ladder.pages.people import People, built_with
from tests.ladder.pages.site import Site, built


@pytest.fixture(autouse=True)
def _own_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits that were slow because the machine is busy are kept for this test only."""
    monkeypatch.setattr(integrity, "KEPT", {})


@pytest.fixture
def site(db: None) -> Site:
    """A small site in every state a page can meet."""
    return built()


@pytest.fixture
def people(transactional_db: None, sandbox_launcher: SandboxLauncher) -> People:
    """Somebody with bots in every state, a stranger, and staff."""
    return built_with(sandbox_launcher)
