"""Names that look alike, mix alphabets or cannot be seen."""

from __future__ import annotations

import string

import pytest

from bots.lookalikes import (
    PLAIN_FOLDS,
    RESERVED,
    alike,
    has_invisible,
    is_blank,
    is_reserved,
    mixes_scripts,
    plain_shapes,
    unusual,
)

ALIKE = [
    ("Greedy", "Gr\u0435\u0435dy"),  # Cyrillic
    ("Greedy", "Greedy\u3164"),  # Hangul filler
    ("Greedy", "Greedy\u2800"),  # Braille without dots
    ("Greedy", "\uff27\uff52\uff45\uff45\uff44\uff59"),  # full width
    ("Greedy", "GREEDY"),
    ("loner", "l-oner"),
    ("loner", "Ioner"),
    ("alice", "a1ice"),
    ("max", "rnax"),
    ("Paul", "\u0420\u0430ul"),
    ("MAX", "\u041c\u0410\u0425"),  # Cyrillic capitals
    ("TOM", "\u03a4\u039f\u039c"),  # Greek capitals
    ("Bot O", "Bot_0"),
    ("max", "MAX"),
    ("admin", "ADMIN"),
    ("Greedy", "Greed\u1ef5"),  # a dot below
    ("Greedy", "Gr\u00e9edy"),
    ("Greedy", "Greedy\u2019"),
    ("Greedy", "Greedy'"),
    ("Greedy", "Greedy\u02bc"),  # Unicode category Lm
    ("Greedy", "Greedy."),
    ("Max Moor", "Max M\u00f8or"),
    ("Serie\u0438", "Serie\u0439"),
]
APART = [
    ("Greedy", "Greenly"),
    ("ioner", "loner"),
    ("team-1", "team-2"),
    ("cl", "cd"),
    ("\u30cf\u30cf", "\u30d0\u30cf"),  # Japanese ha and ba
    ("\u0915\u093f", "\u0915\u0941"),  # Devanagari ki and ku
]
USUAL = [
    "Greedy",
    "J\u00fcrgen 7",
    "C++ (v1.2) #3!",
    "\u0421\u0435\u0440\u0433\u0435\u0439",
    "\u30b8\u30e7\u30f3\u30fb\u30b9\u30df\u30b9",
    "\ud55c\uad6d",
    "\u0939\u093f\u0928\u094d\u0926\u0940",
]
UNUSUAL = ["\u2019", "\u02bc", "\ua78c", "\u2018", "\u201d", "\u2013", "\u2022", "\u203f", "\u00b7", "\u2665", "\u20ac"]
INVISIBLE = ["\u3164", "\uffa0", "\u115f", "\u1160", "\u2800", "\u00ad", "\u034f", "\ufe0f", "\U000e0061", "\u200b"]
ONE_SYSTEM = [
    "Greedy",
    "na\u00efve 7",
    "\u0421\u0435\u0440\u0433\u0435\u0439 Bot",
    "\u65e5\u672c\u306e\u30dc\u30c3\u30c8",
    "\u6771\u4eacBot",
    "\ud55c\uad6d Bot",
]


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_names_that_look_alike_are_known(name: str, other: str) -> None:
    assert alike(name, other)


@pytest.mark.parametrize(("name", "other"), APART)
def test_names_that_differ_visibly_are_not_alike(name: str, other: str) -> None:
    assert not alike(name, other)


def test_a_database_finds_every_ascii_name_that_looks_alike() -> None:
    for char in set(string.printable) - set("%\t\n\r\x0b\x0c"):
        for name in (f"Bot {char}x", f"{char}rni"):
            assert _folded(name) in plain_shapes(name), name


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_a_database_finds_the_ascii_names_of_the_list(name: str, other: str) -> None:
    assert _folded(name) in plain_shapes(other) or not name.isascii()
    assert _folded(other) in plain_shapes(name) or not other.isascii()


def _folded(name: str) -> str:
    for old, new in PLAIN_FOLDS:
        name = name.replace(old, new)
    return name.lower()


@pytest.mark.parametrize("name", USUAL)
def test_letters_digits_marks_and_ascii_are_usual(name: str) -> None:
    assert not unusual(name)


@pytest.mark.parametrize("char", UNUSUAL)
def test_typographic_punctuation_and_symbols_are_unusual(char: str) -> None:
    assert unusual(f"Greedy{char}7") == char


@pytest.mark.parametrize("char", INVISIBLE)
def test_invisible_characters_are_found(char: str) -> None:
    assert has_invisible(f"Greedy{char}")
    assert is_blank(f"{char} {char}")
    assert not is_blank(f"a{char}")


def test_spaces_letters_and_emoji_can_be_seen() -> None:
    assert not has_invisible("Bot 7 \N{GAME DIE}")
    assert is_blank(" ")


@pytest.mark.parametrize("name", ["Gr\u0435\u0435dy", "Gu\u0435st", "\u0391lpha", "Bot Gu\u0435st 7"])
def test_a_word_of_latin_and_other_letters_mixes_scripts(name: str) -> None:
    assert mixes_scripts(name)


@pytest.mark.parametrize("name", ONE_SYSTEM)
def test_words_of_one_writing_system_do_not(name: str) -> None:
    assert not mixes_scripts(name)


def test_a_reserved_name_is_reserved_however_it_is_written() -> None:
    assert all(map(is_reserved, RESERVED))
    assert all(map(is_reserved, ["Staff", "Moderator", "ADMIN", "\u0430dmin", "A_d-m_i-n", "rn\u043ederator", "he1p"]))
    assert not is_reserved("Citrine")


def test_a_name_of_reserved_words_is_reserved_and_may_contain_one_of_them() -> None:
    assert all(map(is_reserved, ["Steinreich staff", "Official support", "STAFF, st\u0435inreich", "Staff 2"]))
    assert not any(map(is_reserved, ["Steinreich cup", "Staff outing", "-", ""]))
