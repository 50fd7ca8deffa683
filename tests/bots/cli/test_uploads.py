"""``esr upload`` to a real site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bots.cli.frame import USAGE
from bots.models import BotVersion, Upload
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope
from tests.bots.cli.bots import Esr, bot
from tests.build import verified

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _signed_in(live_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    token = tokens.issue(verified("miriam"), "test", [Scope.READ, Scope.UPLOAD], None)[1]
    monkeypatch.setenv("ESR_SITE", live_server.url)
    monkeypatch.setenv("ESR_TOKEN", token)
    monkeypatch.setenv("ESR_CONFIG_DIR", str(tmp_path / "config"))


def test_an_upload_with_a_taken_name_is_refused_and_names_the_option_for_a_new_version(
    esr: Esr, tmp_path: Path
) -> None:
    folder = bot(tmp_path)
    assert esr("upload", folder, "--name", "Magpie", "--no-wait").status == 0
    (folder / "notes.txt").write_text("another version")
    refusal = esr("upload", folder, "--name", "Magpie", "--no-wait")
    assert refusal.status == USAGE
    assert "--bot SLUG" in refusal.err
    assert esr("upload", folder, "--bot", "magpie", "--no-wait").status == 0
    assert list(BotVersion.objects.order_by("number").values_list("bot__name", "number")) == [
        ("Magpie", 1),
        ("Magpie", 2),
    ]
    assert Upload.objects.count() == 3
