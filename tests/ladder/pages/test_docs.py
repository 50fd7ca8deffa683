from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from ladder.pages.components.documentation import Documentation, documentation
from ladder.pages.components.markup import document
from tests.page import at_most, page

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]


@pytest.fixture
def docs() -> Documentation:
    documents = documentation()
    assert documents is not None
    return documents


def test_every_page_is_served_without_queries(docs: Documentation, client: Client) -> None:
    for slug, doc in docs.by_slug.items():
        path = f"/docs/{slug}/" if slug else "/docs/"
        with at_most(1, path):
            shown = page(client, path)
        assert shown.all("h1")[0].text == doc.title, path
        assert not [link for link in shown.one(class_="docs").links if link.endswith(".md")], path


def test_links_between_pages_are_links_of_the_site(client: Client) -> None:
    shown = page(client, "/docs/start/play-online/")
    links = [link for link in shown.one("article").links if link.startswith("/docs/")]
    assert links
    for link in links:
        assert client.get(link.partition("#")[0]).status_code == 200, link
    images = [image["src"] for image in shown.one("article").all("img")]
    assert all(client.get(image)["Content-Type"] == "image/png" for image in images)


def test_the_menu_has_all_sections_and_marks_the_page(docs: Documentation, client: Client) -> None:
    menu = page(client, "/docs/guides/deploy/").one("nav", class_="docs-menu")
    assert menu.one(aria_current="page")["href"] == "/docs/guides/deploy/"
    assert [element["id"] for element in menu.all(class_="docs-section")] == [
        f"docs-{section.key}" for section in docs.menu
    ]
    assert len(set(menu.links)) == len(menu.links) == 1 + sum(len(section.pages) for section in docs.menu)


def test_the_menu_has_the_order_of_the_index_below_its_first_heading(tmp_path: Path) -> None:
    (tmp_path / "docs" / "start").mkdir(parents=True)
    for name in "abc":
        (tmp_path / "docs" / "start" / f"{name}.md").write_text(f"# {name}\n")
    index = "# Index\n\n[a](start/a.md)\n\n## Start\n\n[c](start/c.md) [b](start/b.md)\n"
    (tmp_path / "docs" / "README.md").write_text(index)
    assert [page.title for page in Documentation(tmp_path).menu[0].pages] == ["c", "b", "a"]


def test_previous_and_next_lead_through_all_pages(docs: Documentation) -> None:
    shown, seen = docs.by_slug[""], []
    while shown is not None:
        seen.append(shown.slug)
        following = docs.neighbors(shown)[1]
        assert following is None or docs.neighbors(following)[0] is shown
        shown = following
    assert sorted(seen) == sorted(docs.by_slug)


def test_contents_lead_to_the_headings_of_the_page(client: Client) -> None:
    shown = page(client, "/docs/reference/bot-protocol/")
    anchors = {element["id"] for element in shown.one("article").all(id=True)}
    links = shown.one("nav", class_="contents").links
    assert len(links) > 3
    assert {link.removeprefix("#") for link in links} <= anchors


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("The `esr` command", "the-esr-command"), ("Limits & errors", "limits--errors"), ("bot.toml", "bottoml")],
)
def test_headings_have_the_anchors_of_github(heading: str, anchor: str) -> None:
    prose = document(f"# Title\n\n## {heading}\n\n## {heading}\n", str)
    assert [item.anchor for item in prose.headings] == [anchor, f"{anchor}-1"]


def test_html_of_a_page_is_text_and_comments_are_removed() -> None:
    prose = document("# Title\n\n<!-- a mark -->\n<script>x</script> [x](javascript:x) [y](code.py)\n", lambda _: None)
    assert "<script" not in prose.html
    assert "a mark" not in prose.html
    assert "<a" not in prose.html
    assert prose.html.endswith("y</p>\n")


def test_columns_of_tables_are_aligned_without_styles_that_the_policy_forbids(client: Client) -> None:
    speed = page(client, "/docs/internals/speed/")
    assert speed.all("td", class_="align-right")
    assert not speed.all(style=True)


@pytest.mark.parametrize(
    "path",
    ["/docs/nowhere/", "/docs/../README/", "/docs/%2e%2e/esr_platform/settings.py/", "/docs/..%2f..%2fetc%2fpasswd/"],
)
def test_an_unknown_page_leads_to_the_index(client: Client, path: str) -> None:
    shown = page(client, path, 404)
    assert shown.notes == {"no-such-page"}
    assert reverse("pages:docs") in shown.one("main").links


@pytest.mark.parametrize("name", ["nowhere.png", "README.md", "..%2fREADME.md", "%2e%2e", "..%5cREADME.md"])
def test_only_images_of_the_documentation_are_served(client: Client, name: str) -> None:
    assert client.get(f"/docs/images/{name}", follow=True).status_code == 404


