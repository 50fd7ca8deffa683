"""The pages of numbers: what they show, what they do not show, and how much they ask of the database."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from bots.models import Bot
from bots.owners import make_active
from esr_platform.accounts.models import Role, User
from ladder.models import Block, Ladder, Membership, PairTally, SeasonStatistics, SeatResult
from ladder.pages.components.chart import rating_chart
from ladder.pages.components.traces import trace
from ladder.season_statistics import gather, measure
from tests.build import (
    finish_game,
    finished_block,
    finished_blocks,
    new_version,
    person,
    players_of,
    scheduled,
    uploaded,
    variety_of,
)
from tests.page import at_most, markup

pytestmark = pytest.mark.django_db
CLAIMS = {"edel-stein-reich": [4]}


def text_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, address
    return re.sub(r"\s+", " ", markup(response))


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """A ladder with a few finished blocks, gathered and measured."""
    finished_blocks(ladder, 6)
    gather()
    measure()
    return ladder


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create(username="keeper", email="keeper@example.org", role=Role.MODERATOR))
    return client


def test_a_ladder_without_blocks_says_when_there_will_be_figures(ladder: Ladder, client: Client) -> None:
    assert 'data-note="no-blocks"' in text_of(client, f"/ladders/{ladder.slug}/statistics/")
    assert 'data-note="nobody-met"' in text_of(client, f"/ladders/{ladder.slug}/statistics/head-to-head/")
    assert 'data-note="no-rated-game"' in text_of(client, f"/ladders/{ladder.slug}/bots/house-greedy/")


def test_nothing_is_shown_of_a_block_with_a_game_to_come(ladder: Ladder, client: Client) -> None:
    block = scheduled(ladder, players_of(ladder.memberships.select_related("bot")[:4]))
    for match in list(block.matches.select_related("ladder", "block").order_by("seating"))[:-1]:
        finish_game(match, variety_of(match))
    gather()
    measure()
    membership = f"/ladders/{ladder.slug}/bots/{ladder.memberships.select_related('bot')[0].bot.slug}/"
    assert 'data-note="no-blocks"' in text_of(client, f"/ladders/{ladder.slug}/statistics/")
    shown = text_of(client, membership)
    assert 'data-note="no-block"' in shown
    assert "certificates" not in shown


def test_the_statistics_of_a_ladder_show_seats_phases_and_what_blocks_save(played: Ladder, client: Client) -> None:
    with at_most(8):
        shown = text_of(client, f"/ladders/{played.slug}/statistics/")
    assert "6 finished blocks (24 games)" in shown
    document = SeasonStatistics.objects.get().document
    for number, seat in enumerate(document["seats"]):
        assert f"Seat {number}</th>" in shown
        assert f"{100 * seat['value']:.1f} ({100 * seat['low']:.1f}–{100 * seat['high']:.1f})" in shown
    assert 'data-note="too-few-blocks"' in shown
    for heading in ("Money (millions)", "Certificates", "Barters won", "Gems paid", "Phase 3", "Whole game"):
        assert heading in shown


def test_money_a_phase_on_the_page_adds_up_to_the_scores(played: Ladder, client: Client) -> None:
    scores = [result.score["money"] for result in SeatResult.objects.all()]
    shown = text_of(client, f"/ladders/{played.slug}/statistics/")
    phases = shown[shown.index('id="phases"') :]
    whole = phases[phases.index("Whole game</th>") :]
    first = re.search(r'data-label="Money \(millions\)">([0-9.]+)<', whole)
    assert first is not None
    assert float(first[1]) == pytest.approx(sum(scores) / len(scores), abs=0.06)


def test_everybody_meets_everybody_in_the_matrix(played: Ladder, client: Client) -> None:
    with at_most(8):
        shown = text_of(client, f"/ladders/{played.slug}/statistics/head-to-head/")
    table = shown[shown.index("<tbody>") : shown.index("</tbody>")]
    assert table.count("<tr>") == played.memberships.filter(seat_tallies__isnull=False).distinct().count()


def test_a_bot_on_a_ladder_has_history_versions_seats_phases_and_opponents(played: Ladder, client: Client) -> None:
    membership = played.memberships.select_related("bot").filter(games__gt=0).order_by("pk")[0]
    with at_most(12):
        shown = text_of(client, f"/ladders/{played.slug}/bots/{membership.bot.slug}/")
    assert 'role="img" aria-labelledby="chart-title chart-words"' in shown
    for part in ("versions", "seats", "phases", "opponents"):
        assert f'id="{part}"' in shown
    assert shown.count('class="who full"') == PairTally.objects.filter(membership=membership).count() > 2


def test_a_bot_that_is_not_on_the_ladder_has_no_page_there(played: Ladder, client: Client) -> None:
    text_of(client, f"/ladders/{played.slug}/bots/house-vintner/", status=404)
    text_of(client, f"/ladders/{played.slug}/bots/nobody/", status=404)
    text_of(client, f"/ladders/{played.slug}/statistics/?season=7", status=404)
    text_of(client, f"/ladders/{played.slug}/statistics/?season=x", status=404)


def test_the_chart_of_a_bot_marks_where_another_version_began(ladder: Ladder, client: Client) -> None:
    bot: Bot = uploaded(person("ada"), formats=CLAIMS)
    mine = ladder.memberships.select_related("bot").get(bot=bot)
    others = list(ladder.memberships.select_related("bot").filter(bot__owner=None)[:3])
    finished_block(ladder, [mine, *others])
    make_active(new_version(bot, formats=CLAIMS))
    finished_block(ladder, [Membership.objects.select_related("bot").get(pk=mine.pk), *others])
    curve = trace(mine)
    assert curve is not None
    assert [moment.version for moment in curve.moments] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert [(stretch.season, stretch.version, len(stretch.moments)) for stretch in curve.stretches] == [
        (1, 1, 4),
        (1, 2, 4),
    ]
    mine.refresh_from_db()
    assert curve.last.rating == mine.rating
    gather()
    shown = text_of(client, f"/ladders/{ladder.slug}/bots/{bot.slug}/")
    assert '<line class="version"' in shown
    assert '>v1</th><td class="num" data-label="Games">4<' in shown


def test_a_long_history_is_thinned_out_and_keeps_its_last_moment(
    played: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    membership = played.memberships.select_related("bot").order_by("-games")[0]
    monkeypatch.setattr("ladder.pages.components.traces.MOST_POINTS", 7)
    curve = trace(membership)
    assert curve is not None
    assert curve.thinned
    assert len(curve.moments) <= 8
    assert curve.last.rating == membership.rating
    numbers = [moment.number for moment in curve.moments]
    assert numbers == sorted(numbers)
    chart = rating_chart([curve])
    assert chart is not None
    assert sum(path.count("L") for path in chart.drawn[0].paths) == len(curve.moments) - 1
    assert chart.drawn[0].last[0] == 100
    assert rating_chart([None]) is None


def test_staff_see_a_report_of_every_ladder(played: Ladder, staff: Client) -> None:
    shown = text_of(staff, "/staff/collusion/")
    assert (
        shown.count('data-note="no-trade"')
        == Ladder.objects.filter(game="die-weinhaendler", players__in=["hosted", "remote"]).count()
    )
    report = text_of(staff, f"/staff/collusion/{played.slug}/")
    collusion = SeasonStatistics.objects.get().collusion
    assert collusion["pairs"] == len(collusion["found"])
    assert f'data-flagged="0" data-pairs="{collusion["pairs"]}"' in report
    assert 'data-pairs="0"' in text_of(staff, "/staff/collusion/die-weinhaendler-4/")


def test_the_command_gives_the_report_in_lines_and_as_json(played: Ladder) -> None:
    output, document = StringIO(), StringIO()
    call_command("collusion_report", played.slug, stdout=output)
    call_command("collusion_report", played.slug, "--json", stdout=document)
    report = json.loads(document.getvalue())
    assert report["unit"] == "gems"
    assert report["blocks"] == 6
    assert f"{report['pairs']} ordered pairs in 6 blocks, 0 flagged" in output.getvalue()
    with pytest.raises(CommandError, match="edel-stein-reich-4"):
        call_command("collusion_report", "nowhere")


def test_what_is_measured_is_kept_until_there_are_more_blocks(played: Ladder) -> None:
    assert measure() == 0
    finished_blocks(played, 1)
    gather()
    assert measure() == 1
    assert SeasonStatistics.objects.get().document["blocks"] == 7
    assert Block.objects.filter(gathered=False).count() == 0
