"""The interface of the accelerator: shapes, copies, playouts, and refusals that name the game."""

from __future__ import annotations

import re
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.fast.batch import NO_ACTION, Batch
from games.registry import GAMES
from tests.games.fast.copies import copied, python
from tests.games.fast.differential import FORMATS, rows, seeds_of

COUNT = 8

FIRST_FORMATS = [("edel-stein-reich", 4), ("die-weinhaendler", 5)]
"""A format of each set of rules in C."""


def new(slug: str = "edel-stein-reich", seats: int = 4, count: int = COUNT) -> Batch:
    return Batch(slug, seats, rows(seeds_of("batch", count)))


def finished(slug: str = "edel-stein-reich", seats: int = 4, count: int = COUNT) -> Batch:
    batch = new(slug, seats, count)
    batch.playouts(np.arange(count, dtype=np.uint64))
    return batch


def first_legal(batch: Batch) -> Any:
    return np.argmax(batch.masks(), axis=1)


# --- Results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_arrays_have_one_row_per_game(slug: str, seats: int) -> None:
    batch = new(slug, seats)
    encoding = GAMES[slug].encoding(seats)
    assert len(batch) == COUNT
    assert batch.actions == len(encoding.actions)
    assert (batch.masks().shape, batch.masks().dtype) == ((COUNT, batch.actions), np.bool_)
    assert (batch.to_play.shape, batch.to_play.dtype) == ((COUNT,), np.int8)
    assert batch.done.tolist() == [False] * COUNT
    seen = batch.observations()
    assert (seen.shape, seen.dtype) == ((COUNT, encoding.size), np.float32)
    assert np.array_equal(seen, batch.observations(batch.to_play))
    batch.playouts(np.arange(COUNT, dtype=np.uint64))
    assert not batch.observations().any()
    ranks, scores = batch.outcomes()
    assert (ranks.shape, ranks.dtype) == ((COUNT, seats), np.int8)
    assert (scores.shape, scores.dtype) == ((COUNT, seats, len(batch.score_columns)), np.int32)


@pytest.mark.parametrize(("slug", "seats"), FIRST_FORMATS)
def test_a_thousand_games_take_at_most_a_mebibyte(slug: str, seats: int) -> None:
    assert new(slug, seats, count=1024).fields.nbytes <= 2**20


