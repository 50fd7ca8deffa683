"""A ladder's table in the order and with the filters that its address asks for."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from ladder.corrections import change_k
from ladder.creation import LadderPlan, found_ladder
from ladder.members.estimated_skill import skills_of, tie_groups
from ladder.members.standings import best_ranks, memberships_of
from ladder.models import Estimate, Invitation, Ladder, Match, Membership, Season
from ladder.pages.components.filters import paginate, whole_number
from ladder.pages.ladder import COLUMNS, MOST_LANES, ladder_page, lanes_of
from ladder.pages.matches import listed
from ladder.pages.templatetags.rankings import leading
from ladder.ratings.draws import packed
from ladder.ratings.elo import KFactor
from ladder.seasons import close
from tests.build import DUEL, active_version, new_version, person, staff, uploaded
from tests.ladder.pages.site import Site, block_like, crowd, rename
from tests.page import html, markup, page, parsed

ORDERS = [f"{sign}{column.key}" for column in COLUMNS for sign in ("", "-")]


@pytest.fixture
def table(ladder: Ladder) -> list[Membership]:
    """The house's bots from the best to the worst, with estimates in the opposite order."""
    memberships = list(Membership.objects.filter(ladder=ladder).select_related("bot").order_by("pk"))
    place(memberships)
    for number, membership in enumerate(memberships):
        Membership.objects.filter(pk=membership.pk).update(
            win_shares=60 * number, last_change=number, games=40 + number
        )
        keep(ladder, active_version(membership.bot), 1400 + 10 * number, 100, (1, len(memberships)))
    return memberships


def bots_of(text: str) -> list[str]:
    """The bots of the table, from the top."""
    return re.findall(r'<td class="who"><a class="name" href="/bots/([a-z0-9-]+)/"', text)


def ranks_of(text: str) -> list[int]:
    return [int(rank) for rank in re.findall(r'<td class="num place">(\d+)</td>', text)]


def test_every_column_can_give_the_order_and_its_head_says_so(
    client: Client, ladder: Ladder, table: list[Membership]
) -> None:
    best_first = [membership.bot.slug for membership in table]
    wanted = {
        "rating": best_first,
        "bot": [membership.bot.slug for membership in sorted(table, key=lambda member: member.bot.name)],
    }
    for order in ORDERS:
        text = html(client, f"/ladders/{ladder.slug}/?sort={order}")
        key, turned = order.removeprefix("-"), order.startswith("-")
        expected = wanted.get(key, best_first[::-1])
        assert bots_of(text) == (expected[::-1] if turned else expected), order
        direction = "ascending" if (key == "bot") != turned else "descending"
        assert re.search(rf'class="[a-z ]*{key}" aria-sort="{direction}"', text), order
        assert text.count("aria-sort") == 1


def test_ranks_stay_those_of_the_whole_table(client: Client, ladder: Ladder, table: list[Membership]) -> None:
    upside_down = html(client, f"/ladders/{ladder.slug}/?sort=-rating")
    assert ranks_of(upside_down) == list(range(len(table), 0, -1))
    text = html(client, f"/ladders/{ladder.slug}/?q={table[3].bot.name}")
    assert ranks_of(text) == [4]


def test_what_has_no_estimate_stands_last_in_either_order(
    client: Client, ladder: Ladder, table: list[Membership]
) -> None:
    crowd(ladder, 1)
    for order in ("skill", "-skill"):
        assert bots_of(html(client, f"/ladders/{ladder.slug}/?sort={order}"))[-1] == "crowd-0"


