"""Lists, records and public streams by the client, over connections that break."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest

from bots.client import AsyncClient, Client
from bots.client.calls import PackedLines
from tests.bots.client.site import TOKEN, TinySite, tiny_site
from tools.sync_client import TARGET, sync_client

HEAD = {"type": "game", "game": 7, "ladder": "duel-remote", "players": []}


@pytest.fixture
def site() -> Iterator[TinySite]:
    with tiny_site() as running:
        yield running


def lines(*documents: Any) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def packed(*matches: int) -> bytes:
    return gzip.compress(lines(*({"match": match} for match in matches)))


def test_each_iterates_over_all_pages(site: TinySite) -> None:
    site.documents["matches"] = {"next": None, "results": [{"id": 1}, {"id": 2}]}
    with Client(site.url, TOKEN) as client:
        assert [row["id"] for row in client.each("matches", limit=2)] == [1, 2]
    assert site.bodies_of("GET", "matches") == [{"limit": "2"}]


def test_the_next_page_is_requested_with_the_parameters_of_next(site: TinySite) -> None:
    site.documents["matches"] = {"next": f"{site.url}/api/v1/matches?limit=2&cursor=5_3", "results": [{"id": 1}]}
    with Client(site.url, TOKEN) as client:
        rows = client.each("matches", limit=2)
        assert next(rows) == {"id": 1}
        site.documents["matches"] = {"next": None, "results": [{"id": 6}]}
        assert list(rows) == [{"id": 6}]
    assert site.bodies_of("GET", "matches") == [{"limit": "2"}, {"limit": "2", "cursor": "5_3"}]


def test_records_resume_after_a_broken_connection(site: TinySite) -> None:
    whole = packed(1, 2, 3)
    site.raw["ladders/duel-remote/records"] = [whole + packed(4)[:9], packed(4), packed(), packed()]
    with Client(site.url, TOKEN) as client:
        matches = []
        for line in client.records("duel-remote"):
            matches.append(line["match"])
            if matches[-1] == 4:
                break
    assert matches == [1, 2, 3, 4]
    assert site.bodies_of("GET", "ladders/duel-remote/records") == [{}, {"after": "3"}]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_compressed_lines_can_arrive_in_any_pieces(size: int) -> None:
    data, reader = packed(1, 2) + packed() + packed(3), PackedLines()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert [line["match"] for piece in pieces for line in reader.feed(piece)] == [1, 2, 3]


def test_a_response_that_is_not_gzip_is_an_error() -> None:
    with pytest.raises(ValueError, match="gzip"):
        list(PackedLines().feed(b"<html>"))


def streams() -> list[bytes]:
    entries = [{"ply": ply} for ply in range(3)]
    first = {"type": "round", "round": 1, "log": entries[:2]}
    last = {"type": "game_end", "status": "finished", "log": entries[2:]}
    return [lines(HEAD, first), lines(HEAD, last)]


def test_watch_resumes_after_a_broken_connection(site: TinySite) -> None:
    site.raw["matches/7/stream"] = streams()
    with Client(site.url, TOKEN) as client:
        kinds = [event["type"] for event in client.watch(7)]
    assert kinds == ["game", "round", "game", "game_end"]
    assert site.bodies_of("GET", "matches/7/stream") == [{"log": "0"}, {"log": "2"}]


@pytest.mark.asyncio
async def test_an_asyncio_program_watches_by_the_same_calls(site: TinySite) -> None:
    site.raw["matches/7/stream"] = streams()
    async with AsyncClient(site.url, TOKEN) as client, client.watch(7) as events:
        assert [event["type"] async for event in events] == ["game", "round", "game", "game_end"]


@pytest.mark.asyncio
async def test_an_asyncio_program_reads_lists_and_records(site: TinySite) -> None:
    site.documents["matches"] = {"next": None, "results": [{"id": 1}, {"id": 2}]}
    site.raw["ladders/duel-remote/records"] = [packed(1) + packed(2)[:9], packed(2)]
    async with AsyncClient(site.url, TOKEN) as client:
        assert [row["id"] async for row in client.each("matches")] == [1, 2]
        async with aclosing(client.records("duel-remote")) as lines_of_both:
            assert [(await anext(lines_of_both))["match"] for _ in range(2)] == [1, 2]


def test_the_synchronous_client_is_generated_from_the_asynchronous_one() -> None:
    assert TARGET.read_text(encoding="utf-8") == sync_client(), "run `make format`"
