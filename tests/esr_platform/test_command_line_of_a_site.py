"""``esr`` and the example bots against a whole site, started as a person starts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bots.cli.frame import USAGE
from bots.client import Client
from bots.house.catalogue import HOUSE
from tests.esr_platform.supervisor.test_site import Running, site
from tests.services.ports import wait_until
from tests.services.tools import missing, runs
from tests.services.workers import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples" / "remote"
PROGRAMS = {
    "manual": [sys.executable, "manual.py"],
    "python": [sys.executable, str(EXAMPLES / "python" / "bot.py")],
    "javascript": ["node", str(EXAMPLES / "javascript" / "bot.mjs")],
    "shell": ["sh", str(EXAMPLES / "shell" / "bot.sh")],
}
NEEDED = {"manual": (), "python": (), "javascript": ("node",), "shell": ("curl", "jq")}
MANUAL = re.compile(r"```python\n(import json, os.*?)```", flags=re.DOTALL)
OPEN = "edel-stein-reich-duel-open"
PEOPLE = """\
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from ladder.models import Ladder
from ladder.members.memberships import register
Ladder.objects.filter(players="hosted").update(open=False)  # the machine is for live games
for name in {names!r}:
    person = User.objects.create_user(username=name)
    print(name, tokens.issue(person, "tests", list(Scope), None)[1])
    if name != "ada":
        register(person, name.capitalize(), {{"edel-stein-reich-duel": [2]}})
