from __future__ import annotations

import gzip

from django.contrib.auth.models import AnonymousUser
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from esr_platform.accounts.models import Role
from games.record import from_json, replay, verify
from games.registry import GAMES
from ladder.corrections import void
from ladder.models import Match
from ladder.pages.components.markup import drawn
from ladder.pages.components.words import points, signed
from ladder.pages.match import match_page
from tests.build import person
from tests.ladder.pages.site import Site, rename


def page(client: Client, match: Match) -> str:
    return client.get(f"/matches/{match.pk}/").content.decode()


def test_a_finished_match_shows_ranks_scores_and_ratings(site: Site, client: Client) -> None:
    text = page(client, site.finished)
    for seat in site.finished.seats.select_related("membership__bot", "result"):
        assert seat.membership.bot.name in text
        assert f">{seat.result.score['money']}<" in text
        assert points(seat.result.rating_before, 1) in text
        assert points(seat.result.rating_after, 1) in text
        assert signed(seat.result.change, 1) in text
    assert match_page(site.finished.pk, AnonymousUser()).ledger["result"] == 2, "number 1 is the season's start"


def test_a_match_that_is_not_rated_has_a_result_without_ratings(site: Site, client: Client) -> None:
    text = page(client, site.unrated)
    assert not match_page(site.unrated.pk, AnonymousUser()).ledger
    assert "None" not in text
    for seat in site.unrated.seats.select_related("result"):
        assert f">{seat.result.score['money']}<" in text
    assert bytes(site.unrated.block.seed).hex() in text


def test_a_result_that_was_taken_back_says_why_and_has_no_ratings(site: Site, client: Client) -> None:
    staff = person("staff")
    staff.role = Role.MODERATOR
    void(site.finished.pk, "two bots of one owner sat there", staff)
    text = page(client, site.finished)
    ledger = match_page(site.finished.pk, AnonymousUser()).ledger
    assert (ledger["result"], ledger["void"]) == (2, 6)
    assert "two bots of one owner sat there" in text
    assert "None" not in text
    assert client.get("/").status_code == client.get(f"/bots/{site.bot.slug}/").status_code == 200


def test_an_aborted_match_says_so(site: Site, client: Client) -> None:
    Match.objects.filter(pk=site.void.pk).update(status="aborted", reason="Everybody has left")
    assert "Everybody has left" in page(client, site.void)
    assert f"/matches/{site.void.pk}/" in client.get("/matches/?state=void").content.decode()


def test_a_finished_match_of_every_game_shows_its_columns_and_is_told(site: Site, client: Client) -> None:
    assert {match.ladder.game for match in site.others} == set(GAMES)
    for match in site.others:
        game, text = GAMES[match.ladder.game], page(client, match)
        for column in game.presentation.score_columns:
            assert f">{column.heading}</th>" in text
        for seat in match.seats.select_related("result"):
            assert drawn(game.presentation.score_columns[0].text(seat.result.score), game) in text
        assert 'id="chapter-1"' in text


def test_the_seats_of_a_finished_match_stand_in_the_order_of_their_ranks(site: Site) -> None:
    rows = match_page(site.finished.pk, AnonymousUser()).table.rows
    ranks = [row.result.rank for row in rows if row.result]
    assert ranks == sorted(ranks)
    assert len(ranks) == 4


def test_a_forfeit_is_told_with_its_reason_and_evidence(site: Site, client: Client) -> None:
    text = page(client, site.forfeited)
    assert site.forfeited.seats.get(index=2).result.score["forfeit"] == "exit"
    assert "evidence: exit" in text.lower()


def test_a_void_match_says_why_and_offers_its_deal(site: Site, client: Client) -> None:
    text = page(client, site.void)
    assert "the disk is full" in text
    assert f'href="/matches/{site.void.pk}/record"' in text
    assert bytes(site.void.block.seed).hex() in text
    log = client.get(f"/matches/{site.void.pk}/record").json()
    assert log["format"] == "match-log/1"


def test_a_match_keeps_its_secrets_on_every_page_until_its_whole_block_is_over(site: Site, client: Client) -> None:
    assert site.closed.block == site.running.block == site.queued.block != site.finished.block
    secret = bytes(site.running.block.seed).hex()
    for address in site.addresses:
        text = client.get(address).content.decode()
        assert secret not in text, address
    for match in (site.running, site.queued, site.closed):
        assert match.block.commitment in page(client, match)
        assert 'id="chapter-1"' not in page(client, match)
        assert client.get(f"/matches/{match.pk}/record").status_code == 404


def test_the_record_is_a_download_that_verifies(site: Site, client: Client) -> None:
    for match in (site.finished, site.forfeited):
        response = client.get(f"/matches/{match.pk}/record")
        assert response.headers["Content-Disposition"] == f'attachment; filename="match-{match.pk}.json"'
        assert verify(from_json(response.content)).outcome is not None


def test_a_waiting_match_says_how_many_are_before_it(site: Site) -> None:
    assert match_page(site.queued.pk, AnonymousUser()).ahead == 0
    later = Match.objects.filter(ladder=site.ladder, status="queued").order_by("pk")[1]
    assert match_page(later.pk, AnonymousUser()).ahead == 1


def test_only_an_unfinished_match_is_fetched_again(site: Site, client: Client) -> None:
    assert "data-live" in page(client, site.running)
    assert "data-live" in page(client, site.queued)
    assert "data-live" not in page(client, site.finished)
    assert "data-live" not in page(client, site.void)


def test_chapters_and_steps_of_a_told_game_have_anchors_of_their_own(site: Site, client: Client) -> None:
    story = match_page(site.finished.pk, AnonymousUser()).told
    assert story is not None
    steps = [str(sentence.ply) for chapter in story.chapters for sentence in chapter.sentences if sentence.first]
    anchors = [*(f"chapter-{number}" for number in range(1, len(story.chapters) + 1)), *steps]
    assert len(set(anchors)) == len(anchors) > 100
    text = page(client, site.finished)
    assert all(text.count(f'id="{anchor}"') == 1 and f'href="#{anchor}"' in text for anchor in anchors)


def test_a_finished_game_can_be_gone_through_from_its_page_and_opens_where_it_turned(
    site: Site, client: Client
) -> None:
    text = page(client, site.finished)
    assert f'data-document="/matches/{site.finished.pk}/replay.json"' in text
    record = from_json(client.get(f"/matches/{site.finished.pk}/record").content)
    turning_point = GAMES[site.finished.ladder.game].statistics.turning_point(replay(record))
    assert turning_point is not None
    assert f'<a href="#{turning_point}" data-decisive>' in text


def test_a_sentence_carries_the_mark_of_the_seat_it_begins_with(site: Site) -> None:
    names = match_page(site.finished.pk, AnonymousUser()).names
    story = match_page(site.finished.pk, AnonymousUser()).told
    assert story is not None
    marked = [sentence for chapter in story.chapters for sentence in chapter.sentences if sentence.seat is not None]
    assert marked
    assert all(sentence.text.startswith(names[sentence.seat]) for sentence in marked if sentence.seat is not None)


def test_bots_with_the_same_name_are_told_apart(site: Site) -> None:
    for seat in site.finished.seats.select_related("membership__bot"):
        rename(seat.membership.bot, "Twin")
    names = match_page(site.finished.pk, AnonymousUser()).names
    assert len(set(names)) == 4
    assert all(name.startswith("Twin (house-") for name in names)


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
        assert client.get(address(match)).status_code == 404
