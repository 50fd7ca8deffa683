"""Guarantees of `bots.house.catalogue` about every house bot."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace

import pytest

from bots.house.catalogue import HERE, HOUSE, HouseBot
from games.registry import GAMES

LADDERS = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]
SLOW_TO_IMPORT = {"json", "random", "re", "typing", "dataclasses", "collections", "enum", "functools"}


@pytest.mark.parametrize(("game", "seats"), LADDERS)
def test_a_game_with_house_bots_has_six_for_every_seat_count(game: str, seats: int) -> None:
    names = [name for name, bot in HOUSE.items() if bot.plays(game, seats)]
    assert names == ["random"] or len(names) >= 6


def test_random_plays_every_game_there_is_without_naming_one() -> None:
    assert all(HOUSE["random"].plays(game, seats) for game, seats in LADDERS)


def test_all_bots_but_random_and_the_levels_play_some_games_only() -> None:
    everything = HOUSE["random"].games
    assert [name for name, bot in HOUSE.items() if bot.games == everything and not bot.is_level] == ["random"]


def test_a_game_nobody_knows_has_no_players() -> None:
    assert not any(bot.plays("tiddlywinks", 4) for bot in HOUSE.values())


def test_a_house_bot_is_found_by_its_name() -> None:
    assert all(name == bot.name for name, bot in HOUSE.items())


@pytest.mark.parametrize("bot", HOUSE.values(), ids=list(HOUSE))
def test_a_house_bot_is_inside_the_package(bot: HouseBot) -> None:
    assert bot.path.parent == HERE
    assert (bot.path / "bot.py").is_file()


def test_no_two_entries_are_the_same_player() -> None:
    assert len({bot.digest() for bot in HOUSE.values()}) == len(HOUSE)


def test_a_digest_changes_with_the_command_line_and_not_with_the_title() -> None:
    greedy = HOUSE["greedy"]
    assert replace(greedy, args=("gems=2",)).digest() != greedy.digest()
    assert replace(greedy, title="Someone").digest() == greedy.digest()


def test_a_digest_covers_every_file_that_a_seat_sees() -> None:
    for name, more in (("kontor", set()), ("level-6", {f"{game}.safetensors" for game in HOUSE["level-6"].games})):
        bot = HOUSE[name]
        assert set(bot.files()) == {path.name for path in (*bot.path.glob("*.py"), *bot.shared)} | more


@pytest.mark.parametrize("bot", {bot.folder: bot for bot in HOUSE.values()}.values(), ids=lambda bot: bot.folder)
def test_a_house_bot_imports_only_its_files_and_fast_modules(bot: HouseBot) -> None:
    files = {name: source for name, source in bot.files().items() if name.endswith(".py")}
    imported = set[str]().union(*(_imported_when_run(ast.parse(source)) for source in files.values()))
    others = {name for name in imported if f"{name}.py" not in files}
    rule = "See the rules for imports in docs/reference/house-bots.md."
    if bot.imports_games:
        others -= {"functools", "games"}
    assert others & SLOW_TO_IMPORT == set(), f"These modules of SLOW_TO_IMPORT take long to load. {rule}"
    assert others - set(sys.stdlib_module_names) == set(), f"These modules are not in the program. {rule}"
    assert {path.stem for path in bot.shared} <= imported


def _imported_when_run(tree: ast.AST) -> set[str]:
    """The modules that a run imports: not those for a type checker, and not those for lack of better ones."""
    names: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for other in node.orelse:
                names |= _imported_when_run(ast.Module([other], []))
        elif not isinstance(node, ast.ExceptHandler):
            names |= _imported_when_run(node)
    return names
