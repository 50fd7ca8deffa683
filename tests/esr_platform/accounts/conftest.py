from __future__ import annotations

import pytest
from pytest_django import Settings

from esr_platform.accounts.models import User
from tests.bots.conftest import sandbox_launcher
from tests.build import with_password
from tests.esr_platform.accounts.hashing import CountingHasher

__all__ = ["sandbox_launcher"]


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """A hash that is slow on purpose would be most of the time of these tests."""
    settings.PASSWORD_HASHERS = [f"{CountingHasher.__module__}.{CountingHasher.__qualname__}"]


@pytest.fixture
def miriam(db: None) -> User:
    """A user with ``PASSWORD`` and a verified email address."""
    return with_password("miriam")
