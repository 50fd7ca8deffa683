"""The links of the documentation, and its copy as static HTML."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from ladder.pages.components.documentation import Documentation
from tests.page import parsed
from tools import docs as static
from tools import pictures

ROOT = Path(__file__).parents[1]


def test_every_link_leads_to_a_page_and_every_page_is_linked() -> None:
    assert list(Documentation(ROOT).faults()) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with two pages and an image."""
    (tmp_path / "docs" / "images").mkdir(parents=True)
    (tmp_path / "docs" / "images" / "home.png").write_bytes(b"")
    (tmp_path / "docs" / "start.md").write_text("# Start\n\n## A first: heading\n\n[back](README.md)\n")
    (tmp_path / "code.py").write_text("")
    return tmp_path


GOOD = (
    "# Index\n\n[a](start.md) [b](start.md#a-first-heading) [c](../code.py) [d](https://x.org) ![e](images/home.png)\n"
)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (GOOD, set()),
        (GOOD + "\n[x](nowhere.md)\n", {"docs/README.md"}),
        (GOOD + "\n[x](start.md#nowhere)\n", {"docs/README.md"}),
        (GOOD + "\n[x](#nowhere)\n", {"docs/README.md"}),
        (GOOD + "\n[x](../nowhere.py)\n", {"docs/README.md"}),
        (GOOD + "\n[x](../../outside.md)\n", {"docs/README.md"}),
        (GOOD + "\n[x](/docs/start.md)\n", {"docs/README.md"}),
        (GOOD + "\n[x](http:x)\n", {"docs/README.md"}),
        (GOOD + "\n![x](images/nowhere.png)\n", {"docs/README.md"}),
        (GOOD + "\n![x](https://x.org/x.png)\n", {"docs/README.md"}),
        (GOOD.replace("start.md", "../code.py").replace("#a-first-heading", ""), {"docs/start.md"}),
        (GOOD.replace("![e](images/home.png)", ""), {"docs/images/home.png"}),
    ],
)
def test_wrong_links_and_unreachable_files_are_found(folder: Path, text: str, faults: set[str]) -> None:
    (folder / "docs" / "README.md").write_text(text)
    assert {source for source, _ in Documentation(folder).faults()} == faults


def test_all_links_of_the_static_copy_lead_to_its_files(tmp_path: Path) -> None:
    assert static.write(Documentation(ROOT), tmp_path) > 50
    index = parsed((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert index.one("h1").text
    for file in tmp_path.rglob("*.html"):
        page = parsed(file.read_text(encoding="utf-8"))
        files = [link["href"] for link in (*page.all("a", href=True), *page.all("link", rel="stylesheet"))]
        files += [image["src"] for image in page.all("img")]
        for href in files:
            path = unquote(href.partition("#")[0])
            assert not href.startswith("/"), (file, href)
            assert not path or "://" in path or path.startswith("mailto:") or (file.parent / path).is_file(), (
                file,
                href,
            )


def test_a_copy_leaves_files_of_others_alone(folder: Path, tmp_path: Path) -> None:
    (folder / "docs" / "README.md").write_text(GOOD)
    mine = tmp_path / "copy" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    static.write(Documentation(folder), mine.parent)
    assert mine.read_text() == "mine"


def test_make_pictures_takes_every_picture_that_a_page_shows() -> None:
    taken = {shot.name for shot in (*pictures.PUBLIC, *pictures.OWN, *pictures.SEATS)}
    names = {f"{name}{ending}" for name in taken for ending in pictures.SIZES} | {Path(pictures.HERO).stem}
    assert pictures.shown() <= names
