"""Every row of the tables of edge cases (rules.md 7.1 to 7.3) has a test with its number in its name."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROWS = {
    "edel_stein_reich": [f"m{number:02}" for number in range(1, 86)] + [f"d{number:02}" for number in range(1, 25)],
    "die_weinhaendler": [f"v{number:02}" for number in range(1, 48)],
}
"""By folder."""


@pytest.mark.parametrize("folder", ROWS)
def test_every_row_has_a_test(folder: str) -> None:
    paths = sorted((Path(__file__).parent / folder).glob("test_*.py"))
    modules = [import_module(f"{__package__}.{folder}.{path.stem}") for path in paths]
    rules = [
        match[1]
        for module in modules
        for name, value in vars(module).items()
        if callable(value) and value.__module__ == module.__name__ and (match := re.match(r"test_([mdv]\d\d)_", name))
    ]
    assert set(rules) == set(ROWS[folder])
