from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import resvg_py
from django.core.cache import caches
from django.test import Client

from ladder.creation import LadderPlan, found_ladder
from ladder.models import Ladder, Membership
from ladder.pages import pictures
from ladder.pages.pictures import HEIGHT, MAX_BYTES, WIDTH, Picture, PictureRow
from tests.build import finish_game, person, signed_in, staff
from tests.ladder.pages.site import Site, block_like, finish_queued
from tests.page import Element, page

GENERIC = "/pictures/site.png"


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def tags_of(found: Element) -> dict[str, str]:
    """The tags for link previews, by property."""
    return {
        element.attributes.get("property") or element["name"]: element["content"]
        for element in found.all("meta")
        if re.match("og:|twitter:", element.attributes.get("property", element.attributes.get("name", "")))
    }


def picture_of(client: Client, address: str, site_url: str) -> str:
    """The path of the picture of a page."""
    return tags_of(page(client, address))["og:image"].removeprefix(site_url)


def test_every_kind_of_page_has_tags_and_a_small_picture(site: Site, client: Client, settings: Any) -> None:
    user = person("ada")
    user.emailaddress_set.create(email=user.email, verified=True)  # type: ignore[attr-defined]
    specific = {
        f"/ladders/{site.ladder.slug}/": f"/pictures/ladders/{site.ladder.slug}.png",
        f"/bots/{site.bot.slug}/": f"/pictures/bots/{site.bot.slug}.png",
        f"/matches/{site.finished.pk}/": f"/pictures/matches/{site.finished.pk}.png",
        "/rules/die-weinhaendler/": "/pictures/rules/die-weinhaendler.png",
        "/people/ada/": "/pictures/people/ada.png",
    }
    generic = dict.fromkeys(("/", "/play/", "/ladders/", "/matches/", "/bots/", "/rules/", "/about/"), GENERIC)
    for address, path in {**specific, **generic}.items():
        text = page(client, address)
        tags = tags_of(text)
        assert tags["og:image"] == f"{settings.SITE_URL}{path}", address
        assert tags["og:url"] == text.one("link", rel="canonical")["href"] == f"{settings.SITE_URL}{address}"
        assert (tags["og:image:width"], tags["og:image:height"]) == ("1200", "630")
        assert tags["twitter:card"] == "summary_large_image"
        assert tags["og:title"]
        assert tags["og:title"] in text.all("title")[0].text
        assert tags["og:description"] == next(element for element in text.all("meta", name="description"))["content"]
        response = client.get(path)
        assert (response.status_code, response["Content-Type"]) == (200, "image/png")
        assert "public" in response["Cache-Control"]
        assert size_of(response.content) == (WIDTH, HEIGHT) == (1200, 630)
        assert len(response.content) <= MAX_BYTES == 60_000


def test_a_match_that_is_not_public_has_the_picture_of_the_site(site: Site, client: Client, settings: Any) -> None:
    for match in (site.closed, site.running, site.queued, site.void):
        assert picture_of(client, f"/matches/{match.pk}/", settings.SITE_URL) == GENERIC
        assert client.get(f"/pictures/matches/{match.pk}.png").status_code == 404


def test_a_private_ladder_has_no_picture_even_for_members(site: Site, client: Client, settings: Any) -> None:
    boss = staff("boss")
    plan = LadderPlan("Class of 2026", "edel-stein-reich", 4, private=True, by_invitation=True)
    secret = found_ladder(plan, boss)
    Membership.objects.filter(ladder=site.ladder).update(ladder=secret)
    Ladder.objects.filter(pk=site.ladder.pk).update(private=True, by_invitation=True)
    for address in (f"/ladders/{secret.slug}/", f"/matches/{site.finished.pk}/"):
        assert picture_of(signed_in(boss), address, settings.SITE_URL) == GENERIC
    for path in (f"ladders/{secret.slug}", "ladders/nowhere", f"matches/{site.finished.pk}", "matches/999999"):
        for reader in (client, signed_in(boss)):
            assert reader.get(f"/pictures/{path}.png").status_code == 404, path
    drawn = pictures._of_bot(site.bot.slug).svg
    assert secret.name not in drawn


