"""The decisions in ``docs/decisions``: one template, a title for each file name, and an index of all numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "decisions"
INDEX = FOLDER / "README.md"
FILES = sorted(FOLDER.glob("[0-9]*.md"))
SECTIONS = ["Context", "Decision", "Alternatives", "Consequences"]
STATUS = re.compile(r"Accepted(, .+)?|Superseded by \[[^]]+\]\([^)]+\)")


def _title(text: str) -> tuple[int, str]:
    found = re.match(r"# (\d+)\. (.+)\n", text)
    assert found is not None, "the first line is not `# N. Title`"
    return int(found[1]), found[2]


def _field(text: str, name: str) -> str:
    found = re.search(rf"^- \*\*{name}:\*\* (.+)$", text, re.MULTILINE)
    assert found is not None, f"{name} is missing"
    return found[1]


def _listed(index: str) -> dict[int, str]:
    """Return the title of each number in the tables of the index."""
    return {int(number): title for number, title in re.findall(r"^\| (\d+) \| (.+?) \|", index, re.MULTILINE)}


def _unused(index: str) -> set[int]:
    ranges = re.findall(r"(\d+)–(\d+)", index.partition("## Numbers without a decision")[2].partition("\n## ")[0])
    return {number for first, last in ranges for number in range(int(first), int(last) + 1)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:4])
def test_a_decision_follows_the_template(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]{2} \d{4}", _field(text, "Date"))
    status = _field(text, "Status")
    assert STATUS.fullmatch(status)
    if status.startswith("Accepted"):
        parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
        assert parts[1::2] == SECTIONS
        assert all(part.strip() for part in parts[2::2]), "a section is empty"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:4])
def test_a_file_has_the_number_and_the_title_of_its_decision(path: Path) -> None:
    number, title = _title(path.read_text(encoding="utf-8"))
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    assert path.name == f"{number:04d}-{slug}.md"


def test_the_index_lists_every_number_once() -> None:
    index = INDEX.read_text(encoding="utf-8")
    titles = [_title(path.read_text(encoding="utf-8")) for path in FILES]
    listed, unused = _listed(index), _unused(index)
    numbers = re.findall(r"^\| (\d+) \|", index, re.MULTILINE)
    assert len(numbers) == len(set(numbers))
    assert not unused & set(listed)
    assert unused | set(listed) == set(range(1, max(number for number, _ in titles) + 1))
    for path, (number, title) in zip(FILES, titles, strict=True):
        assert listed[number] == f"[{title}]({path.name})"


def test_links_between_decisions_lead_to_files() -> None:
    for path in [INDEX, *FILES]:
        for target in re.findall(r"\]\((\d{4}-[^)#]+)", path.read_text(encoding="utf-8")):
            assert (FOLDER / target).is_file(), f"{path.name} links to {target}"
