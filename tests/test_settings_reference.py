"""``docs/reference/settings.md`` is written by ``make docs`` and contains every variable of the settings."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

import environ
import pytest

from esr_platform.accounts.social import elsewhere
from tools import settings_reference

SETTINGS = Path(__file__).parents[1] / "esr_platform" / "settings.py"
DOCUMENTED = {setting.name for setting in settings_reference.settings()}


def test_the_page_is_up_to_date() -> None:
    page = settings_reference.PAGE.read_text(encoding="utf-8")
    assert page == settings_reference.page(), "Run `make docs`."


def test_every_variable_that_the_settings_read_is_on_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read = set[str]()

    class Recorder(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            read.add(name)
            return super().__getitem__(name)

    monkeypatch.setattr(environ.Env, "ENVIRON", Recorder({**os.environ, "VAR_DIR": str(tmp_path)}))
    runpy.run_path(str(SETTINGS))
    assert len(read) > 40
    assert read <= DOCUMENTED


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
