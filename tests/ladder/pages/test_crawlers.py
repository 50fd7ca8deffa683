from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from django.core.cache import caches
from django.test import Client

from games.registry import GAMES
from ladder.models import Ladder
from ladder.pages.components.documentation import documentation
from tests.build import person, signed_in, staff
from tests.ladder.pages.site import Site
from tests.page import at_most


def urls_of(client: Client) -> list[str]:
    caches["pages"].clear()
    document = ElementTree.fromstring(client.get("/sitemap.xml").content)
    return [str(element.text) for element in document.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]


def test_robots_find_the_sitemap_and_stay_out_of_pages_for_users(client: Client, settings: Any) -> None:
    response = client.get("/robots.txt")
    assert response["Content-Type"].startswith("text/plain")
    lines = response.content.decode().splitlines()
    assert f"Sitemap: {settings.SITE_URL}/sitemap.xml" in lines
    closed = {line.removeprefix("Disallow: ") for line in lines if line.startswith("Disallow: ")}
    assert {"/account/", "/staff/", "/play/tables/"} <= closed
    assert not {"/", "/matches/", "/pictures/", "/static/"} & closed


def test_the_sitemap_has_the_public_pages_alone(site: Site, client: Client, settings: Any) -> None:
    with at_most(5):
        urls = urls_of(client)
    assert len(set(urls)) == len(urls)
    paths = [url.removeprefix(settings.SITE_URL) for url in urls]
    assert {"/", "/rules/die-weinhaendler/", f"/ladders/{site.ladder.slug}/", f"/bots/{site.bot.slug}/"} <= set(paths)
    assert f"/matches/{site.finished.pk}/" in paths
    assert not {f"/matches/{match.pk}/" for match in (site.closed, site.running, site.queued)} & set(paths)
    for path in paths:
        if not path.startswith("/docs/"):  # ``test_docs`` opens each of these
            assert client.get(path).status_code == 200, path


def test_the_sitemap_says_when_an_ended_match_last_changed_and_follows_the_schema(site: Site, client: Client) -> None:
    caches["pages"].clear()
    response = client.get("/sitemap.xml", headers={"host": "localhost:1234"})
    assert response["Content-Type"] == "application/xml"
    assert b"1234" not in response.content
    schema = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    document = ElementTree.fromstring(response.content)
    assert document.tag == f"{schema}urlset"
    changed = {url.findtext(f"{schema}loc"): url.findtext(f"{schema}lastmod") for url in document}
    ended = site.finished.block.ended
    assert ended is not None
    [at] = [time for url, time in changed.items() if str(url).endswith(f"/matches/{site.finished.pk}/")]
    assert at == ended.date().isoformat()


def test_the_sitemap_is_the_same_for_staff_and_hides_private_ladders(site: Site, client: Client) -> None:
    Ladder.objects.filter(pk=site.ladder.pk).update(private=True, by_invitation=True)
    person("ada")
    urls = urls_of(signed_in(staff("boss")))
    assert urls == urls_of(client)
    assert not [url for url in urls if site.ladder.slug in url.split("/")]
    assert not [url for url in urls if re.search(rf"/matches/{site.finished.pk}/", url)]


def test_language_models_find_all_pages_and_the_rules_of_all_games(client: Client, settings: Any) -> None:
    response = client.get("/llms.txt")
    assert response["Content-Type"].startswith("text/plain")
    text = response.content.decode()
    assert text.startswith("# Steinreich\n\n> ")
    links = re.findall(r"(?m)^- \[[^\]]+\]\(([^)]+)\)", text)
    assert len(links) == len(set(links)) > 40
    assert all(link.startswith(settings.SITE_URL) and link.endswith(".md") for link in links)
    docs = documentation()
    assert docs is not None
    pages = [page for section in docs.menu for page in section.pages]
    expected = {f"/docs/{page.slug}.md" for page in pages} | {f"/rules/{game}.md" for game in GAMES}
    assert {link.removeprefix(settings.SITE_URL) for link in links} == expected
    for address in re.findall(rf"{settings.SITE_URL}(/bots/starter/[a-z-]+\.zip|/api/v1/schema)", text):
        assert client.get(address).status_code == 200


def test_the_manifest_names_icons_that_exist(client: Client) -> None:
    response = client.get("/manifest.webmanifest")
    assert response["Content-Type"] == "application/manifest+json"
    for icon in response.json()["icons"]:
        assert client.get(icon["src"])["Content-Type"] == icon["type"]
