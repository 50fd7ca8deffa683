"""The pages on environments: the tables of the reference match the encodings, and the bot of the guide plays."""

from __future__ import annotations

import doctest
import importlib.util
import io
import re
from pathlib import Path
from random import Random

import pytest

from bots.cli.esr import main
from bots.environments.training.evaluation import BatchNetwork
from games.network import save
from games.registry import GAMES
from tests.games.play import TABLES
from tests.games.test_network import DUEL, tensors

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "reference" / "python" / "environments.md"
GUIDE = ROOT / "docs" / "guides" / "train-an-agent.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEADINGS = {
    "edel-stein-reich": "Edel, Stein & Reich",
    "edel-stein-reich-duel": "Edel, Stein & Reich",
    "die-weinhaendler": "Die Weinhändler",
}

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)


def part(chapter: str, slug: str) -> str:
    """What a chapter of the page says about a game."""
    return TEXT.split(f"\n## {chapter}\n")[1].split("\n## ")[0].split(f"\n### {HEADINGS[slug]}: ")[1].split("\n### ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, its heading left out."""
    table = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def size(formula: str, seats: int) -> int:
    """``4 n + 1`` at so many seats."""
    terms = [re.fullmatch(r"(\d*) ?(n?)", term) for term in formula.split(" + ")]
    return sum(int(term[1] or 1) * (seats if term[2] else 1) for term in terms if term)


def test_the_examples_of_the_page_run() -> None:
    assert doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8").failed == 0


@every_table
def test_the_page_lists_every_section_of_an_observation(slug: str, seats: int) -> None:
    sections = GAMES[slug].encoding(seats).sections
    listed = [(name, size(formula, seats), meaning) for name, formula, meaning in rows(part("Observations", slug))]
    assert listed == [(section.name, section.size, section.meaning) for section in sections]


@every_table
def test_the_page_says_how_many_numbers_and_actions_there_are(slug: str, seats: int) -> None:
    encoding = GAMES[slug].encoding(seats)
    assert str(encoding.size) in part("Observations", slug).splitlines()[0]
    assert str(len(encoding.actions)) in part("Actions", slug).splitlines()[0]


@every_table
def test_the_page_lists_every_action(slug: str, seats: int) -> None:
    encoding = GAMES[slug].encoding(seats)
    counts = [
        int(count.split()[0]) * (seats - 1 if "opponent" in count else 1) for _, count, _ in rows(part("Actions", slug))
    ]
    assert sum(counts) == len(encoding.actions)
    place = 0
    for (names, *_), count in zip(rows(part("Actions", slug)), counts, strict=True):
        for name in re.findall(r"`([^`]+)`", names):
            assert name in encoding.actions[place : place + count]
        place += count


def test_the_page_names_every_game() -> None:
    assert set(HEADINGS) == set(GAMES)


def test_the_bot_of_the_training_guide_plays_as_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, agent = GUIDE.read_text(encoding="utf-8"), tmp_path / "agent"
    agent.mkdir()
    program = re.findall(r"```python\n(import json\n.*?)```", text, flags=re.DOTALL)
    (agent / "bot.py").write_text(program[0])
    (agent / "bot.toml").write_text(text.split("```toml\n")[1].split("```")[0])
    weights = agent / "weights.safetensors"
    save(weights, DUEL, tensors(DUEL, hidden=64))
    policy = BatchNetwork.load(weights, DUEL, temperature=0)
    assert main(["check", str(agent)]) == 0
    spec = importlib.util.spec_from_file_location("agent", agent / "bot.py")
    assert spec and spec.loader
    bot = importlib.util.module_from_spec(spec)
    monkeypatch.chdir(agent)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    spec.loader.exec_module(bot)
    state, random = GAMES[DUEL].new(2, bytes(32)), Random(1)
    for _ in range(30):
        (seat, *_) = state.pending
        view, decision = state.view(seat), state.decision(seat)
        assert [bot.choose(view, decision)] == policy.choose(2, [(view, decision)])
        state.play(seat, state.random_move(seat, random))
