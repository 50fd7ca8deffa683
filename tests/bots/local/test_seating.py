"""Who sits at a table that was described in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.local.faults import UsageError
from bots.local.seating import find_game, find_program, in_words, read_limits, seat_bots
from bots.runner import HouseProgram, Limits, LocalProgram


def bot_folder(where: Path, name: str) -> Path:
    folder = where / name
    folder.mkdir()
    (folder / "bot.py").write_text("")
    return folder


def test_a_house_bot_is_named_with_its_prefix() -> None:
    assert find_program("house:greedy") == HouseProgram("greedy")


def test_an_unknown_house_bot_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no house bot 'gredy'.*greedy, miser"):
        find_program("house:gredy")


def test_a_house_bot_without_its_prefix_is_understood_as_a_slip() -> None:
    with pytest.raises(UsageError, match="Did you mean house:greedy"):
        find_program("greedy")


def test_a_folder_with_a_bot_is_a_bot(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "mine")
    assert find_program(str(folder)) == LocalProgram(folder)


def test_a_python_file_is_a_bot(tmp_path: Path) -> None:
    source = tmp_path / "first.py"
    source.write_text("")
    assert find_program(str(source)) == LocalProgram(tmp_path, entry="first.py")


def test_a_folder_without_a_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no bot\.py"):
        find_program(str(tmp_path))


def test_the_same_bot_may_sit_twice_and_is_told_apart(tmp_path: Path) -> None:
    mine = str(bot_folder(tmp_path, "greedy"))
    labels = [seat.label for seat in seat_bots(["house:greedy", "house:random", "house:greedy", mine])]
    assert labels == ["greedy", "random", "greedy#2", "greedy#3"]


def test_an_unknown_game_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no game 'basari'.*edel-stein-reich, edel-stein-reich-duel"):
        find_game("basari", 3)


def test_a_wrong_number_of_bots_is_answered_with_the_right_ones() -> None:
    with pytest.raises(UsageError, match=r"3, 4 or 5 bots, and 2 were named\. With 2 there is edel-stein-reich-duel"):
        find_game("edel-stein-reich", 2)


def test_a_number_of_bots_that_no_game_takes_gets_no_advice() -> None:
    with pytest.raises(UsageError, match=r"and 7 were named\.$"):
        find_game("edel-stein-reich", 7)


def test_numbers_are_put_into_words() -> None:
    assert [in_words([2]), in_words([2, 3]), in_words([3, 4, 5])] == ["2", "2 or 3", "3, 4 or 5"]


def test_limits_that_are_not_named_keep_their_default() -> None:
    assert read_limits("move_ms=500, bank_ms=0") == Limits(move_ms=500, bank_ms=0)
    assert read_limits("") == Limits()


@pytest.mark.parametrize(
    ("text", "says"),
    [("speed=1", "There are startup_ms"), ("move_ms=0", "greater than 0"), ("move_ms", "not ''"), ("move_ms=-1", "-1")],
)
def test_a_limit_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_limits(text)
