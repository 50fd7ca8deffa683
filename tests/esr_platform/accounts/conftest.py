from __future__ import annotations

import pytest
from pytest_django import Settings

from tests.bots.conftest import sandbox_launcher

__all__ = ["sandbox_launcher"]


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    """A hash that is slow on purpose would be most of the time of these tests."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
