"""The document of a replay as it is sent: compressed, kept, without names, and there when the record is."""

from __future__ import annotations

import gzip

from django.test import Client
from pytest_django import DjangoAssertNumQueries

from ladder.models import Match
from tests.ladder.pages.site import Site, rename


def address(match: Match) -> str:
    return f"/matches/{match.pk}/replay.json"


def test_a_replay_is_sent_compressed_to_whoever_reads_that_and_not_again_to_whoever_has_it(
    site: Site, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    plain = client.get(address(site.finished))
    assert plain.json()["format"] == "replay/1"
    with django_assert_max_num_queries(2):
        packed = client.get(address(site.finished), headers={"accept-encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) <= 15_000
    again = client.get(address(site.finished), headers={"if-none-match": packed.headers["ETag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert "Cookie" in packed.headers["Vary"]
    assert "private" in packed.headers["Cache-Control"]


def test_a_replay_holds_no_names_so_that_a_new_one_is_told_at_once(site: Site, client: Client) -> None:
    before = client.get(address(site.finished)).content
    for seat in site.finished.seats.select_related("version__bot"):
        assert seat.version.bot.name.encode() not in before
    first = site.finished.seats.get(index=0).version.bot
    rename(first, "Quite another")
    assert client.get(address(site.finished)).content == before
    assert "Quite another" in client.get(f"/matches/{site.finished.pk}/").content.decode()


def test_there_is_no_replay_before_there_is_a_record_nor_where_there_is_none(site: Site, client: Client) -> None:
    for match in (site.closed, site.running, site.queued, site.void):
        response = client.get(address(match))
        assert response.status_code == 404
        assert "opens when its record does" in response.content.decode()
