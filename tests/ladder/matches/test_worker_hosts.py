from __future__ import annotations

from ladder.models import Attempt, Match, Result
from tests.ladder.matches.test_play import random_play
from tests.ladder.worker_hosts import play_by_host


def test_a_host_plays_a_match_and_the_site_re_executes_it(transactional_db: None, match: Match) -> None:
    assert play_by_host(match.pk, random_play) == Attempt.Ending.FINISHED
    assert Result.objects.get(match=match).report["seats"][0]["label"] == str(match.seats.get(index=0).version)
    assert match.attempts.get().worker == "host:lab/0"
