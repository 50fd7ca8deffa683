from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
from django.db import transaction

from bots.tournaments.ledger import canonical
from ladder.exports.documents import record_of
from ladder.ledger.entries import NoSeason, append
from ladder.models import Ladder, LedgerEntry, Match
from ladder.ratings.chain import GENESIS, chained
from ladder.seasons import close
from tests.build import finish_others, finished, person, report_of

K = LedgerEntry.Kind.K
FASTER = {"provisional": 64, "established": 32, "provisional_games": 10}


def appended(ladder: Ladder, **options: Any) -> LedgerEntry:
    with transaction.atomic():
        locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
        return append(locked, K, FASTER, **options)


def test_a_hash_is_that_of_the_canonical_json_and_the_hash_before() -> None:
    """The text that is hashed is written out here, as somebody else would have to."""
    text = '{"document":{"match":7,"reason":"böse"},"kind":"void","ladder":"duel","number":3,"previous":"' + "ab" * 32
    given = chained("duel", 3, "void", {"reason": "böse", "match": 7}, "ab" * 32)
    assert given == sha256((text + '"}').encode("utf-8")).hexdigest()


def test_the_order_of_keys_in_a_document_means_nothing() -> None:
    assert canonical({"b": 1, "a": {"d": 2, "c": [3]}}) == canonical({"a": {"c": [3], "d": 2}, "b": 1})


def test_a_ledger_begins_with_its_season_and_the_hashes_of_the_seasons_keys(ladder: Ladder) -> None:
    (entry,) = LedgerEntry.objects.filter(ladder=ladder)
    keys = dict(ladder.seasons.get().series.values_list("name", "key_hash"))
    assert (entry.number, entry.kind) == (1, "season")
    assert entry.document == {"season": 1, "regress": [1, 1], "keys": keys}
    assert sorted(keys) == [ladder.slug, f"live-{ladder.slug}", f"test-{ladder.slug}"]
    assert entry.hash == chained(ladder.slug, 1, "season", entry.document, GENESIS)


def test_every_entry_is_chained_to_the_one_before_and_the_ladder_knows_the_last(match: Match) -> None:
    finish_others(match)
    finished(match)
    last = appended(match.ladder, author=person("staff"))
    head = GENESIS
    rows = list(LedgerEntry.objects.filter(ladder=match.ladder).order_by("number"))
    assert [row.number for row in rows] == list(range(1, 7))
    for row in rows:
        head = chained(match.ladder.slug, row.number, row.kind, row.document, head)
        assert row.hash == head
    match.ladder.refresh_from_db()
    assert (match.ladder.ledger_head, match.ladder.next_ledger) == (head, 7)
    assert (last.number, last.author.username, last.document) == (6, "staff", FASTER)


def test_a_result_is_written_down_in_full_and_without_a_rating(match: Match) -> None:
    result = finished(match, forfeits={2: "exit"})
    finish_others(match)
    match = Match.objects.select_related("ladder", "block__series__season").get(pk=match.pk)
    seats = list(match.seats.select_related("version").order_by("index"))
    assert result.ledger_entries.get().document == {
        "match": match.pk,
        "block": [match.ladder.slug, 1, match.block.number],
        "seating": 0,
        "entries": [seat.membership_id for seat in seats],
        "versions": [seat.version.digest for seat in seats],
        "ranks": list(result.seat_results.order_by("seat__index").values_list("rank", flat=True)),
        "forfeits": {"2": "exit"},
        "record": sha256(json.dumps(record_of(match), **_CANONICAL).encode()).hexdigest(),
    }


_CANONICAL: dict[str, Any] = {"sort_keys": True, "separators": (",", ":"), "ensure_ascii": False}


def test_the_hash_of_a_record_that_is_still_closed_gives_no_deal_away(match: Match) -> None:
    """Whoever knows all moves but not the seed cannot try seeds: there are 2^256, and the record holds the seed."""
    assert bytes(match.block.seed).hex() in json.dumps(report_of(match).record)


def test_nothing_is_appended_where_no_season_is_open(ladder: Ladder) -> None:
    close(ladder.seasons.get(), then=None)
    with pytest.raises(NoSeason, match="has no open season"):
        appended(ladder)
