"""The guide ``docs/guides/add-a-game.md``: its game is built from the code on the page and played everywhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

import games
from bots import environments
from bots.client.player import is_legal
from bots.runner.launcher import Observer
from bots.runner.play import play_match
from bots.runner.report import MatchReport
from bots.runner.spec import FakeProgram, MatchSpec, SeatSpec
from bots.sandbox.in_process import InProcessLauncher
from games.registry import GAMES
from games.replays import replay_document
from games.rules import Document
from games.schemas import DOCUMENTS
from ladder.live.answers import AnswerVerdict
from ladder.live.end import finish
from ladder.matches.play import play
from ladder.members.memberships import enter
from ladder.models import Attempt, Block, Ladder, Match
from ladder.seasons import open_first
from tests.bots.cli.bots import Esr
from tests.bots.cli.conftest import esr
from tests.build import players_of, scheduled, signed_in, uploaded, verified
from tests.games import play as game_play
from tests.games import test_conformance
from tests.ladder.live.people import people, say, settle, table_for
from tests.ladder.live.play import position

__all__ = ["esr"]

PAGE = Path(__file__).parents[1] / "docs" / "guides" / "add-a-game.md"
_BLOCKS = re.compile(r"^`([\w/.]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(_BLOCKS.findall(PAGE.read_text(encoding="utf-8")))
SLUG = "prizes"


@pytest.fixture
def prizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The game of the page, registered as long as a test runs."""
    for name, text in FILES.items():
        path = tmp_path / "page" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path / "page" / "games")])
    monkeypatch.setitem(GAMES, SLUG, import_module("games.prizes").PRIZES)
    yield
    for name in ("games.prizes", "games.prizes.state"):
        del sys.modules[name]
    del games.prizes  # type: ignore[attr-defined]


def module_of(name: str) -> ModuleType:
    """A module of the page that no package finds."""
    module = ModuleType("page")
    exec(compile(FILES[name], name, "exec"), module.__dict__)
    return module


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def api(client: Client, address: str) -> Any:
    return json.loads(page_of(client, f"/api/v1/{address}"))


def test_the_page_has_at_most_eight_files() -> None:
    table = re.findall(r"^\| (`.*?`) \|", PAGE.read_text("utf-8").split("\n## ", 1)[0], flags=re.MULTILINE)
    named = [name for cell in table for name in re.findall(r"`(.*?)`", cell)]
    assert set(FILES) <= set(named)
    assert len(named) <= 8


def test_the_new_game_passes_its_tests_and_conforms_to_the_contract(prizes: None) -> None:
    own = vars(module_of("tests/games/prizes/test_rules.py"))
    for name, test in own.items():
        if name.startswith("test_"):
            test()
    arguments = {"slug": SLUG, "seats": 3}
    for name, test in vars(test_conformance).items():
        if name.startswith("test_"):
            test(**{key: arguments[key] for key in test.__annotations__.keys() - {"return"}})


