"""The guides for operators: their settings start a site, and their commands exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from esr_platform.api import urls
from esr_platform.bodies import FORM_BYTES
from esr_platform.supervisor import processes

DOCS = Path(settings.BASE_DIR) / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "manage.py" in page.read_text(encoding="utf-8")]
DEPLOY = (DOCS / "guides" / "deploy.md").read_text(encoding="utf-8")


def test_the_settings_of_the_guide_pass_the_check_of_a_public_site(tmp_path: Path) -> None:
    block = re.search(r"```ini\n(ALLOWED_HOSTS=.*?)```", DEPLOY, flags=re.DOTALL)
    assert block
    given = dict(line.split("=", 1) for line in block[1].splitlines())
    run = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": "", **given, "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    warnings = set(re.findall(r"\(security\.(W\d+)\)", run.stderr))
    assert warnings == set(re.findall(r"`(W\d+)`", DEPLOY))


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


def test_nginx_buffers_no_stream() -> None:
    location = re.search(r"location ~ (\S+) \{\n[^}]*proxy_buffering off", DEPLOY)
    assert location
    routes = [f"/api/v1/{pattern.pattern}" for pattern in urls.urlpatterns]
    streams = [route for route in routes if route.endswith("stream")]
    assert len(streams) >= 4
    assert [path for path in streams if not re.search(location[1], path)] == []


def test_the_processes_of_the_guide_are_those_of_the_supervisor() -> None:
    for process in (processes.bots({}), processes.host({}), processes.default({})):
        arguments = list(process.arguments)
        assert f"--queues {arguments[arguments.index('--queues') + 1]} " in DEPLOY
    web = " ".join(processes.web("", 0, {}).arguments)
    for option in ("esr_platform.asgi:application", "--http esr_platform.handover:WebProtocol", "--lifespan off"):
        assert option in web
        assert option in DEPLOY


def test_the_proxies_of_the_guide_accept_the_largest_upload() -> None:
    sizes = [int(size) for size in re.findall(r"(?:client_max_body_size|max_size) (\d+)(?:m;|MB)", DEPLOY)]
    assert len(sizes) == 2
    assert all(size * 1_000_000 > settings.MAX_EXECUTABLE_ARCHIVE_BYTES + FORM_BYTES for size in sizes)