def test_a_table_can_be_searched_and_filtered(client: Client, ladder: Ladder, table: list[Membership]) -> None:
    uploaded(person("ida"), "magpie two", formats={ladder.game: [ladder.seats]})
    Membership.objects.filter(pk=table[0].pk).update(active=False)

    def shown(query: str) -> int:
        return len(bots_of(html(client, f"/ladders/{ladder.slug}/?{query}")))

    everybody = len(table) + 1
    assert shown("") == everybody
    assert shown("q=MAGPIE+TWO") == shown("q=ida") == shown("of=people") == shown("games=provisional") == 1
    assert shown("of=house") == shown("games=settled") == len(table)
    assert shown("state=resting") == 1
    assert shown("state=playing") == everybody - 1
    assert shown("language=python") == everybody
    assert shown("language=executable") == 0
    for nonsense in ("of=x", "sort=x", "state=%00", "q=%00", "games=many", "page=x"):
        assert shown(nonsense) == everybody


def test_my_bots_are_a_filter_for_who_has_signed_in_and_stand_out(
    client: Client, ladder: Ladder, table: list[Membership]
) -> None:
    ida = person("ida")
    uploaded(ida, "magpie two", formats={ladder.game: [ladder.seats]})
    assert 'value="mine"' not in html(client, f"/ladders/{ladder.slug}/")
    client.force_login(User.objects.get(pk=ida.pk))
    text = html(client, f"/ladders/{ladder.slug}/?of=mine")
    assert len(bots_of(text)) == 1
    assert '<tr class="own' in text


def test_a_filtered_table_without_rows_says_how_to_see_everything(
    client: Client, ladder: Ladder, table: list[Membership]
) -> None:
    text = html(client, f"/ladders/{ladder.slug}/?q=<nobody>")
    assert "<nobody>" in parsed(text).one(class_="nothing").text
    assert '<a href="?">Clear filters</a>' in text


def test_links_keep_what_is_asked_for(client: Client, ladder: Ladder, table: list[Membership]) -> None:
    crowd(ladder, 60)
    text = html(client, f"/ladders/{ladder.slug}/?of=house&sort=games&page=2")
    assert 'href="?of=house&amp;sort=games&amp;page=1"' in text
    assert 'href="?of=house&amp;sort=-games"' in text
    assert 'href="?of=house"' in text
    assert '<option value="house" selected>' in text
    assert '<option value="games" selected>' in text


def test_the_leader_is_named_with_who_cannot_be_told_apart(ladder: Ladder, table: list[Membership]) -> None:
    page = ladder_page(ladder, {}.get, AnonymousUser())
    names = [membership.bot.name for membership in table]
    assert page.leaders == names[:1]
    assert page.level == names[1:]
    assert leading(page).startswith(names[0])
    assert f"{len(names) - 1}" in leading(page)
    assert leading(ladder_page(ladder, {"sort": "-rating"}.get, AnonymousUser())) == ""


def test_lines_join_longest_runs_and_overlap_in_lanes(ladder: Ladder, table: list[Membership]) -> None:
    by_bot = skills_of(ladder, [membership.bot_id for membership in table], draws=True)
    skills = [by_bot[membership.bot_id] for membership in table]

    def level(points: list[int]) -> list[tuple[int, int]]:
        rows = [row._replace(rating=1000 * rating) for row, rating in zip(skills, points, strict=False)]
        return list(tie_groups(rows).runs)

    assert level([1500, 1500, 1500]) == [(0, 2)]
    assert level([1700, 1600, 1500]) == [(0, 1), (1, 2)]
    assert level([1900, 1500]) == []
    assert list(tie_groups([None, None]).runs) == []
    many = tie_groups(skills)
    assert len(lanes_of(many.runs)) <= MOST_LANES
    assert many.reach(0) == (0, len(table) - 1)


def keep(ladder: Ladder, version: BotVersion, points: int, margin: int, ranks: tuple[int, int] | None) -> Estimate:
    random = Random(points)
    best, worst = ranks or (None, None)
    return Estimate.objects.create(
        season=Season.objects.get(ladder=ladder),
        version=version,
        rating=1000 * points,
        low=1000 * (points - margin),
        high=1000 * (points + margin),
        rank_low=best,
        rank_high=worst,
        blocks=10,
        games=40,
        kept_draws=packed(round(1000 * random.gauss(points, margin / 1.96)) for _ in range(400)),
        computed=timezone.now(),
    )


