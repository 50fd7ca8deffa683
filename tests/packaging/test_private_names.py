"""Names that begin with an underscore belong to their module."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("bench", "bots", "esr_platform", "games", "ladder", "tests", "tools")


def test_no_module_imports_a_private_name_of_another_one() -> None:
    imported = [
        (str(path.relative_to(ROOT)), node.module, name.name)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] in PACKAGES)
        for name in node.names
        if name.name.startswith("_") and not name.name.startswith("__")
    ]
    assert imported == []
