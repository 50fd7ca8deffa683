from __future__ import annotations

import pytest
from django.test import Client, override_settings

from bots.models import Bot
from ladder.models import Ladder, Match
from tests.build import person, signed_in
from tests.ladder.matchmaking.people import ended
from tests.ladder.matchmaking.test_levels import finished
from tests.page import Element, page, parsed

pytestmark = pytest.mark.usefixtures("house")

ADDRESS = "/play/now/"
CHOICE = {"game": "edel-stein-reich", "seats": "4", "opponent": "house-level-3"}
PAGES = ("/", "/play/")


def checked(shown: Element) -> dict[str, str]:
    """What is preselected in the form."""
    form = shown.one("form", data_play_now=True)
    return {radio["name"]: radio["value"] for radio in form.all("input", type="radio", checked=True)}


def refusal(client: Client, **changed: str) -> str:
    """Why a choice was refused."""
    response = client.post(ADDRESS, {**CHOICE, **changed})
    assert response.status_code == 422
    return parsed(response).one("form", data_play_now=True)["data-refused"]


def started(client: Client, **choice: str) -> Match:
    """The game that a choice starts; only what is named is sent."""
    response = client.post(ADDRESS, choice)
    match = Match.objects.latest("pk")
    assert response.headers["Location"] == f"/play/tables/{match.pk}/"
    return match


def opponents(match: Match) -> list[str]:
    return list(match.seats.exclude(version__bot__kind="person").values_list("version__bot__slug", flat=True))


@pytest.mark.parametrize("name", [None, "ada"])
def test_one_step_starts_a_casual_game_with_the_chosen_opponent_at_all_other_seats(name: str | None) -> None:
    client = signed_in(person(name) if name else None)
    match = started(client, **CHOICE)
    assert (match.ladder.slug, match.block.rated) == ("edel-stein-reich-4-open", False)
    assert opponents(match) == ["house-level-3"] * 3
    title = page(client, f"/play/tables/{match.pk}/").one("h1").text
    assert all(f"Level 3 #{number}" in title for number in (1, 2, 3))
    assert page(client, "/play/").links


def test_a_house_bot_can_be_chosen_by_name(client: Client) -> None:
    match = started(client, game="die-weinhaendler", seats="3", opponent="house-vintner")
    assert opponents(match) == ["house-vintner"] * 2


def test_the_form_has_all_games_seats_levels_and_bots(client: Client) -> None:
    for address in PAGES:
        form = page(client, address).one("form", data_play_now=True)
        values = {name: [radio["value"] for radio in form.all("input", name=name)] for name in CHOICE}
        assert values["game"] == ["edel-stein-reich", "edel-stein-reich-duel", "die-weinhaendler"]
        assert values["seats"] == ["2", "3", "4", "5"]
        assert values["opponent"][:6] == [f"house-level-{number}" for number in range(1, 7)]
        assert {"house-greedy", "house-sommelier"} < set(values["opponent"])
        assert all(radio["data-fits"] for radio in form.all("input", name="opponent"))


@pytest.mark.parametrize("name", [None, "ada"])
def test_everybody_can_play_with_five_seats(name: str | None) -> None:
    match = started(signed_in(person(name) if name else None), **{**CHOICE, "seats": "5"})
    assert match.seats.count() == 5


def test_newcomers_have_a_low_level_preselected_and_nothing_is_recommended(client: Client) -> None:
    for visitor in (client, signed_in(person("ada"))):
        for address in PAGES:
            shown = page(visitor, address)
            assert checked(shown) == {**CHOICE, "opponent": "house-level-2"}
            assert not shown.all(data_recommended=True)


@pytest.mark.parametrize("name", [None, "ada"])
def test_the_last_choice_is_preselected_next_time(name: str | None) -> None:
    client = signed_in(person(name) if name else None)
    choice = {"game": "die-weinhaendler", "seats": "3", "opponent": "house-gleaner"}
    ended(started(client, **choice))
    for address in PAGES:
        shown = page(client, address)
        assert checked(shown) == choice
        assert shown.one("form", data_play_now=True).one("details", open=True)


