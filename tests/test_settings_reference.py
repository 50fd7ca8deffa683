"""``docs/reference/settings.md`` is written by ``make docs`` and contains every variable that the code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from esr_platform.accounts.social import elsewhere
from tools import settings_reference

ROOT = Path(__file__).parents[1]
OF_THE_SYSTEM = {"APPDATA", "PYTHONPATH", "XDG_CONFIG_HOME"}
DOCUMENTED = {setting.name for setting in settings_reference.settings()}
READS = {"os.environ.get", "os.getenv", "environ.get"}


def read_by(path: Path) -> Iterator[str]:
    """The names of the variables that a module reads; constants of the module are resolved."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]): node.value.value
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called, argument = ast.unparse(node.func), node.args[0]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            called, argument = "os.environ.get", node.slice
        else:
            continue
        if called in READS or re.fullmatch(r"env\.(?:str|int|bool|list|float|url|path|email_url|db_url|json)", called):
            yield from ([argument.value] if isinstance(argument, ast.Constant) else [])
            yield from ([constants[argument.id]] if isinstance(argument, ast.Name) and argument.id in constants else [])


def test_the_page_is_up_to_date() -> None:
    page = settings_reference.PAGE.read_text(encoding="utf-8")
    assert page == settings_reference.page(), "Run `make docs`."


def test_every_variable_that_the_code_reads_is_on_the_page() -> None:
    packages = ("games", "bots", "ladder", "esr_platform")
    modules = [path for package in packages for path in ROOT.glob(f"{package}/**/*.py")]
    read = {name for path in modules for name in read_by(path)}
    assert len(read) > 60
    assert read - OF_THE_SYSTEM <= DOCUMENTED


def test_every_variable_of_linked_accounts_is_on_the_page() -> None:
    class Recorder:
        read: set[str] = set()

        def str(self, name: str, default: str) -> str:
            self.read.add(name)
            return "https://login.example.org"

        def list(self, name: str, default: Any) -> Any:
            self.read.add(name)
            return default

    recorder: Any = Recorder()
    elsewhere(recorder)
    assert len(recorder.read) > 8
    assert recorder.read <= DOCUMENTED


def test_defaults_are_those_of_the_code() -> None:
    defaults = {setting.name: setting.default for setting in settings_reference.settings()}
    for name in ("MAX_BOTS_PER_USER", "MAX_EXHIBITION_MATCHES_PER_DAY", "BOT_LOG_DAYS"):
        assert defaults[name] == f"{getattr(settings, name):,}"
    assert defaults["MAX_ARCHIVE_BYTES"] == f"{settings.MAX_ARCHIVE_BYTES >> 20} MiB"


@pytest.mark.parametrize("setting", settings_reference.settings(), ids=lambda setting: setting.name)
def test_every_setting_has_an_effect_in_one_or_two_sentences(setting: settings_reference.Setting) -> None:
    assert re.fullmatch(r"[A-Z`][^|]+\.", setting.effect)
    assert len(setting.effect.split()) <= 15
    assert setting.default