"""


@dataclass
class Town:
    """A running site and the tokens of its people; everybody but ada has a remote bot of their own name."""

    running: Running
    tokens: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.running.port}"

    def environment(self, person: str) -> dict[str, str]:
        wanted = {"ESR_SITE": self.url, "ESR_TOKEN": self.tokens[person], "PYTHONPATH": str(ROOT)}
        return {**os.environ, **wanted, "ESR_CONFIG_DIR": str(self.running.data / "config")}

    def esr(self, *words: object, where: Path, seconds: int = 240) -> dict[str, Any]:
        """What a command of ada's, typed in the folder ``where``, answers to a machine."""
        command = [sys.executable, "-m", "bots.cli", *map(str, words), "--json"]
        known = self.environment("ada")
        done = subprocess.run(
            command, cwd=where, env=known, capture_output=True, text=True, timeout=seconds, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with site(tmp_path_factory.mktemp("site")) as running:
        running.plays(1)
        made = running.manage("shell", "--verbosity", "0", "-c", PEOPLE.format(names=["ada", *PROGRAMS]))
        assert made.returncode == 0, made.stderr
        tokens = dict(line.split() for line in made.stdout.splitlines() if " esr_" in line)
        assert set(tokens) == {"ada", *PROGRAMS}
        yield Town(running, tokens)


def test_a_house_bot_from_another_folder_climbs_the_open_ladder(town: Town, tmp_path: Path) -> None:
    (tmp_path / "mybot").mkdir()
    HOUSE["kontor"].write(tmp_path / "mybot")
    played = town.esr("play-remote", "mybot", "--ladder", OPEN, "--games", 3, "--at-once", 3, where=tmp_path)
    assert (played["bot"], played["incidents"]) == ("mybot", [])
    assert [game["status"] for game in played["games"]] == ["finished"] * len(played["games"])
    (bot,) = town.esr("status", "mybot", where=tmp_path)["bots"]
    (there,) = [place for place in bot["ladders"] if place["ladder"] == OPEN]
    assert there["games"] == sum(game["ladder"] == OPEN for game in played["games"]) >= 3
    assert there["rating"] != 1500
    assert bot["remote"]["games_at_once"] == 1

    number = played["games"][0]["game"]
    assert town.esr("watch", number, where=tmp_path)["status"] == "finished"
    assert town.esr("download", "--match", number, where=tmp_path)["ok"]
    assert town.esr("verify", f"match-{number}.json", where=tmp_path)["records"] == 1


def test_records_are_downloaded_and_the_next_time_only_those_that_are_new(town: Town, tmp_path: Path) -> None:
    with Client(town.url) as client:
        hosted = [ladder["slug"] for ladder in client.each("ladders") if ladder["players"] == "hosted"]

    def downloaded() -> int:
        return sum(int(town.esr("download", ladder, where=tmp_path)["games"]) for ladder in hosted)

    wait_until(lambda: downloaded() > 0, "the first deal has been open for a minute")
    path = next(path for path in tmp_path.glob("*.jsonl") if path.stat().st_size)
    with path.open("a") as file:
        file.write('{"match": 1, "cut of')
    downloaded()
    matches = [json.loads(line)["match"] for line in path.read_text().splitlines()]
    assert len(set(matches)) == len(matches) > 0


def test_a_folder_is_uploaded_and_checked(town: Town, tmp_path: Path) -> None:
    town.esr("new-bot", "citrine", "--game", "edel-stein-reich-duel", where=tmp_path)
    first = town.esr("upload", "citrine", where=tmp_path)
    assert (first["bot"], first["version"], first["state"]) == ("citrine", 1, "ready")
    assert town.esr("upload", "citrine", "--bot", "citrine", where=tmp_path)["version"] == 1
    (bot,) = town.esr("status", "citrine", where=tmp_path)["bots"]
    assert (bot["kind"], bot["version"]) == ("hosted", 1)


def test_a_login_is_kept_for_its_owner_alone(town: Town, tmp_path: Path) -> None:
    environment = {**town.environment("ada"), "ESR_CONFIG_DIR": str(tmp_path / "config")}
    del environment["ESR_SITE"], environment["ESR_TOKEN"]

    def typed(*words: str, said: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bots.cli", *words]
        return subprocess.run(command, env=environment, input=said, capture_output=True, text=True, check=False)

    assert "ESR_SITE" in typed("status").stderr
    assert typed("login", town.url, said="esr_" + "x" * 43).returncode == USAGE
    assert typed("login", town.url, said=town.tokens["ada"]).returncode == 0
    assert (tmp_path / "config" / "credentials.json").stat().st_mode & 0o777 == 0o600
    assert "Signed in as ada." in typed("status").stdout


def test_the_example_bots_play_whole_games(town: Town, tmp_path: Path) -> None:
    """All at once, so that they meet each other as well as house bots; the one of the manual is among them."""
    (manual,) = MANUAL.findall((ROOT / "docs" / "reference" / "remote-bot-api.md").read_text(encoding="utf-8"))
    assert len([line for line in manual.splitlines() if line.strip()]) <= 30
    (tmp_path / "manual.py").write_text(manual, encoding="utf-8")
    here = [name for name in PROGRAMS if all(runs(program, "--version") for program in NEEDED[name])]
    with ExitStack() as running, Client(town.url) as client:
        bots = {name: _started(town, name, tmp_path, running) for name in here}

        def played() -> bool:
            return all(_finished(client, name) or bot.poll() is not None for name, bot in bots.items())

        wait_until(played, "everybody has played a game", 240)
        for name, bot in bots.items():
            assert bot.poll() is None, (tmp_path / name).read_text()
            (player,) = [row for row in _finished(client, name)[0]["players"] if row["bot"] == name]
            assert (player["forfeit"], player["rank"] in (1, 2)) == ("", True)
    if len(here) < len(PROGRAMS):
        missing("only " + " and ".join(here) + " can be run on this machine")


def _started(town: Town, name: str, folder: Path, running: ExitStack) -> subprocess.Popen[bytes]:
    output = running.enter_context((folder / name).open("wb"))
    bot = subprocess.Popen(PROGRAMS[name], cwd=folder, env=town.environment(name), stdout=output, stderr=output)
    running.callback(bot.wait)
    running.callback(bot.kill)
    return bot


def _finished(client: Client, bot: str) -> list[dict[str, Any]]:
    return [match for match in client.each(f"bots/{bot}/matches") if match["status"] == "finished"]
