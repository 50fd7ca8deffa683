"""The files of ``deploy/``: they agree with the code, and the guides name each of them."""

from __future__ import annotations

import configparser
import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from django.conf import settings

from bots.sandbox import seccomp
from bots.worker.__main__ import CONFIGURATION
from esr_platform.api import urls
from esr_platform.bodies import FORM_BYTES
from esr_platform.health import CHECKS
from esr_platform.management.commands.run_process import PROCESSES, Command
from tests.services.ports import free_port
from tools import settings_reference

ROOT = Path(settings.BASE_DIR)
DEPLOY = ROOT / "deploy"
GUIDES = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "guides").glob("*.md")))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OF_THE_SITE = {name: service for name, service in SERVICES.items() if service["image"] == "steinreich"}
UNITS = sorted((DEPLOY / "systemd").iterdir())
WORKER_HOST = "steinreich-worker.service"
STARTS_BOTS = ("steinreich.service", "steinreich@.service", WORKER_HOST)
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
NGINX = (DEPLOY / "nginx" / "steinreich.conf").read_text(encoding="utf-8")
CADDY = (DEPLOY / "caddy" / "Caddyfile").read_text(encoding="utf-8")
SECCOMP = json.loads((DEPLOY / "seccomp.json").read_text(encoding="utf-8"))
KNOWN = {setting.name for setting in settings_reference.settings()} | {"FORWARDED_ALLOW_IPS"}


