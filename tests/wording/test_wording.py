"""Texts read like plain English: see docs/contributing/style.md and ``python -m tests.wording``."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.wording import gate
from tests.wording.texts import ROOT, SHRINKING, STRICT, SURFACES, labels
from tools import messages

SUBJECT = re.compile(r'(?:[a-z0-9_./ -]+(?:, [a-z0-9_./ -]+)*: [^A-Z\s][^\n]*[^.\s]|Revert ".*")$')
LONGEST_SUBJECT = 72
NO_IMPERATIVE = re.compile(r": (?!bring |ping |string |embed |feed |need |speed |seed |shed )[a-z]+(?:ing|ed) ")
STYLE_GUIDE = "docs/contributing/style.md"


SOFT_LIMIT = 1.0
"""Hits of soft rules per 1,000 words."""

PROPER_NAMES = re.compile(r" (?:API|CSV|Elo|GitHub|Google|I|JSON|Kendall|MiB|Plackett-Luce|Steinreich|UTC)\b")


@pytest.mark.parametrize("surface", STRICT)
def test_texts_that_users_meet_break_no_hard_rule(surface: str) -> None:
    result = gate.check(surface)
    assert not result.hard, "\n".join(map(str, result.hard))


@pytest.mark.parametrize("surface", STRICT)
def test_texts_that_users_meet_seldom_break_soft_rules(surface: str) -> None:
    result = gate.check(surface)
    assert result.soft_rate <= SOFT_LIMIT, "\n".join(map(str, result.soft))


def test_every_exception_is_needed_and_has_a_reason() -> None:
    found = [hit for surface in SURFACES for hit in gate.found(surface)]
    for exemption in gate.exemptions():
        assert exemption.reason, exemption
        assert any(exemption.covers(hit) for hit in found), f"Delete the exception that no text needs: {exemption}"


def test_labels_are_in_sentence_case() -> None:
    odd = [
        label
        for label in labels()
        if (label.text[0].islower() and label.text != "stderr") or (" " in label.text and has_capitals(label.text))
    ]
    assert odd == []


def has_capitals(label: str) -> bool:
    """Whether a word after the first of a sentence has a capital letter and is not a name."""
    return re.search(r"(?<![.:?!/·(]) [A-Z][a-z]", PROPER_NAMES.sub("", label)) is not None


def test_messages_have_no_doubled_or_outer_spaces() -> None:
    gathered = [*messages.pages(), *messages.scripts()]
    forms = [form for _, message, _ in gathered for form in (message if isinstance(message, tuple) else (message,))]
    assert [form for form in forms if "  " in form or form != form.strip()] == []


@pytest.mark.parametrize("surface", SHRINKING)
def test_odd_wordings_do_not_become_more(surface: str) -> None:
    result = gate.check(surface)
    found = len(result.hard) + len(result.soft)
    stored = gate.baseline()[surface]
    assert found <= stored, f"Run `python -m tests.wording --surface '{surface}'` and reword what you added."


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def subjects() -> list[str]:
    """The subjects of the commits since the style guide was added."""
    try:
        if git("rev-parse", "--show-toplevel").strip() != str(ROOT) or "true" in git(
            "rev-parse", "--is-shallow-repository"
        ):
            pytest.skip("This copy has no full git history: commit subjects are not checked.")
        added = git("log", "--diff-filter=A", "--format=%H", "--", STYLE_GUIDE).split()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("This copy has no git history: commit subjects are not checked.")
    if not added:
        pytest.skip("The commit that added the style guide is not in the history: commit subjects are not checked.")
    return git("log", "--no-merges", "--format=%s", f"{added[-1]}..HEAD").splitlines()


def is_subject(subject: str) -> bool:
    """Whether a commit subject is ``area: imperative`` in at most 72 characters."""
    return (
        len(subject) <= LONGEST_SUBJECT and SUBJECT.match(subject) is not None and NO_IMPERATIVE.search(subject) is None
    )


def test_commit_subjects_name_their_area_and_fit_one_line() -> None:
    assert [subject for subject in subjects() if not is_subject(subject)] == []


@pytest.mark.parametrize(
    ("subject", "is_right"),
    [
        ("live: close streams that join a feed after it stopped", True),
        ("bots, ladder: name seats in errors", True),
        ("tests/wording: find odd wordings", True),
        ("house bots: describe prices", True),
        ('Revert "live: close streams"', True),
        ("Close streams", False),
        ("live: Close streams", False),
        ("live: closing streams", False),
        ("live: closed streams", False),
        ("live: close streams.", False),
        ("live: " + "close streams " * 5 + "now", False),
    ],
)
def test_a_subject_is_an_area_and_an_imperative(subject: str, is_right: bool) -> None:
    assert is_subject(subject) is is_right
