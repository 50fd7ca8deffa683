"""Every row of the tables of edge cases (rules.md 7.1, 7.2) is a test, and no row is two."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

IDS = [f"m{number:02}" for number in range(1, 86)] + [f"d{number:02}" for number in range(1, 25)]


def test_every_row_m01_to_m85_and_d01_to_d24_is_one_test_with_its_number_in_its_name() -> None:
    modules = [import_module(f"{__package__}.{path.stem}") for path in sorted(Path(__file__).parent.glob("test_*.py"))]
    found = [
        match[1]
        for module in modules
        for name, value in vars(module).items()
        if callable(value) and value.__module__ == module.__name__ and (match := re.match(r"test_([md]\d\d)_", name))
    ]
    assert sorted(found) == sorted(IDS)
