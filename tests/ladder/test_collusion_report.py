"""Two uploaded bots that feed each other, in matches of a real ladder: what the staff's report makes of them."""

from __future__ import annotations

import json
from io import StringIO
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command

from bots.house.inside import played_inside
from bots.models import Bot
from bots.runner.report import MatchReport, SeatReport
from bots.sandbox import SandboxLauncher
from ladder.matches import play
from ladder.models import Ladder, Match, PairTally, Result, SeasonStatistics
from ladder.pages.statistics import collusion_report
from ladder.season_statistics import gather, measure
from tests.build import finished_block, person, players_of, scheduled, uploaded
from tests.ladder.statistics.play import CONSPIRATORS, HONEST, cast, least_met

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

BLOCKS = 90
SOURCE = (Path(__file__).parent / "statistics" / "conspirator.py").read_text(encoding="utf-8")
CLAIMS = {"edel-stein-reich": [4]}


def conspirator(role: str) -> Bot:
    """One of the two, as its own owner uploads it."""
    source = SOURCE.replace('ROLE = "friend"', f'ROLE = "{role}"')
    return uploaded(person(f"owner-of-{role}"), role, source.encode(), CLAIMS)


@pytest.fixture
def company(ladder: Ladder) -> Ladder:
    """The ladder for four with the house and the two."""
    for role in CONSPIRATORS:
        conspirator(role)
    return ladder


def played_in_process(match: Match) -> MatchReport:
    """The match's own deal, played by the bots at its table without processes."""
    names = [seat.version.bot.name.lower() for seat in match.seats.select_related("version__bot").order_by("index")]
    bots = cast(tuple(names))
    state = played_inside(match.ladder.game, [bots[name] for name in names], bytes(match.block.seed))
    seats = tuple(SeatReport(name, "00" * 32, 1000, (), (), 0, "") for name in names)
    return MatchReport(state.record, (), seats, (), False, 1000)


def test_the_colluding_pair_is_first_in_the_report_without_house_bots(company: Ladder) -> None:
    memberships = {membership.bot.name.lower(): membership for membership in company.memberships.select_related("bot")}
    names = [*HONEST, *CONSPIRATORS]
    met, random = dict.fromkeys(combinations(range(len(names)), 2), 0), Random(13)
    for _ in range(BLOCKS):
        table = least_met(met, len(names), 4, random)
        finished_block(company, [memberships[names[player]] for player in table], played_in_process)
    gather()
    measure()
    report = collusion_report(company)
    assert [(row.taker.name, row.giver.name) for row in report.alarms] == [("friend", "feeder")]
    assert report.rows[0] == report.alarms[0]
    output = StringIO()
    call_command("collusion_report", company.slug, "--json", stdout=output)
    findings = json.loads(output.getvalue())["found"]
    assert [finding["stands_out"] for finding in findings] == [True] + [False] * (len(findings) - 1)
    assert findings[0]["taker"] == memberships["friend"].bot.slug
    fed = PairTally.objects.get(membership=memberships["friend"], opponent=memberships["feeder"])
    assert fed.received > 3 * fed.sold


def test_the_pair_finds_itself_in_real_processes_too(company: Ladder, sandbox_launcher: SandboxLauncher) -> None:
    named = [company.memberships.select_related("bot").get(bot__name=name) for name in CONSPIRATORS]
    others = list(company.memberships.select_related("bot").filter(bot__slug__in=["house-haggler", "house-greedy"]))
    for _ in range(2):
        block = scheduled(company, players_of([*named, *others]))
        for match in block.matches.all():
            assert play.play(match.pk) is not None
    gather()
    assert SeasonStatistics.objects.get().blocks == 2
    assert not [forfeit for result in Result.objects.all() for forfeit in result.report["forfeits"]]
    fed = PairTally.objects.get(membership=named[1], opponent=named[0])
    assert fed.received > fed.sold > 0
