"""Names of guests: as strict as usernames and bot names, and never the name of another player."""

from __future__ import annotations

import pytest

from bots.models import Bot
from bots.names import clean_name, guest_label, guest_name
from esr_platform.accounts.errors import NameRefused
from esr_platform.accounts.models import FormerName
from tests.build import person, uploaded
from tests.refusals import refused

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _others(db: None) -> None:
    Bot.objects.create(name="Greedy", slug="house-greedy", house_name="greedy")
    uploaded(person("alice"), "Blue Bot")
    FormerName.objects.create(digest=FormerName.digest_of("old_name"))


@pytest.mark.parametrize(
    "name", ["Anna", "Jo", "Jürgen", "Ann-Kathrin", "O'Neill", "Dr. No", "Пётр", "美咲", "Player 2", "x" * 20]
)
def test_people_are_called_as_they_like(name: str) -> None:
    assert guest_name(f"  {name} ") == name


@pytest.mark.parametrize("name", ["", "   ", "x" * 21, "\u200b"])
def test_a_name_has_a_few_characters(name: str) -> None:
    with refused("name_character" if name == "\u200b" else "name_length", NameRefused):
        guest_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "anna@example.org",
        "Anna (host)",
        "<b>x</b>",
        "a/b",
        "12",
        "...",
        "Аnna",
        "An\u200bna",
        "An\u202ena",
        "Z̵̧̛a",
        "♛ King",
    ],
)
def test_a_name_is_letters_of_one_alphabet(name: str) -> None:
    with refused("name_character", NameRefused):
        guest_name(name)


@pytest.mark.parametrize("name", ["fuck", "F.u.c.k", "Fück you", "nazi 88", "Hurensohn", "xx Hitler xx"])
def test_a_name_has_no_offensive_words(name: str) -> None:
    with refused("name_banned", NameRefused):
        guest_name(name)
    with refused("name_banned", NameRefused):
        clean_name(name)


@pytest.mark.parametrize("name", ["Ignazio", "Scunthorpe", "Therapist", "Nazire"])
def test_a_part_of_a_word_is_not_an_offensive_word(name: str) -> None:
    assert guest_name(name) == name


NOT_THEIRS = (
    "alice Alice a-lice AIice a1ice Greedy gree.dy BlueB0t blue-bot admin Moderator Guest gu-est user-7 deleted-user-12"
    " Old_Name oldname Steinreich \uff41lice"
)


@pytest.mark.parametrize("name", NOT_THEIRS.split())
def test_a_name_is_nobodys(name: str) -> None:
    with refused("name_unavailable", NameRefused):
        guest_name(name)


def test_a_guest_is_shown_as_one() -> None:
    assert (guest_label("Anna"), guest_label("")) == ("Anna (guest)", "Guest")
