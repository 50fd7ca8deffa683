from __future__ import annotations

import pytest

from esr_platform.accounts.models import User
from tests.bots.conftest import sandbox_launcher
from tests.build import with_password

__all__ = ["sandbox_launcher"]


@pytest.fixture
def miriam(db: None) -> User:
    """A user with ``PASSWORD`` and a verified email address."""
    return with_password("miriam")
