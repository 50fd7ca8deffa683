from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ladder.ratings.elo import STANDARD_K, START_RATING, KFactor, RatedSeat, changes
from ladder.ratings.rating import Rated, RatingRules, RatingState, rate
from ladder.ratings.replay import Correction, Item, LedgerReplay, Merge, NewK, RankedGame, SeasonStart, Void
from ladder.ratings.shares import win_shares

ENTRIES = range(1, 8)


@st.composite
def ledgers(draw: st.DrawFn, seats: int | None = None) -> list[RankedGame]:
    """Up to 40 results of one ladder, numbered from 1."""
    size = seats or draw(st.integers(2, 5))
    tables = st.lists(st.sampled_from(ENTRIES), min_size=size, max_size=size, unique=True)
    ranks = st.lists(st.integers(1, size), min_size=size, max_size=size)
    games = draw(st.lists(st.tuples(tables, ranks), min_size=1, max_size=40))
    return [RankedGame(number, tuple(table), tuple(ranked)) for number, (table, ranked) in enumerate(games, 1)]


def rebuilt(items: Sequence[Item]) -> tuple[LedgerReplay, list[list[Rated]]]:
    rebuild = LedgerReplay(corrections(items))
    rows = list(rebuild.rated(item for item in items if isinstance(item, RankedGame)))
    rebuild.finish()
    return rebuild, rows


def corrections(items: Sequence[Item]) -> list[Correction]:
    return [item for item in items if not isinstance(item, RankedGame)]


def standings(items: Sequence[Item]) -> dict[int, tuple[int, ...]]:
    """What is not as at the start."""
    states = rebuilt(items)[0].standings
    return {entry: astuple(state) for entry, state in states.items() if state != RatingState()}


def one_by_one(games: Sequence[RankedGame], k: KFactor = STANDARD_K) -> dict[int, tuple[int, ...]]:
    """The same by nothing but ``elo.changes``."""
    states: dict[int, RatingState] = {}
    for _, entries, ranks in games:
        table = [states.setdefault(entry, RatingState()) for entry in entries]
        gained = changes([RatedSeat(state.rating, state.games) for state in table], ranks, k)
        for state, gain, share in zip(table, gained, win_shares(ranks), strict=True):
            state.rating, state.last_change = state.rating + gain, gain
            state.games, state.win_shares = state.games + 1, state.win_shares + share
    return {entry: astuple(state) for entry, state in states.items()}


@given(ledgers())
def test_a_rebuild_is_the_formula_result_by_result(games: list[RankedGame]) -> None:
    assert standings(games) == one_by_one(games)


@given(ledgers())
def test_ratings_before_and_after_lead_from_the_start_to_the_end(games: list[RankedGame]) -> None:
    rebuild, rows = rebuilt(games)
    now = dict.fromkeys(ENTRIES, START_RATING)
    for game, row in zip(games, rows, strict=True):
        for entry, rated in zip(game.entries, row, strict=True):
            assert rated is not None
            assert rated[0] == now[entry]
            now[entry] = rated[1]
    assert now == {entry: rebuild.standings[entry].rating for entry in ENTRIES}


@given(ledgers(), st.data())
def test_a_voided_result_was_never_played(games: list[RankedGame], data: st.DataObject) -> None:
    voided = data.draw(st.sampled_from(games))
    items = [*games, Void(len(games) + 1, voided.number)]
    assert standings(items) == standings([game for game in games if game is not voided])
    assert rebuilt(items)[1][voided.number - 1] == [None] * len(voided.ranks)


@given(ledgers(), st.integers(1, 1000), st.integers(1, 1000), st.integers(0, 20))
def test_a_new_k_counts_from_the_beginning(
    games: list[RankedGame], provisional: int, established: int, until: int
) -> None:
    k = KFactor(provisional, established, until)
    first, last = NewK(len(games) + 1, KFactor(1, 1)), NewK(len(games) + 2, k)
    assert standings([*games, first, last]) == one_by_one(games, k)


@given(ledgers(seats=2), st.sampled_from(ENTRIES))
def test_a_merged_member_has_no_effect_on_duels(games: list[RankedGame], out: int) -> None:
    items = [*games, Merge(len(games) + 1, out, None)]
    assert standings(items) == standings([game for game in games if out not in game.entries])


@given(ledgers(), st.sampled_from(ENTRIES))
def test_the_others_at_a_table_keep_their_pairs(games: list[RankedGame], out: int) -> None:
    items = [*games, Merge(len(games) + 1, out, None)]
    for game, row in zip(games, rebuilt(items)[1], strict=True):
        for entry, rated in zip(game.entries, row, strict=True):
            alone = len(game.entries) == 2 and out in game.entries
            assert (rated is None) == (entry == out or alone)
    assert out not in standings(items)


@given(ledgers(), st.permutations(ENTRIES))
def test_an_entry_that_never_met_the_other_can_be_it(games: list[RankedGame], order: list[int]) -> None:
    """Where no table has both, merging is renaming."""
    here, there = order[:2]
    apart = [game for game in games if not {here, there} <= set(game.entries)]
    renamed = [replace_entry(game, here, there) for game in apart]
    assert standings([*apart, Merge(len(games) + 1, here, there)]) == standings(renamed)


@given(ledgers(), st.permutations(ENTRIES))
def test_two_seats_of_one_entry_take_nothing_from_each_other(games: list[RankedGame], order: list[int]) -> None:
    here, there = order[:2]
    rebuild, rows = rebuilt([*games, Merge(len(games) + 1, here, there)])
    both = [row for game, row in zip(games, rows, strict=True) if {here, there} <= set(game.entries)]
    assert all(rated is None for row in both if len(row) == 2 for rated in row)
    seats = sum(rated is not None for row in rows for rated in row)
    assert sum(standing.games for standing in rebuild.standings.values()) == seats
    assert rebuild.standings[here] == RatingState()


