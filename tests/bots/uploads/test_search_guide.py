"""The guide ``docs/guides/write-a-search-bot.md``: its bot is uploaded as it is on the page, and plays everywhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.cli.esr import main
from bots.cli.programs import packed
from bots.runner import HouseProgram, LocalProgram
from bots.sandbox import PlainLauncher, SandboxLauncher
from bots.sandbox.portable import PortableStarter
from bots.uploads.upload import upload_new_bot
from esr_platform.accounts.models import User
from tests.bots.sandbox.programs import duel, folder_of
from tests.bots.uploads.brought import DUEL_ONLY, check

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "write-a-search-bot.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
(MANIFEST,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def searcher() -> Iterator[Path]:
    """The folder with the bot, in a folder that every user can reach."""
    with folder_of({}) as folder:
        (folder / "searcher").mkdir(mode=0o755)
        (folder / "searcher" / "bot.py").write_text(PROGRAM, encoding="utf-8")
        (folder / "searcher" / "bot.toml").write_text(MANIFEST, encoding="utf-8")
        yield folder / "searcher"


def test_the_bot_has_as_many_lines_as_the_title_says() -> None:
    (lines,) = re.findall(r"^# A search bot in (\d+) lines$", PAGE, flags=re.MULTILINE)
    assert len(PROGRAM.splitlines()) == int(lines)
    assert max(map(len, PROGRAM.splitlines())) <= 120


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_bot_is_uploaded_and_validated(ada: User, searcher: Path, sandbox_launcher: SandboxLauncher) -> None:
    bot = packed(searcher)
    version = check(upload_new_bot(ada, "", bot.filename, bot.data).pk, sandbox_launcher)
    assert version is not None
    assert (version.state, version.reason, version.formats) == ("ready", "", DUEL_ONLY)
    assert [result["problems"] for result in (version.validation_report or {})["formats"]] == [[]]


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["sandboxed", "limited", "portable"])
def test_the_bot_wins_a_game_against_random_moves_without_a_strike(
    searcher: Path, profile: str, request: pytest.FixtureRequest
) -> None:
    if profile == "sandboxed":
        launcher = request.getfixturevalue("sandbox_launcher")
    else:
        launcher = PlainLauncher(PortableStarter()) if profile == "portable" else PlainLauncher()
    report = duel(launcher, LocalProgram(searcher), HouseProgram("random"))
    assert report.forfeits == ()
    assert report.seats[0].strikes == ()
    assert report.record["outcome"]["ranks"] == [1, 2]


@pytest.mark.slow
def test_the_commands_of_the_page_succeed(searcher: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(searcher.parent)
    commands = [shlex.split(line) for line in re.findall(r"^\$ esr (.*)$", PAGE, flags=re.MULTILINE)]
    assert [words[0] for words in commands] == ["check", "play", "play", "upload"]
    for words in commands[:-1]:
        short = ["--games", "1"] if words[0] == "play" else []
        assert main([*words, *short]) == 0
