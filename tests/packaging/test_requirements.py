"""The direct dependencies in ``requirements/*.in`` and their lock files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "requirements"
DIRECT = [
    (path.stem, line)
    for path in sorted(FOLDER.glob("*.in"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith(("#", "-r"))
]
LOCKED = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))


def numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


@pytest.mark.parametrize(("group", "line"), DIRECT)
def test_every_dependency_has_a_lower_bound_of_a_locked_version(group: str, line: str) -> None:
    match = re.match(r"([\w.-]+)(?:\[[\w,]+\])?(?:>=|~=)([\d.]+)", line)
    assert match is not None
    name, bound = match.groups()
    versions = re.findall(rf"^{re.escape(name.replace('_', '-'))}==([^ ;]+)", LOCKED, re.MULTILINE | re.IGNORECASE)
    assert min(map(numbers, versions))[:2] == numbers(bound)[:2]


def test_only_the_extra_s3_needs_django_storages() -> None:
    assert [group for group, line in DIRECT if line.startswith("django-storages")] == ["s3"]
    assert "django-storages" not in (FOLDER / "base.txt").read_text(encoding="utf-8")


def test_make_check_continues_after_a_tool_that_fails_and_names_all_that_failed(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for tool in ("ruff", "mypy", "djlint", "lint-imports", "python"):
        script = tmp_path / tool
        script.write_text(f"#!/bin/sh\necho {tool} >> {ran}\n{'true' if tool == 'djlint' else 'false'}\n")
        script.chmod(0o755)
    (tmp_path / ".dev").touch()
    steps = "check-lint check-types check-templates check-imports"
    command = ["make", "check", f"VENV={tmp_path}", f"BIN={tmp_path}", f"CHECKS={steps}", "-o", f"{tmp_path}/.dev"]
    said = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said.returncode != 0
    assert ran.read_text().split() == ["ruff", "mypy", "djlint", "lint-imports", "python"]
    assert "Failed: check-lint check-types check-imports\n" in said.stderr
