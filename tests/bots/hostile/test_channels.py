"""No game tells the next game of its deal anything, but by the media that ``docs/security.md`` lists."""

from __future__ import annotations

import pytest

from bots.sandbox import PlainLauncher, SandboxLauncher
from tests.bots.hostile.channels import (
    BITS,
    CLOSED,
    OPEN,
    REFUSED,
    SIGNIFICANT,
    Pair,
    bits_of_number,
    play_pairs,
    probability,
    right_bits,
)
from tests.bots.hostile.table import PAGE
from tests.bots.sandbox.programs import folder_of


@pytest.mark.slow
def test_no_bit_passes_from_a_game_to_the_next_by_a_closed_medium(sandbox_launcher: SandboxLauncher) -> None:
    """Some media are read by the clock. A suspicious one is tried a second time with other deals and other bits.

    So chance alone fails this test once in a million runs for each medium.
    """
    pairs = play_pairs(sandbox_launcher, "first", REFUSED)
    assert all(pair.read[medium] is None for pair in pairs for medium in REFUSED)
    suspicious = [medium for medium in CLOSED if probability(pairs, medium) <= SIGNIFICANT]
    if suspicious:
        pairs = play_pairs(sandbox_launcher, "second", {})
    assert [medium for medium in suspicious if probability(pairs, medium) <= SIGNIFICANT] == []


@pytest.mark.slow
def test_all_bits_pass_by_files_outside_of_the_sandbox() -> None:
    with folder_of({}) as place:
        place.chmod(0o1777)
        pairs = play_pairs(PlainLauncher(), "plain", {}, pairs=2, places=[str(place)])
    assert right_bits(pairs, "files") == 2 * BITS


def test_the_capacity_of_a_number_is_what_its_errors_leave() -> None:
    def bits(errors: list[int]) -> float:
        pairs = [Pair("", {"number": (7, 64)}, {"number": 7 + error}) for error in errors]
        return bits_of_number(pairs, "number")

    assert bits([3] * 20) == 6
    assert bits([3, 4] * 10) == 5
    assert 5 < bits([3] * 19 + [40]) < 6
    assert bits(list(range(0, 64, 3))) < 1


def test_the_security_page_lists_the_media_that_stay_open() -> None:
    remains = PAGE.read_text().partition("## What remains")[2].partition("\n## ")[0].lower()
    assert [medium for medium in OPEN if medium not in remains] == []
