"""Pages of the readme and the documentation have the form that ``docs/contributing/style.md`` describes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.wording.texts import ROOT

LONGEST_LINE: Final = 120
LONG_SENTENCE: Final = 30
MAX_LONG_SENTENCES: Final = 0.02
LONGEST_CELL: Final = 15
LONGEST_GUIDE: Final = 800
"""Words of a page in ``start/`` or ``guides/``, without code."""

PAGES: Final = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *([ROOT / "SECURITY.md"] if (ROOT / "SECURITY.md").is_file() else []),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_MARKER: Final = re.compile(r"\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ x]\]\s+)?")
_LABEL: Final = re.compile(r"^\*\*[^*]+[.:?!]\*\*\s+")
"""A bold label at the start of a line is not a sentence."""

_END: Final = re.compile(
    r"""(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\bNo)(?<!\b[A-Z])[.!?]["')*_”]*\s+(?=["'(*_“]*[A-Z])"""
)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_lines(page: Path) -> tuple[tuple[int, str], ...]:
    """The numbered lines outside code blocks, HTML comments and link definitions."""
    found, fenced, commented = [], False, False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        commented = commented or line.startswith("<!--")
        if not fenced and not commented and not re.match(r"\s*\[[^\]]+\]: ", line):
            found.append((number, line))
        commented = commented and "-->" not in line
    return tuple(found)


def is_table(line: str) -> bool:
    return line.lstrip().startswith("|")


def plain(line: str) -> str:
    """A line without markers and URLs, and with ``X`` for code."""
    line = _MARKER.sub("", line, count=1)
    line = re.sub(r"`[^`]+`", "X", line)
    line = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", line)
    return _LABEL.sub("", line)


def words(text: str) -> int:
    return len([word for word in text.split() if re.search(r"\w", word)])


def prose(page: Path) -> Iterator[tuple[int, str, bool]]:
    """Number, plain text and whether a paragraph or item begins, of the lines of prose."""
    begins = True
    for number, line in text_lines(page):
        if not line.strip() or line.startswith("#") or is_table(line):
            begins = True
            continue
        item = re.match(r"\s*(?:[-*+]|\d+[.)])\s", line) is not None
        yield number, plain(line).strip(), begins or item
        begins = False


def sentences(page: Path) -> Iterator[tuple[int, str]]:
    """The sentences of the prose with the numbers of their first lines."""
    paragraphs: list[tuple[int, str]] = []
    for number, text, begins in prose(page):
        if begins or not paragraphs:
            paragraphs.append((number, text))
        else:
            paragraphs[-1] = (paragraphs[-1][0], f"{paragraphs[-1][1]} {text}")
    for number, text in paragraphs:
        yield from ((number, sentence) for sentence in _END.split(text) if words(sentence))


def faults(page: Path) -> Iterator[str]:
    """What is wrong with the form of a page."""
    lines = text_lines(page)
    titles = [line for _, line in lines if re.match(r"# ", line)]
    if len(titles) != 1:
        yield f"{len(titles)} headings of the first level"
    for number, line in lines:
        if is_table(line):
            cells = [cell for cell in re.split(r"(?<!\\)\|", line)[1:-1] if words(plain(cell)) > LONGEST_CELL]
            yield from (f"line {number}: more than {LONGEST_CELL} words in a cell: {cell.strip()}" for cell in cells)
        elif len(line) > LONGEST_LINE:
            yield f"line {number}: {len(line)} characters"
    for number, text, _ in prose(page):
        if _END.search(text):
            yield f"line {number}: more than one sentence: {text}"
    total = sum(words(plain(line)) for _, line in lines)
    if name(page).startswith(("docs/start/", "docs/guides/")) and total > LONGEST_GUIDE:
        yield f"{total} words without code"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_is_easy_to_read_and_to_change(path: Path) -> None:
    assert list(faults(path)) == []


def test_at_most_two_percent_of_the_sentences_are_long() -> None:
    found = [(page, number, text) for page in PAGES for number, text in sentences(page)]
    long = [f"{name(page)}:{number}: {text}" for page, number, text in found if words(text) > LONG_SENTENCE]
    assert len(long) <= MAX_LONG_SENTENCES * len(found), "\n".join(long)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("# A\n\nOne sentence here.\nAnother one.\n", 0),
        ("# A\n\n- **Order.** One sentence.\n\n```\nx. Y. " + "z" * 130 + "\n```\n", 0),
        ("# A\n\nSee [this page. And more](x.md) at 3.5 s, e.g. `a. B`.\n", 1),
        ("# A\n\nOne sentence. Another one.\n", 1),
        ("# A\n\nIs it? Yes.\n", 1),
        ("# A\n\n# B\n", 1),
        ("No heading.\n", 1),
        ("# A\n\n" + "x" * 121 + "\n", 1),
        ("# A\n\n| a | b |\n|---|---|\n| " + "word " * 16 + "| " + "word " * 15 + "|\n", 1),
    ],
)
def test_faults_of_form_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, count: int) -> None:
    monkeypatch.setattr("tests.wording.test_markdown_pages.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(text)
    assert len(list(faults(page))) == count


def test_guides_are_short_and_long_sentences_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.wording.test_markdown_pages.ROOT", tmp_path)
    page = tmp_path / "docs" / "guides" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("# A\n\n" + "These are five words here.\n" * 160)
    assert len(list(faults(page))) == 1
    page.write_text("# A\n\nOne two\nthree. Four five\nsix.\n\n- Seven\n- Eight\n")
    assert [words(text) for _, text in sentences(page)] == [3, 3, 1, 1]
