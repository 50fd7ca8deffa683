from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from esr_platform.accounts.demo import demo_login
from esr_platform.accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_site_on_ones_own_machine_has_a_login_that_works_and_stays(tmp_path: Path, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    client = Client(SERVER_NAME="localhost")
    login = demo_login(tmp_path)
    assert login is not None
    assert demo_login(tmp_path) == login
    client.post("/account/login/", {"login": login[0], "password": login[1]})
    assert client.get("/account/").status_code == 200
    assert (tmp_path / "demo-password").stat().st_mode & 0o077 == 0


def test_a_site_that_others_reach_has_no_default_account(tmp_path: Path, settings: Settings) -> None:
    for hosts in (["arena.example.org"], ["localhost", "arena.example.org"], ["*"]):
        settings.ALLOWED_HOSTS = hosts
        assert demo_login(tmp_path) is None
    assert not User.objects.exists()
