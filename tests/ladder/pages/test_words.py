from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.base import FORFEIT_REASONS
from ladder.models import Match
from ladder.pages.components import words
from ladder.pages.components.chart import axis


def test_changes_are_signed_with_a_true_minus_and_zero_has_none() -> None:
    assert [words.signed(change) for change in (12_400, -4_000, 0, 400, -400)] == ["+12", "−4", "0", "0", "0"]
    assert words.signed(-14_950, 1) == "−14.9"
    assert words.signed(0, 3) == "0.000"


def test_large_numbers_are_grouped() -> None:
    assert words.grouped(48120) == "48\u202f120"
    assert words.grouped(7) == "7"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (89, "89 s"), (120, "2 min"), (7200, "2 h"), (200_000, "2 days"), (-3, "0 s")]
)
def test_a_span_has_one_fitting_unit(seconds: float, text: str) -> None:
    assert words.span(seconds).replace("\u00a0", " ") == text


def test_what_is_long_ago_is_told_by_its_day() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert words.ago(now - timedelta(minutes=3), now) == "3\u00a0min ago"
    assert words.ago(now - timedelta(days=30), now) == "22 Oct 2026"


def test_every_reason_and_every_status_has_its_words() -> None:
    assert set(words.FORFEITS) == set(FORFEIT_REASONS)
    assert set(words.STATUSES) == set(Match.Status.values)


def test_sentences_begin_and_end_as_sentences() -> None:
    assert words.sentence("it ended") == "It ended."
    assert words.sentence("Why?") == "Why?"
    assert words.sentence("") == ""


def test_seat_counts_are_words() -> None:
    assert words.seat_counts((3, 4, 5)) == "three, four or five players"
    assert words.seat_counts((2,)) == "two players"


@given(st.lists(st.integers(-2_000_000, 5_000_000), max_size=30))
def test_the_axis_holds_every_rating_with_few_ticks(ratings: list[int]) -> None:
    found = axis(ratings)
    assert all(0 <= found.position(rating) <= 100 for rating in ratings)
    assert 2 <= len(found.ticks) <= 7


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.236, "0.24 s"), (0.0, "0 s"), (3.14, "3.1 s"), (9.9, "9.9 s"), (12.4, "12 s"), (200, "3 min")],
)
def test_a_short_game_took_a_part_of_a_second(seconds: float, text: str) -> None:
    assert words.time_taken(seconds).replace("\u00a0", " ") == text


def test_sizes_have_their_one_fitting_unit() -> None:
    sizes = [words.size(count) for count in (0, 1, 840, 1024, 1536, 84 * 1024, 8 << 20, 3 << 19)]
    assert sizes == [
        f"{number}\u00a0{unit}"
        for number, unit in (
            ("0", "bytes"), ("1", "byte"), ("840", "bytes"), ("1", "KiB"), ("1.5", "KiB"), ("84", "KiB"), ("8", "MiB"),
            ("1.5", "MiB"),
        )
    ]  # fmt: skip


def test_short_times_have_their_one_fitting_unit() -> None:
    times = [words.thinking(us) for us in (0, 840, 4_500, 76_400, 1_230_000)]
    assert times == ["0\u00a0µs", "840\u00a0µs", "4.5\u00a0ms", "76\u00a0ms", "1.2\u00a0s"]


@given(st.text())
def test_nothing_invisible_is_left_in_text_of_strangers(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in words.visible(text))


def test_what_can_be_seen_stays_as_it_is() -> None:
    assert words.visible("a\tb\nç <b>") == "a\tb\nç <b>"
    assert words.visible("\x1b[31m\u202e\0") == "\\x1b[31m\\u202e\\x00"