@pytest.mark.slow
def test_the_printed_commands_succeed_in_a_checkout_with_the_game(tmp_path: Path) -> None:
    root = PAGE.parents[2]
    for name in ("games", "tests"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "native"))
    for name in ("bots", "docs", "esr_platform", "ladder", "tools", "manage.py", "pyproject.toml"):
        (tmp_path / name).symlink_to(root / name)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    registry = tmp_path / "games" / "registry.py"
    lines = registry.read_text(encoding="utf-8").replace(" in (", " in (PRIZES, ")
    registry.write_text(lines.replace("\n\nGAMES", "\nfrom games.prizes import PRIZES\n\nGAMES"), encoding="utf-8")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (session,) = re.findall(
        r"^```console\n(\$ \.venv/bin/pytest .*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for line in session.splitlines():
        done = subprocess.run(shlex.split(line)[1:], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_documents_of_the_new_game_have_schemas_and_its_replay_a_story(prizes: None) -> None:
    for state in game_play.positions(SLUG, 3, 5):
        for seat in (None, 0, 1, 2):
            Draft202012Validator(GAMES[SLUG].schema("view")).validate(state.view(seat))
            Draft202012Validator(GAMES[SLUG].schema("log")).validate(state.log(seat))
        for seat in state.pending:
            Draft202012Validator(GAMES[SLUG].schema("decision")).validate(state.decision(seat))
    record = state.record
    Draft202012Validator(GAMES[SLUG].schema("record")).validate(record)
    replay = replay_document(record)
    assert [chapter["title"] for chapter in replay["chapters"]] == [f"Round {number}" for number in range(1, 5)]
    assert all(GAMES[SLUG].schema(name)["title"] == f"{SLUG}: {name}" for name in DOCUMENTS)


def test_it_is_played_from_the_command_line(prizes: None, esr: Esr, tmp_path: Path) -> None:
    folder, file = tmp_path / "mybot", tmp_path / "game.jsonl"
    assert esr("new-bot", folder, "--game", SLUG).status == 0
    assert esr("check", folder, "--json").document["ok"]
    assert esr("play", SLUG, folder, folder, folder, "--games", "2", "--record", file).status == 0
    assert esr("verify", file, "--json").document["records"] == 2
    assert "# Prizes" in esr("rules", SLUG).out


def test_a_client_knows_its_legal_moves_and_an_environment_plays_it(prizes: None) -> None:
    decision = GAMES[SLUG].new(3, bytes(32)).decision(1)
    assert all(is_legal(SLUG, 3, decision, move) for move in decision["legal"])
    assert not is_legal(SLUG, 3, decision, "99")
    assert is_legal(SLUG, 3, {**decision, "legal": None}, "99")
    table = environments.env(SLUG)
    table.reset(seed=1)
    for agent in table.agent_iter():
        observation, _, terminated, truncated, _ = table.last()
        action = None if terminated or truncated else int(observation["action_mask"].argmax())
        assert agent in table.possible_agents
        table.step(action)
    assert not table.agents


def with_fakes(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
    """Play a match with bots in this process that always play their first legal move."""

    def default(message: Document) -> Any:
        return message["decision"]["default"] if message["type"] == "decide" else None

    seats = tuple(SeatSpec(seat.label, FakeProgram(default)) for seat in spec.seats)
    return play_match(replace(spec, seats=seats), InProcessLauncher(), observer)


def test_a_ladder_plays_a_block_of_it_and_shows_results_and_replays(prizes: None, transactional_db: None) -> None:
    ladder = Ladder.objects.create(slug=SLUG, name="Prizes", game=SLUG, seats=3)
    open_first(ladder)
    for name in ("one", "two", "three"):
        enter(uploaded(verified("ada"), name, formats={SLUG: [3]}))
    block = scheduled(ladder, players_of(ladder.memberships.order_by("pk")))
    while match := Match.objects.filter(block=block, status="queued").order_by("pk").first():
        assert play(match.pk, with_fakes) == Attempt.Ending.FINISHED
    block.refresh_from_db()
    assert block.ended
    visitor = Client()
    for address in (f"/ladders/{SLUG}/", f"/ladders/{SLUG}/statistics/", f"/rules/{SLUG}/", "/"):
        page_of(visitor, address)
    match = Match.objects.filter(block=block).order_by("pk")[0]
    shown = page_of(visitor, f"/matches/{match.pk}/")
    assert 'data-board=""' in shown  # the plain board
    assert json.loads(page_of(visitor, f"/matches/{match.pk}/replay.json"))["game"] == SLUG
    players = api(visitor, f"matches/{match.pk}")["players"]
    assert sum(player["score"]["points"] for player in players) == 10
    assert api(visitor, f"games/{SLUG}")["scores"] == ["Points"]
    assert api(visitor, f"games/{SLUG}/schemas/view")["title"] == f"{SLUG}: view"
    assert len(api(visitor, f"ladders/{SLUG}/members")["results"]) == 3


def test_people_play_it_at_a_live_table_and_choices_stay_hidden(prizes: None, transactional_db: None) -> None:
    ladder = Ladder.objects.create(slug="people", name="Prizes", game=SLUG, seats=3, players=Ladder.Players.PEOPLE)
    open_first(ladder)
    versions = people(3)
    match = table_for(SLUG, versions)
    player = signed_in(versions[0].bot.owner)
    table = page_of(player, f"/play/tables/{match.pk}/")
    assert re.search(r"composers/plain[^\"]*\.js", table)
    before = api(Client(), f"matches/{match.pk}/view")
    assert say(match, 0, position(match).state().default_move(0)).verdict == AnswerVerdict.PLAYED
    assert api(Client(), f"matches/{match.pk}/view") == before
    while (state := position(match).state()).pending:
        for seat in state.pending:
            settle(match)
            assert say(match, seat, state.default_move(seat)).verdict == AnswerVerdict.PLAYED
    finish(match.pk)
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    assert Block.objects.get(pk=match.block_id).ended
    page_of(Client(), f"/matches/{match.pk}/")
