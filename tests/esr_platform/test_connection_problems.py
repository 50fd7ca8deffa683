"""If PostgreSQL cannot be reached, commands name its reason and no password."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyrage.x25519 import Identity

from esr_platform.disconnects import connection_problem
from tests.services.ports import free_port
from tests.services.workers import ROOT

REFUSED, UNKNOWN = ("127.0.0.1", "Connection refused"), ("db.invalid", "failed to resolve")


@pytest.mark.parametrize(
    ("command", "host", "reason"),
    [("health", *REFUSED), ("run", *REFUSED), ("prepare", *REFUSED), ("backup", *REFUSED), ("health", *UNKNOWN)],
)
def test_a_command_names_why_the_server_cannot_be_reached(command: str, host: str, reason: str, tmp_path: Path) -> None:
    arguments = {"run": ["--port", str(free_port())], "backup": [str(tmp_path / "site.backup")]}.get(command, [])
    keys = {name: str(Identity.generate().to_public()) for name in ("BACKUP_KEY", "BACKUP_DEALS_KEY")}
    url = f"postgres://ada:secret@{host}:{free_port()}/site"
    done = subprocess.run(
        [sys.executable, "manage.py", command, *arguments],
        cwd=ROOT,
        env={**os.environ, "VAR_DIR": str(tmp_path / "var"), "DATABASE_URL": url, "REDIS_URL": "", **keys},
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert reason in output
    assert not [word for word in ("Traceback", "Pool", "secret") if word in output], output


@pytest.mark.django_db
def test_a_database_that_accepts_connections_has_no_problem() -> None:
    assert connection_problem() == ""
