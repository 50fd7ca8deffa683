"""A checkout in which a newcomer has followed the guides: git and the linters see only the project."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from bots.starter_kits import bot_files
from games.registry import GAMES
from tests.services.tools import missing, runs

ROOT = Path(__file__).resolve().parents[2]
UNUSED = "from __future__ import annotations\n\nimport os\n"
START = ROOT / "docs" / "start" / "bot-in-10-minutes.md"
COMPARE = ROOT / "docs" / "guides" / "compare-versions.md"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The settings of the project with the folders that the guides create and one faulty file of the project."""
    for name in ("pyproject.toml", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    (environment,) = re.findall(r"^\$ python3 -m venv (\w+)$", START.read_text("utf-8"), flags=re.MULTILINE)
    bots = re.findall(r"^\$ esr new-bot (\w+) ", START.read_text("utf-8") + COMPARE.read_text("utf-8"), re.MULTILINE)
    assert bots
    for bot in bots:
        write_bot(tmp_path / bot)
    for folder in (environment, "games"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "unused.py").write_text(UNUSED)
    return tmp_path


def write_bot(folder: Path) -> None:
    folder.mkdir()
    for name, text in starter().items():
        (folder / name).write_text(text, encoding="utf-8")


@cache
def starter() -> dict[str, str]:
    return bot_files("mine", GAMES["edel-stein-reich"])


def test_ruff_checks_the_project_without_created_bots_and_environments(checkout: Path) -> None:
    words = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "json", "."]
    faults = json.loads(subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False).stdout)
    assert {Path(fault["filename"]).relative_to(checkout).as_posix() for fault in faults} == {"games/unused.py"}


def test_git_shows_the_project_without_created_bots_and_environments(checkout: Path) -> None:
    if not runs("git", "--version"):
        missing("git does not run")
    subprocess.run(["git", "init", "-q"], cwd=checkout, check=True)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=checkout, capture_output=True, text=True, check=True)
    assert {line[3:] for line in status.stdout.splitlines()} == {".gitignore", "games/", "pyproject.toml"}


def test_make_check_runs_every_tool_even_if_the_first_ones_fail(tmp_path: Path) -> None:
    """No tool is installed here, so that each of them fails."""
    if not runs("make", "--version"):
        missing("make does not run")
    shutil.copy(ROOT / "Makefile", tmp_path)
    sources = "requirements/dev.txt requirements/uv.txt tools/venv package.json package-lock.json tools/node-modules"
    for name in (*sources.split(), ".venv/.dev", "node_modules/.ready"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    done = subprocess.run(["make", "check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode
    failed = set(re.findall(r"\[Makefile:\d+: ([\w-]+)\]", done.stderr))
    assert failed >= {
        *("check-style", "check-format", "check-types", "check-templates", "check-imports", "check-migrations"),
        *("check-js-style", "check-js-types"),
    }