@given(ledgers(), st.lists(st.tuples(st.sampled_from(ENTRIES), st.none() | st.sampled_from(ENTRIES)), max_size=3))
def test_rating_changes_sum_to_zero_for_all_merges(
    games: list[RankedGame], merges: list[tuple[int, int | None]]
) -> None:
    merge_entries = [Merge(len(games) + 1 + place, entry, into) for place, (entry, into) in enumerate(merges)]
    assume(not in_a_circle(merge_entries))
    rebuild, rows = rebuilt([*games, *merge_entries])
    for row in rows:
        assert sum(rated[1] - rated[0] for rated in row if rated) == 0
    assert sum(standing.rating - START_RATING for standing in rebuild.standings.values()) == 0
    matches = sum(any(row) for row in rows)
    assert sum(standing.win_shares for standing in rebuild.standings.values()) == 60 * matches


@given(ledgers(), st.sampled_from(ENTRIES), st.none() | st.sampled_from(ENTRIES))
def test_an_entry_merged_into_itself_counts_for_itself_again(
    games: list[RankedGame], entry: int, into: int | None
) -> None:
    merged, again = Merge(len(games) + 1, entry, into), Merge(len(games) + 2, entry, entry)
    assert standings([*games, merged, again]) == standings(games)


@given(ledgers(), ledgers(), st.tuples(st.integers(0, 4), st.integers(4, 5)))
def test_a_season_starts_with_what_is_left_of_the_ratings(
    first: list[RankedGame], second: list[RankedGame], regress: tuple[int, int]
) -> None:
    opened = SeasonStart(len(first) + 1, 2, regress)
    later = [game._replace(number=game.number + opened.number) for game in second]
    rebuild, rows = rebuilt([*first, opened, *later])
    final = {entry: astuple(state) for entry, state in rebuild.final[1].items()}
    assert final == one_by_one(first)
    left = Fraction(*regress)
    kept = {entry: START_RATING + int((state[0] - START_RATING) * left) for entry, state in final.items()}
    for game, row in zip(later, rows[len(first) :], strict=True):
        for entry, rated in zip(game.entries, row, strict=True):
            assert rated and rated[0] == kept.get(entry, START_RATING)
            kept[entry] = rated[1]
    played = [entry for game in second for entry in game.entries]
    assert all(standing.games == played.count(entry) for entry, standing in rebuild.standings.items())


def test_a_season_regresses_the_best_and_the_worst_alike() -> None:
    duel = [RankedGame(1, (1, 2), (1, 2)), SeasonStart(2, 2, (1, 3))]
    assert {entry: standing[0] for entry, standing in standings(duel).items()} == {1: 1_506_666, 2: 1_493_334}


def test_a_correction_leaves_closed_seasons_alone_and_a_new_k_and_a_merge_go_on() -> None:
    games = [
        RankedGame(1, (1, 2, 3), (1, 2, 3)),
        RankedGame(3, (1, 2, 3), (3, 2, 1)),
        RankedGame(5, (1, 2, 3), (1, 2, 3)),
    ]
    seasons = [SeasonStart(2, 2, (1, 1)), SeasonStart(4, 3, (1, 1))]
    corrected = [
        games[0],
        seasons[0],
        games[1],
        NewK(4, KFactor(7, 7)),
        Merge(5, 3, None),
        replace(seasons[1], number=6),
    ]
    rebuild, rows = rebuilt([*corrected, games[2]._replace(number=7)])
    plain, plain_rows = rebuilt([games[0], seasons[0], games[1]])
    assert rebuild.final[1] == plain.final[1]
    assert rows[0] == plain_rows[0]
    assert rows[1][2] is None and rows[2][2] is None
    assert abs(rows[2][0][1] - rows[2][0][0]) < 3500  # type: ignore[index]


def test_a_void_of_a_closed_season_is_refused() -> None:
    with pytest.raises(ValueError, match="ledger 3 voids 1, which counts for a season that is closed"):
        LedgerReplay([SeasonStart(2, 2, (1, 2)), Void(3, 1)])


def test_entries_merged_in_a_circle_are_refused() -> None:
    with pytest.raises(ValueError, match="merged into itself"):
        LedgerReplay([Merge(1, 1, 2), Merge(2, 2, 3), Merge(3, 3, 1)])


@given(ledgers(), st.data())
def test_a_ledger_that_grows_can_be_gone_on_with(games: list[RankedGame], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(games)))
    whole, rows = rebuilt(games)
    rebuild = LedgerReplay([])
    assert [*rebuild.rated(games[:cut]), *rebuild.rated(games[cut:])] == rows
    assert rebuild.standings == whole.standings


def test_live_and_again_are_one_function() -> None:
    random = Random(1)
    games = [RankedGame(n, tuple(random.sample(ENTRIES, 4)), (1, 2, 3, 4)) for n in range(1, 200)]
    accounts = {entry: RatingState() for entry in ENTRIES}
    rules = RatingRules(merged={1: 2, 3: None})
    live = [rate(accounts, game.entries, game.ranks, rules) for game in games]
    rebuild, rows = rebuilt([*games, Merge(200, 1, 2), Merge(201, 3, None)])
    assert live == rows
    assert {**rebuild.standings, 1: RatingState(), 3: RatingState()} == accounts


def replace_entry(game: RankedGame, old: int, new: int) -> RankedGame:
    return game._replace(entries=tuple(new if entry == old else entry for entry in game.entries))


def in_a_circle(merges: Sequence[Merge]) -> bool:
    try:
        LedgerReplay(merges)
    except ValueError:
        return True
    return False
