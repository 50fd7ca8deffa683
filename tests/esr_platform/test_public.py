"""A site that others reach: it says what it still needs before it starts, and nobody has an account there already."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as project
from django.contrib.sessions.models import Session
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


def test_a_public_site_has_secure_cookies_and_hsts_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    script = (
        "import esr_platform.asgi; from django.conf import settings as s;"
        "print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS, s.SECURE_SSL_REDIRECT)"
    )
    assert python(tmp_path, "-c", script, **READY).stdout == "True True 2592000 False\n"
    own = {"SECURE_HSTS_SECONDS": "60", "SECURE_SSL_REDIRECT": "yes"}
    assert python(tmp_path, "-c", script, **READY, **own).stdout == "True True 60 True\n"
    plain = {**READY, "SITE_URL": "http://10.0.0.7", "SECURE_COOKIES": "no"}
    assert python(tmp_path, "-c", script, **plain).stdout == "False False 0 False\n"
    run = python(tmp_path, "-c", script, **{**plain, "SECURE_COOKIES": ""})
    assert (run.returncode, run.stdout) == (1, "")
    assert "SECURE_COOKIES=no" in run.stderr


@pytest.mark.parametrize("key", ["a", "a" * 80, "django-insecure-" + "abcdefghijklmnopqrstuvwxyz0123456789" * 2])
def test_a_weak_secret_key_is_refused_on_every_site(tmp_path: Path, key: str) -> None:
    run = python(tmp_path, "manage.py", "check", SECRET_KEY=key)
    assert run.returncode == 1
    assert "SECRET_KEY is weak" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_weak_earlier_key_decrypts_factors_and_verifies_no_signature(tmp_path: Path) -> None:
    script = """
import esr_platform.asgi
from django.conf import settings
from django.core import signing
from django.test import override_settings
from esr_platform.accounts.factors import Adapter
strong, weak = settings.EARLIER_SECRET_KEYS
for key in (strong, weak):
    with override_settings(SECRET_KEY=key, SECRET_KEY_FALLBACKS=[], EARLIER_SECRET_KEYS=[]):
        signed, stored = signing.dumps("me"), Adapter().encrypt("factor")
    try:
        found = signing.loads(signed)
    except signing.BadSignature:
        found = None
    print(found, Adapter().decrypt(stored))
"""
    earlier = "abcdefghijklmnopqrstuvwxyz0123456789" * 2 + ",a weak key"
    assert python(tmp_path, "-c", script, SECRET_KEY_FALLBACKS=earlier).stdout == "me factor\nNone factor\n"


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
def test_on_a_public_site_the_right_password_of_the_demo_account_is_a_wrong_one(
    tmp_path: Path, settings: Settings
) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    login = demo_login(tmp_path)
    assert login is not None
    settings.ALLOWED_HOSTS = ["localhost", "arena.example.org"]
    pages = []
    for password in (login[1], "wrong"):
        client = Client(SERVER_NAME="localhost")
        page = client.post("/account/login/", {"login": login[0], "password": password})
        pages.append((page.status_code, page.content.decode().partition("<form")[0]))
    assert pages[0][0] == 200
    assert pages[0] == pages[1]
    assert not Session.objects.exists()


@pytest.mark.django_db
def test_the_tables_are_made_without_anybody_in_them() -> None:
    assert not User.objects.exists()
