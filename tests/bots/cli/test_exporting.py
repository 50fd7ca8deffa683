"""Records of every size of table, judged by somebody who shares no code with the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.cli.series import check_file
from bots.sandbox import PlainLauncher
from games.record import to_json
from tests.bots.cli.exporting import GAMES_A_TABLE, TABLES, judged, play_all


@pytest.mark.slow
def test_records_of_every_table_with_strikes_and_forfeits_pass_the_judge(tmp_path: Path) -> None:
    reports = list(play_all(GAMES_A_TABLE, PlainLauncher()))
    lines = [to_json(report.record) for report in reports]
    assert len(lines) == GAMES_A_TABLE * len(TABLES) >= 300
    assert not judged(lines)

    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert not [checked.fault for checked in check_file(path) if checked.fault]

    forfeits = {forfeit.reason for report in reports for forfeit in report.forfeits}
    assert forfeits >= {"strikes", "exit", "not_ready", "time"}
    steps = (step for line in lines for step in json.loads(line)["steps"])
    defaults = {step["default"] for step in steps if "default" in step}
    assert defaults >= {"late", "malformed", "too_long", "wrong_id", "illegal", "forfeit"}
