from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from games.game import terms
from games.registry import GAMES
from tools import messages

PLACES = re.compile(r"%\((\w+)\)s|\{(\w+)\}")
NONE = pytest.param("", marks=pytest.mark.skip(reason="pending: there are no translations yet"))
EVERY_LANGUAGE = pytest.mark.parametrize("language", messages.LANGUAGES or (NONE,))
DOMAINS = {"django": messages.pages, "djangojs": messages.scripts}
REMEDY = "Run `make messages` to gather and compile the texts."


@cache
def template(domain: str) -> Any:
    return messages.gathered(DOMAINS[domain]())


def test_texts_that_modules_mark_with_an_underscore_are_gathered() -> None:
    assert template("django").get("Changes saved.") is not None


def test_texts_of_scripts_are_gathered_where_they_stand_within_a_call() -> None:
    assert template("djangojs").get("10 seconds left.") is not None


def test_no_text_contains_a_tag_of_a_template() -> None:
    """Django reads a tag only on one line. A variable with a line break is shown as it is written."""
    assert [message for _, message, _ in messages.pages() if re.search(r"\{\{|\{%(?!\()", str(message))] == []


def test_no_text_has_doubled_or_outer_spaces() -> None:
    gathered = [*messages.pages(), *messages.scripts()]
    forms = [form for _, message, _ in gathered for form in (message if isinstance(message, tuple) else (message,))]
    assert [form for form in forms if "  " in form or form != form.strip()] == []


@EVERY_LANGUAGE
def test_every_term_of_the_games_is_said_in_the_language(language: str) -> None:
    catalog = messages.read(language, "django")
    missing = [term for term in terms(GAMES.values()) if not (catalog.get(term) and catalog.get(term).string)]
    assert not missing


@EVERY_LANGUAGE
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_catalogues_hold_the_texts_of_the_pages(language: str, domain: str) -> None:
    gathered = {message.id for message in template(domain) if message.id}
    held = {message.id for message in messages.read(language, domain) if message.id}
    assert held == gathered, REMEDY


@EVERY_LANGUAGE
@pytest.mark.parametrize("domain", DOMAINS)
def test_what_is_compiled_is_what_is_written(language: str, domain: str) -> None:
    path = messages.path_of(language, domain)
    assert path.with_suffix(".mo").read_bytes() == messages.compiled(messages.read(language, domain)), REMEDY


@EVERY_LANGUAGE
@pytest.mark.parametrize("domain", DOMAINS)
def test_translations_have_the_placeholders_of_the_text(language: str, domain: str) -> None:
    for english, translated in forms(messages.read(language, domain)):
        assert places(translated) == places(english), (english, translated)


def forms(catalog: Any) -> Iterator[tuple[str, str]]:
    for message in catalog:
        if not message.id or not messages.is_translated(message):
            continue
        if isinstance(message.id, str):
            yield message.id, message.string
        else:
            yield from ((message.id[place > 0], text) for place, text in enumerate(message.string))


def places(text: str) -> set[str]:
    return {match[0] for match in PLACES.finditer(text)}
