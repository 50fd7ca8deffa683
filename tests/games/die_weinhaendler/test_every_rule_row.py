"""Every row of the table of edge cases (rules.md 7.3) is a test."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

IDS = {f"v{number:02}" for number in range(1, 48)}


def test_every_row_v01_to_v47_has_a_test_with_its_number_in_its_name() -> None:
    modules = [import_module(f"{__package__}.{path.stem}") for path in sorted(Path(__file__).parent.glob("test_*.py"))]
    found = {
        match[1]
        for module in modules
        for name, value in vars(module).items()
        if callable(value) and value.__module__ == module.__name__ and (match := re.match(r"test_(v\d\d)_", name))
    }
    assert found == IDS
