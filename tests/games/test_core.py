"""The packages above ``games`` know no game: adding one takes a folder and two lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from games.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]
MAY_NAME_GAMES = (
    "bots/house/", "esr_platform/demo/", "ladder/migrations/", "bots/migrations/", "esr_platform/api/resources/",
)  # fmt: skip
"""House bots play certain games, demo data shows them, and the documentation of API documents has examples."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in ("bots", "ladder", "esr_platform"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not name.startswith(MAY_NAME_GAMES):
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def constants(tree: ast.AST) -> Iterator[str]:
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_no_drawing_or_board_of_a_game_is_named() -> None:
    own = {name for game in GAMES.values() for name in (game.presentation.drawing, game.presentation.board)} - {""}
    named = [
        (module, text)
        for module, tree in modules()
        for text in constants(tree)
        if text in own or any(f"drawings/{name}." in text or f"boards/{name}." in text for name in own)
    ]
    assert named == []


def test_no_behavior_depends_on_the_name_of_a_game() -> None:
    """A slug may be an example in a text, but no key and nothing to compare with."""
    names = {name for game in GAMES.values() for name in (game.slug, game.presentation.folder)}
    deciding = (ast.Compare, ast.Subscript, ast.Set, ast.MatchValue)
    named = [
        (module, text)
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, deciding)
        for text in constants(node)
        if text in names
    ]
    assert named == []


def test_no_module_of_a_game_is_imported() -> None:
    folders = tuple(f"games.{game.presentation.folder}" for game in GAMES.values())
    imported = [
        (module, node.module)
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(folders)
    ]
    assert imported == []
