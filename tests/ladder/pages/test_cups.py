"""The pages of cups: the list, and one cup with its standings, rounds and ledger."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from bots.tournaments.seatings import seatings
from bots.tournaments.tables import Ruling
from esr_platform.accounts.models import User
from ladder.cups.desk import add_organizer, call_off, pause, remove, remove_organizer, rule
from ladder.cups.progress import advance
from ladder.cups.schedules import update_due
from ladder.matches.leases import claim
from ladder.models import Cup, CupEntry, CupRound, CupTable, Match
from tests.build import make_void, person, signed_in, staff, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out
from tests.page import at_most, page, parsed

pytestmark = pytest.mark.usefixtures("house")


def organizer_of(cup: Cup) -> User:
    assert cup.organizer is not None
    return cup.organizer


def running(format_: str = "swiss") -> Cup:
    return due(entered(new_cup(format_), house_bots()))


def address(cup: Cup, part: str = "") -> str:
    return f"/cups/{cup.slug}/{part}"


def test_a_site_without_cups_says_so(client: Client) -> None:
    assert page(client, "/cups/").notes == {"no-cups"}


def test_the_list_separates_upcoming_running_and_ended_cups(client: Client) -> None:
    canceled = new_cup("knockout")
    call_off(organizer_of(canceled), canceled, "The room is closed.")
    upcoming, ran = new_cup("halving"), running()
    text = page(client, "/cups/")
    for section, cup in {"upcoming": upcoming, "running": ran, "ended": canceled}.items():
        shown = text.one("section", id=section)
        assert [link for link in shown.links if link.startswith("/cups/")] == [address(cup)]
        assert f"· {cup.tournament_format.name}" in shown.text


def closed(cup: Cup) -> Cup:
    """Let the registration of ``cup`` close now; it starts in an hour."""
    Cup.objects.filter(pk=cup.pk).update(closes_at=timezone.now() - timedelta(seconds=1))
    advance()
    cup.refresh_from_db()
    return cup


def test_the_list_says_when_the_registration_of_a_cup_closes_and_whether_it_has_closed(client: Client) -> None:
    open_, full = new_cup("knockout"), entered(new_cup("swiss"), house_bots())
    upcoming = page(client, "/cups/").one("section", id="upcoming")
    assert len(upcoming.all(data_state="registration")) == 2
    closed(full)
    upcoming = page(client, "/cups/").one("section", id="upcoming")
    closes = upcoming.one(data_state="registration").one("time")["datetime"]
    assert closes == open_.closes_at.isoformat(timespec="seconds")
    assert len(upcoming.all(data_state="ready")) == 1


def test_a_cup_whose_registration_has_closed_says_when_it_starts(client: Client) -> None:
    cup = closed(entered(new_cup("swiss"), house_bots()))
    start = page(client, address(cup)).one(data_note="closed").one("time")["datetime"]
    assert start == cup.starts_at.isoformat(timespec="seconds")
    assert "closed" not in page(client, address(due(cup))).notes


def test_a_paused_cup_shows_its_state_and_why_it_is_paused(client: Client) -> None:
    cup = running()
    first = client.get(address(cup), headers={"HX-Request": "true"})
    pause(organizer_of(cup), cup, paused=True, reason="A <b>bug</b> in a kit.")
    changed = client.get(address(cup), headers={"HX-Request": "true", "If-None-Match": first["ETag"]})
    text = parsed(changed)
    assert text.one("span", data_state=True)["data-state"] == "running"
    assert text.all("strong", data_paused=True)
    assert "A <b>bug</b> in a kit." in text.one(data_note="paused").text
    pause(organizer_of(cup), cup, paused=False)
    resumed = page(client, address(cup))
    assert "paused" not in resumed.notes
    assert not resumed.all("strong", data_paused=True)


def test_the_page_of_a_cup_leads_to_the_next_one_of_its_series_while_that_is_open(client: Client) -> None:
    cup = closed(entered(new_cup("swiss", repeat_days=7), house_bots()))
    following = Cup.objects.get(previous=cup)
    assert page(client, address(cup)).one(data_note="next-cup").links == [address(following)]
    first = client.get(address(cup), headers={"HX-Request": "true"})
    known = {"HX-Request": "true", "If-None-Match": first["ETag"]}
    assert client.get(address(cup), headers=known).status_code == 304
    call_off(organizer_of(following), following, "The room is closed.")
    assert "next-cup" not in parsed(client.get(address(cup), headers=known)).notes


def test_a_cup_by_link_is_in_no_list(client: Client) -> None:
    cup = new_cup("swiss", listed=False)
    assert address(cup) not in page(client, "/cups/").links
    assert page(client, address(cup)).one(data_state=True)["data-state"] == "registration"


def test_an_unknown_cup_or_round_is_not_found(client: Client) -> None:
    cup = new_cup("swiss")
    for unknown in ("/cups/nowhere/", "/cups/nowhere/ledger/", address(cup, "rounds/1/"), "/cups/nowhere/rounds/1/"):
        page(client, unknown, status=404)


def test_times_are_shown_in_the_time_zone_of_the_cup_and_in_utc(client: Client) -> None:
    cup = new_cup("swiss", time_zone="Asia/Tokyo")
    schedule = page(client, address(cup)).one("section", id="schedule").text
    assert "(Asia/Tokyo)" in schedule
    assert f"{cup.starts_at:%H:%M} UTC" in schedule


def test_entrants_are_listed_before_the_first_round_has_ended(client: Client) -> None:
    cup = new_cup("swiss")
    assert "no-entrants" in page(client, address(cup)).notes
    bots = house_bots()
    entered(cup, bots)
    rows = page(client, address(cup)).all("tr", data_entry=True)
    assert {row["data-entry"] for row in rows} == {bot.slug for bot in bots}


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_a_finished_cup_shows_its_winner_its_standings_and_its_key(client: Client, format_: str) -> None:
    cup = played_out(entered(new_cup(format_), house_bots()))
    text = page(client, address(cup))
    standings = cup.ledger.get(kind="end").document["standings"]
    numbers = dict(CupEntry.objects.filter(cup=cup).values_list("number", "bot__slug"))
    assert [row["data-entry"] for row in text.all("tr", data_entry=True)] == [
        numbers[entrant] for _, entrant, _ in standings
    ]
    assert "winner" in text.notes
    assert text.one("dd", data_key=True).text == bytes(cup.key).hex()


def test_the_key_of_a_canceled_cup_is_secret_until_its_last_game_has_ended(client: Client) -> None:
    cup = running()
    assert claim(Match.objects.filter(block__cup_table__round__cup=cup)[0].pk, "here") is not None
    call_off(organizer_of(cup), cup, "The room is closed.")
    text = page(client, address(cup))
    assert "canceled" in text.notes
    assert bytes(cup.key).hex() not in text.one("dd", data_key=True).text


def test_a_user_enters_and_withdraws_a_bot_on_the_page_of_the_cup(client: Client) -> None:
    cup, ada = new_cup("swiss"), person("ada")
    assert "sign-in" in page(client, address(cup)).notes
    bot = uploaded(ada, formats={cup.ladder.game: [cup.ladder.seats]})
    user = signed_in(ada)
    assert address(cup, "enter/") in page(user, address(cup)).actions
    assert user.post(address(cup, "enter/"), {"bot": bot.slug}).status_code == 302
    text = page(user, address(cup))
    assert [row["data-entry"] for row in text.all("tr", data_entry=True)] == [bot.slug]
    assert address(cup, "enter/") not in text.actions
    assert user.post(address(cup, "withdraw/"), {"bot": bot.slug}).status_code == 302
    assert CupEntry.objects.get(cup=cup, bot=bot).state == CupEntry.State.WITHDRAWN


def test_a_user_without_a_bot_for_the_format_is_led_to_the_upload() -> None:
    cup, ada = new_cup("swiss"), person("ada")
    uploaded(ada)
    text = page(signed_in(ada), address(cup))
    assert "no-bots" in text.notes
    assert "/bots/new/" in text.links


def test_the_reason_of_a_refused_entry_is_at_the_field() -> None:
    cup, ada = new_cup("swiss"), person("ada")
    formats = {cup.ladder.game: [cup.ladder.seats]}
    first, second = uploaded(ada, "First", formats=formats), uploaded(ada, "Second", formats=formats)
    user = signed_in(ada)
    user.post(address(cup, "enter/"), {"bot": first.slug})
    for wrong in (second.slug, "house-greedy", "\0"):
        refused = user.post(address(cup, "enter/"), {"bot": wrong})
        assert refused.status_code == 422
        assert parsed(refused).errors == {"bot"}
    due(cup)
    assert user.post(address(cup, "enter/"), {"bot": second.slug}).status_code == 422
    assert list(cup.entries.values_list("bot__slug", flat=True)) == [first.slug]


def test_a_full_cup_offers_no_form_to_enter_a_bot(client: Client) -> None:
    cup, ada = entered(new_cup("swiss", capacity=3), house_bots(most=3)), person("ada")
    uploaded(ada, formats={cup.ladder.game: [cup.ladder.seats]})
    assert "sign-in" not in page(client, address(cup)).notes
    text = page(signed_in(ada), address(cup))
    assert "full" in text.notes
    assert address(cup, "enter/") not in text.actions


def test_a_user_with_the_maximum_of_bots_in_a_cup_gets_no_form_to_enter_another() -> None:
    cup, ada = new_cup("swiss", entries_per_user=2), person("ada")
    bots = [uploaded(ada, name, formats={cup.ladder.game: [cup.ladder.seats]}) for name in ("First", "Second", "Third")]
    user = signed_in(ada)
    entered(cup, bots[:1])
    assert address(cup, "enter/") in page(user, address(cup)).actions
    entered(cup, bots[1:2])
    text = page(user, address(cup))
    assert "own-limit" in text.notes
    assert address(cup, "enter/") not in text.actions
    assert address(cup, "withdraw/") in text.actions


def test_nobody_withdraws_the_bot_of_somebody_else() -> None:
    cup = entered(new_cup("swiss"), house_bots())
    entry = cup.entries.order_by("pk")[0]
    signed_in(person("mallory")).post(address(cup, "withdraw/"), {"bot": entry.bot.slug})
    entry.refresh_from_db()
    assert entry.state == CupEntry.State.ENTERED


def test_organizers_enter_house_bots_by_the_form() -> None:
    cup = new_cup("swiss")
    organizer = signed_in(organizer_of(cup))
    assert organizer.post(address(cup, "enter/"), {"bot": "house-greedy"}).status_code == 302
    assert cup.entries.get().bot.slug == "house-greedy"
    with at_most(14):
        page(organizer, address(cup))


def test_replays_of_a_round_are_linked_once_it_has_ended(client: Client) -> None:
    cup = running()
    first = address(cup, "rounds/1/")
    assert not [link for link in page(client, first).links if link.startswith("/matches/") and link != "/matches/"]
    play_round(cup)
    played = Match.objects.filter(block__cup_table__round__cup=cup, block__cup_table__round__number=1)
    links = page(client, first).links
    assert {f"/matches/{match.pk}/" for match in played} <= set(links)
    assert address(cup, "rounds/2/") in links


def test_rulings_and_replaced_blocks_are_marked_at_their_table_and_in_the_ledger(client: Client) -> None:
    cup = running()
    ruled, other = CupTable.objects.filter(round__cup=cup).order_by("index")[:2]
    make_void(Match.objects.select_related("ladder", "block").filter(block__cup_table=other).order_by("pk")[0])
    rule(organizer_of(cup), ruled, Ruling.VOID, "It used a <b>forbidden</b> library.")
    play_round(cup)
    text = page(client, address(cup, "rounds/1/"))
    assert {"void", "ruled"} <= text.one("section", id="table-1").notes
    assert text.one("section", id="table-2").notes == {"replaced"}
    ledger = page(client, address(cup, "ledger/"))
    assert "It used a <b>forbidden</b> library." in ledger.one("tr", data_kind="ruling").text


def test_a_disqualified_entrant_is_marked_with_the_reason_in_the_ledger(client: Client) -> None:
    cup = running()
    entry = CupEntry.objects.get(cup=cup, number=0)
    remove(organizer_of(cup), entry, "It copied another bot.", disqualified=True)
    play_round(cup)
    assert "Disqualified" in page(client, address(cup)).one("tr", data_entry=entry.bot.slug).text
    assert "It copied another bot." in page(client, address(cup, "ledger/")).one("tr", data_kind="left").text


def test_pages_of_a_cup_need_few_queries_and_no_more_for_more_rounds(client: Client) -> None:
    cup = running()
    play_round(cup)
    addresses = ("/cups/", address(cup), address(cup, "rounds/1/"), address(cup, "ledger/"))
    first = {}
    for url in addresses:
        with at_most(8, url) as queries:
            page(client, url)
        first[url] = len(queries)
    play_round(cup)
    for url in addresses:
        with at_most(first[url], url):
            page(client, url)


def test_a_running_cup_shows_its_progress_and_what_is_to_play(client: Client) -> None:
    cup = running()
    play_round(cup)
    update_due()
    text = page(client, address(cup))
    assert "progress" in text.notes
    tables = CupTable.objects.filter(round__cup=cup, round__ended=None).count()
    assert text.one("progress")["max"] == str(tables)
    assert [row["data-round"] for row in text.all("tr", data_round=True)] == ["1", "2", "3"]
    games = tables * cup.blocks * len(seatings(cup.ladder.seats))
    assert text.one("dd", data_games=True).text == str(games)  # of round 3, as round 2 has begun


def test_a_cup_says_that_too_few_bots_are_entered_only_while_they_are(client: Client) -> None:
    cup = entered(new_cup("swiss"), house_bots(most=2))
    assert "too-few" in page(client, address(cup)).notes
    update_due()
    assert "too-few" in page(client, address(cup)).notes
    entered(cup, house_bots(most=6))
    assert "too-few" not in page(client, address(cup)).notes


@pytest.mark.parametrize(("format_", "section"), [("swiss", "crosstable"), ("round-robin", "crosstable")])
def test_a_crosstable_links_each_result_to_its_table(client: Client, format_: str, section: str) -> None:
    cup = running(format_)
    play_round(cup)
    links = [link for link in page(client, address(cup)).one("section", id=section).links if link.startswith("rounds/")]
    assert any(link.startswith("rounds/1/#table-") for link in links)


def test_a_bracket_links_to_the_replays_of_ended_rounds_only(client: Client) -> None:
    cup = running("knockout")
    drawing = page(client, address(cup)).one("svg", class_="bracket")
    assert {group["data-state"] for group in drawing.all("g", data_state=True)} == {"running", "planned"}
    assert not [link for link in drawing.links if link.startswith("/matches/")]
    while cup.played_rounds.filter(number=1, ended=None).exists():  # ties play further blocks
        play_round(cup)
    drawing = page(client, address(cup)).one("svg", class_="bracket")
    played = Match.objects.filter(block__cup_table__round__cup=cup, block__cup_table__round__number=1)
    numbers = {f"/matches/{match.pk}/" for match in played}
    links = {link for link in drawing.links if link.startswith("/matches/")}
    assert links
    assert links <= numbers


def test_points_of_a_round_are_hidden_until_it_has_ended(client: Client) -> None:
    cup = running()
    table = CupTable.objects.filter(round__cup=cup)[0]
    CupTable.objects.filter(pk=table.pk).update(points=[12, 6, 0], decided=True)
    rows = page(client, address(cup, "rounds/1/")).one("section", id="table-1").all("td", class_="num")
    assert {row.text for row in rows} == {"–"}


def test_a_table_of_an_ended_round_lists_the_most_points_first(client: Client) -> None:
    cup = running()
    play_round(cup)
    table = CupTable.objects.filter(round__cup=cup)[0]
    CupTable.objects.filter(pk=table.pk).update(points=[6, 0, 12], decided=True)
    rows = page(client, address(cup, "rounds/1/")).one("section", id="table-1").one("tbody").all("tr")
    assert [row.all("td", class_="num")[0].text for row in rows] == ["12", "6", "0"]


def test_the_first_three_of_a_listed_cup_have_trophies(client: Client) -> None:
    cup = played_out(entered(new_cup("swiss"), house_bots()))
    first, fourth = (cup.entries.get(rank=rank).bot.slug for rank in (1, 4))
    trophy = page(client, f"/bots/{first}/").one("li", data_trophy="1")
    assert address(cup) in trophy.links
    assert str(cup.entries.count()) in trophy.text
    assert page(client, f"/bots/{fourth}/").all("li", data_trophy=True) == []
    Cup.objects.update(listed=False)
    assert page(client, f"/bots/{first}/").all("li", data_trophy=True) == []


def test_owners_show_the_trophies_of_their_bots(client: Client) -> None:
    cup, ada = new_cup("swiss"), person("ada")
    bot = uploaded(ada, formats={cup.ladder.game: [cup.ladder.seats]})
    played_out(entered(cup, [bot, *house_bots(most=2)]))
    trophies = page(client, "/people/ada/").all("li", data_trophy=True)
    assert [f"/bots/{bot.slug}/" in trophy.links for trophy in trophies] == [True]


def test_bots_of_those_who_are_or_were_organizers_have_no_trophies(client: Client) -> None:
    cup, bea, ada = new_cup("swiss"), person("bea"), person("ada")
    assert cup.organizer is not None
    formats = {cup.ladder.game: [cup.ladder.seats]}
    bots = [uploaded(owner, f"Bot {owner.pk}", formats=formats) for owner in (cup.organizer, bea, ada)]
    add_organizer(cup.organizer, cup, "bea")
    assert remove_organizer(bea, cup, bea.pk)
    played_out(entered(cup, bots))
    assert sorted(cup.entries.filter(bot__in=bots).values_list("rank", flat=True)) == [1, 2, 3]
    shown = [len(page(client, f"/bots/{bot.slug}/").all("li", data_trophy=True)) for bot in bots]
    assert shown == [0, 0, 1]
    cup.co_organizers.add(ada)  # as those of the cup before in a series
    assert page(client, f"/bots/{bots[2].slug}/").all("li", data_trophy=True) == []


def test_search_and_sitemap_have_listed_cups_alone(client: Client) -> None:
    listed, unlisted = new_cup("swiss"), new_cup("knockout", listed=False)
    links = page(client, "/search/?q=cup").links
    sitemap = client.get("/sitemap.xml").content.decode()
    assert address(listed) in links
    assert address(unlisted) not in links
    assert f"{address(listed)}</loc>" in sitemap
    assert address(unlisted) not in sitemap


def test_a_cup_has_a_picture_before_and_after_its_start(client: Client) -> None:
    cup = new_cup("swiss")
    before = client.get(f"/pictures/cups/{cup.slug}.png")
    played_out(entered(cup, house_bots()))
    after = client.get(f"/pictures/cups/{cup.slug}.png")
    assert before["Content-Type"] == after["Content-Type"] == "image/png"
    assert before.content != after.content


def test_an_open_page_gets_no_content_until_the_cup_has_changed(client: Client) -> None:
    cup = running()
    first = client.get(address(cup), headers={"HX-Request": "true"})
    known = {"HX-Request": "true", "If-None-Match": first["ETag"]}
    with at_most(3):
        assert client.get(address(cup), headers=known).status_code == 304
    CupTable.objects.filter(pk=CupTable.objects.filter(round__cup=cup)[0].pk).update(points=[12, 6, 0], decided=True)
    assert client.get(address(cup), headers=known).status_code == 200


def test_a_cup_by_link_asks_search_engines_to_stay_out(client: Client) -> None:
    listed, unlisted = new_cup("swiss"), new_cup("knockout", listed=False)
    for part in ("", "ledger/", "ledger.json", "standings.csv", "results.csv", "calendar.ics"):
        assert client.get(f"{address(unlisted)}{part}")["X-Robots-Tag"] == "noindex, nofollow"
        assert "X-Robots-Tag" not in client.get(f"{address(listed)}{part}")


def test_a_canceled_knockout_keeps_the_bracket_of_its_ended_rounds(client: Client) -> None:
    cup = running("knockout")
    while not CupRound.objects.filter(cup=cup).exclude(ended=None).exists():  # ties are played again
        play_round(cup)
    call_off(organizer_of(cup), cup, "The room is closed.")
    drawing = page(client, address(cup)).one("svg", class_="bracket")
    assert {group["data-state"] for group in drawing.all("g", data_state=True)} == {"decided", "planned"}


def test_only_those_who_take_part_find_a_cup_by_link_in_the_list() -> None:
    cup = new_cup("swiss", game="edel-stein-reich-duel", seats=2, listed=False, title="Gem lovers")
    bot = uploaded(person("ada"))
    entered(cup, [bot])
    assert cup.organizer is not None and bot.owner is not None
    for user in (cup.organizer, bot.owner):
        assert "Gem lovers" in signed_in(user).get("/cups/").content.decode()
    for user in (None, person("carl"), staff("eve")):
        assert "Gem lovers" not in signed_in(user).get("/cups/").content.decode()


def test_a_user_enters_and_withdraws_a_limited_number_of_times_per_minute(settings: Any) -> None:
    cup = new_cup("swiss")
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "table": 1}
    for part in ("enter/", "withdraw/"):
        user = signed_in(person(f"user-{part[:-1]}"))
        statuses = [user.post(address(cup, part), {"bot": "none"}).status_code for _ in range(2)]
        assert (statuses[0] == 429, statuses[1]) == (False, 429)
