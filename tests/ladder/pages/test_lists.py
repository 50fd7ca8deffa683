from __future__ import annotations

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ladder.models import Match
from ladder.pages.components.filters import cursor, part
from ladder.pages.matches import listed
from tests.build import person, uploaded
from tests.ladder.pages.site import Site, block_like, crowd


def walk(size: int, name: str, start: int | None) -> list[list[int]]:
    """The parts from ``start`` on in the direction of the cursor ``name``."""
    parts: list[list[int]] = []
    at = start
    while True:
        found = part(listed(Match.objects.all()), {name: None if at is None else str(at)}.get, size)
        parts.append([match.pk for match in found.rows])
        at = found.before if name == "before" else found.after
        if at is None:
            return parts


def test_older_and_newer_parts_hold_every_match_once(site: Site) -> None:
    everything = list(Match.objects.order_by("-pk").values_list("pk", flat=True))
    for size in (1, 3, 7, 100):
        older = walk(size, "before", None)
        assert [pk for found in older for pk in found] == everything
        newer = walk(size, "after", 0)
        assert [pk for found in reversed(newer) for pk in found] == everything


def test_a_cursor_that_is_none_shows_the_newest(site: Site, client: Client) -> None:
    for nonsense in ("x", "-1", "²", "1" * 30, ""):
        assert cursor(nonsense) is None
        assert client.get("/matches/", {"before": nonsense}).status_code == 200


def test_the_list_of_matches_can_be_filtered(site: Site, client: Client) -> None:
    def shown(**filters: str) -> set[int]:
        text = client.get("/matches/", filters).content.decode()
        return {int(pk) for pk in re.findall(r'href="/matches/(\d+)/"', text)}

    assert shown(state="running") == {site.running.pk}
    assert shown(state="void") == {site.void.pk}
    assert site.queued.pk in shown(state="waiting", ladder=site.ladder.slug)
    queued = Match.objects.filter(ladder=site.ladder, status="queued").values_list("pk", flat=True)
    begun = set(site.ladder.matches.values_list("pk", flat=True)) - set(queued)
    assert {site.finished.pk, site.void.pk, site.closed.pk, site.running.pk, site.unrated.pk} < begun
    assert shown(ladder=site.ladder.slug) == begun
    assert shown(state="nonsense", ladder=site.ladder.slug) == begun


def test_a_long_list_keeps_its_filters_from_part_to_part(site: Site, client: Client) -> None:
    for _ in range(8):
        block_like(site.finished)
    text = client.get("/matches/", {"ladder": site.ladder.slug, "state": "waiting"}).content.decode()
    assert f"?ladder={site.ladder.slug}&amp;state=waiting&amp;before=" in text


def test_a_long_table_has_pages(site: Site, client: Client) -> None:
    crowd(site.ladder, 60)
    first = client.get(f"/ladders/{site.ladder.slug}/").content.decode()
    second = client.get(f"/ladders/{site.ladder.slug}/?page=2").content.decode()
    assert "1–50 of 68" in first
    assert "51–68 of 68" in second
    assert 'href="?page=2"' in first
    assert client.get(f"/ladders/{site.ladder.slug}/?page=nonsense").status_code == 200
    assert "51–68 of 68" in client.get(f"/ladders/{site.ladder.slug}/?page=99").content.decode()


def test_a_bot_page_ranks_it_as_the_ladder_does(site: Site, client: Client) -> None:
    text = client.get(f"/ladders/{site.ladder.slug}/").content.decode()
    order = re.findall(r'href="/bots/([a-z-]+)/"', text)
    best = client.get(f"/bots/{order[0]}/").content.decode()
    assert re.search(r">1 <span class=\"meta\">of 8<", best)


def test_a_ladder_says_that_house_bots_fill_up_while_too_few_people_play(site: Site, client: Client) -> None:
    def said() -> str:
        return client.get(f"/ladders/{site.ladder.slug}/").content.decode()

    assert "Only house bots play here so far." in said()
    for number in range(site.ladder.seats):
        uploaded(person(f"p{number}"), f"bot {number}", claims={site.ladder.game: [site.ladder.seats]})
        few = "Too few people have a bot here for a table of four: house bots take the empty seats." in said()
        assert few == (number + 1 < site.ladder.seats)
    assert "Only house bots" not in said()


def test_a_page_of_a_big_table_needs_eleven_queries_at_most(site: Site, client: Client) -> None:
    crowd(site.ladder, 160)
    for page in ("1", "2", "4"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/ladders/{site.ladder.slug}/", {"page": page}).status_code == 200
            assert len(queries) <= 11, [query["sql"] for query in queries]
