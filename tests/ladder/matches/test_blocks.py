from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F

from bots.models import Bot
from bots.tournaments.keys import KEY_BYTES, key_hash, season_seed
from bots.tournaments.seatings import seatings
from games.chance import commitment
from ladder.creation import open_house
from ladder.matches.blocks import BlockPlayer, end_if_over, schedule_block
from ladder.matches.leases import MOST_FAILURES, give_back
from ladder.matches.throughput import recent
from ladder.models import Attempt, Block, Ladder, Match, Membership, SeatResult
from tests.build import (
    FAILED,
    active_version,
    block_on,
    claimed,
    finish_block,
    finished,
    first_players,
    house_version,
    scheduled,
)
from tests.ladder.exhibitions.builders import a_test, play_all


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_block_is_one_deal_played_in_all_seatings(house: None, seats: int) -> None:
    ladder = Ladder.objects.filter(seats=seats)[0]
    players = first_players(ladder)
    block = scheduled(ladder, players)
    tables = [
        tuple(players.index(BlockPlayer(seat.version, seat.membership)) for seat in match.seats.order_by("index"))
        for match in block.matches.order_by("seating")
    ]
    assert tables == list(seatings(ladder.seats))
    assert block.commitment == commitment(bytes(block.seed))


def test_deals_come_from_the_key_and_are_counted_without_gaps(duel: Ladder) -> None:
    blocks = [scheduled(duel, first_players(duel)) for _ in range(3)]
    with transaction.atomic():
        scheduled(duel, first_players(duel))
        transaction.set_rollback(True)
    blocks.append(scheduled(duel, first_players(duel)))
    series = duel.seasons.get().series.get(kind="ladder")
    assert [block.number for block in blocks] == [1, 2, 3, 4]
    assert [bytes(block.seed) for block in blocks] == [
        season_seed(bytes(series.key), duel.slug, 1, number) for number in range(1, 5)
    ]


@pytest.mark.parametrize(
    ("purpose", "series"),
    [("ladder", "%s"), ("live", "live-%s"), ("test", "test-%s"), ("challenge", "test-%s"), ("scheduled", "test-%s")],
)
def test_every_purpose_has_its_own_numbers_and_key(duel: Ladder, purpose: str, series: str) -> None:
    scheduled(duel, first_players(duel))
    scheduled(duel, first_players(duel), purpose=Block.Purpose.LIVE)
    scheduled(duel, first_players(duel), purpose=Block.Purpose.TEST)
    block = scheduled(duel, first_players(duel), purpose=Block.Purpose(purpose))
    assert (block.series.name, block.number) == (series % duel.slug, 2)
    assert bytes(block.seed) == season_seed(bytes(block.series.key), block.series.name, 1, 2)
    assert len({bytes(deal_series.key) for deal_series in block.series.season.series.all()}) == 3


def test_a_table_of_the_wrong_size_is_refused(duel: Ladder) -> None:
    with pytest.raises(ValueError, match="has 2 seats, not 3"), transaction.atomic():
        schedule_block(duel, [*first_players(duel), first_players(duel)[0]])


def test_a_block_ends_with_its_last_game_and_opens_then(match: Match) -> None:
    games = list(match.block.matches.select_related("ladder").order_by("seating"))
    for game in games:
        block = Block.objects.get(pk=match.block_id)
        assert (block.ended, block.public_seed) == (None, None)
        finished(game)
    block = Block.objects.get(pk=match.block_id)
    assert block.public_seed == bytes(block.seed).hex()
    assert block.ended >= max(Match.objects.get(pk=game.pk).ended for game in games)


def test_a_void_game_ends_too_and_the_others_stay_rated(match: Match) -> None:
    first, *others = match.block.matches.select_related("ladder").order_by("seating")
    for game in others:
        finished(game)
    for _ in range(MOST_FAILURES):
        give_back(claimed(first), FAILED, "broken")
    assert Block.objects.get(pk=match.block_id).ended is not None
    rated = SeatResult.objects.filter(result__match__block=match.block, rating_after__isnull=False)
    assert rated.count() == 4 * len(others)


def test_ending_what_has_ended_or_goes_on_changes_nothing(match: Match) -> None:
    assert end_if_over([match.block_id]) == 0
    for game in match.block.matches.select_related("ladder"):
        finished(game)
    ended = Block.objects.get(pk=match.block_id).ended
    with transaction.atomic():
        assert end_if_over([match.block_id, match.block_id]) == 0
    assert Block.objects.get(pk=match.block_id).ended == ended


def test_games_of_an_unrated_block_have_results_and_change_no_rating(duel: Ladder) -> None:
    """Without memberships: any version may sit there, whether its bot is on the ladder or not."""
    before = list(Membership.objects.order_by("pk").values())
    block = scheduled(duel, first_players(duel, rated=False), purpose=Block.Purpose.TEST)
    for game in block.matches.select_related("ladder"):
        result = finished(game)
        assert [row.change for row in result.seat_results.all()] == [None, None]
        assert not result.ledger_entries.exists()
    assert list(Membership.objects.order_by("pk").values()) == before
    block.refresh_from_db()
    assert (block.rated, block.ended is not None) == (False, True)


def test_a_block_that_was_scheduled_is_not_changed_by_opening_the_house_again(match: Match) -> None:
    before = list(Block.objects.values()), list(Match.objects.values())
    open_house()
    assert (list(Block.objects.values()), list(Match.objects.values())) == before


KEY = bytes(range(KEY_BYTES))


@pytest.mark.parametrize(
    ("name", "season", "number", "seed"),
    [
        ("edel-stein-reich-4", 3, 17, "85324f5f533b8f9cdfe349a7b9aa064c43b9a22e4f9acb790f5bf79fbbe1172f"),
        ("test-edel-stein-reich-duel", 1, 1, "20a38a05fb751762973dab6e42430f28c963a6319be064ccdb54cd325993617b"),
    ],
)
def test_a_seed_is_what_openssl_says(name: str, season: int, number: int, seed: str) -> None:
    """``printf NAME/SEASON/NUMBER | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f``."""
    assert season_seed(KEY, name, season, number).hex() == seed


def test_the_hash_of_a_key_is_what_sha256sum_says() -> None:
    assert key_hash(KEY) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_another_key_name_season_or_number_gives_another_deal() -> None:
    given = [(KEY, "a", 1, 1), (KEY[::-1], "a", 1, 1), (KEY, "b", 1, 1), (KEY, "a", 2, 1), (KEY, "a", 1, 2)]
    assert len({season_seed(*names) for names in given}) == len(given)


def test_a_name_must_be_ascii() -> None:
    with pytest.raises(UnicodeEncodeError):
        season_seed(KEY, "würfel", 1, 1)


def test_long_games_that_somebody_orders_do_not_make_a_ladders_games_long(bot: Bot, duel: Ladder) -> None:
    finish_block(block_on(duel))
    play_all(a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=2))
    unrated = Attempt.objects.filter(match__block__purpose="test")
    assert unrated.update(started=F("started") - timedelta(seconds=100)) == 4
    throughput = recent()
    assert throughput.finished[duel.pk] == 6
    assert throughput.cost(duel.pk) < 50