def place(memberships: Iterable[Membership]) -> None:
    """Give the memberships ratings that fall from 1600 in steps of 10."""
    for place, membership in enumerate(memberships):
        Membership.objects.filter(pk=membership.pk).update(rating=1_600_000 - 10_000 * place, games=50)


@pytest.fixture
def estimated(ladder: Ladder) -> list[Membership]:
    memberships = list(Membership.objects.filter(ladder=ladder).select_related("bot").order_by("pk"))
    place(memberships)
    for membership, points, ranks in zip(
        memberships, (1700, 1560, 1550, 1300), ((1, 1), (2, 3), (2, 3), (4, 4)), strict=False
    ):
        keep(ladder, active_version(membership.bot), points, 40, ranks)
    return memberships


def test_a_table_shows_estimates_with_their_intervals_and_possible_ranks(
    client: Client, ladder: Ladder, estimated: list[Membership]
) -> None:
    text = html(client, f"/ladders/{ladder.slug}/")
    assert '1700 <span class="soft">± 40' in text
    assert "2–3</td>" in text
    assert "no estimate" in text.lower()


def test_a_table_joins_ranks_that_cannot_be_told_apart_and_says_so_in_words(
    client: Client, ladder: Ladder, estimated: list[Membership]
) -> None:
    text = html(client, f"/ladders/{ladder.slug}/")
    assert text.count("tied from #2 to #3") == text.count("tied from #") == 2
    assert text.count('<i class="lane-1 start">') == text.count('<i class="lane-1 end">') == 1
    assert "lane-1" not in html(client, f"/ladders/{ladder.slug}/?sort=bot")


def test_a_table_names_the_version_that_was_estimated_where_another_one_plays(
    client: Client, ladder: Ladder, estimated: list[Membership]
) -> None:
    bot = estimated[0].bot
    assert ", v1" not in html(client, f"/ladders/{ladder.slug}/")
    BotVersion.objects.filter(bot=bot).update(active=False)
    BotVersion.objects.filter(pk=new_version(bot).pk).update(active=True)
    assert "± 40, v1</span>" in html(client, f"/ladders/{ladder.slug}/")


def test_a_bot_shows_what_its_versions_were_worth(client: Client, ladder: Ladder, estimated: list[Membership]) -> None:
    bot = estimated[1].bot
    older = new_version(bot)
    keep(ladder, older, 1400, 100, None)
    text = html(client, f"/bots/{bot.slug}/")
    assert 'data-note="skill"' in text
    for value, margin in (("1560", "40"), ("1400", "100")):
        assert f'{value} <span class="meta">± {margin}</span>' in text
    assert re.search(r"v2 (has a lower estimated skill than|is statistically tied with) v1\.", text)


def test_a_new_season_shows_no_estimates_of_the_last_one(
    client: Client, ladder: Ladder, estimated: list[Membership]
) -> None:
    Season.objects.filter(ladder=ladder).update(closing=timezone.now(), closed=timezone.now())
    Season.objects.create(ladder=ladder, number=2)
    assert "± 40" not in html(client, f"/ladders/{ladder.slug}/")


SENT = {
    "name": "Seminar",
    "format": f"{DUEL}:2",
    "access": "class",
    "freezes_at": "2999-01-01T12:00",
    "house": ["greedy"],
    "weight": 1,
    "startup_ms": 3000,
    "move_ms": 500,
    "bank_ms": 10_000,
    "game_ms": 60_000,
    "memory_mb": 512,
}