def test_a_site_without_the_files_says_so(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DOCS_DIR = tmp_path / "docs"
    for path in ("/docs/", "/docs/start/play-online/", "/docs/search/?q=bot"):
        assert page(client, path, 404).notes == {"no-docs"}
    assert client.get("/docs/images/home.png").status_code == 404
    assert client.get("/search/?q=bot").status_code == 200


def test_changed_files_are_read_again_while_debugging(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DOCS_DIR, settings.DEBUG = tmp_path / "docs", True
    (tmp_path / "docs").mkdir()
    for title in ("One", "Two"):
        (tmp_path / "docs" / "README.md").write_text(f"# {title}\n")
        assert page(client, "/docs/").one("h1").text == title


def hits(client: Client, text: str) -> list[str]:
    return [link for hit in page(client, f"/docs/search/?q={text}").all(class_="docs-hits") for link in hit.links]


def test_the_search_finds_titles_before_headings_before_texts(tmp_path: Path) -> None:
    for name, text in {
        "README": "# Index\n\nA clock.\n",
        "clock": "# The clock\n\n## Time\n\nx\n",
        "z": "# Z\n\n## A clock\n\ny\n\n## More\n\nz\n",
    }.items():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / f"{name}.md").write_text(text)
    results = Documentation(tmp_path).search("CLOCK", 20)
    assert [(hit.page.slug, hit.anchor) for hit in results] == [
        ("clock", ""),
        ("z", "a-clock"),
        ("", ""),
        ("clock", "time"),
    ]
    assert len(Documentation(tmp_path).search("clock", 2)) == 2
    assert [hit.anchor for hit in Documentation(tmp_path).search("time clock", 20)] == ["time"]


def test_the_search_shows_at_most_twenty_parts(client: Client) -> None:
    assert len(hits(client, "bot")) == 20
    assert hits(client, "nosuchword") == []
    assert hits(client, "") == []


def test_the_search_leads_to_the_heading_and_marks_the_words(client: Client) -> None:
    shown = page(client, "/docs/search/?q=move_ms")
    assert {mark.text.lower() for mark in shown.all("mark")} <= {"move_ms", ""}
    link = next(link for link in shown.one(class_="docs-hits").links if "#" in link)
    path, _, anchor = link.partition("#")
    assert [element for element in page(client, path) if element.attributes.get("id") == anchor]


def test_the_search_of_the_site_also_finds_pages(client: Client) -> None:
    shown = page(client, "/search/?q=sandbox")
    assert 1 <= len(shown.one(class_="docs-hits").links) <= 3


def test_a_search_text_is_escaped(client: Client) -> None:
    assert "<script>x" not in client.get("/docs/search/?q=<script>x").content.decode()


def test_templates_link_to_pages_that_exist(docs: Documentation) -> None:
    for template in (*ROOT.glob("ladder/**/templates/**/*.html"), *ROOT.glob("esr_platform/templates/**/*.html")):
        for slug in re.findall(r"""\{% doc_url "([^"]+)""", template.read_text(encoding="utf-8")):
            assert slug in docs.by_slug, (template, slug)


# --- Markdown ---------------------------------------------------------------------------------------------------------


def test_every_page_exists_in_markdown_and_its_links_lead_to_others_in_markdown(
    docs: Documentation, client: Client
) -> None:
    linked: set[str] = set()
    for slug in docs.by_slug:
        path = f"/docs/{slug}.md" if slug else "/docs.md"
        response = client.get(path)
        assert response["Content-Type"] == "text/markdown; charset=utf-8", path
        text = response.content.decode()
        assert re.search(r"(?m)^# ", text), path
        linked |= set(re.findall(r"\]\((/[^)#]+)", text))
        assert not re.findall(r"\]\((?!https?:|mailto:|/|#)[^)]*\.md", text), path
    pages = {f"/docs/{slug}.md" for slug in docs.by_slug}
    for address in linked - pages:
        assert client.get(address).status_code == 200, address


def test_a_page_names_its_markdown_and_search_engines_list_only_the_page(client: Client) -> None:
    for path in ("/docs/", "/docs/guides/deploy/", "/rules/die-weinhaendler/"):
        alternate = page(client, path).one("link", rel="alternate", type="text/markdown")["href"]
        assert client.get(alternate)["X-Robots-Tag"] == "noindex"


def test_there_is_no_markdown_of_a_page_that_does_not_exist(client: Client) -> None:
    assert client.get("/docs/guides/nothing.md").status_code == 404
    assert client.get("/rules/chess.md").status_code == 404


def test_rules_in_markdown_have_words_instead_of_drawings(client: Client) -> None:
    text = client.get("/rules/edel-stein-reich.md").content.decode()
    assert "| red | 14 |" in text
    assert not re.findall(r"\{[A-Z]\}", text)