def split_mix(generator: int) -> tuple[int, int]:
    """The next state and the next number of SplitMix64."""
    generator = (generator + 0x9E3779B97F4A7C15) % 2**64
    number = (generator ^ generator >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return generator, number ^ number >> 31


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_playouts_draw_from_the_masks_with_the_documented_generator(slug: str, seats: int) -> None:
    played, stepped = new(slug, seats), new(slug, seats)
    generators = [2**64 - 1 - number for number in range(COUNT)]
    moves = played.playouts(np.array(generators, dtype=np.uint64))
    counted = np.zeros(COUNT, dtype=int)
    while not stepped.done.all():
        actions = np.full(COUNT, NO_ACTION)
        for game in np.flatnonzero(~stepped.done):
            generators[game], number = split_mix(generators[game])
            legal = np.flatnonzero(stepped.masks()[game])
            actions[game] = legal[(number >> 32) * len(legal) >> 32]
        stepped.step(actions)
        counted += (actions != NO_ACTION) & (stepped.fields["chosen_count"] == 0)
    assert stepped.fields.tobytes() == played.fields.tobytes()
    assert moves.tolist() == counted.tolist()


def test_a_playout_of_a_finished_game_changes_nothing() -> None:
    batch = finished()
    before = batch.fields.tobytes()
    assert batch.playouts(np.arange(COUNT, dtype=np.uint64)).tolist() == [0] * COUNT
    assert batch.fields.tobytes() == before


def test_copies_are_independent() -> None:
    batch = new()
    before = batch.fields.tobytes()
    twin = batch.copy()
    twin.step(first_legal(twin))
    assert batch.fields.tobytes() == before != twin.fields.tobytes()


def test_a_copy_can_repeat_games() -> None:
    batch = new()
    twin = batch.copy(np.array([3, 3, 0]))
    assert twin.fields["seed"].tolist() == batch.fields["seed"][[3, 3, 0]].tolist()


def test_games_can_be_dealt_again_in_their_places() -> None:
    batch, (seed,) = finished(), seeds_of("again", 1)
    batch.deal(np.array([2]), rows([seed]))
    assert batch.done.tolist() == [game != 2 for game in range(COUNT)]
    assert batch.fields[2].tobytes() == Batch(batch.game, batch.seats, rows([seed])).fields[0].tobytes()


def test_no_action_leaves_a_game_as_it_is() -> None:
    batch = new()
    before = batch.fields.copy()
    actions = first_legal(batch)
    actions[1] = NO_ACTION
    batch.step(actions)
    changed = [batch.fields[game].tobytes() != before[game].tobytes() for game in range(COUNT)]
    assert changed == [game != 1 for game in range(COUNT)]


@pytest.mark.parametrize(("slug", "seats"), FORMATS)
def test_a_single_game_is_stepped_in_its_batch(slug: str, seats: int) -> None:
    batch, stepped = new(slug, seats), new(slug, seats)
    game = batch.single(5)
    count, moved = game.refresh(), 0
    while count:
        legal = list(game.options[:count])
        assert legal == np.flatnonzero(stepped.masks()[5]).tolist()
        assert game.seat() == stepped.to_play[5]
        for seat in range(seats):
            seen = stepped.observations(np.full(COUNT, seat, dtype=np.int8))[5]
            np.testing.assert_array_equal(game.observe(seat), seen)
        actions = np.full(COUNT, NO_ACTION)
        actions[5] = legal[moved % count]
        count, moved = game.act(legal[moved % count]), moved + 1
        stepped.step(actions)
        assert batch.fields.tobytes() == stepped.fields.tobytes()
    assert batch.done.tolist() == [number == 5 for number in range(COUNT)]
    assert game.seat() == -1
    assert not game.observe(-1).any()


def test_an_observation_of_a_single_game_is_a_new_array_for_a_seat_that_exists() -> None:
    game = new().single(5)
    first = game.observe(0)
    before = first.copy()
    assert not np.array_equal(game.observe(1), before)
    np.testing.assert_array_equal(first, before)
    for seat in (-2, 4):
        with pytest.raises(IndexError, match=rf"^game 5\b.*{seat}"):
            game.observe(seat)


def test_a_function_of_a_single_game_keeps_its_batch() -> None:
    for name in ("refresh", "seat", "observe"):
        batch = new()
        function, alive = getattr(batch.single(5), name), weakref.ref(batch)
        del batch
        assert alive() is not None
        function(*[0] * (name == "observe"))


def test_any_integers_are_actions_also_if_they_are_not_contiguous() -> None:
    batch, twin = new(), new()
    actions = first_legal(batch)
    batch.step(actions.astype(np.uint8))
    twin.step(np.repeat(actions, 2)[::2])
    assert batch.fields.tobytes() == twin.fields.tobytes()


def test_a_batch_can_be_empty() -> None:
    batch = new(count=0)
    batch.step(np.array([], dtype=np.int64))
    assert batch.masks().shape == (0, batch.actions)
    assert batch.copy(np.array([], dtype=np.int64)).outcomes().ranks.shape == (0, 4)


def test_fields_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        new().fields["money"] = 1


def test_the_example_of_the_page_runs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "internals" / "speed.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import numpy.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["batch"].done.all()
    assert names["search"].done.all()


# --- Refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [-2, -(2**63), 59, 60, 255, 256, 129, 10_000, 2**63 - 1])
@pytest.mark.parametrize(("slug", "seats"), FIRST_FORMATS)
def test_an_illegal_action_names_its_game_and_changes_nothing(slug: str, seats: int, action: int) -> None:
    batch = new(slug, seats)
    before, actions = batch.fields.tobytes(), first_legal(batch)
    actions[5] = action
    with pytest.raises(ValueError, match=rf"^game 5\b.*{action}"):
        batch.step(actions)
    assert batch.fields.tobytes() == before


@pytest.mark.parametrize(
    "action", [-1, -2, -60, -61, -(2**32), 59, 60, 119, 120, 125, 250, 255, 2**32, 2**32 + 2, 2**64, -(2**64)]
)
@pytest.mark.parametrize(("slug", "seats"), FIRST_FORMATS)
def test_an_illegal_action_in_a_single_game_names_it_and_changes_nothing(slug: str, seats: int, action: int) -> None:
    batch = new(slug, seats)
    before, game = batch.fields.tobytes(), batch.single(5)
    with pytest.raises(ValueError, match=rf"^game 5\b.*{action}"):
        game.act(action)
    assert batch.fields.tobytes() == before
    with pytest.raises(ValueError, match=r"^game 5\b.*over"):
        finished(slug, seats).single(5).act(0)


def test_an_action_in_a_single_game_is_any_integer_and_nothing_else() -> None:
    batch, twin = new(), new()
    batch.single(0).act(np.int64(0))
    twin.single(0).act(0)
    assert batch.fields.tobytes() == twin.fields.tobytes()
    with pytest.raises(TypeError):
        batch.single(0).act(0.0)


@pytest.mark.parametrize(("slug", "seats"), FIRST_FORMATS)
def test_an_action_in_a_finished_game_names_the_game(slug: str, seats: int) -> None:
    batch, (seed,) = finished(slug, seats), seeds_of("again", 1)
    batch.deal(np.array([0]), rows([seed]))
    with pytest.raises(ValueError, match=r"^game 1\b.*over"):
        batch.step(np.zeros(COUNT, dtype=np.int64))


@pytest.mark.parametrize(("slug", "seats"), FIRST_FORMATS)
def test_outcomes_name_a_game_that_is_not_over(slug: str, seats: int) -> None:
    batch, (seed,) = finished(slug, seats), seeds_of("again", 1)
    batch.deal(np.array([6]), rows([seed]))
    with pytest.raises(ValueError, match=r"^game 6\b"):
        batch.outcomes()


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(COUNT - 1, dtype=np.int64),
        np.zeros(COUNT + 1, dtype=np.int64),
        np.zeros((COUNT, 1), dtype=np.int64),
        np.zeros(COUNT),
        np.zeros(COUNT, dtype=np.bool_),
        np.full(COUNT, 2**64 - 1, dtype=np.uint64),
        np.array([None] * COUNT),
        [0] * COUNT,
        None,
    ],
)
def test_actions_of_another_shape_or_type_are_refused(actions: Any) -> None:
    batch = new()
    before = batch.fields.tobytes()
    with pytest.raises(ValueError, match="action"):
        batch.step(actions)
    assert batch.fields.tobytes() == before


@pytest.mark.parametrize(
    "seeds", [np.zeros((2, 31), dtype=np.uint8), np.zeros(32, dtype=np.uint8), np.zeros((2, 32)), bytes(32), None]
)
def test_seeds_of_another_shape_or_type_are_refused(seeds: Any) -> None:
    with pytest.raises(ValueError, match="seeds"):
        Batch("edel-stein-reich", 4, seeds)
    with pytest.raises(ValueError, match="seeds"):
        new().deal(np.array([0, 1]), seeds)


def test_a_deal_needs_a_seed_for_each_game() -> None:
    batch = new()
    before = batch.fields.tobytes()
    with pytest.raises(ValueError, match="seeds"):
        batch.deal(np.array([0, 1]), rows(seeds_of("again", 1)))
    assert batch.fields.tobytes() == before


@pytest.mark.parametrize(
    "seeds", [np.zeros(COUNT - 1, dtype=np.uint64), np.zeros(COUNT, dtype=np.int64), np.zeros(COUNT), [0] * COUNT]
)
def test_seeds_of_playouts_of_another_shape_or_type_are_refused(seeds: Any) -> None:
    with pytest.raises(ValueError, match="seeds"):
        new().playouts(seeds)


@pytest.mark.parametrize("game", [-1, COUNT, 2**62])
def test_games_that_do_not_exist_are_refused(game: int) -> None:
    batch = new()
    with pytest.raises(IndexError, match=f"game {game} "):
        batch.copy(np.array([0, game]))
    with pytest.raises(IndexError, match=f"game {game} "):
        batch.deal(np.array([game]), rows(seeds_of("again", 1)))
    with pytest.raises(IndexError, match=f"game {game} "):
        batch.single(game)


@pytest.mark.parametrize(
    "seats", [np.zeros(COUNT - 1, dtype=np.int8), np.zeros(COUNT, dtype=np.int64), np.zeros(COUNT), [0] * COUNT]
)
def test_observers_of_another_shape_or_type_are_refused(seats: Any) -> None:
    with pytest.raises(ValueError, match="seats"):
        new().observations(seats)


@pytest.mark.parametrize("seat", [-2, -128, 4, 127])
def test_a_seat_that_does_not_exist_cannot_observe(seat: int) -> None:
    seats = np.zeros(COUNT, dtype=np.int8)
    seats[3] = seat
    with pytest.raises(IndexError, match=rf"^game 3\b.*{seat}$"):
        new().observations(seats)


def test_formats_that_are_not_covered_are_refused() -> None:
    with pytest.raises(LookupError, match="goofspiel"):
        new("goofspiel", 3)
    with pytest.raises(ValueError, match="seats"):
        new("edel-stein-reich-duel", 3)


# --- The library -----------------------------------------------------------------------------------------------------

IMPORTS = (
    "import numpy; from games.fast.batch import Batch; Batch('edel-stein-reich', 3, numpy.zeros((1, 32), numpy.uint8))"
)


def test_games_work_without_the_library_and_its_error_says_how_to_build_it(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    run = python(folder, "-c", IMPORTS)
    assert run.returncode == 1
    assert "ImportError" in run.stderr
    assert "make engine-fast" in run.stderr
    assert python(folder, "-c", "import games.registry").returncode == 0


@pytest.mark.slow
def test_the_library_is_used_until_a_source_changes(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    assert python(folder, "-m", "games.fast.build").returncode == 0
    assert python(folder, "-c", IMPORTS).returncode == 0
    with (folder / "games" / "fast" / "gems.c").open("a") as source:
        source.write("/* changed */\n")
    run = python(folder, "-c", IMPORTS)
    assert "ImportError" in run.stderr
    assert "other sources" in run.stderr


def test_a_missing_compiler_is_reported(tmp_path: Path) -> None:
    run = python(copied(tmp_path), "-m", "games.fast.build", CC="no-such-compiler")
    assert run.returncode == 1
    assert "no-such-compiler" in run.stderr
    assert "Traceback" not in run.stderr