def test_staff_open_a_class_and_others_do_not_find_the_page(house: None, client: Client) -> None:
    assert client.get("/staff/ladders/new/").status_code == 302
    client.force_login(person("bob"))
    assert client.get("/staff/ladders/new/").status_code == 404
    client.force_login(staff("eve"))
    assert client.get("/staff/ladders/new/").status_code == 200
    assert client.post("/staff/ladders/new/", SENT)["Location"] == "/ladders/seminar/members/"
    ladder = Ladder.objects.get(slug="seminar")
    assert (ladder.private, ladder.limits, ladder.memberships.count()) == (True, {"move_ms": 500}, 1)
    assert ladder.invitation in markup(client.get("/ladders/seminar/members/"))
    again = client.post("/staff/ladders/new/", SENT)
    assert (again.status_code, parsed(again).errors) == (422, {""})


def test_staff_choose_who_plays(house: None, client: Client) -> None:
    client.force_login(staff("eve"))
    sent = {**SENT, "name": "Afar", "players": "remote", "house": []}
    assert client.post("/staff/ladders/new/", sent)["Location"] == "/ladders/afar/members/"
    assert Ladder.objects.get(slug="afar").players == "remote"
    assert client.post("/staff/ladders/new/", {**sent, "name": "Nobody", "players": "nobody"}).status_code == 422


def test_a_link_makes_a_member_of_whoever_says_yes(bot: Bot, client: Client) -> None:
    ladder = found_ladder(LadderPlan("Seminar", DUEL, 2, private=True), staff("eve"))
    address = f"/ladders/invitations/{ladder.invitation}/"
    assert client.get(address).status_code == 302
    client.force_login(bot.owner)
    assert parsed(client.get(address)).all("form", method="post")
    assert not Invitation.objects.exists()
    assert client.post(address)["Location"] == "/ladders/seminar/"
    client.post(address)
    assert Invitation.objects.get().person == bot.owner
    assert "Private" in markup(client.get("/ladders/seminar/"))
    assert client.get("/ladders/invitations/nonsense/").status_code == 404
    assert "Seminar" in markup(client.get(f"/bots/{bot.slug}/"))
    client.post(f"/bots/{bot.slug}/ladders/", {"shown": ["seminar"], "ladder": ["seminar"]})
    assert bot.memberships.get(ladder=ladder).active


def test_a_bot_of_no_member_cannot_be_ticked_in(bot: Bot, client: Client) -> None:
    ladder = found_ladder(LadderPlan("Seminar", DUEL, 2, private=True), staff("eve"))
    client.force_login(bot.owner)
    assert "Seminar" not in markup(client.get(f"/bots/{bot.slug}/"))
    client.post(f"/bots/{bot.slug}/ladders/", {"shown": ["seminar"], "ladder": ["seminar"]})
    assert not bot.memberships.filter(ladder=ladder).exists()


def test_staff_invite_by_names_and_learn_which_are_none(bot: Bot, client: Client) -> None:
    ladder = found_ladder(LadderPlan("Seminar", DUEL, 2, private=True), staff("eve"))
    client.force_login(staff("carla"))
    response = client.post("/ladders/seminar/members/", {"names": "ada nobody"})
    assert (response.status_code, parsed(response).errors) == (422, {"names"})
    many = client.post("/ladders/seminar/members/", {"names": "ada " * 201})
    assert (many.status_code, parsed(many).errors) == (422, {"names"})
    client.post("/ladders/seminar/members/", {"names": "ada, eve"})
    client.post("/ladders/seminar/members/", {"names": "ada"})
    assert Invitation.objects.filter(ladder=ladder).count() == 2
    assert client.post(f"/ladders/seminar/members/{bot.owner_id}/remove/")["Location"] == "/ladders/seminar/members/"
    assert not Invitation.objects.filter(ladder=ladder, person=bot.owner_id).exists()
    assert client.post(f"/ladders/seminar/members/{bot.owner_id}/remove/").status_code == 404
    assert client.get(f"/ladders/{DUEL}/members/").status_code == 404


