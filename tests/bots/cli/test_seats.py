"""Who sits at a table that was described in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.cli.frame import UsageError
from bots.cli.programs import find_game, find_program, house_bots, read_limits, seat_bots
from bots.house.catalogue import HOUSE
from bots.runner import HouseProgram, Limits, LocalProgram
from games.game import Game
from games.registry import GAMES

GAME = GAMES["edel-stein-reich"]


def program(word: str, seats: int = 3) -> HouseProgram | LocalProgram:
    return find_program(word, GAME, seats)[1]


def bot_folder(where: Path, name: str) -> Path:
    folder = where / name
    folder.mkdir()
    (folder / "bot.py").write_text("")
    return folder


def test_a_house_bot_is_named_with_its_prefix() -> None:
    assert program("house:greedy") == HouseProgram("greedy")


@pytest.mark.parametrize("word", ["house:gredy", "greedy"])
def test_for_an_unknown_bot_similar_ones_are_named(word: str) -> None:
    with pytest.raises(UsageError, match="greedy"):
        program(word)


def test_a_folder_with_a_bot_is_a_bot(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "mine")
    assert program(str(folder)) == LocalProgram(folder)


def test_a_python_file_is_a_bot(tmp_path: Path) -> None:
    source = tmp_path / "first.py"
    source.write_text("")
    assert program(str(source)) == LocalProgram(tmp_path, entry="first.py")


def test_a_folder_without_a_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"bot\.py"):
        program(str(tmp_path))


@pytest.mark.parametrize("manifest", ["[games]\nedel-stein-reich = [4]\n", "colour = 1"])
def test_a_manifest_with_other_formats_or_unknown_keys_is_refused(tmp_path: Path, manifest: str) -> None:
    folder = bot_folder(tmp_path, "mine")
    (folder / "bot.toml").write_text(manifest)
    with pytest.raises(UsageError, match=r"edel-stein-reich with 3 seats|colour"):
        program(str(folder))


def test_a_bot_with_a_manifest_has_its_name_and_is_started_as_it_says(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "mine")
    (folder / "main.py").write_text("")
    (folder / "bot.toml").write_text('name = "Ruby"\ncommand = ["main.py", "fast"]\n')
    assert find_program(str(folder), GAME, 3) == ("Ruby", LocalProgram(folder, ("fast",), "main.py"))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_house_bot_is_not_seated_at_a_game_that_it_does_not_play(game: Game) -> None:
    seats = game.seat_counts[0]
    suited = house_bots(game, seats)
    for name, bot in HOUSE.items():
        if bot.plays(game.slug, seats):
            assert find_program(f"house:{name}", game, seats)[1] == HouseProgram(name)
            assert name in suited
        else:
            with pytest.raises(UsageError, match=f"house:{name} .*{game.slug} with {seats} seats"):
                find_program(f"house:{name}", game, seats)


def test_one_bot_can_have_two_seats_with_different_labels(tmp_path: Path) -> None:
    mine = str(bot_folder(tmp_path, "greedy"))
    labels = [seat.label for seat in seat_bots(["house:greedy", "house:random", "house:greedy", mine], GAME)]
    assert labels == ["greedy", "random", "greedy#2", "greedy#3"]


def test_copies_of_a_bot_go_by_the_names_of_their_folders(tmp_path: Path) -> None:
    for name in ("v1", "v2", "old"):
        (bot_folder(tmp_path, name) / "bot.toml").write_text('name = "v1"\n')
    nested = bot_folder(tmp_path / "old", "v1")
    labels = [seat.label for seat in seat_bots([str(tmp_path / "v1"), str(tmp_path / "v2"), f"{nested}/"], GAME)]
    assert labels == ["v1", "v2", str(nested)]


@pytest.mark.parametrize(
    ("game", "bots", "says"),
    [
        ("basari", 3, "edel-stein-reich, edel-stein-reich-duel"),
        ("edel-stein-reich", 2, r"3, 4 or 5 .* edel-stein-reich-duel"),
        ("edel-stein-reich", 7, r"3, 4 or 5 .* 7\.$"),
    ],
)
def test_an_unknown_game_or_number_of_bots_is_refused_with_those_there_are(game: str, bots: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        find_game(game, bots)


def test_limits_that_are_not_named_keep_their_default() -> None:
    assert read_limits("move_ms=500, bank_ms=0") == Limits(move_ms=500, bank_ms=0)
    assert read_limits("") == Limits()


@pytest.mark.parametrize(
    ("text", "says"),
    [("speed=1", "startup_ms"), ("move_ms=0", "greater than 0"), ("move_ms", "not ''"), ("move_ms=-1", "-1")],
)
def test_an_invalid_limit_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_limits(text)
