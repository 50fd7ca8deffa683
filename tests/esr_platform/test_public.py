"""A site that others reach: it says what it still needs before it starts, and nobody has an account there already."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as project
from django.test import Client
from pytest_django import Settings

from esr_platform.accounts import tokens
from esr_platform.accounts.demo import demo_login
from esr_platform.accounts.models import Scope, User
from esr_platform.public import is_local_url, is_public, lacks

CONSOLE = "django.core.mail.backends.console.EmailBackend"
PUBLIC = {"ALLOWED_HOSTS": "arena.example.org"}
READY = {**PUBLIC, "SITE_URL": "https://arena.example.org", "EMAIL_URL": "smtp://mail.example.org:25"}


def python(place: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in READY}
    return subprocess.run(
        [sys.executable, *words],
        cwd=project.BASE_DIR,
        env={**clean, "VAR_DIR": str(place), "DATABASE_URL": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("start", [("manage.py", "run"), ("-c", "import esr_platform.asgi"), ("manage.py", "check")])
def test_a_public_site_that_can_send_no_letters_does_not_start(tmp_path: Path, start: tuple[str, ...]) -> None:
    run = python(tmp_path, *start, **PUBLIC)
    assert run.returncode == 1
    assert "Set EMAIL_URL" in run.stderr
    assert "Set SITE_URL" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_public_site_that_has_everything_starts_and_keeps_its_cookies_to_itself(tmp_path: Path) -> None:
    script = (
        "import esr_platform.asgi; from django.conf import settings as s;"
        "print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.DEBUG)"
    )
    run = python(tmp_path, "-c", script, **READY)
    assert run.stdout == "True True False\n", run.stderr


def test_debug_is_no_way_to_run_a_public_site(settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL = ["arena.example.org"], "https://arena.example.org"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert lacks() == []
    settings.DEBUG = True
    assert [problem.id for problem in lacks()] == ["esr.E003"]


def test_ones_own_machine_needs_nothing(settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.EMAIL_BACKEND = ["localhost"], CONSOLE
    assert lacks() == []


@pytest.mark.parametrize("hosts", [["*"], ["localhost", "arena.example.org"], [".localhost"], ["192.168.0.2"]])
def test_a_name_that_others_can_reach_makes_a_site_public(hosts: list[str]) -> None:
    assert is_public(hosts)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000", True),
        ("http://[::1]:8000", True),
        ("http://[::1]", True),
        ("http://127.0.0.1", True),
        ("https://arena.example.org", False),
        ("https://localhost.example.org:8000", False),
    ],
)
def test_an_address_of_the_machine_itself_is_known(url: str, local: bool) -> None:
    assert is_local_url(url) is local


@pytest.mark.django_db
def test_a_demo_account_that_moved_to_a_public_site_opens_nothing_there(tmp_path: Path, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    login = demo_login(tmp_path)
    assert login is not None
    client = Client(SERVER_NAME="localhost")
    client.post("/account/login/", {"login": login[0], "password": login[1]})
    secret = tokens.issue(User.objects.get(), "x", [Scope.UPLOAD], None)[1]
    assert client.get("/account/").status_code == 200
    settings.ALLOWED_HOSTS = ["localhost", "arena.example.org"]
    assert client.get("/account/").status_code == 302, "its session is over"
    assert tokens.find(secret) is None
    again = Client(SERVER_NAME="localhost")
    again.post("/account/login/", {"login": login[0], "password": login[1]})
    assert again.get("/account/").status_code == 302


@pytest.mark.django_db
def test_the_tables_are_made_without_anybody_in_them() -> None:
    assert not User.objects.exists()
