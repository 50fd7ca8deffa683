"""Schemathesis over the whole API: what the document promises, the server keeps. Its report is kept for people."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from bots.models import BotVersion
from esr_platform.accounts.models import Scope
from ladder.models import Ladder
from tests.esr_platform.api.conftest import Program, person

pytestmark = pytest.mark.slow

ARTEFACTS = Path(os.environ.get("TEST_ARTEFACTS", "test-artefacts")).resolve()
CONFIG = Path(__file__).with_name("schemathesis.toml")
ELSEWHERE = {"bot_stream", "lobby_stream", "seat_stream", "table_stream", "next_decision", "game_decision", "records"}
"""Streams, long polls and bulk export: they have tests of their own."""


@pytest.fixture
def everything(played: Ladder, settings: Settings) -> Program:
    """Somebody with a bot that plays and a token that may do everything, on a site that counts nobody's requests."""
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 10**9)
    settings.MAX_UPLOADS_PER_HOUR = settings.MAX_BOTS_PER_USER = settings.MAX_BOTS_EVER_PER_USER = 10**6
    miriam = person("miriam", *Scope)
    assert miriam.upload(name="Citrine").status_code == 201
    BotVersion.objects.filter(bot__slug="citrine").update(state="ready", active=True)
    return miriam


def schemathesis(folder: Path, url: str, headers: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("schemathesis"), "--config-file", CONFIG, "run", f"{url}/api/v1/schema"]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    for name in sorted(ELSEWHERE):
        command += ["--exclude-operation-id", name]
    command += ["--no-color", *options]
    return subprocess.run(map(str, command), cwd=folder, capture_output=True, text=True, check=False, timeout=540)


@pytest.mark.parametrize("examples", [1, pytest.param(10, marks=pytest.mark.nightly)])
def test_schemathesis_finds_nothing(everything: Program, live_server: Any, tmp_path: Path, examples: int) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    run = schemathesis(
        tmp_path,
        live_server.url,
        everything.headers,
        *("--checks", "all", "--max-examples", str(examples), "--seed", "15", "--workers", "1"),
        *("--report", "html,junit", "--report-html-path", str(ARTEFACTS / "schemathesis")),
        *("--report-junit-path", str(ARTEFACTS / "schemathesis.xml")),
    )
    (ARTEFACTS / "schemathesis.txt").write_text(run.stdout, encoding="utf-8")
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr
