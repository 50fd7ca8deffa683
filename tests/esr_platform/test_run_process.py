"""``manage.py run_process`` becomes the process that it names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from django.conf import settings

from tests.services.ports import free_port, wait_until


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as response:
            return response.status == 200
    except URLError:
        return False


@pytest.mark.slow
def test_the_web_server_runs_in_place_of_the_command_and_ends_at_a_signal(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "manage.py", "run_process", "web", "--port", str(port)]
    environment = {**os.environ, "VAR_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    with subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment) as process:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/livez"), "the web server answers")
            assert b"uvicorn" in Path(f"/proc/{process.pid}/cmdline").read_bytes()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) in (0, -signal.SIGTERM)
        finally:
            process.kill()


def test_a_public_site_without_settings_for_email_starts_no_process(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "manage.py", "run_process", "beat"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "VAR_DIR": str(tmp_path), "ALLOWED_HOSTS": "arena.example.org", "EMAIL_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "esr.E001" in run.stderr