def unit(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep the case
    parser.read_string(path.read_text(encoding="utf-8"))
    return parser


def test_a_guide_names_each_file() -> None:
    for path in DEPLOY.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.name in GUIDES or path.name == "seccomp.json", path
    assert "seccomp=./seccomp.json" in GUIDES


def test_no_guide_has_a_copy_of_a_unit_or_of_the_configuration_of_a_proxy() -> None:
    assert re.findall(r"^(?:\[Service\]|ExecStart=|\s*proxy_pass|\s*reverse_proxy)", GUIDES, flags=re.MULTILINE) == []


# --- Settings and commands -------------------------------------------------------------------------------------------


def test_the_settings_exist() -> None:
    lines = (DEPLOY / "steinreich.env").read_text(encoding="utf-8").splitlines()
    named = {line.partition("=")[0] for line in lines if line and not line.startswith("#")}
    assert len(named) >= 6
    assert named <= KNOWN
    for service in OF_THE_SITE.values():
        assert {*service["environment"]} <= KNOWN
    assert {*re.findall(r"\b([A-Z_]+)=", DOCKERFILE)} - {"PATH", "PYTHONUNBUFFERED", "BASE"} <= KNOWN


def test_the_settings_of_a_public_site_pass_its_check(tmp_path: Path) -> None:
    lines = (DEPLOY / "steinreich.env").read_text(encoding="utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    run = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "", **given, "VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert {*re.findall(r"\(security\.(W\d+)\)", run.stderr)} == {*re.findall(r"`(W\d+)`", GUIDES)}


def test_each_process_of_the_site_runs_in_one_container() -> None:
    started = [service["command"][3] for service in OF_THE_SITE.values() if "run_process" in service["command"]]
    assert sorted(started) == sorted(PROCESSES)
    assert [name for name, service in OF_THE_SITE.items() if "prepare" in service["command"]] == ["prepare"]
    for name, service in OF_THE_SITE.items():
        assert name == "prepare" or service["depends_on"]["prepare"]["condition"] == "service_completed_successfully"


def test_the_guide_names_an_instance_of_the_unit_for_each_process() -> None:
    assert {*re.findall(r"`steinreich@(\w+)` \|", GUIDES)} == {*PROCESSES}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_of_the_site_as_its_user(path: Path) -> None:
    parsed = unit(path)
    if path.suffix == ".timer":
        assert (DEPLOY / "systemd" / f"{path.stem}.service").is_file()
        return
    service = parsed["Service"]
    if path.name in STARTS_BOTS:
        assert (service["Delegate"], service["KillMode"]) == ("yes", "mixed")
        hardening = [name for name in service if name.startswith(("Restrict", "Private", "Protect", "NoNew"))]
        assert hardening == [], "the sandbox needs namespaces and mounts"
    if path.name == WORKER_HOST:
        assert service["User"] == "steinreich-worker"
        assert service["EnvironmentFile"] == "/etc/steinreich-worker.env", "a worker host has no setting of the site"
        assert Path(service["ExecStart"]).name in SCRIPTS
        assert service["RestartPreventExitStatus"] == str(CONFIGURATION)
        return
    assert service["User"] == "steinreich"
    assert service["EnvironmentFile"] == "/etc/steinreich.env"
    assert service["WorkingDirectory"] == "/srv/steinreich"
    assert " manage.py " in service["ExecStart"]


# --- Containers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_has_a_read_only_root_and_no_privileges(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    assert name == "prepare" or service["healthcheck"]["test"]
    assert name == "prepare" or service["restart"] == "unless-stopped"


def test_no_container_runs_as_root() -> None:
    stages = [stage for stage in DOCKERFILE.split("\nFROM ") if "AS build" not in stage.splitlines()[0]]
    assert [*re.findall(r"^USER (\S+)", "\n".join(stages), flags=re.MULTILINE)] == ["10001:10001", "10001:10001"]
    for service in SERVICES.values():
        assert service["image"].startswith("steinreich") or service["user"] == "999:999"


def test_only_the_proxy_can_be_reached_and_the_data_has_no_way_out() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert COMPOSE["networks"]["data"]["internal"] is True
    for name in ("database", "redis"):
        assert SERVICES[name]["networks"] == ["data"]
    assert SERVICES["proxy"]["networks"] == ["outside"]


def test_only_the_containers_that_start_bots_have_the_options_of_the_sandbox() -> None:
    loosened = {name for name, service in SERVICES.items() if len(service["security_opt"]) > 1}
    assert loosened == {"bots", "live"}
    for name in loosened:
        assert f"bots:{SERVICES[name]['environment']['ESR_RUNTIME_DIR']}" in SERVICES[name]["volumes"]
    mount = COMPOSE["volumes"]["bots"]["driver_opts"]
    assert mount["type"] == "tmpfs"
    assert {"uid=10001", "gid=10001", "mode=0711"} <= {*mount["o"].split(",")}
    assert "noexec" not in mount["o"]


def test_the_seccomp_profile_has_each_system_call_of_a_bot() -> None:
    allowed = {name for rule in SECCOMP["syscalls"] for name in rule["names"] if rule["action"] == "SCMP_ACT_ALLOW"}
    assert SECCOMP["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {*seccomp.ALLOWED, *seccomp.CONDITIONAL} - allowed == set()
    dangerous = {"bpf", "init_module", "kexec_load", "keyctl", "ptrace", "reboot", "setns", "swapon"}
    assert dangerous & allowed == set()


def test_the_ignored_files_keep_all_that_the_image_runs() -> None:
    kept = re.findall(r"^!/(\S+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {"bots", "docs", "esr_platform", "games", "ladder", "manage.py", "requirements"} <= {*kept}
    assert [path for path in kept if not (ROOT / path).exists()] == []


# --- Health checks ---------------------------------------------------------------------------------------------------


class Answers(BaseHTTPRequestHandler):
    """A web server whose scheduler fails."""

    def do_GET(self) -> None:
        states = {"database": "ok", "scheduler": "failed", "queue": "unknown"}
        checks = [{"name": name, "state": state} for name, state in states.items()]
        body = json.dumps({"status": "failing", "failing": ["scheduler"], "checks": checks}).encode()
        self.send_response(503)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def failing() -> Iterator[str]:
    """The URL of a site whose scheduler fails."""
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def health(what: str, **environment: str) -> int:
    command = [sys.executable, str(DEPLOY / "healthcheck.py"), what]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=False).returncode


@pytest.mark.parametrize(("check", "code"), [("database", 0), ("scheduler", 1), ("queue", 1)])
def test_a_health_check_passes_only_if_the_check_of_the_site_is_ok(failing: str, check: str, code: int) -> None:
    assert health(check, WEB_URL=failing) == code


def test_a_health_check_fails_if_nothing_answers() -> None:
    assert health("scheduler", WEB_URL=f"http://127.0.0.1:{free_port()}") == 1


def test_the_streams_are_healthy_while_their_socket_takes_connections(tmp_path: Path) -> None:
    assert health("streams", VAR_DIR=str(tmp_path)) == 1
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(tmp_path / "streams-01234567.sock"))
        listener.listen()
        assert health("streams", VAR_DIR=str(tmp_path)) == 0
    assert health("streams", VAR_DIR=str(tmp_path)) == 1, "the socket of a process that was killed"


def test_the_health_checks_of_containers_exist() -> None:
    asked = [word for each in OF_THE_SITE.values() for word in each.get("healthcheck", {"test": []})["test"][3:]]
    assert len(asked) == 3
    assert {*asked} <= {"web", "streams", *(check.name for check in CHECKS)}


# --- Proxies ---------------------------------------------------------------------------------------------------------


def test_nginx_buffers_no_stream() -> None:
    location = re.search(r"location ~ (\S+) \{\n[^}]*proxy_buffering off", NGINX)
    assert location
    routes = [f"/api/v1/{pattern.pattern}" for pattern in urls.urlpatterns]
    streams = [route for route in routes if route.endswith("stream")]
    assert len(streams) >= 4
    assert [path for path in streams if not re.search(location[1], path)] == []


def test_the_proxies_accept_the_largest_upload() -> None:
    sizes = [int(size) for size in re.findall(r"(?:client_max_body_size|max_size) (\d+)(?:m;|MB)", NGINX + CADDY)]
    assert len(sizes) == 2
    assert all(size * 1_000_000 > settings.MAX_EXECUTABLE_ARCHIVE_BYTES + FORM_BYTES for size in sizes)


def test_the_proxies_connect_to_the_port_of_the_web_server() -> None:
    port = str(Command().create_parser("manage.py", "run_process").get_default("port"))
    assert {*re.findall(r"127\.0\.0\.1:(\d+)", NGINX + CADDY)} == {port}
    assert f"EXPOSE {port}" in DOCKERFILE
    assert SERVICES["proxy"]["environment"]["WEB"] == f"web:{port}"
