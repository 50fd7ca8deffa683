from __future__ import annotations

from typing import Any

from ladder.members.standings import listed, page_of, table
from ladder.models import Entry, Ladder


def test_the_best_rating_stands_first_and_equal_ones_share_a_rank(
    ladder: Ladder, django_assert_num_queries: Any
) -> None:
    for entry, rating in zip(
        ladder.entries.order_by("pk"), [1600, 1700, 1600, 1500, 1550, 1400, 1300, 1200], strict=True
    ):
        Entry.objects.filter(pk=entry.pk).update(rating=rating * 1000)
    with django_assert_num_queries(1):
        rows = table(ladder)
        names = [row.entry.bot.name for row in rows]
    assert [row.rank for row in rows] == [1, 2, 2, 4, 5, 6, 7, 8]
    assert [row.entry.points for row in rows] == [1700, 1600, 1600, 1550, 1500, 1400, 1300, 1200]
    assert len(set(names)) == 8


def test_whoever_has_left_stays_in_the_table_once_he_has_played(ladder: Ladder) -> None:
    gone, never = ladder.entries.order_by("pk")[:2]
    Entry.objects.filter(pk=gone.pk).update(active=False, games=3)
    Entry.objects.filter(pk=never.pk).update(active=False)
    listed = {row.entry.pk for row in table(ladder)}
    assert gone.pk in listed
    assert never.pk not in listed


def test_a_rating_is_provisional_for_thirty_games(ladder: Ladder) -> None:
    young, old = ladder.entries.order_by("pk")[:2]
    Entry.objects.filter(pk=young.pk).update(games=29)
    Entry.objects.filter(pk=old.pk).update(games=30)
    provisional = {row.entry.pk: row.provisional for row in table(ladder)}
    assert (provisional[young.pk], provisional[old.pk]) == (True, False)


def test_the_win_share_of_an_entry_without_games_is_unknown(ladder: Ladder) -> None:
    entry = ladder.entries.first()
    assert entry.win_share is None
    entry.games, entry.wins = 4, 90
    assert entry.win_share == 0.375


def test_the_pages_of_a_table_rank_as_the_whole_table_does(ladder: Ladder, django_assert_num_queries: Any) -> None:
    """Ties across the edge of a page included."""
    ratings = [1600, 1500, 1500, 1500, 1500, 1400, 1400, 1300]
    for entry, rating in zip(ladder.entries.order_by("pk"), ratings, strict=True):
        Entry.objects.filter(pk=entry.pk).update(rating=rating * 1000)
    whole = [(row.rank, row.entry.pk) for row in table(ladder)]
    for size in (1, 2, 3, 5, 8, 50):
        pages = [page_of(ladder, listed(ladder), str(number), size)[0] for number in range(1, -(-8 // size) + 1)]
        assert [(row.rank, row.entry.pk) for page in pages for row in page] == whole
    with django_assert_num_queries(3):
        last, everybody = page_of(ladder, listed(ladder), "99", 3)
    assert everybody == 8
    assert [row.rank for row in last] == [6, 8]
    assert (last.start_index(), last.end_index(), last.paginator.count) == (7, 8, 8)


def test_an_empty_table_has_one_empty_page(ladder: Ladder) -> None:
    Entry.objects.filter(ladder=ladder).update(active=False)
    shown, everybody = page_of(ladder, listed(ladder), None, 50)
    assert list(shown) == []
    assert everybody == 0
