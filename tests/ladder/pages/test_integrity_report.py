from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient, Client

from esr_platform.accounts.models import User
from ladder.corrections import void
from ladder.exports.json_lines import ledger_pieces
from ladder.ledger.entries import rating_rules_of
from ladder.models import Intervention, Ladder, LedgerEntry, Match
from ladder.ratings.recompute import recomputed
from tests.build import ratings
from tests.ladder.pages.site import Site
from tests.page import html, page, parsed

WHY = {"reason": "<b>wrong</b>", "sure": "on"}


@pytest.fixture
def as_staff(eve: User) -> Client:
    client = Client()
    client.force_login(eve)
    return client


def address(ladder: Ladder) -> str:
    return f"/ladders/{ladder.slug}/integrity/"


def test_all_statements_hold(site: Site, client: Client) -> None:
    text = html(client, address(site.ladder))
    assert not parsed(text).all(class_="broken")
    assert "/correct/" not in text
    site.ladder.refresh_from_db()
    assert site.ladder.ledger_head in text


def test_a_violated_statement_is_an_alert_with_its_figures(site: Site, client: Client) -> None:
    Ladder.objects.filter(pk=site.ladder.pk).update(next_ledger=99)
    broken = page(client, address(site.ladder)).one(class_="broken")
    assert (broken["role"], "98" in broken.text) == ("alert", True)


def test_corrections_stand_there_with_their_reasons_and_who_it_was_is_for_staff(
    site: Site, client: Client, as_staff: Client, eve: User
) -> None:
    void(site.finished.pk, "<script>alert(1)</script>", eve)
    for reader, sees in ((client, False), (as_staff, True)):
        text = html(reader, address(site.ladder))
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert ("eve</span>" in text) == sees
        assert (f"/ladders/{site.ladder.slug}/correct/k/" in parsed(text).links) == sees


def test_the_ledger_is_a_file_from_which_anybody_computes_the_ratings(site: Site, client: Client) -> None:
    response = client.get(f"/ladders/{site.ladder.slug}/ledger.jsonl")
    assert response["Content-Type"] == "application/jsonl"
    assert response["Content-Disposition"] == f'attachment; filename="{site.ladder.slug}-ledger.jsonl"'
    lines = b"".join(response.streaming_content).splitlines()
    recomputation = recomputed(lines)
    assert {pk: standing.rating for pk, standing in recomputation.standings.items()} == {
        pk: row[0] for pk, row in ratings(site.ladder).items() if row[2]
    }
    assert set(json.loads(lines[1])) == {"ladder", "number", "kind", "document", "previous", "hash"}


def test_one_address_has_long_files_only_so_often(house: None, client: Client, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "files": 3}
    ladder = "/ladders/edel-stein-reich-4"
    files = [f"{ladder}/ledger.jsonl", f"{ladder}/standings.csv", f"{ladder}/seasons/1/deals.jsonl"]
    assert [client.get(address).status_code for address in files] == [200, 200, 200]
    for address in files:
        refused = client.get(address)
        assert refused.status_code == 429 and refused["Retry-After"]
    assert client.get(files[0], REMOTE_ADDR="192.0.2.1").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_site_sends_the_file_while_it_is_read(house: None) -> None:
    ladder = Ladder.objects.get(slug="edel-stein-reich-4")

    async def fetched() -> bytes:
        response = await AsyncClient().get(f"/ladders/{ladder.slug}/ledger.jsonl")
        sent = b"".join([piece async for piece in response.streaming_content])
        await sync_to_async(connections.close_all)()  # of the thread that has read them
        return sent

    assert asyncio.run(fetched()) == b"".join(ledger_pieces(ladder)) != b""


def test_staff_take_a_result_back_on_the_matchs_page(site: Site, client: Client, as_staff: Client, eve: User) -> None:
    match = f"/matches/{site.finished.pk}/"
    assert f"{match}correct/" in page(as_staff, match).links
    assert f"{match}correct/" not in page(client, match).links
    assert not page(as_staff, f"{match}correct/").errors
    unsure = as_staff.post(f"{match}correct/", {"reason": "wrong"})
    assert (unsure.status_code, parsed(unsure).errors) == (422, {"sure"})
    done = as_staff.post(f"{match}correct/", WHY, follow=True)
    assert "&lt;b&gt;wrong&lt;/b&gt;" in done.content.decode()
    assert LedgerEntry.objects.get(kind="void").author == eve
    assert f"{match}correct/" not in page(as_staff, match).links
    again = as_staff.post(f"{match}correct/", WHY)
    assert (again.status_code, parsed(again).errors) == (422, {""})
    assert "eve" in parsed(again).one(class_="notice", role="alert").text
    shown = as_staff.get(f"{match}correct/", follow=True)
    assert shown.redirect_chain == [(match, 302)]
    assert "eve" in parsed(shown).one(class_="failed").text


def test_staff_withdraw_matches_that_have_not_ended(site: Site, as_staff: Client) -> None:
    for match, status in ((site.queued, "cancelled"), (site.running, "void")):
        html(as_staff, f"/matches/{match.pk}/correct/")
        as_staff.post(f"/matches/{match.pk}/correct/", WHY)
        assert Match.objects.get(pk=match.pk).status == status
    assert Intervention.objects.count() == 2
    links = page(as_staff, address(site.ladder)).links
    assert {f"/matches/{match.pk}/" for match in (site.queued, site.running)} <= set(links)


def test_staff_set_another_k(site: Site, as_staff: Client) -> None:
    form = f"/ladders/{site.ladder.slug}/correct/k/"
    assert 'value="40"' in html(as_staff, form)
    k = {"provisional": 32, "established": 16, "provisional_games": 20}
    assert as_staff.post(form, {**k, **WHY, "provisional": 0}).status_code == 422
    assert as_staff.post(form, {**k, **WHY}).status_code == 302
    assert rating_rules_of(site.ladder).k.provisional_games == 20
    assert re.search(r"\b32\b.*\b20\b.*\b16\b", page(as_staff, address(site.ladder)).text)
    assert parsed(as_staff.post(form, {**k, **WHY})).errors == {""}


def test_staff_merge_entries(site: Site, as_staff: Client) -> None:
    form = f"/ladders/{site.ladder.slug}/correct/merge/"
    member, other = [seat.membership for seat in site.finished.seats.order_by("index")[:2]]
    assert f"({member.bot.slug})" in html(as_staff, form)
    lacking = as_staff.post(form, {**WHY, "entry": member.pk, "counts": "another"})
    assert parsed(lacking).errors == {"into"}
    for counts in ("nobody", "itself"):
        unclear = as_staff.post(form, {**WHY, "entry": member.pk, "counts": counts, "into": other.pk})
        assert parsed(unclear).errors == {"into"}
    for counts, into, merged in (
        ("another", other.pk, {member.pk: other.pk}),
        ("itself", "", {}),
        ("nobody", "", {member.pk: None}),
    ):
        assert as_staff.post(form, {**WHY, "entry": member.pk, "counts": counts, "into": into}).status_code == 302
        assert rating_rules_of(site.ladder).merged == merged
        report = page(as_staff, address(site.ladder))
        assert member.bot.name in report.text
        assert not report.all(class_="broken")
