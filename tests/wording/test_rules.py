from __future__ import annotations

import pytest

from tests.wording.rules import RULES, Rule, hits
from tests.wording.texts import Literal, Text, literals_of, paragraphs, plain

every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])


@every_rule
def test_a_rule_finds_its_wrong_example(rule: Rule) -> None:
    assert rule.hits(rule.wrong)


@every_rule
def test_a_rule_accepts_its_right_example(rule: Rule) -> None:
    assert not rule.hits(rule.right)


NATIVE = (
    "Raise ValueError if the square is not empty.",
    "If there is no limit, return None; the default is none.",
    "Players who can move must move. Who can see this page?",
    "The engine keeps thinking until you stop it or it reaches the limit.",
    "Games are listed in this order: running, finished, canceled.",
    "A name starts with a letter and contains letters, digits and hyphens.",
    "This is the most common reason that a request is too large, too slow or malformed.",
    "You can play against hosted bots, remote bots or other people. Anna's rating is 1,234.",
    "CI stands for confidence interval. No bots yet. Upload one or start from a starter kit.",
)


@pytest.mark.parametrize("text", NATIVE)
def test_plain_english_has_no_hit(text: str) -> None:
    assert list(hits(text)) == []


def test_code_urls_tags_and_placeholders_are_no_words() -> None:
    assert plain("`who is` at https://x.example/who?is of %(name)s, {{ bot }} and <b>{0}</b>") == "X at X of X, X and X"


def test_a_hit_can_cross_a_line_but_not_a_paragraph() -> None:
    text = "The game goes\non.\n\n- Who\n- is here"
    assert [part.text for part in paragraphs("a.md", 7, text)] == ["The game goes on.", "- Who", "- is here"]
    assert [part.line for part in paragraphs("a.md", 7, text)] == [7, 10, 11]


def test_fenced_code_is_skipped() -> None:
    assert [part.text for part in paragraphs("a.md", 1, "Run:\n```sh\nwho is\n```\nDone.")] == ["Run:", "Done."]


def test_strings_are_sorted_into_docstrings_errors_and_others() -> None:
    source = (
        '"""A module."""\nraise ValueError(f"Unknown key {key} in file")\nprint("Five games played")\n_("Sign in")\n'
    )
    found = sorted(literals_of("a.py", source), key=lambda literal: literal.text.line)
    assert found == [
        Literal(Text("a.py", 1, "A module."), is_docstring=True),
        Literal(Text("a.py", 2, "Unknown key X in file"), is_error=True),
        Literal(Text("a.py", 3, "Five games played")),
    ]
