from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.esr_platform.backups.sites import Keys


@pytest.fixture
def keys(tmp_path: Path, settings: Any) -> Keys:
    """New keys, whose public ones are set."""
    made = Keys.new(tmp_path / "keys")
    for name, value in made.public.items():
        setattr(settings, name, value)
    return made
