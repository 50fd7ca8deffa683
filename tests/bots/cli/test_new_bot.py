"""``esr new-bot``: a first bot for any game that plays as it is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bots.cli.frame import USAGE
from bots.manifest import parse, read_folder
from bots.starter_kits import KITS, Kit, bot_files, examples
from games.registry import GAMES
from tests.bots.cli.bots import Esr

pytestmark = pytest.mark.slow

FILES = ["AGENTS.md", "README.md", "bot.py", "bot.toml", "examples.json", "strategy.py", "test_bot.py"]


@pytest.mark.parametrize("slug", GAMES)
def test_a_new_bot_passes_the_check_at_every_table_of_its_game(esr: Esr, tmp_path: Path, slug: str) -> None:
    folder = tmp_path / "my bot"
    made = esr("new-bot", folder, "--game", slug, "--json")
    assert [Path(file).name for file in made.document["files"]] == FILES
    report = esr("check", folder, "--json")
    assert report.status == 0, report.out
    assert [table["seats"] for table in report.document["formats"]] == list(GAMES[slug].seat_counts)


@pytest.mark.parametrize("slug", GAMES)
def test_tests_of_the_new_bot_pass_alone_and_under_pytest(tmp_path: Path, slug: str) -> None:
    write(tmp_path, slug)
    plain = [sys.executable, "-S", "-E", "-s", "-B", "test_bot.py"]
    for words in (plain, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "."]):
        done = subprocess.run(words, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("slug", GAMES)
def test_tests_of_the_new_bot_find_an_illegal_answer(tmp_path: Path, slug: str) -> None:
    write(tmp_path, slug)
    source = (tmp_path / "strategy.py").read_text(encoding="utf-8")
    broken = source.replace("method = getattr", "return 'anything'\n        method = getattr")
    assert broken != source
    (tmp_path / "strategy.py").write_text(broken, encoding="utf-8")
    done = run_tests(tmp_path)
    assert done.returncode == 1
    assert "test_every_answer_is_legal" in done.stderr


@pytest.mark.parametrize("slug", GAMES)
def test_the_new_bot_needs_only_the_standard_library(slug: str) -> None:
    for name, text in bot_files("mine", GAMES[slug]).items():
        if name.endswith(".py"):
            lines = [line.split() for line in text.splitlines() if line.startswith(("import ", "from "))]
            modules = {words[1].partition(".")[0] for words in lines}
            assert modules <= {*sys.stdlib_module_names, "strategy"}, name


@pytest.mark.parametrize("slug", GAMES)
def test_the_examples_are_messages_of_the_game_one_of_every_kind_it_asks(slug: str) -> None:
    game = GAMES[slug]
    shown = examples(game)
    Draft202012Validator(GAMES[slug].schema("hello")).validate(shown["hello"])
    for question in shown["questions"]:
        Draft202012Validator(GAMES[slug].schema("decide")).validate(question)
    kinds = {question["decision"]["kind"] for question in shown["questions"]}
    shapes = GAMES[slug].schema("decision")["oneOf"]
    possible = {shape["properties"]["kind"]["const"] for shape in shapes}
    assert kinds <= possible
    assert len(possible - kinds) <= 1  # a free choice needs five seats
    assert [question["id"] for question in shown["questions"]] == list(range(1, len(shown["questions"]) + 1))
    assert bot_files("mine", game) == bot_files("mine", game)


def test_the_new_bot_has_the_name_of_its_folder(esr: Esr, tmp_path: Path) -> None:
    folder = tmp_path / 'Rübe "7"'
    assert esr("new-bot", folder, "--game", "edel-stein-reich").status == 0
    assert read_folder(folder).name == 'Rübe "7"'
    assert read_folder(folder).formats == tuple(("edel-stein-reich", seats) for seats in (3, 4, 5))
    assert json.loads((folder / "examples.json").read_text(encoding="utf-8"))["hello"]["game"] == "edel-stein-reich"


def test_nothing_is_overwritten(esr: Esr, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    run = esr("new-bot", tmp_path, "--game", "edel-stein-reich")
    assert run.status == USAGE
    assert str(tmp_path) in run.err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_invalid_name_is_refused(esr: Esr, tmp_path: Path) -> None:
    assert esr("new-bot", tmp_path / ("x" * 41), "--game", "edel-stein-reich").status == USAGE


@pytest.mark.parametrize("kit", KITS.values(), ids=KITS.keys())
def test_a_kit_in_any_language_has_a_manifest_and_describes_its_files_and_commands(kit: Kit) -> None:
    files = bot_files("mine", GAMES["die-weinhaendler"], kit.name)
    manifest = parse(files["bot.toml"].encode())
    assert (manifest.language, manifest.entry) == (kit.language, kit.entry)
    assert manifest.formats == tuple(("die-weinhaendler", seats) for seats in (3, 4, 5))
    assert all(f"`{name}`" in files["README.md"] for name in files if name != "README.md")
    assert all(command in files["README.md"] for command in (kit.build, kit.test, kit.needs))
    assert "$" not in files["README.md"] + files["AGENTS.md"]
    assert all(words in files["AGENTS.md"] for words in (kit.strategy, kit.test, "/llms.txt"))
    assert bool(kit.needs) == (kit.entry not in files)


@pytest.mark.parametrize("kit", KITS.values(), ids=KITS.keys())
def test_the_tests_of_a_kit_pass_for_every_game(tmp_path: Path, kit: Kit) -> None:
    tools = {"javascript": "node", "java": "javac", "c": "cc", "cpp": "c++", "rust": "cargo", "go": "go"}
    tool = tools.get(kit.name, "python")
    if shutil.which(tool) is None or (tool == "cargo" and not has_toolchain()):
        pytest.skip(f"{tool} is not installed; `make outside` installs it")
    (tmp_path / "package.json").write_text('{"type": "module"}')  # a kit does not depend on the folder around it
    for slug in GAMES:
        folder = tmp_path / slug
        folder.mkdir()
        write(folder, slug, kit.name)
        for command in filter(None, (kit.build, kit.test)):
            done = subprocess.run(command.split(), check=False, cwd=folder, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr


def has_toolchain() -> bool:
    """Whether Cargo works: that of rustup needs a toolchain in the home folder."""
    return subprocess.run(["cargo", "--version"], check=False, capture_output=True).returncode == 0


def write(folder: Path, slug: str, language: str = "python") -> None:
    for name, text in bot_files("mine", GAMES[slug], language).items():
        (folder / name).write_text(text, encoding="utf-8")


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "test_bot.py"]
    return subprocess.run(words, check=False, cwd=folder, capture_output=True, text=True, timeout=180)
