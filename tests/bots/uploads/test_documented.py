"""``docs/reference/uploads.md`` describes the languages, the codes and the limits of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bots.archives import ArchiveLimits
from bots.languages import LANGUAGES
from bots.limits import allowances
from bots.models import BotVersion
from bots.protocol import Limits
from bots.sandbox.limits import THREADS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "uploads.md").read_text(encoding="utf-8")
SOURCES = (*(ROOT / "bots" / "archives").glob("*.py"), ROOT / "bots" / "languages.py", ROOT / "bots" / "executables.py")


def test_the_settings_take_what_the_reader_of_archives_takes() -> None:
    limits, reader = allowances(), ArchiveLimits()
    assert (limits.archive_bytes, limits.unpacked_bytes) == (reader.archive_bytes, reader.unpacked_bytes)
    assert (limits.file_bytes, limits.files) == (reader.file_bytes, reader.files)


def test_the_page_has_the_limits_of_a_bot() -> None:
    assert f"up to {THREADS} threads and {Limits().memory_mb} MiB of memory" in PAGE


def test_the_page_has_the_languages() -> None:
    for language in LANGUAGES.values():
        assert f"| `{language.name}` | {language.about} |\n" in PAGE


@pytest.mark.parametrize("state", BotVersion.State)
def test_the_page_has_the_states_of_a_version(state: BotVersion.State) -> None:
    assert f"| `{state.value}` | {state.label} |" in PAGE


def codes() -> set[str]:
    """The codes of all reasons to reject a file: literals in calls of ``FileFault`` and ``ArchiveRefused``."""
    trees = [ast.parse(source.read_text()) for source in SOURCES]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    place = {"FileFault": 0, "ArchiveRefused": 1}
    given = [
        call.args[place[call.func.id]] for call in calls if isinstance(call.func, ast.Name) and call.func.id in place
    ]
    return {
        argument.value for argument in given if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def test_the_page_has_every_code_of_a_rejected_file() -> None:
    table = PAGE.partition("| code | reason |")[2].partition("\n\n")[0]
    listed = set(re.findall(r"`([a-z0-9_]+)`", table))
    assert len(codes()) > 40
    assert codes() - listed == set()
