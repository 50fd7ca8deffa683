from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bots.models import Bot
from ladder.exhibitions.requests import request_scheduled
from ladder.models import Block, Exhibition, Ladder, Match
from ladder.pages.templatetags.exhibitions import countdown
from ladder.seasons import close
from tests.build import active_version, house_version, new_version, person, uploaded
from tests.ladder.exhibitions.builders import a_comparison, a_test, play_all
from tests.page import parsed


def html(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    text = response.content.decode()
    assert text.count("<h1") == 1, address
    assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text), address
    return text


def forms(duel: Ladder) -> list[str]:
    return [f"/ladders/{duel.slug}/{page}/" for page in ("test", "compare", "schedule")]


def sent(bot: Bot, **changes: object) -> dict[str, object]:
    return {
        "token": uuid4(),
        "seat_0": active_version(bot).pk,
        "seat_1": house_version("greedy").pk,
        "blocks": 3,
        **changes,
    }


def test_a_form_becomes_one_order_however_often_it_is_sent(bot: Bot, duel: Ladder, client: Client) -> None:
    client.force_login(bot.owner)
    document = sent(bot)
    first = client.post(forms(duel)[0], document)
    assert client.post(forms(duel)[0], document)["Location"] == first["Location"]
    assert Exhibition.objects.count() == 1
    text = html(client, first["Location"])
    assert "Mine v1 and Greedy" in text
    assert parsed(text).one(id="order")["data-state"] == "running"


def test_what_is_wrong_stands_in_the_form(bot: Bot, duel: Ladder, client: Client) -> None:
    client.force_login(bot.owner)
    for changes, fields in (
        ({"seat_1": ""}, {"seat_1"}),
        ({"seat_1": house_version("vintner").pk}, {"seat_1"}),
        ({"seat_1": active_version(bot).pk}, {""}),
        ({"blocks": 101}, {"blocks"}),
        ({"blocks": 10**30}, {"blocks"}),
        ({"token": "x"}, set()),
    ):
        response = client.post(forms(duel)[0], sent(bot, **changes))
        assert response.status_code == 422, changes
        assert parsed(response).errors == fields, changes
    assert not Exhibition.objects.exists()


def test_a_result_has_means_with_intervals_and_says_n(bot: Bot, duel: Ladder, client: Client) -> None:
    exhibition = play_all(
        a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=4), loser=house_version("greedy")
    )
    text = html(client, f"/exhibitions/{exhibition.pk}/")
    assert Block.objects.filter(exhibition=exhibition).count() == 4
    assert "100.0\u00a0(" in text and "\u2013100.0)" in text
    assert "unrated" in text
    assert "data-live" not in text
    for match in Match.objects.filter(block__exhibition=exhibition):
        assert f'href="/exhibitions/{exhibition.pk}/"' in html(client, f"/matches/{match.pk}/")


def test_a_comparison_draws_its_ratio_between_the_bounds_and_says_what_it_means(
    bot: Bot, duel: Ladder, client: Client
) -> None:
    older, newer = active_version(bot), new_version(bot)
    exhibition = a_comparison(bot.owner, duel, (newer, older), [house_version("greedy")], most=100)
    running = html(client, f"/exhibitions/{exhibition.pk}/")
    assert 'data-note="undecided"' in running and "data-live" in running
    play_all(exhibition, loser=older)
    text = html(client, f"/exhibitions/{exhibition.pk}/")
    assert "<b>Mine v2 is better than Mine v1</b>" in text
    assert re.search(r'<path class="way" d="M0\.0 50\.0L', text)
    assert "Better: 2.94" in text and "−2.94" in text
    Exhibition.objects.filter(pk=exhibition.pk).update(verdict="not better")
    kept = html(client, f"/exhibitions/{exhibition.pk}/")
    assert "<b>Mine v2 is not better than Mine v1 by" in kept, (
        "what a comparison has found stays, whatever the test is now"
    )


