from __future__ import annotations

import pytest

from esr_platform.accounts.models import User


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create(username="ada", email="ada@example.org")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create(username="bob", email="bob@example.org")
