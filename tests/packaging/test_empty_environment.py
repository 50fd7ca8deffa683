"""Install the built wheel into an empty virtual environment and write a bot that plays. Needs a package index."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from games.registry import GAMES
from tests.bots.sandbox.programs import HONEST
from tests.bots.tournaments.ledgers import STORED
from tests.examples import pages
from tests.packaging.sources import ROOT, copy_to, distributions

pytestmark = pytest.mark.slow
SITE_ONLY = ("django", "celery", "redis", "structlog", "pettingzoo", "gymnasium", "numpy", "scipy", "rustworkx")


class Empty:
    """A virtual environment with the installed wheel, used from a folder without a checkout."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        self.home = home

    def run(self, program: str, *words: object) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO"))}
        command = [str(self.bin / program), *map(str, words)]
        return subprocess.run(command, check=False, cwd=self.home, env=clean, capture_output=True, text=True)

    def esr(self, *words: object) -> dict[str, Any]:
        done = self.run("esr", *words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Empty:
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    environment = Empty(folder, tmp_path_factory.mktemp("home"))
    _, wheel = distributions(copy_to(tmp_path_factory.mktemp("sources")), tmp_path_factory.mktemp("distributions"))
    done = environment.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    assert done.returncode == 0, done.stdout + done.stderr
    return environment


@pytest.mark.parametrize("module", SITE_ONLY)
def test_the_library_has_no_dependencies_of_the_site_and_learning(empty: Empty, module: str) -> None:
    done = empty.run("python", "-c", f"import {module}")
    assert done.returncode == 1
    assert f"No module named '{module}'" in done.stderr


@pytest.mark.parametrize("slug", GAMES)
def test_from_nothing_to_a_match(empty: Empty, slug: str) -> None:
    game = GAMES[slug]
    empty.esr("new-bot", slug, "--game", slug)
    tested = empty.run("python", Path(slug, "test_bot.py"))
    assert tested.returncode == 0, tested.stderr
    checked = empty.esr("check", slug)
    assert [table["seats"] for table in checked["formats"]] == list(game.seat_counts)
    seats = game.seat_counts[-1]
    table = [slug] * (seats - 1)
    played = empty.esr("play", slug, *table, "house:random", "--games", 2, "--parallel", 2, "--record", f"{slug}.jsonl")
    assert [row["strikes"] + row["forfeits"] for row in played["table"]] == [0] * seats
    assert empty.esr("verify", f"{slug}.jsonl")["records"] == 2


def test_a_bot_imports_the_games_of_the_installed_library(empty: Empty) -> None:
    folder = empty.home / "importer"
    folder.mkdir()
    source = "import sys, games.sampling; sys.stderr.write(games.__version__)\n" + HONEST
    (folder / "bot.py").write_text(source, encoding="utf-8")
    played = empty.esr("play", "edel-stein-reich-duel", folder, "house:random", "--games", 1, "--logs", "imported")
    assert [row["strikes"] + row["forfeits"] for row in played["table"]] == [0, 0]
    (log,) = (empty.home / "imported").glob("*.seat0.log.json")
    document = json.loads(log.read_text(encoding="utf-8"))
    assert document["stderr_tail"] == document["starts"][0]["hello"]["library"]


def test_a_cup_without_matchings_is_verified(empty: Empty) -> None:
    ledger = json.loads(STORED.read_text(encoding="utf-8"))["knockout 3"]
    (empty.home / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")
    assert empty.esr("verify-cup", "ledger.json")["state"] == "finished"


def test_a_decision_is_asked_again_under_the_debugger(empty: Empty) -> None:
    empty.esr("new-bot", "looked-into", "--game", "edel-stein-reich-duel")
    empty.esr("play", "edel-stein-reich-duel", "looked-into", "house:random", "--seed", 7, "--logs", "logs")
    stem = "logs/edel-stein-reich-duel-2-game0"
    log = json.loads((empty.home / f"{stem}.seat0.log.json").read_text(encoding="utf-8"))
    ply = log["decisions"][2]["ply"]
    words = ("replay-decision", f"{stem}.record.json", ply, "looked-into", "--log", f"{stem}.seat0.log.json")
    assert [answer["as_played"] for answer in empty.esr(*words)["answers"]] == [True] * 3


def test_rules_and_games_are_shown(empty: Empty) -> None:
    assert {game["game"] for game in empty.esr("games")["games"]} == GAMES.keys()
    for slug, game in GAMES.items():
        assert empty.run("esr", "rules", slug).stdout.startswith(f"# {game.name}")
    assert empty.run("esr", "--version").stdout.startswith("esr 0.")


def test_the_examples_of_the_library_run_without_the_site(empty: Empty) -> None:
    library = [page for page in pages(ROOT) if page.parent.name == "python" and page.stem != "environments"]
    shown = [ROOT / "README.md", ROOT / "docs" / "start" / "library.md", *library]
    done = empty.run("python", ROOT / "tests" / "examples.py", *shown)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_seen_from_outside(empty: Empty) -> None:
    """mypy, from the environment of these tests, reads the installed package as a typed one."""
    source = empty.home / "uses.py"
    source.write_text(
        "from games.registry import GAMES\n"
        "from bots.runner import MatchReport\n"
        "reveal_type(GAMES['edel-stein-reich'].new(3, bytes(32)).pending)\n"
        "def seats(report: MatchReport) -> int:\n    return report.wall_us\n",
        encoding="utf-8",
    )
    words = ["--strict", "--config-file=", "--cache-dir", empty.home / "cache", "--python-executable"]
    command = [sys.executable, "-m", "mypy", *words, empty.bin / "python", source]
    done = subprocess.run(list(map(str, command)), check=False, cwd=empty.home, capture_output=True, text=True)
    assert "builtins.tuple[builtins.int, ...]" in done.stdout or "tuple[int, ...]" in done.stdout, done.stdout
    assert done.returncode == 0, done.stdout
