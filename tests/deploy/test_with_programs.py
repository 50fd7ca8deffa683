"""The files of ``deploy/`` as their own programs read them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from tests.services.tools import program

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ROOT = Path(settings.BASE_DIR)
DEPLOY = ROOT / "deploy"


def fails(*command: str | Path, cwd: Path = DEPLOY, **environment: str) -> str:
    """What the command prints if it fails, otherwise an empty string."""
    run = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return (run.stdout + run.stderr or f"exit code {run.returncode}") if run.returncode else ""


def test_nginx_accepts_its_configuration(tmp_path: Path) -> None:
    nginx = program("nginx", "nginx", tmp_path)
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=arena.example.org"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    text = (DEPLOY / "nginx" / "steinreich.conf").read_text(encoding="utf-8")
    site, whole = tmp_path / "site.conf", tmp_path / "nginx.conf"
    whole.write_text(f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; include {site}; }}")
    site.write_text(text.replace("/etc/letsencrypt/live/arena.example.org", str(tmp_path)))
    assert fails(nginx, "-t", "-c", whole) == ""
    site.write_text(site.read_text().replace("proxy_buffering off", "proxy_buffering sometimes"))
    assert "proxy_buffering" in fails(nginx, "-t", "-c", whole)


def test_caddy_accepts_its_configuration(tmp_path: Path) -> None:
    caddy = program("caddy", "caddy", tmp_path)
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    validate = (caddy, "validate", "--adapter", "caddyfile", "--config")
    assert fails(*validate, DEPLOY / "caddy" / "Caddyfile", **home) == ""
    other = tmp_path / "Caddyfile"
    other.write_text((DEPLOY / "caddy" / "Caddyfile").read_text(encoding="utf-8").replace("max_size", "least_size"))
    assert "least_size" in fails(*validate, other, **home)


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = program("systemd-analyze", "systemd", tmp_path)
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text(encoding="utf-8").replace("/srv/steinreich", str(ROOT))
        text = text.replace("/opt/steinreich-worker/bin/steinreich-worker", str(ROOT / "manage.py"))
        (tmp_path / path.name).write_text(text)
    units = [tmp_path / path.name.replace("@.", "@web.") for path in (DEPLOY / "systemd").iterdir()]
    assert fails(analyze, "verify", "--man=no", *units, cwd=tmp_path) == ""
    (tmp_path / "steinreich-backup.timer").write_text("[Timer]\nOnCalendar=every night\n")
    assert "steinreich-backup" in fails(analyze, "verify", "--man=no", tmp_path / "steinreich-backup.timer")


def test_docker_compose_accepts_the_services_only_with_a_password(tmp_path: Path) -> None:
    compose = program("docker-compose", "docker-compose", tmp_path)
    given = (DEPLOY / "steinreich.env").read_text(encoding="utf-8")
    settings_file = tmp_path / "steinreich.env"
    config = (compose, "--env-file", settings_file, "config")
    settings_file.write_text(f"{given}POSTGRES_PASSWORD=0123456789abcdef\n")
    assert fails(*config, STEINREICH_ENV=str(settings_file)) == ""
    settings_file.write_text(given)
    assert re.search("POSTGRES_PASSWORD", fails(*config, STEINREICH_ENV=str(settings_file)))
