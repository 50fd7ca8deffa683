"""Two people who always win for each other, in games of a real ladder: what the staff's report makes of them."""

from __future__ import annotations

import json
from io import StringIO
from itertools import combinations

import pytest
from django.core.management import call_command
from django.test import Client

from ladder.models import Ladder
from ladder.pages.statistics import collusion_report, collusion_reports
from ladder.season_statistics import gather, measure
from tests.build import DUEL, finish_game, people_match, staff

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

PEOPLE = ("ann", "ben", "cid", "dora", "emil")
FRIENDS = {"ann", "ben"}


def test_two_people_who_win_for_each_other_are_in_the_report(house: None) -> None:
    people = Ladder.objects.get(slug=f"{DUEL}-people")
    for number in range(24):
        finish_game(people_match(people, ("ann", "ben")), number, forfeits={1: "resign"})
    for pair in combinations(PEOPLE, 2):
        for number in range(8 if set(pair) != FRIENDS else 0):
            finish_game(people_match(people, pair), number, forfeits={number % 2: "resign"})
    gather()
    measure()
    report = collusion_report(people)
    assert [(row.taker.name, row.giver.name) for row in report.won_alarms] == [("ann", "ben")]
    assert {report.ladder.slug: report.standing_out for report in collusion_reports() if report.standing_out} == {
        people.slug: 1
    }
    client = Client()
    client.force_login(staff("eve"))
    page = client.get(f"/staff/collusion/{people.slug}/").content.decode()
    assert '<section id="won">' in page
    assert 'class="alarmed"' in page
    assert people.slug in client.get("/staff/collusion/").content.decode()
    output = StringIO()
    call_command("collusion_report", people.slug, "--json", stdout=output)
    won = json.loads(output.getvalue())["won"]
    assert (won[0]["taker"], won[0]["giver"], won[0]["stands_out"]) == ("ann", "ben", True)
