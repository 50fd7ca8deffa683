from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from bots.models import Bot
from ladder.models import Ladder, Match, Membership
from tests.build import finished_blocks
from tests.esr_platform.api.conftest import document, problem, read, walked
from tests.ladder.pages.site import crowd

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("order", ["-id", "id"])
def test_a_paginated_list_has_every_row_once(played: Ladder, order: str) -> None:
    ids = [row["id"] for row in walked("matches", limit=1, order=order)]
    every = list(Match.objects.order_by("-pk" if order == "-id" else "pk").values_list("pk", flat=True))
    assert ids == every


@pytest.mark.parametrize("order", ["-rating", "rating", "-games", "games", "id", "-id"])
def test_rows_with_equal_sort_values_appear_once(played: Ladder, order: str) -> None:
    Membership.objects.filter(ladder=played).order_by("-pk").update(rating=1_500_000, games=7)
    rows = walked(f"ladders/{played.slug}/members", limit=2, order=order)
    assert len({row["bot"] for row in rows}) == len(rows) == Membership.objects.filter(ladder=played).count()
    assert {row["rank"] for row in rows} == {1}


def test_ranks_refer_to_the_full_standings_whatever_the_filter(played: Ladder) -> None:
    table = {row["bot"]: row["rank"] for row in walked(f"ladders/{played.slug}/members")}
    assert list(table.values()) == sorted(table.values())
    for rows in (
        walked(f"ladders/{played.slug}/members", limit=1),
        walked(f"ladders/{played.slug}/members", order="id"),
    ):
        assert {row["bot"]: row["rank"] for row in rows} == table


def test_only_requested_fields_and_the_identifying_fields_are_returned(played: Ladder) -> None:
    rows = read(f"ladders/{played.slug}/members?fields=rating,games")["results"]
    assert all(list(row) == ["bot", "rating", "games"] for row in rows)
    assert read(f"ladders/{played.slug}?fields=name") == {"slug": played.slug, "name": played.name}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=1.0", "limit"),
        ("limit=١", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=", "cursor"),
        ("order=name", "order"),
        ("fields=seed", "fields"),
        ("fields=", "fields"),
        ("rated=1", "rated"),
        ("ended_from=2026-11-22", "ended_from"),
        ("ended_from=2026-11-22T10:00:00", "ended_from"),
        ("bot=a%00b", "bot"),
        ("status=finished&status=void", "status"),
        ("colour=red", "colour"),
    ],
)
def test_an_invalid_parameter_is_named_with_its_valid_values(db: None, query: str, field: str) -> None:
    error = problem(Client().get(f"/api/v1/matches?{query}"), 400, "invalid")
    assert list(error["fields"]) == [field]
    assert error["fields"][field][0].endswith(".")


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-12:00", "2026-11-22t10:00:00z"])
def test_the_last_representable_time_is_valid(db: None, moment: str) -> None:
    assert Client().get(f"/api/v1/matches?ended_from={moment}").status_code == 200


def test_a_missing_parameter_is_named(db: None) -> None:
    assert list(problem(Client().get("/api/v1/head-to-head"), 400, "invalid")["fields"]) == ["ladder"]
    assert list(problem(Client().get("/api/v1/head-to-head?bot=x"), 400, "invalid")["fields"]) == ["ladder"]


def test_matches_can_be_filtered(played: Ladder) -> None:
    match = Match.objects.filter(ladder=played).order_by("pk")[0]
    bots = [seat.version.bot.slug for seat in match.seats.select_related("version__bot")]
    every = Match.objects.filter(ladder=played).count()
    assert len(walked("matches", ladder=played.slug, status="finished", rated="true", season=1)) == every
    assert walked("matches", rated="false") == []
    assert walked("matches", game="die-weinhaendler") == []
    rows = walked("matches", bot=bots[0], **{"with": bots[1]})
    assert match.pk in [row["id"] for row in rows]
    assert all({bots[0], bots[1]} <= {player["bot"] for player in row["players"]} for row in rows)
    assert [row["id"] for row in walked(f"bots/{bots[0]}/matches", **{"with": bots[1]})] == [row["id"] for row in rows]


def test_an_unchanged_response_is_not_sent_again(played: Ladder) -> None:
    client = Client()
    first = client.get("/api/v1/matches", headers={"Accept-Encoding": "gzip"})
    assert first.headers["Content-Encoding"] == "gzip"
    assert "no-cache" in first.headers["Cache-Control"]
    again = client.get("/api/v1/matches", headers={"If-None-Match": first.headers["ETag"], "Accept-Encoding": "gzip"})
    assert (again.status_code, again.content) == (304, b"")


def test_more_rows_need_no_more_queries(played: Ladder) -> None:
    on_ladder = [f"ladders/{played.slug}{part}" for part in ("", "/members", "/seasons", "/seasons/1", "/matches")]
    of_bot = [f"bots/house-greedy{part}" for part in ("", "/versions", "/matches", f"/ratings?ladder={played.slug}")]
    addresses = ["games", "ladders", "bots", "matches", f"head-to-head?ladder={played.slug}", *on_ladder, *of_bot]

    def counts() -> dict[str, int]:
        numbers = {}
        for address in addresses:
            with CaptureQueriesContext(connection) as queries:
                read(address)
            numbers[address] = len(queries)
        return numbers

    before = counts()
    finished_blocks(played, 3)
    crowd(played, 20)
    assert counts() == before


def test_bots_are_listed_with_their_ladder_memberships(played: Ladder) -> None:
    rows = {row["slug"]: row for row in walked("bots", limit=2)}
    assert set(rows) == set(Bot.objects.values_list("slug", flat=True))
    greedy = rows["house-greedy"]
    assert (greedy["house"], greedy["owner"], greedy["kind"]) == (True, None, "hosted")
    assert played.slug in [place["ladder"] for place in greedy["ladders"]]
    assert {row["slug"] for row in walked("bots", ladder=played.slug)} == {
        row["bot"] for row in walked(f"ladders/{played.slug}/members")
    }
    assert walked("bots", house="false") == walked("bots", kind="remote") == walked("bots", owner="miriam") == []


def test_unknown_methods_are_refused_before_authentication(db: None) -> None:
    answer = Client().post("/api/v1/matches")
    problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]
    assert document(Client().get("/api/v1/ladders"))["next"] is None


def test_a_document_has_exactly_its_described_fields(played: Ladder) -> None:
    ladder, match = f"ladders/{played.slug}", f"matches/{Match.objects.filter(ladder=played).latest('pk').pk}"
    of_bot = [f"bots/house-greedy{more}" for more in ("", "/versions", "/versions/1", f"/ratings?ladder={played.slug}")]
    of_ladder = [f"{ladder}{more}" for more in ("", "/members", "/seasons", "/seasons/1")]
    for address in ("games", "ladders", "bots", "matches", match, *of_bot, *of_ladder):
        page = read(address)
        view = resolve(f"/api/v1/{address.partition('?')[0]}").func.view_class
        assert set(page["results"][0] if "results" in page else page) == set(view.document.__struct_fields__), address