def test_the_end_of_the_term_says_that_the_season_is_closed_once_it_is(house: None, client: Client) -> None:
    ladder = found_ladder(LadderPlan("Seminar", DUEL, 2, private=True), staff("eve"))
    client.force_login(staff("carla"))
    season = "/ladders/seminar/seasons/1/"
    steps = page(client, "/ladders/seminar/members/").one(id="term-end")
    assert steps.all("a", href=season)
    assert not steps.all(data_note="closed")
    close(ladder.seasons.get(), then=None)
    steps = page(client, "/ladders/seminar/members/").one(id="term-end")
    assert not steps.all("a", href=season)
    assert steps.all(data_note="closed")


@pytest.mark.parametrize("name", ["=1+1", "@x", "-2", "+3"])
def test_the_table_as_csv_has_every_row_and_no_formula(site: Site, client: Client, name: str) -> None:
    rename(site.bot, name)
    response = client.get(f"/ladders/{site.ladder.slug}/standings.csv")
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert len(rows) == site.ladder.memberships.filter(active=True).count()
    assert [int(row["rank"]) for row in rows] == sorted(int(row["rank"]) for row in rows)
    own_row = next(row for row in rows if row["bot"] == site.bot.slug)
    assert own_row["name"] == f"'{name}"
    assert float(own_row["rating"]) == site.bot.memberships.get(ladder=site.ladder).points


def in_file(text: str, value: object) -> bool:
    """Whether a CSV file has this value of the API."""
    if isinstance(value, bool):
        return text == str(value).lower()
    return float(text) == value if isinstance(value, int | float) else text == (value or "")


def test_page_file_api_home_and_lists_show_the_same_standings(site: Site, client: Client) -> None:
    """With a tie, a former member in front and a member without a rated game."""
    slug = site.ladder.slug
    first, second, third, *_ = site.ladder.memberships.order_by("-rating", "pk")
    Membership.objects.filter(pk=first.pk).update(active=False, games=7)
    Membership.objects.filter(pk__in=[second.pk, third.pk]).update(rating=1_590_000, games=5)
    Membership.objects.filter(pk=first.pk).update(rating=1_600_000)
    caches["pages"].clear()

    text = html(client, f"/ladders/{slug}/")
    shown = dict(zip(bots_of(text), ranks_of(text), strict=True))
    assert list(shown.values())[:4] == [1, 2, 2, 4]

    file = list(csv.DictReader(io.StringIO(client.get(f"/ladders/{slug}/standings.csv").content.decode())))
    assert {row["bot"]: int(row["rank"]) for row in file} == shown

    rows = client.get(f"/api/v1/ladders/{slug}/members").json()["results"]
    assert {row["bot"]: row["rank"] for row in rows} == shown
    for row, of_file in zip(rows, file, strict=True):
        assert all(in_file(text, row[name]) for name, text in of_file.items() if name in row), row

    leaders = page(client, "/").one(id="leaders").all("section")[0]
    of_home = [element.text for element in leaders.all("span", class_="place")]
    assert of_home == [str(rank) for rank in list(shown.values())[:5]]

    ranks = best_ranks(AnonymousUser(), site.ladder.game)
    for membership in (first, second, third):
        rank = ranks[membership.bot_id]
        if rank.ladder == site.ladder:
            assert (rank.rank, rank.of) == (shown[membership.bot.slug], len(shown))
    of_bot = memberships_of(second.bot, AnonymousUser())
    assert [member.rank for member in of_bot if member.ladder == site.ladder] == [2]


def walk(size: int, name: str, start: int | None) -> list[list[int]]:
    """The parts from ``start`` on in the direction of the cursor ``name``."""
    parts: list[list[int]] = []
    at = start
    while True:
        part = paginate(listed(Match.objects.all()), {name: None if at is None else str(at)}.get, size)
        parts.append([match.pk for match in part.rows])
        at = part.before if name == "before" else part.after
        if at is None:
            return parts


