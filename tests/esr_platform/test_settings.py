from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from bots.runner.spec import MatchSpec, SeatSpec
from esr_platform.environment import database


def test_a_worker_gets_one_message_at_a_time_and_keeps_it_until_it_is_done() -> None:
    assert settings.CELERY_TASK_ACKS_LATE
    assert settings.CELERY_TASK_REJECT_ON_WORKER_LOST
    assert settings.CELERY_WORKER_PREFETCH_MULTIPLIER == 1


def test_a_match_fits_into_its_limits_and_no_message_comes_twice_while_it_runs() -> None:
    longest_match = MatchSpec("", tuple(SeatSpec(str(seat), None) for seat in range(5)), b"").budget_ms / 1000
    limits = (settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT)
    visible_again = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    assert longest_match < limits[0] < limits[1] < visible_again


def test_every_scheduled_and_routed_task_exists() -> None:
    from esr_platform.celery import app

    app.loader.import_default_modules()
    named = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} | set(settings.CELERY_TASK_ROUTES)
    assert named <= set(app.tasks)


def test_a_worker_that_starts_loads_no_pages(tmp_path: Path) -> None:
    """They take 35 MB in each process, and only the web server needs them."""
    script = """
import sys
from esr_platform.celery import app
app.loader.import_default_modules()
sys.exit("esr_platform.urls" in sys.modules)
"""
    environment = {**os.environ, "VAR_DIR": str(tmp_path)}
    assert (
        subprocess.run([sys.executable, "-c", script], cwd=settings.BASE_DIR, env=environment, check=False).returncode
        == 0
    )


def test_a_database_connection_serves_many_tasks() -> None:
    from celery.fixups.django import DjangoWorkerFixup

    from esr_platform.celery import app

    assert DjangoWorkerFixup(app).db_reuse_max == settings.CELERY_DB_REUSE_MAX


def test_sqlite_takes_the_write_lock_when_a_transaction_begins(tmp_path: Path) -> None:
    found = database("", tmp_path / "db.sqlite3")
    assert found["NAME"] == str(tmp_path / "db.sqlite3")
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert found["ATOMIC_REQUESTS"] is False


def test_a_database_url_names_a_postgresql_server(tmp_path: Path) -> None:
    found = database("postgres://ada@db.example:5433/ladder", tmp_path)
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example", 5433, "ladder")


def test_a_data_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "var"
    command = [sys.executable, "manage.py", "check"]
    run = subprocess.run(  # noqa: PLW1510
        command, cwd=settings.BASE_DIR, env={**os.environ, "VAR_DIR": str(place)}, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert run.stderr == f"{place} cannot be written (Not a directory): mend that, or set VAR_DIR to another folder.\n"


@pytest.mark.django_db
def test_every_change_of_a_model_has_its_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db
def test_a_page_may_load_nothing_from_elsewhere_and_no_inline_script(client: Client) -> None:
    headers = client.get("/no-such-page/").headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
