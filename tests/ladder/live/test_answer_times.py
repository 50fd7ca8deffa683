"""How fast a remote bot answers, as its owner sees it."""

from __future__ import annotations

import pytest

from ladder.live.answer_times import answer_times
from ladder.models import PlayedMove
from tests.ladder.live.hosted import Fakes, asked_once, default, house_game

pytestmark = pytest.mark.usefixtures("house")


def test_answers_with_and_without_their_own_time_are_counted_together() -> None:
    match = house_game()
    moves = [asked_once(match, Fakes(default)) for _ in range(4)]
    answers = PlayedMove.objects.filter(pk__in=[move.pk for move in moves])
    answers.update(wall_ms=50, thought_ms=None, default="")
    answers.filter(pk__in=[moves[1].pk, moves[3].pk]).update(thought_ms=20)
    found = answer_times(answers)
    assert (found.answers, found.middle, found.slow, found.network) == (4, 50, 50, 30)
