"""What a shell completes, and what ``esr`` answers to a typing error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bots.cli.esr import COMMANDS
from bots.cli.frame import USAGE
from games.registry import GAMES
from tests.bots.cli.bots import Esr

ASK = """\
source ./completion.bash
COMP_WORDS=(esr {words}) COMP_CWORD={at}
$(complete -p esr | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def completed(esr: Esr, tmp_path: Path) -> object:
    """What bash completes in an empty folder after ``words``, of which the last is incomplete."""
    (tmp_path / "completion.bash").write_text(esr("completion", "bash").out)

    def ask(*words: str) -> set[str]:
        typed = " ".join(f"'{word}'" for word in words)
        command = ["bash", "--norc", "-c", ASK.format(words=typed, at=len(words))]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
        assert run.stderr == ""
        return {word.rstrip("/ ") for word in run.stdout.split()}

    return ask


def test_bash_completes_commands_options_games_and_files(completed: object, tmp_path: Path) -> None:
    (tmp_path / "mybot").mkdir()
    assert callable(completed)
    assert completed("") >= {command.name for command in COMMANDS}
    assert completed("ch") == {"check"}
    assert completed("play", "--ga") == {"--games"}
    assert completed("play", "") == set(GAMES)
    assert completed("new-bot", "--game", "edel-stein-reich-d") == {"edel-stein-reich-duel"}
    assert completed("check", "my") == {"mybot"}
    assert completed("cup", "en") == {"enter"}
    assert completed("cup", "list", "--state", "fin") == {"finished"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh", "powershell"])
def test_every_shell_has_a_script_that_knows_every_command(esr: Esr, shell: str) -> None:
    run = esr("completion", shell)
    assert run.status == 0
    assert all(command.name in run.out for command in COMMANDS)
    assert esr("completion", shell, "--json").document["script"] == run.out.removesuffix("\n")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["chek", "mybot"], "check"),
        (["repaly-decision"], "replay-decision"),
        (["cup", "entr", "a", "b"], "enter"),
        (["cup", "list", "--state", "finishd"], "finished"),
        (["check", "mybot", "--sandbx"], "--sandbox"),
        (["cup", "list", "--mien"], "--mine"),
        (["rules", "edel-stien-reich"], "edel-stein-reich"),
        (["play", "edel-stein-reich", "house:gredy", "house:random", "house:random"], "greedy"),
    ],
)
def test_a_typing_error_gets_the_nearest_word(esr: Esr, typed: list[str], meant: str) -> None:
    run = esr(*typed)
    assert (run.status, run.out) == (USAGE, "")
    assert f"Did you mean {meant}?" in " ".join(run.err.split())


def test_a_word_that_resembles_nothing_gets_no_guess(esr: Esr) -> None:
    for words in (["dance"], ["check", "mybot", "--zzz"], ["rules", "chess"]):
        run = esr(*words)
        assert run.status == USAGE
        assert "Did you mean" not in run.err
