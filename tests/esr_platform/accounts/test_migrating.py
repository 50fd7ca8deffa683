"""The way of an older database to this version, in processes of its own as on a site."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def manage(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "VAR_DIR": str(folder)}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_names_that_differ_in_case_stop_a_migration_with_what_to_do_and_that_helps(tmp_path: Path) -> None:
    assert manage(tmp_path, "migrate", "accounts", "0001").returncode == 0
    person = (
        "INSERT INTO accounts_user (username, email, password, first_name, last_name, is_staff, is_active,"
        " is_superuser, date_joined) VALUES (?, '', '', '', '', 0, 1, 0, '2026-01-01')"
    )
    with sqlite3.connect(tmp_path / "db.sqlite3") as database:
        database.executemany(person, [("Anna",), ("anna",), ("Bert",)])
    refused = manage(tmp_path, "migrate", "accounts", "0002")
    assert refused.returncode == 1
    assert "differ only in upper and lower case, which is no longer possible: Anna, anna." in refused.stderr
    advice = refused.stderr.split('shell -c "')[1].split('"')[0]
    helped = manage(tmp_path, "shell", "-c", advice.replace("'Old'", "'anna'").replace("'New'", "'anna2'"))
    assert helped.returncode == 0, helped.stderr
    migrated = manage(tmp_path, "migrate", "accounts", "0002")
    assert migrated.returncode == 0, migrated.stderr
