"""The page of two bots, the form to choose them, and the matches that both played."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from bots.models import Bot
from ladder.models import Ladder, Membership
from ladder.pages.compare import ComparisonPage, There, comparison_page
from ladder.pages.templatetags.rankings import heat
from ladder.season_statistics import gather
from ladder.statistics.pair_share import pair_share
from tests.build import active_version, finished_block, person, signed_in, uploaded
from tests.ladder.pages.test_ladder import keep
from tests.page import at_most, html, parsed

BLOCKS = 5


@pytest.fixture
def four(ladder: Ladder) -> list[Membership]:
    """Four of the house's bots that have played all their blocks with each other."""
    memberships = list(ladder.memberships.select_related("bot").order_by("pk")[: ladder.seats])
    for _ in range(BLOCKS):
        finished_block(ladder, memberships)
    gather()
    return memberships


def address(*memberships: Membership) -> str:
    return f"/compare/{memberships[0].bot.slug}/{memberships[1].bot.slug}/"


def page_of(*memberships: Membership) -> ComparisonPage:
    return comparison_page((memberships[0].bot, memberships[1].bot), {}.get, AnonymousUser())


def there_of(*memberships: Membership) -> There:
    there = page_of(*memberships).there
    assert there is not None
    return there


def test_two_bots_are_compared_in_few_queries(client: Client, ladder: Ladder, four: list[Membership]) -> None:
    for membership, points in zip(four, (1600, 1500, 1550, 1400), strict=True):
        keep(ladder, active_version(membership.bot), points, 30, (1, 4))
    with at_most(12):
        text = html(client, address(*four))
    assert "+100 ±" in text
    assert text.count('class="way"') == 4  # two lines and their keys
    assert f"Games: {4 * BLOCKS} · Deals: {BLOCKS}" in text


def test_what_one_has_won_directly_the_other_has_lost(four: list[Membership]) -> None:
    there = there_of(*four)
    assert there.direct is not None
    first, second = (side.share for side in there.direct)
    assert first.value + second.value == pytest.approx(1)
    assert first.low + second.high == pytest.approx(1)
    assert first.blocks == BLOCKS


def test_seats_add_up_to_the_whole(four: list[Membership]) -> None:
    there = there_of(*four)
    assert there.direct is not None
    at_seats = [row.direct[0] for row in there.seats]
    assert [share.games for share in at_seats if share] == [BLOCKS] * 4
    assert sum(share.share.value for share in at_seats if share) / 4 == pytest.approx(there.direct[0].share.value)


def test_the_opponents_of_both_are_the_others(four: list[Membership]) -> None:
    there = there_of(*four)
    assert {row.opponent for row in there.common} == set(four[2:])
    for row in there.common:
        assert row.difference == row.results[0].share.value - row.results[1].share.value


def test_without_an_estimate_nobody_is_called_stronger(client: Client, four: list[Membership]) -> None:
    assert there_of(*four).difference is None
    assert "±" not in html(client, address(*four))


def test_bots_that_never_met_say_so(client: Client, ladder: Ladder) -> None:
    first, other = ladder.memberships.select_related("bot")[:2]
    text = html(client, address(first, other))
    assert 'data-note="not-met"' in text
    assert 'data-note="no-rated-game"' in text


def test_the_owner_of_both_bots_requests_a_version_comparison_and_everybody_else_a_test(duel: Ladder) -> None:
    owner = person("ada")
    both = [uploaded(owner, name).memberships.get(ladder=duel) for name in ("one", "two")]
    assert f'href="/ladders/{duel.slug}/compare/' in html(signed_in(owner), address(*both))
    assert f'href="/ladders/{duel.slug}/test/' in html(Client(), address(*both))


def test_a_bot_that_nobody_knows_of_is_not_compared(client: Client, ladder: Ladder) -> None:
    known = ladder.memberships.select_related("bot")[0].bot
    hidden = Bot.objects.create(owner=person("ida"), name="Hidden", slug="hidden")
    assert client.get(f"/compare/{known.slug}/{hidden.slug}/").status_code == 404
    assert client.get(f"/compare/{known.slug}/{known.slug}/").status_code == 404
    assert "Hidden" not in html(client, "/compare/?a=hidden")


def test_nothing_of_a_private_ladder_is_compared_for_strangers(
    client: Client, ladder: Ladder, four: list[Membership]
) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    text = html(client, f"{address(*four)}?ladder={ladder.slug}")
    assert ladder.name not in text
    assert client.get(f"/compare/?ladder={ladder.slug}").status_code == 404


def test_the_form_leads_to_the_page_or_says_who_may_be_meant(client: Client, ladder: Ladder) -> None:
    for name in ("magpie one", "magpie two", "tulip"):
        uploaded(person(name.replace(" ", "-")), name, formats={ladder.game: [ladder.seats]})
    tulip, magpie = Bot.objects.get(name="tulip"), Bot.objects.get(name="magpie one")
    response = client.get("/compare/", {"a": "tulip", "b": magpie.slug, "ladder": ladder.slug})
    assert response.status_code == 302
    assert response["Location"] == f"/compare/{tulip.slug}/{magpie.slug}/?ladder={ladder.slug}"
    text = html(client, "/compare/?a=tulip&b=magpie+")
    assert 'id="problem-b"' in text
    assert (
        parsed(client.get("/compare/", {"a": magpie.slug, "b": "magpie"})).one("input", name="a")["value"]
        == magpie.name
    )
    assert f"?a=tulip&amp;b={magpie.slug}" in text
    assert 'id="problem-a"' in html(client, "/compare/?a=nobody")
    assert 'role="alert"' in html(client, "/compare/?a=tulip&b=tulip")


def test_the_matches_of_two_bots_are_listed(client: Client, ladder: Ladder, four: list[Membership]) -> None:
    others = list(ladder.memberships.select_related("bot").order_by("pk")[ladder.seats - 1 : 2 * ladder.seats - 1])
    finished_block(ladder, others)

    def shown(query: str) -> int:
        return len(set(re.findall(r'href="/matches/(\d+)/"', html(client, f"/matches/?{query}"))))

    a, b, last = four[0].bot.slug, four[1].bot.slug, others[-1].bot.slug
    assert shown(f"bot={a}") == shown(f"bot={a}&with={b}") == 4 * BLOCKS
    assert shown(f"bot={last}") == 4
    assert shown(f"bot={a}&with={last}") == 0
    assert 'role="alert"' in html(client, "/matches/?bot=nobody")
    assert 'data-note="no-match"' in html(client, f"/matches/?bot={a}&with={last}")


def test_a_cell_is_as_deep_as_its_share_is_far_from_even_and_hatched_where_there_is_little() -> None:
    assert heat(pair_share(8, 8, 8)) == "up-10"
    assert heat(pair_share(8, 0, 0)) == "down-10"
    assert heat(pair_share(8, 4, 2)) == "even"
    assert heat(pair_share(3, 3, 3)) == "few"
