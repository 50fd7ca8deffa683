from __future__ import annotations

import pytest
from pytest_django import Settings

from tests.bots.conftest import sandbox_launcher
from tests.esr_platform.accounts.hashing import CountingHasher

__all__ = ["sandbox_launcher"]


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    """A hash that is slow on purpose would be most of the time of these tests."""
    settings.PASSWORD_HASHERS = [f"{CountingHasher.__module__}.{CountingHasher.__qualname__}"]
