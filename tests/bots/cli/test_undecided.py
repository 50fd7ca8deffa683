"""What ``esr`` says and returns if there is no verdict about a bot, because its host was too busy or failed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.utils import timezone

from bots.cli import play_commands, site_commands
from bots.cli.frame import MACHINE
from bots.client import Client
from bots.models import BotVersion
from bots.protocol import Limits
from bots.runner import FakeProgram, PlatformFailure, Process
from bots.sandbox import InProcessLauncher
from bots.uploads.attempt import SITE_FAILED
from bots.validation import MOST_TRIES
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope
from games.rules import Document
from ladder.validations import validate_next
from tests.bots.cli.bots import Esr, bot
from tests.build import opened_house, verified


class BusyHost:
    """A launcher of bots that only server lag makes late at their start."""

    def start(self, program: object, limits: Limits) -> Process:
        def play(message: Document) -> Any:
            if message["type"] == "hello":
                Event().wait(1.05 * limits.startup_ms / 1000)
            return message["decision"]["default"] if message["type"] == "decide" else None

        return InProcessLauncher().start(FakeProgram(play, run_delay_ns=lambda: 10**12), limits)


class BrokenHost:
    """A launcher on a host that cannot start processes."""

    def start(self, program: object, limits: Limits) -> Process:
        raise PlatformFailure("no more processes")


def test_a_check_on_a_busy_host_has_a_separate_exit_code(
    esr: Esr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_commands, "launcher_for", lambda sandbox: BusyHost)
    run = esr("check", bot(tmp_path), "--limits", "startup_ms=100", "--json")
    assert run.status == MACHINE
    assert run.document["ok"] is None
    assert [(result["ok"], result["tries"]) for result in run.document["formats"]] == [(None, MOST_TRIES)]


@pytest.mark.django_db(transaction=True)
def test_an_upload_to_a_site_that_is_out_of_order_has_it_too(
    esr: Esr, tmp_path: Path, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_house()
    token = tokens.issue(verified("miriam"), "test", [Scope.READ, Scope.UPLOAD], None)[1]
    monkeypatch.setenv("ESR_SITE", live_server.url)
    monkeypatch.setenv("ESR_TOKEN", token)
    monkeypatch.setenv("ESR_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(site_commands, "_PAUSE_S", 0)
    get, attempts = Client.get, []

    def get_after_an_attempt(client: Client, path: str, **more: Any) -> Any:
        if "/versions/" in path:
            BotVersion.objects.update(tried=timezone.now() - timedelta(hours=1))
            attempts.append(validate_next(BrokenHost()))
        return get(client, path, **more)

    monkeypatch.setattr(Client, "get", get_after_an_attempt)
    run = esr("upload", bot(tmp_path), "--json")
    assert (run.status, attempts) == (MACHINE, [None] * MOST_TRIES)
    assert (run.document["state"], run.document["reason"]) == ("undecided", SITE_FAILED)
