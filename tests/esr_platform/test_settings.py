from __future__ import annotations

import os
import runpy
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.management import CommandError, call_command
from django.test import Client
from pyrage.x25519 import Identity
from pytest_django import Settings

from bots.runner.spec import MatchSpec, SeatSpec
from esr_platform.accounts import tokens
from esr_platform.accounts.demo import demo_login
from esr_platform.accounts.factors import MFAAdapter
from esr_platform.accounts.models import Scope, User
from esr_platform.environment import database, uploads_storage
from esr_platform.public import is_local_url, is_public, lacks
from esr_platform.secret import private_folder, secret_key


def test_a_match_fits_into_its_limits_and_no_message_comes_twice_while_it_runs() -> None:
    longest_match = MatchSpec("", tuple(SeatSpec(str(seat), None) for seat in range(5)), b"").budget_ms / 1000
    limits = (settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT)
    visible_again = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    assert longest_match < limits[0] < limits[1] < visible_again


SETTINGS = Path(settings.BASE_DIR) / "esr_platform" / "settings.py"
Read = Callable[..., dict[str, Any]]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Execute the settings of a site in ``tmp_path`` with more environment variables."""
    for name in ("ALLOWED_HOSTS", "SITE_URL", "EMAIL_URL", "SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", "")

    def read(**environment: str) -> dict[str, Any]:
        with monkeypatch.context() as context:
            for name, value in environment.items():
                context.setenv(name, value)
            return runpy.run_path(str(SETTINGS))

    return read


@pytest.mark.parametrize("value", ["", "staff@example.org", " staff@example.org\n"])
def test_the_contact_is_one_email_address_or_empty(read: Read, value: str) -> None:
    assert read(CONTACT_EMAIL=value)["CONTACT_EMAIL"] == value.strip()


@pytest.mark.parametrize("value", ["staff", "https://example.org", "a@example.org, b@example.org", "Staff <a@b.org>"])
def test_a_site_does_not_start_with_a_contact_that_is_no_email_address(read: Read, value: str) -> None:
    with pytest.raises(SystemExit, match="CONTACT_EMAIL"):
        read(CONTACT_EMAIL=value)


WRONG = [
    ("MIN_FREE_DISK_BYTES", "abc"),
    ("MIN_FREE_DISK_BYTES", "1GiB"),
    ("MIN_FREE_DISK_BYTES", ""),
    ("MIN_FREE_DISK_BYTES", "-1"),
    ("MAX_PAGES_AT_ONCE", "abc"),
    ("MAX_PAGES_AT_ONCE", "0"),
    ("MAX_PAGES_AT_ONCE", "-1"),
    ("CUP_SHARE", "half"),
    ("CUP_SHARE", "0"),
    ("CUP_SHARE", "1"),
    ("WORKER_RECHECK_PERCENT", "101"),
    ("DEBUG", "maybe"),
    ("LOG_LEVEL", "LOUD"),
    ("LOG_FORMAT", "JSON"),
    ("LOG_FORMAT", "xml"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "abc"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://localhost:4317"),
    ("UPLOADS_S3_ENDPOINT", "abc"),
]
WRONG_AND_SECRET = [
    ("SENTRY_DSN", "abc"),
    ("SENTRY_DSN", "https://sentry.example.org"),
    ("SENTRY_DSN", "https://secret@sentry.example.org"),
    ("SENTRY_DSN", "https://secret@sentry.example.org:abc/1"),
    ("EMAIL_URL", "foo"),
    ("EMAIL_URL", "smtp+tls://"),
    ("EMAIL_URL", "smtp+tls://ada:secret@mail.example.org:abc"),
    ("DATABASE_URL", "foo"),
    ("DATABASE_URL", "mysql://ada:secret@db.example.org/site"),
    ("DATABASE_URL", "postgres://ada:secret@db.example.org"),
    ("DATABASE_URL", "postgres://ada:secret@db.example.org:abc/site"),
    ("REDIS_URL", "foo"),
    ("REDIS_URL", "redis://:secret@localhost:abc"),
    ("BACKUP_KEY", "AGE-SECRET-KEY-1"),
    ("BACKUP_DEALS_KEY", "age1x"),
]


@pytest.mark.parametrize(("name", "value"), WRONG + WRONG_AND_SECRET)
def test_a_wrong_value_ends_the_start_with_one_line_that_names_the_setting(read: Read, name: str, value: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        read(**{name: value})
    message = str(stopped.value)
    assert message.startswith(name)
    assert f"{name}=" in message, "an example"
    assert "\n" not in message
    assert (repr(value) in message) is ((name, value) in WRONG)
    assert "secret" not in message


@pytest.mark.parametrize(
    "name",
    [
        *("MAX_PAGES_AT_ONCE", "MAX_PAGES_PER_MINUTE", "MAX_UNFINISHED_HEADS_PER_IP", "MAX_UNFINISHED_BODIES_PER_IP"),
        *("MAX_STREAMS_PER_CLIENT", "MAX_STREAMS_PER_PROCESS", "MAX_LEASES_PER_WORKER_HOST"),
        *("MAX_VALIDATION_SECONDS", "MAX_EXPORT_BYTES"),
        *("MAX_ARCHIVE_BYTES", "MAX_UNPACKED_BYTES", "MAX_ARCHIVE_FILES"),
        *("MAX_EXECUTABLE_ARCHIVE_BYTES", "MAX_EXECUTABLE_UNPACKED_BYTES"),
    ],
)
def test_a_limit_that_would_stop_the_site_at_0_starts_at_1(read: Read, name: str) -> None:
    with pytest.raises(SystemExit, match=f"^{name} must be a whole number from 1"):
        read(**{name: "0"})
    read(**{name: "1"})


def test_equal_backup_keys_end_the_start(read: Read) -> None:
    key = str(Identity.generate().to_public())
    assert read(BACKUP_KEY=key)["BACKUP_KEY"] == key
    with pytest.raises(SystemExit, match="BACKUP_KEY and BACKUP_DEALS_KEY are equal"):
        read(BACKUP_KEY=key, BACKUP_DEALS_KEY=key)


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("MIN_FREE_DISK_BYTES", "0", 0),
        ("MAX_GUEST_SEATS", "0", 0),
        ("MAX_PAGES_AT_ONCE", " 1 ", 1),
        ("CUP_SHARE", "0.25", 0.25),
        ("DEBUG", "False", False),
        ("DEBUG", "yes", True),
        ("SENTRY_DSN", "https://key@sentry.example.org/path/1", "https://key@sentry.example.org/path/1"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1]:4318", "http://[::1]:4318"),
        ("REDIS_URL", "rediss://:secret@localhost:6379/1", "rediss://:secret@localhost:6379/1"),
    ],
)
def test_a_right_value_is_read(read: Read, name: str, value: str, meant: object) -> None:
    assert read(**{name: value})[name] == meant


def test_an_empty_mail_server_prints_emails(read: Read) -> None:
    assert read(EMAIL_URL="")["EMAIL_BACKEND"] == "esr_platform.accounts.console.EmailBackend"


def test_a_test_email_that_no_server_takes_names_the_setting(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(CommandError, match="EMAIL_URL"):
        call_command("sendtestemail", "ada@example.org")


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


def test_sqlite_takes_the_write_lock_when_a_transaction_begins(tmp_path: Path) -> None:
    values = database("", tmp_path / "db.sqlite3")
    assert values["NAME"] == str(tmp_path / "db.sqlite3")
    assert values["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert values["ATOMIC_REQUESTS"] is False


def test_a_database_url_names_a_postgresql_server(tmp_path: Path) -> None:
    values = database("postgres://ada@db.example:5433/ladder", tmp_path)
    assert values["ENGINE"] == "django.db.backends.postgresql"
    assert (values["HOST"], values["PORT"], values["NAME"]) == ("db.example", 5433, "ladder")


def test_a_data_folder_that_cannot_be_made_is_named(read: Read, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=str(tmp_path / "file" / "var")):
        read(VAR_DIR=str(tmp_path / "file" / "var"))


@pytest.mark.django_db
def test_a_page_may_load_nothing_from_elsewhere_and_no_inline_script(client: Client) -> None:
    headers = client.get("/no-such-page/").headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_data_folder_that_others_could_read_is_closed_with_its_database(read: Read, tmp_path: Path) -> None:
    folder, database = tmp_path / "var", tmp_path / "var" / "db.sqlite3"
    folder.mkdir(mode=0o755)
    (folder / "db.sqlite3-wal").touch(mode=0o644)
    read(VAR_DIR=str(folder))
    assert (mode(folder), mode(database), mode(folder / "db.sqlite3-wal")) == (0o700, 0o600, 0o600)


def test_a_folder_into_which_others_write_is_no_data_folder() -> None:
    place = Path(tempfile.gettempdir())
    before = mode(place)
    with pytest.raises(PermissionError, match="other users"):
        private_folder(place)
    assert mode(place) == before


def test_the_folder_of_uploads_exists_from_the_start_for_the_user_alone(tmp_path: Path) -> None:
    uploads_storage(tmp_path / "uploads", "", "")
    assert mode(tmp_path / "uploads") == 0o700


def test_a_file_system_of_its_own_is_closed_to_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    private_folder(tmp_path)
    assert mode(tmp_path) == 0o700


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "secret-key"
    key = secret_key(path)
    assert len(key) >= 50
    assert secret_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_all_who_ask_at_once_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: secret_key(tmp_path / "secret-key"), range(32)))
    assert len(keys) == 1


CONSOLE = "django.core.mail.backends.console.EmailBackend"
PUBLIC = {"ALLOWED_HOSTS": "arena.example.org"}
READY = {**PUBLIC, "SITE_URL": "https://arena.example.org", "EMAIL_URL": "smtp://mail.example.org:25"}


def test_a_public_site_that_can_send_no_letters_does_not_start(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if name not in READY}
    run = subprocess.run(
        [sys.executable, "-c", "import esr_platform.asgi"],
        cwd=settings.BASE_DIR,
        env={**clean, "VAR_DIR": str(tmp_path), "DATABASE_URL": "", **PUBLIC},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "Set EMAIL_URL" in run.stderr
    assert "Set SITE_URL" in run.stderr
    assert "Traceback" not in run.stderr


def test_debug_is_no_way_to_run_a_public_site(settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL = ["arena.example.org"], "https://arena.example.org"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert lacks() == []
    settings.DEBUG = True
    assert [problem.id for problem in lacks()] == ["esr.E003"]


def test_a_public_site_names_its_hosts(settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL = ["arena.example.org", "*"], "https://arena.example.org"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert [problem.id for problem in lacks()] == ["esr.E005"]
    settings.ALLOWED_HOSTS = ["arena.example.org", ".example.org"]
    assert lacks() == []


@pytest.mark.parametrize(
    ("environment", "cookies", "hsts", "redirect"),
    [
        ({}, True, 2_592_000, False),
        ({"SECURE_HSTS_SECONDS": "60", "SECURE_SSL_REDIRECT": "yes"}, True, 60, True),
        ({"SITE_URL": "http://10.0.0.7"}, True, 2_592_000, False),
        ({"SITE_URL": "http://10.0.0.7", "SECURE_COOKIES": "no"}, False, 0, False),
    ],
)
def test_a_public_site_has_secure_cookies_and_hsts_unless_it_is_told_otherwise(
    read: Read, environment: dict[str, str], cookies: bool, hsts: int, redirect: bool
) -> None:
    values = read(**{**READY, **environment})
    assert values["SESSION_COOKIE_SECURE"] is values["CSRF_COOKIE_SECURE"] is cookies
    assert (values["SECURE_HSTS_SECONDS"], values["SECURE_SSL_REDIRECT"], values["DEBUG"]) == (hsts, redirect, False)


def test_a_public_site_without_https_says_that_nobody_can_sign_in(settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL = ["10.0.0.7"], "http://10.0.0.7"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.SESSION_COOKIE_SECURE = True
    assert [problem.id for problem in lacks()] == ["esr.E004"]
    settings.SESSION_COOKIE_SECURE = False
    assert lacks() == []


@pytest.mark.parametrize("key", ["a", "a" * 80, "django-insecure-" + "abcdefghijklmnopqrstuvwxyz0123456789" * 2])
def test_a_weak_secret_key_is_refused_on_every_site(read: Read, key: str) -> None:
    with pytest.raises(SystemExit, match="SECRET_KEY is weak"):
        read(SECRET_KEY=key)


def test_a_weak_earlier_key_decrypts_factors_and_verifies_no_signature(read: Read, settings: Settings) -> None:
    strong, weak = "abcdefghijklmnopqrstuvwxyz0123456789" * 2, "a weak key"
    new = read(SECRET_KEY_FALLBACKS=f"{strong},{weak}")
    signed, stored = {}, {}
    for key in (strong, weak):
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS, settings.EARLIER_SECRET_KEYS = key, [], []
        signed[key], stored[key] = signing.dumps("me"), MFAAdapter().encrypt("factor")
    for name in ("SECRET_KEY", "SECRET_KEY_FALLBACKS", "EARLIER_SECRET_KEYS"):
        setattr(settings, name, new[name])
    assert {MFAAdapter().decrypt(secret) for secret in stored.values()} == {"factor"}
    assert signing.loads(signed[strong]) == "me"
    with pytest.raises(signing.BadSignature):
        signing.loads(signed[weak])


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
