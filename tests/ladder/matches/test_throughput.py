from __future__ import annotations

from datetime import timedelta

from django.db.models import F

from bots.models import Bot
from ladder.matches.dispatch import recent
from ladder.models import Attempt, Ladder
from tests.build import active_version, block_on, finish_block, house_version
from tests.ladder.exhibitions.orders import a_test, play_all


def test_long_games_that_somebody_orders_do_not_make_a_ladders_games_long(bot: Bot, duel: Ladder) -> None:
    finish_block(block_on(duel))
    play_all(a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=2))
    ordered = Attempt.objects.filter(match__block__purpose="test")
    assert ordered.update(started=F("started") - timedelta(seconds=100)) == 4
    found = recent()
    assert found.finished[duel.pk] == 6
    assert found.cost(duel.pk) < 50