def test_only_bots_and_people_with_a_page_have_a_picture(site: Site, client: Client) -> None:
    assert client.get("/pictures/people/nobody.png").status_code == 404
    assert client.get("/pictures/bots/nobody.png").status_code == 404
    assert client.get("/pictures/rules/chess.png").status_code == 404
    assert client.get("/icons/7.png").status_code == 404


def test_pages_for_few_have_no_tags(site: Site) -> None:
    client = signed_in(staff("boss"))
    for address in ("/account/", "/staff/", "/staff/trail/"):
        text = page(client, address)
        assert tags_of(text) == {}
        assert text.all("link", rel="canonical") == []
    assert page(client, "/nowhere/", 404).all("link", rel="canonical") == []


def test_the_canonical_url_keeps_the_number_of_the_page_alone(site: Site, client: Client, settings: Any) -> None:
    for query, kept in (("?page=2&sort=x", "?page=2"), ("?page=1", ""), ("?q=a", ""), ("?page=<b>", "")):
        link = page(client, f"/bots/{query}").one("link", rel="canonical")
        assert link["href"] == f"{settings.SITE_URL}/bots/{kept}"


def test_a_picture_is_rendered_once_until_its_content_changes(
    site: Site, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    render = resvg_py.svg_to_bytes

    def counted(**arguments: Any) -> bytes:
        rendered.append(arguments["svg_string"])
        return render(**arguments)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", counted)
    caches["pictures"].clear()
    path = f"/pictures/bots/{site.bot.slug}.png"
    first, second = client.get(path), client.get(path)
    assert first.content == second.content
    assert len(rendered) == 1
    site.bot.memberships.update(rating=1_999_000)
    assert client.get(path).content != first.content
    assert len(rendered) == 2


def test_pictures_have_a_limit_per_minute(site: Site, client: Client, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "pictures": 1}
    assert client.get(GENERIC).status_code == 200
    assert client.get(GENERIC).status_code == 429


def test_the_longest_names_fit_into_the_bytes_and_names_are_no_markup() -> None:
    crowded = Picture("Wm&" * 30, "g" * 300, [PictureRow("@&<Ww" * 8, "1,234", rank="9")] * 5)
    png = pictures.rendered(crowded.svg, WIDTH)
    assert size_of(png) == (WIDTH, HEIGHT)
    assert len(png) <= MAX_BYTES
    assert "<script" not in Picture("<script>alert(1)</script>", "\0\u202e").svg


def test_pictures_need_no_font_of_the_machine() -> None:
    fonts = pictures._fonts()
    assert all(Path(font).is_file() for font in fonts)
    svg = Picture("Steinreich", "").svg
    bare = resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, font_files=fonts, skip_system_fonts=True)
    blank = resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, skip_system_fonts=True)
    assert bare == pictures.rendered(svg, WIDTH)
    assert bare != blank


def test_old_browsers_and_phones_find_the_icons(client: Client) -> None:
    icon = client.get("/favicon.ico")
    assert icon["Content-Type"] == "image/x-icon"
    assert icon.content[:6] == bytes((0, 0, 1, 0, 1, 0))
    length, offset = (int.from_bytes(icon.content[at : at + 4], "little") for at in (14, 18))
    assert size_of(icon.content[offset : offset + length]) == (32, 32)
    for size in pictures.ICONS:
        assert size_of(client.get(f"/icons/{size}.png").content) == (size, size)


def test_a_result_has_a_picture_when_its_block_is_over(site: Site, client: Client) -> None:
    block = block_like(site.finished)
    match = block.matches.select_related("ladder").order_by("seating")[0]
    finish_game(match)
    assert client.get(f"/pictures/matches/{match.pk}.png").status_code == 404
    finish_queued(block)
    assert client.get(f"/pictures/matches/{match.pk}.png").status_code == 200