def test_a_field_that_is_not_sent_has_its_preselected_value(client: Client) -> None:
    match = started(client, game="edel-stein-reich")
    assert (match.ladder.slug, opponents(match)) == ("edel-stein-reich-4-open", ["house-level-2"] * 3)
    ended(match)
    ended(started(client, **CHOICE))
    match = started(client, game="edel-stein-reich-duel")
    assert opponents(match) == ["house-level-3"]


def test_a_last_choice_that_no_longer_exists_is_replaced(client: Client) -> None:
    ended(started(client, **CHOICE))
    Ladder.objects.filter(slug="edel-stein-reich-4-open").update(open=False)
    assert checked(page(client, "/")) == {**CHOICE, "seats": "3"}
    Bot.objects.filter(slug="house-level-3").update(house_name="gone")
    assert checked(page(client, "/")) == {**CHOICE, "seats": "3", "opponent": "house-level-2"}


@pytest.mark.parametrize("name", [None, "ada"])
def test_winning_twice_recommends_the_next_level_of_this_game(name: str | None) -> None:
    client = signed_in(person(name) if name else None)
    for _ in range(2):
        finished(started(client, **CHOICE), 1, (2, 3, 4))
    shown = page(client, "/play/")
    assert checked(shown) == CHOICE, "the last choice stays"
    (tile,) = shown.all("label", data_recommended="edel-stein-reich")
    assert (tile["class"].split()[-1], tile.one("input")["value"]) == ("recommended", "house-level-4")
    assert shown.one("form", data_play_now=True).one("p", class_="caption", data_game="edel-stein-reich")


def test_on_another_device_the_recommended_level_is_preselected() -> None:
    ada = person("ada")
    client = signed_in(ada)
    for _ in range(2):
        finished(started(client, **CHOICE), 1, (2, 3, 4))
    assert checked(page(signed_in(ada), "/")) == {**CHOICE, "opponent": "house-level-4"}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"game": "chess"}, "invalid_choice"),
        ({"game": "\0"}, "invalid_choice"),
        ({"seats": "many"}, "invalid_choice"),
        ({"seats": "2"}, "wrong_seats"),
        ({"opponent": "nobody"}, "invalid_choice"),
        ({"opponent": "house-guest"}, "invalid_choice"),
        ({"opponent": "house-vintner"}, "cannot_play"),
    ],
)
def test_a_bad_choice_is_refused_with_a_code_and_without_a_session(
    client: Client, changed: dict[str, str], code: str
) -> None:
    assert code in refusal(client, **changed).split()
    assert not client.session.keys() and not Match.objects.exists()


def test_limits_are_shown_in_the_form(client: Client) -> None:
    with override_settings(MAX_GUEST_SEATS=0):
        assert refusal(client) == "guest_seats"
    with override_settings(MAX_OPEN_GAMES_PER_DAY=0):
        assert refusal(signed_in(person("ada"))) == "open_games_per_day"
    assert not Match.objects.exists()


def test_ladders_by_invitation_and_closed_ones_are_not_played_on(client: Client) -> None:
    Ladder.objects.filter(game="die-weinhaendler").update(private=True, by_invitation=True)
    Ladder.objects.filter(game="edel-stein-reich-duel").update(open=False)
    for game in ("die-weinhaendler", "edel-stein-reich-duel"):
        assert "invalid_choice" in refusal(client, game=game).split()


def test_a_site_without_games_says_how_to_get_some(client: Client) -> None:
    Ladder.objects.update(open=False)
    for address in PAGES:
        assert not page(client, address).all("form", data_play_now=True)
    assert client.post(ADDRESS, CHOICE).status_code == 422


def test_a_guest_plays_the_same_game_again(client: Client) -> None:
    match = started(client, **CHOICE)
    ended(match)
    started_elsewhere = started(client, game="die-weinhaendler", seats="3", opponent="house-vintner")
    ended(started_elsewhere)
    form = page(client, f"/matches/{match.pk}/").one("form", id="again")
    fields = [*form.all("input", type="hidden"), *form.all("button", name=True)]
    sent = {field["name"]: field["value"] for field in fields if field["name"] in CHOICE}
    assert sent == CHOICE
    assert opponents(started(client, **sent)) == ["house-level-3"] * 3
