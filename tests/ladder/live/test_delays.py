from __future__ import annotations

from random import Random
from typing import Any

from ladder.live.clocks import PLAUSIBLE_BY_HAND_MS, PLAUSIBLE_MS, AnswerTime, delay_ms, hurried

OWN = [AnswerTime(1, "bid", 1000 + i) for i in range(5)]
OTHERS = [AnswerTime(0, "bid", 100_000), AnswerTime(1, "lay", 900_000)]


def drawn(paces: list[AnswerTime], seat: int = 1, kind: str = "bid", **more: Any) -> list[int]:
    random = Random(3)
    return [delay_ms(paces, seat, kind, random, **more) for _ in range(200)]


def test_a_delay_is_as_long_as_that_seat_takes_for_such_decisions() -> None:
    assert 800 <= min(drawn(OWN + OTHERS)) < max(drawn(OWN + OTHERS)) <= 1255


def test_a_seat_of_which_little_is_known_is_as_fast_as_the_table() -> None:
    assert max(drawn(OTHERS)) >= 80_000
    assert max(drawn(OWN, seat=2)) <= 1255


def test_where_nothing_is_known_a_delay_is_a_plausible_one() -> None:
    assert 0.8 * min(PLAUSIBLE_MS) <= min(drawn([])) < max(drawn([])) <= 1.25 * max(PLAUSIBLE_MS)
    assert max(drawn(OWN, kind="lay")) <= 1.25 * max(PLAUSIBLE_MS)


def test_no_delay_betrays_by_coming_again_that_nobody_thought() -> None:
    assert len(set(drawn(OWN))) > 100


def test_people_are_as_fast_as_people_and_programs_as_programs() -> None:
    by_hand = [pace._replace(seat=0, took_ms=9000, by_hand=True) for pace in OWN]
    assert min(drawn(OWN + by_hand, seat=2, by_hand=True)) >= 7200
    assert max(drawn(OWN + by_hand, seat=2)) <= 1255
    assert min(drawn(OWN, by_hand=True)) >= 0.8 * min(PLAUSIBLE_BY_HAND_MS)
    substituted_for = [pace._replace(seat=1, took_ms=300) for pace in OWN]
    assert min(drawn(substituted_for + [pace._replace(seat=1) for pace in by_hand], by_hand=True)) >= 7200


def test_delays_after_long_decisions_vary_below_the_maximum() -> None:
    slow = [pace._replace(took_ms=60_000) for pace in OWN]
    delays = drawn(slow, most_ms=15_000)
    assert 9000 <= min(delays) < max(delays) <= 15_000
    assert len(set(delays)) > 100


def test_default_moves_of_a_slow_player_who_forfeited_are_not_delayed_as_long() -> None:
    slow = [pace._replace(took_ms=65_000) for pace in OWN]
    assert 4000 <= min(drawn(hurried(slow, 5000))) < max(drawn(hurried(slow, 5000))) <= 6250
    assert hurried(OWN, 5000) == OWN
