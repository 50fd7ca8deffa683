"""``--command`` and ``--python``: bots that run as in the shell of their author."""

from __future__ import annotations

import shlex
import sys
import venv
from pathlib import Path

import pytest

from bots.cli.frame import FOUND, USAGE
from tests.bots.cli.bots import DUEL, Esr, bot

GAME = "edel-stein-reich-duel"


def line_of(folder: Path) -> str:
    """The command line of a bot's folder, for another interpreter than the site's."""
    return shlex.join([sys.executable, str(folder / "bot.py")])


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with one package, ``torchlet``."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "torchlet.py").write_text("WEIGHT = 3\n")
    return folder


def test_a_command_plays_against_a_house_bot(esr: Esr, tmp_path: Path) -> None:
    run = esr("play", GAME, "house:random", "--command", line_of(bot(tmp_path)), "--seed", 7, "--json")
    assert run.status == 0
    (game,) = run.document["games"]
    assert game["bots"] == ["random", "bot.py"]
    assert (game["strikes"], game["forfeits"]) == ([[], []], [])


def test_several_commands_sit_after_the_bots_and_play_at_once(esr: Esr, tmp_path: Path) -> None:
    line = line_of(bot(tmp_path))
    words = ("--command", line, "--command", line, "--games", 2, "--parallel", 2, "--json")
    run = esr("play", "edel-stein-reich", "house:random", *words)
    assert run.status == 0
    assert [game["bots"] for game in run.document["games"]] == [["random", "bot.py", "bot.py#2"]] * 2


def test_play_reports_that_commands_run_without_a_sandbox(esr: Esr, tmp_path: Path) -> None:
    run = esr("play", GAME, "house:random", "--command", line_of(bot(tmp_path)))
    assert "--python run without a sandbox" in " ".join(run.out.split())


@pytest.mark.parametrize("command", ["no-such-program --fast", "'", ""])
def test_a_command_that_is_not_installed_is_a_usage_error(esr: Esr, command: str) -> None:
    assert esr("play", GAME, "house:random", "--command", command).status == USAGE
    assert esr("check", "--command", command or " ").status == USAGE


def test_a_command_is_checked_in_the_formats_that_a_manifest_names(esr: Esr, tmp_path: Path) -> None:
    program = bot(tmp_path)
    about = tmp_path / "about"
    about.mkdir()
    (about / "bot.toml").write_text(f'language = "executable"\ncommand = ["built"]\n{DUEL}')
    run = esr("check", about, "--command", line_of(program), "--json")
    assert run.status == 0
    assert [(result["game"], result["ok"]) for result in run.document["formats"]] == [(GAME, True)]


def test_a_command_without_a_manifest_is_checked_everywhere(esr: Esr, tmp_path: Path) -> None:
    run = esr("check", "--command", line_of(bot(tmp_path)), "--json")
    assert run.status == 0
    assert [result["ok"] for result in run.document["formats"]] == [True] * 7
    assert run.document["bot"] == "bot.py"


def test_nothing_to_check_is_refused(esr: Esr) -> None:
    assert esr("check").status == USAGE
    assert esr("play", GAME).status == USAGE


def test_a_bot_finds_the_packages_of_a_virtual_environment(esr: Esr, tmp_path: Path, environment: Path) -> None:
    folder = bot(tmp_path, "import torchlet; assert torchlet.WEIGHT == 3")
    assert esr("check", folder).status == FOUND, "it is not installed for the site's interpreter"
    for python in (environment, environment / "bin" / "python"):
        assert esr("check", folder, "--python", python).status == 0
    run = esr("play", GAME, "house:random", folder, "--python", environment, "--json")
    assert run.document["games"][0]["strikes"] == [[], []]


def test_a_decision_is_replayed_with_the_packages_of_a_virtual_environment(
    esr: Esr, tmp_path: Path, environment: Path
) -> None:
    folder, logs = bot(tmp_path, "import torchlet"), tmp_path / "logs"
    esr("check", folder, "--python", environment, "--logs", logs)
    (record,) = logs.glob("*.record.json")
    plies = [ply for ply in range(30) if esr("replay-decision", record, ply, folder, "--json").status != USAGE]
    assert esr("replay-decision", record, plies[0], folder, "--python", environment).status == 0
    assert esr("replay-decision", record, plies[0], folder).status == FOUND


def test_a_folder_that_is_not_a_virtual_environment_is_refused(esr: Esr, tmp_path: Path) -> None:
    run = esr("check", bot(tmp_path), "--python", tmp_path)
    assert run.status == USAGE
    assert str(tmp_path) in run.err


@pytest.mark.parametrize("option", ["--command", "--python"])
def test_the_sandbox_rejects_commands_and_other_interpreters(esr: Esr, tmp_path: Path, option: str) -> None:
    value = line_of(bot(tmp_path)) if option == "--command" else sys.executable
    assert esr("play", GAME, "house:random", "house:random", "--sandbox", option, value).status == USAGE
    assert esr("check", tmp_path / "mine", "--sandbox", option, value).status == USAGE