def test_who_ordered_cancels_and_nobody_else(bot: Bot, duel: Ladder, client: Client) -> None:
    exhibition = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")])
    client.force_login(person("bob"))
    assert f"/exhibitions/{exhibition.pk}/cancel/" not in html(client, f"/exhibitions/{exhibition.pk}/")
    assert client.post(f"/exhibitions/{exhibition.pk}/cancel/").status_code == 403
    client.force_login(bot.owner)
    assert f"/exhibitions/{exhibition.pk}/cancel/" in html(client, f"/exhibitions/{exhibition.pk}/")
    for _ in range(2):
        assert client.post(f"/exhibitions/{exhibition.pk}/cancel/").status_code == 302
    exhibition.refresh_from_db()
    assert exhibition.reason in html(client, f"/exhibitions/{exhibition.pk}/")


def test_all_fields_of_a_scheduled_match_are_checked_at_once(bot: Bot, duel: Ladder, client: Client) -> None:
    client.force_login(bot.owner)
    document = sent(bot, deals=99, due_at="2020-01-01T20:00", rotated="no")
    response = client.post(forms(duel)[2], document)
    assert response.status_code == 422
    assert parsed(response.content.decode()).errors == {"deals", "due_at"}


@pytest.mark.parametrize(("seconds", "shown"), [(725, "in 12 min"), (-10, "now"), (-245, "4 min ago")])
def test_a_countdown_also_tells_how_long_ago_a_time_was(seconds: int, shown: str) -> None:
    assert parsed(countdown(timezone.now() + timedelta(seconds=seconds))).text == shown


def test_a_match_is_agreed_shown_with_its_time_zone_and_counted_down(bot: Bot, duel: Ladder, client: Client) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    client.force_login(bot.owner)
    at = (timezone.now() + timedelta(hours=3)).replace(second=0, microsecond=0)
    document = sent(bot, seat_1=active_version(theirs).pk, due_at=f"{at:%Y-%m-%dT%H:%M}", deals=1, rotated="no")
    address = client.post(forms(duel)[2], document)["Location"]
    text = html(client, address)
    assert f"{at:%H:%M} UTC" in text and f'data-countdown="{at.isoformat(timespec="milliseconds")}"' in text
    assert parsed(text).one(id="order")["data-state"] == "invited"
    client.force_login(theirs.owner)
    assert "Mine v1 and Theirs v1" in html(client, "/exhibitions/")
    assert f'action="{address}answer/"' in html(client, address)
    client.post(f"{address}answer/", {"agree": "yes"})
    client.post(f"{address}answer/", {"agree": "yes"})
    assert Exhibition.objects.get().state == "planned"
    client.logout()
    assert "Mine v1 and Theirs v1" in html(client, "/exhibitions/")


def test_a_match_says_that_it_waits_for_a_season_while_the_ladder_has_none(
    bot: Bot, duel: Ladder, client: Client
) -> None:
    at, versions = timezone.now() + timedelta(hours=1), [active_version(bot).pk, house_version("greedy").pk]
    address = f"/exhibitions/{request_scheduled(bot.owner, duel, versions, 1, at, uuid4()).pk}/"
    assert not parsed(client.get(address)).all(data_note="no-season")
    close(duel.seasons.get(), then=None)
    assert parsed(client.get(address)).all(data_note="no-season")


def test_pages_of_orders_need_few_queries_however_many_there_are(bot: Bot, duel: Ladder, client: Client) -> None:
    client.force_login(bot.owner)
    exhibition = play_all(a_test(bot.owner, duel, [active_version(bot), house_version("greedy")]))

    def counts() -> list[int]:
        numbers = []
        for address in ("/exhibitions/", f"/exhibitions/{exhibition.pk}/", *forms(duel)):
            with CaptureQueriesContext(connection) as queries:
                html(client, address)
            numbers.append(len(queries))
        return numbers

    at = timezone.now() + timedelta(hours=1)
    request_scheduled(bot.owner, duel, [active_version(bot).pk, house_version("greedy").pk], 1, at, uuid4())
    before = counts()
    assert max(before) <= 16, before
    for _ in range(3):
        play_all(a_test(bot.owner, duel, [active_version(bot), house_version("haggler")]))
    request_scheduled(bot.owner, duel, [active_version(bot).pk, house_version("greedy").pk], 1, at, uuid4())
    assert counts() == before


@pytest.mark.parametrize("address", ["/exhibitions/99/", "/ladders/nowhere/test/"])
def test_an_order_that_is_none_is_said_to_be_none(bot: Bot, client: Client, address: str) -> None:
    client.force_login(bot.owner)
    assert client.get(address).status_code == 404
