"""Expect a refusal by its code, so that its message can be reworded without breaking a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from esr_platform.accounts.errors import Refused


@contextmanager
def refused(code: str, kind: type[Refused] = Refused) -> Iterator[pytest.ExceptionInfo[Refused]]:
    """Assert that the block raises ``kind`` with this ``code``."""
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.value.code == code