def test_older_and_newer_parts_hold_every_match_once(site: Site) -> None:
    everything = list(Match.objects.order_by("-pk").values_list("pk", flat=True))
    for size in (1, 3, 7, 100):
        older = walk(size, "before", None)
        assert [pk for part in older for pk in part] == everything
        newer = walk(size, "after", 0)
        assert [pk for part in reversed(newer) for pk in part] == everything


def test_a_cursor_that_is_none_shows_the_newest(site: Site, client: Client) -> None:
    for nonsense in ("x", "-1", "²", "1" * 30, ""):
        assert whole_number(nonsense) is None
        assert client.get("/matches/", {"before": nonsense}).status_code == 200


def test_the_list_of_matches_can_be_filtered(site: Site, client: Client) -> None:
    def shown(**filters: str) -> set[int]:
        text = markup(client.get("/matches/", filters))
        return {int(pk) for pk in re.findall(r'href="/matches/(\d+)/"', text)}

    assert shown(state="running") == {site.running.pk}
    assert shown(state="void") == {site.void.pk}
    assert site.queued.pk in shown(state="waiting", ladder=site.ladder.slug)
    queued = Match.objects.filter(ladder=site.ladder, status="queued").values_list("pk", flat=True)
    begun = set(site.ladder.matches.values_list("pk", flat=True)) - set(queued)
    assert {site.finished.pk, site.void.pk, site.closed.pk, site.running.pk, site.unrated.pk} < begun
    assert shown(ladder=site.ladder.slug) == begun
    assert shown(state="nonsense", ladder=site.ladder.slug) == begun


def test_a_long_list_keeps_its_filters_from_part_to_part(site: Site, client: Client) -> None:
    for _ in range(8):
        block_like(site.finished)
    text = markup(client.get("/matches/", {"ladder": site.ladder.slug, "state": "waiting"}))
    assert f"?ladder={site.ladder.slug}&amp;state=waiting&amp;before=" in text


def test_a_long_table_has_pages(site: Site, client: Client) -> None:
    crowd(site.ladder, 60)
    everyone = site.ladder.memberships.count()
    first = markup(client.get(f"/ladders/{site.ladder.slug}/"))
    second = markup(client.get(f"/ladders/{site.ladder.slug}/?page=2"))
    assert f"1–50 of {everyone}" in first
    assert f"51–{everyone} of {everyone}" in second
    assert 'href="?page=2"' in first
    assert client.get(f"/ladders/{site.ladder.slug}/?page=nonsense").status_code == 200
    assert f"51–{everyone} of {everyone}" in markup(client.get(f"/ladders/{site.ladder.slug}/?page=99"))


def test_a_bot_page_ranks_it_as_the_ladder_does(site: Site, client: Client) -> None:
    text = markup(client.get(f"/ladders/{site.ladder.slug}/"))
    order = re.findall(r'href="/bots/([a-z-]+)/"', text)
    best = markup(client.get(f"/bots/{order[0]}/"))
    assert re.search(rf">1 <span class=\"meta\">of {site.ladder.memberships.count()}<", best)


def test_a_ladder_says_that_house_bots_fill_up_while_too_few_people_play(site: Site, client: Client) -> None:
    def notes() -> int:
        return len(parsed(client.get(f"/ladders/{site.ladder.slug}/")).all(data_note="house-fills-up"))

    assert notes() == 1
    for number in range(site.ladder.seats):
        uploaded(person(f"p{number}"), f"bot {number}", formats={site.ladder.game: [site.ladder.seats]})
        assert notes() == (number + 1 < site.ladder.seats)


def test_a_ladder_says_how_far_a_game_moves_ratings(site: Site, client: Client, eve: User) -> None:
    def numbers() -> list[str]:
        (note,) = page(client, f"/ladders/{site.ladder.slug}/").all(data_note="provisional")
        return re.findall(r"\d+", note.text)

    assert numbers() == ["30", "30", "40", "20"]
    change_k(site.ladder, KFactor(64, 32, 10), "more movement", eve)
    assert numbers() == ["30", "10", "64", "32"]
