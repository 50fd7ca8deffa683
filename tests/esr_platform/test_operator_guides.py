"""The guides for operators: their commands exist, and print what they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

DOCS = Path(settings.BASE_DIR) / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "manage.py" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_management_command_of_a_page_exists_and_runs_in_the_environment(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"manage\.py ([a-z_-]+)", text))
    assert {name.replace("-", "_") for name in named} <= set(get_commands())
    assert re.findall(r"^ *[$#] (?:python3? )?manage\.py .*", text, flags=re.MULTILINE) == []


@pytest.mark.parametrize(("given", "used"), [({}, "WARNING"), ({"LOG_LEVEL": "INFO"}, "INFO")])
def test_a_command_prints_its_answer_and_logs_only_problems(tmp_path: Path, given: dict[str, str], used: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "LOG_LEVEL"}
    program = "import logging; print(logging.getLevelName(logging.getLogger().level))"
    run = subprocess.run(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", program],
        cwd=settings.BASE_DIR,
        env={**environment, "VAR_DIR": str(tmp_path), **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.split() == [used], run.stderr
