from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token, User
from ladder.cups.registration import enter, withdraw
from ladder.cups.verification import faults
from ladder.models import Block, Cup, CupEntry, CupSchedule, CupTable, Match
from tests.build import DUEL, uploaded, verified
from tests.esr_platform.api.conftest import Program, document, person, problem, read, walked
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

GAME = "edel-stein-reich-duel"


@pytest.fixture
def organizer(manager: Program) -> User:
    assert manager.user is not None
    return verified(manager.user.username)


@pytest.fixture
def cup(organizer: User) -> Cup:
    """A Swiss cup of two rounds with three house bots, in registration."""
    made = new_cup("swiss", organizer=organizer, game=GAME, seats=2, rounds=2)
    return entered(made, house_bots(GAME, 2, most=3))


def settings(**more: Any) -> dict[str, Any]:
    soon = (timezone.now() + timedelta(hours=1)).isoformat()
    needed = {"title": "Winter cup", "game": GAME, "seats": 2, "format": "swiss", "rounds": 3}
    return {**needed, "closes_at": soon, "starts_at": soon, **more}


def test_an_organizer_creates_changes_pauses_and_cancels_a_cup(manager: Program, organizer: User) -> None:
    answer = manager.send("POST", "cups", settings(about="For beginners."))
    made = document(answer)
    assert (answer.status_code, made["slug"], made["state"]) == (201, "winter-cup", "registration")
    assert answer.headers["Location"] == "/api/v1/cups/winter-cup"
    assert (made["organizer"], made["about"], made["key"]) == ("miriam", "For beginners.", None)
    assert Cup.objects.get().key_hash == made["key_hash"]
    changed = document(manager.send("PATCH", "cups/winter-cup", {"about": "For all.", "repeat_days": 7}))
    assert (changed["title"], changed["about"], changed["repeat_days"]) == ("Winter cup", "For all.", 7)
    paused = document(manager.send("POST", "cups/winter-cup/pause", {"reason": "A test."}))
    assert (paused["paused"], paused["reason"]) == (True, "A test.")
    resumed = document(manager.send("POST", "cups/winter-cup/resume"))
    assert (resumed["paused"], resumed["reason"]) == (False, "")
    ended = document(manager.send("POST", "cups/winter-cup/cancel", {"reason": "No room."}))
    assert (ended["state"], ended["reason"]) == ("cancelled", "No room.")
    kinds = [entry["kind"] for entry in walked("cups/winter-cup/ledger", limit=2)]
    assert kinds == ["changed", "paused", "resumed", "cancelled"]


def test_invalid_settings_are_named(manager: Program, organizer: User) -> None:
    error = problem(manager.send("POST", "cups", settings(seats=9, closes_at="soon", colour="red")), 400, "invalid")
    assert set(error["fields"]) == {"seats", "closes_at", "colour"}
    assert set(problem(manager.send("POST", "cups", {}), 400, "invalid")["fields"]) >= {"title", "game", "starts_at"}
    problem(manager.send("POST", "cups", settings(rounds=None)), 422, "rounds")
    problem(manager.send("POST", "cups", settings(closes_at="2020-01-01T00:00:00Z")), 422, "too_early")
    assert not Cup.objects.exists()


def test_a_user_enters_and_withdraws_a_bot(cup: Cup, carl_manages: Program) -> None:
    assert carl_manages.user is not None
    bot = uploaded(carl_manages.user, "Opal")
    here = f"cups/{cup.slug}/entries/{bot.slug}"
    for _ in range(2):
        entry = document(carl_manages.send("PUT", here))
        assert (entry["bot"], entry["state"], entry["number"]) == (bot.slug, "entered", None)
    assert [entry["bot"] for entry in walked(f"cups/{cup.slug}/entries")][-1] == bot.slug
    assert read(f"cups/{cup.slug}")["entries"] == 4
    for _ in range(2):
        assert document(carl_manages.send("DELETE", here))["state"] == "withdrawn"
    assert read(f"cups/{cup.slug}")["entries"] == 3
    house = house_bots(GAME, 2, most=1)[0]
    problem(carl_manages.send("DELETE", f"cups/{cup.slug}/entries/{house.slug}"), 422, "not_your_bot")
    problem(carl_manages.send("DELETE", f"cups/{cup.slug}/entries/nobody"), 404, "not_found")
    due(cup)
    problem(carl_manages.send("PUT", here), 422, "registration_closed")


def test_results_and_matches_appear_when_their_round_has_ended(cup: Cup) -> None:
    assert read(f"cups/{cup.slug}/standings")["results"] == []
    problem(Client().get(f"/api/v1/cups/{cup.slug}/standings?fields=colour"), 400, "invalid")
    due(cup)
    first = read(f"cups/{cup.slug}/rounds/1")
    CupTable.objects.filter(round__cup=cup).update(points=[0, 4], decided=True)
    assert read(f"cups/{cup.slug}/rounds/1") == first
    assert [table["matches"] for table in first["tables"]] == [[]]
    assert {place["points"] for table in first["tables"] for place in table["entrants"]} == {None}
    assert len(first["byes"]) == 1
    CupTable.objects.filter(round__cup=cup).update(points=None, decided=False)
    play_round(cup)
    first = read(f"cups/{cup.slug}/rounds/1")
    (table,) = first["tables"]
    assert sum(place["points"] for place in table["entrants"]) == 4
    assert len(table["matches"]) == 2
    assert [round_["number"] for round_ in walked(f"cups/{cup.slug}/rounds")] == [2, 1]
    play_round(cup)
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []
    standings = read(f"cups/{cup.slug}/standings")["results"]
    assert [standing["rank"] for standing in standings] == [1, 2, 3]
    assert {standing["bot"] for standing in standings} == {bot.slug for bot in house_bots(GAME, 2, most=3)}
    ranks = {standing["bot"]: standing["rank"] for standing in standings}
    assert {entry["bot"]: entry["rank"] for entry in walked(f"cups/{cup.slug}/entries")} == ranks
    assert read(f"cups/{cup.slug}")["key"] == bytes(cup.key).hex()


def test_nothing_shows_the_key_or_a_seed_before_the_end(cup: Cup) -> None:
    due(cup)
    blocks = Block.objects.filter(cup_table__round__cup=cup)
    secrets = [bytes(cup.key).hex(), *(bytes(block.seed).hex() for block in blocks)]
    assert len(secrets) > 1
    for more in ("", "/standings", "/rounds", "/rounds/1", "/ledger", "/entries"):
        text = json.dumps(read(f"cups/{cup.slug}{more}"))
        assert not any(secret in text for secret in secrets), more


def test_games_of_an_unlisted_cup_are_public_without_a_trace_of_the_cup(cup: Cup) -> None:
    """Unlisted is the cup, with its title, tables and standings. Its games are games of public bots like any others."""
    Cup.objects.filter(pk=cup.pk).update(listed=False, slug="secret-gathering", title="Secret gathering")
    cup.refresh_from_db()
    played_out(cup)
    games = set(Match.objects.filter(block__cup_table__round__cup=cup).values_list("pk", flat=True))
    assert {match["id"] for match in walked("matches", purpose="cup")} == games
    pages = ["/matches/", f"/ladders/{cup.ladder.slug}/", f"/matches/{min(games)}/", "/cups/", "/sitemap.xml"]
    shown = [Client().get(page).content.decode() for page in pages]
    shown += [json.dumps(read(f"matches/{pk}")) for pk in games]
    shown.append(json.dumps([*walked("matches"), *walked("cups")]))
    assert not any("secret" in text.casefold() and "gathering" in text.casefold() for text in shown)


def test_lists_filter_cups_and_leave_out_unlisted_ones(cup: Cup, organizer: User) -> None:
    other = new_cup("knockout", organizer=organizer, listed=False)
    assert [row["slug"] for row in walked("cups")] == [cup.slug]
    assert read(f"cups/{other.slug}")["listed"] is False
    assert walked("cups", state="running") == []
    assert [row["slug"] for row in walked("cups", game=GAME, seats=2, format="swiss", state="registration")] == [
        cup.slug
    ]
    problem(Client().get("/api/v1/cups?state=begun"), 400, "invalid")
    problem(Client().get("/api/v1/cups/nothing"), 404, "not_found")


def mine(program: Program) -> set[str]:
    """The slugs of the cups of the user, also of unlisted ones."""
    return {row["slug"] for row in document(program.get("cups?mine=true"))["results"]}


def test_users_find_their_own_cups_also_those_by_link(cup: Cup, organizer: User, carl_manages: Program) -> None:
    carl = carl_manages.user
    assert carl is not None
    hidden = new_cup("knockout", organizer=organizer, listed=False, game=GAME, seats=2)
    new_cup("knockout", organizer=verified("olga"), listed=False, game=GAME, seats=2, title="Another cup")
    Token.objects.update(scopes=[Scope.READ.value, Scope.MANAGE.value])
    assert mine(carl_manages) == set()
    bot = uploaded(carl, "Opal")
    enter(carl, hidden, bot)
    assert mine(carl_manages) == {hidden.slug}
    withdraw(carl, CupEntry.objects.get(bot=bot))
    assert mine(carl_manages) == set()
    cup.co_organizers.add(carl)
    assert mine(carl_manages) == {cup.slug}
    Token.objects.update(scopes=[Scope.MANAGE.value])
    problem(carl_manages.get("cups?mine=true"), 403, "permission_denied")
    problem(Program().get("cups?mine=true"), 403, "permission_denied")


def test_an_open_cup_states_the_rounds_to_play(cup: Cup) -> None:
    assert read(f"cups/{cup.slug}")["schedule"] is None
    CupSchedule.objects.create(cup=cup, rounds=0, computed=timezone.now(), basis="", tables=[3, 2], round_s=[10, 20.5])
    schedule = read(f"cups/{cup.slug}")["schedule"]
    assert (schedule["tables"], schedule["games"], schedule["seconds"]) == ([3, 2], 5 * 2 * cup.blocks, 30.5)
    played_out(due(cup))
    assert read(f"cups/{cup.slug}")["schedule"] is None


def test_organizers_remove_entrants_and_rule_on_tables(cup: Cup, manager: Program) -> None:
    due(cup)
    table = CupTable.objects.get(round__cup=cup)
    loser = CupEntry.objects.get(cup=cup, number=table.entrants[0])
    ruling = {"round": 1, "table": 1, "ruling": "loss", "bot": loser.bot.slug, "reason": "It copied another bot."}
    assert manager.send("POST", f"cups/{cup.slug}/rulings", ruling).status_code == 200
    shown = read(f"cups/{cup.slug}/rounds/1")["tables"][0]
    assert shown["ruled"], "the ruling is in the public ledger"
    assert {place["points"] for place in shown["entrants"]} == {None}, "the round is still running"
    problem(manager.send("POST", f"cups/{cup.slug}/rulings", {**ruling, "table": 9}), 404, "not_found")
    problem(manager.send("POST", f"cups/{cup.slug}/rulings", {**ruling, "bot": None}), 422, "unknown_entrant")
    removal = {"reason": "It copied another bot.", "disqualified": True}
    removed = document(manager.send("POST", f"cups/{cup.slug}/entries/{loser.bot.slug}/remove", removal))
    assert (removed["state"], removed["reason"]) == ("disqualified", "It copied another bot.")
    played_out(cup)
    assert list(faults(cup)) == []


def test_a_co_organizer_has_the_same_rights_until_removed(cup: Cup, manager: Program, carl_manages: Program) -> None:
    here, reason = f"cups/{cup.slug}", {"reason": "A test."}
    problem(carl_manages.send("POST", f"{here}/pause", reason), 422, "not_organizer")
    problem(manager.send("PUT", f"{here}/organizers/nobody"), 422, "unknown_user")
    assert document(manager.send("PUT", f"{here}/organizers/carl"))["co_organizers"] == ["carl"]
    assert document(carl_manages.send("POST", f"{here}/pause", reason))["paused"]
    for _ in range(2):
        assert document(manager.send("DELETE", f"{here}/organizers/carl"))["co_organizers"] == []
    problem(carl_manages.send("POST", f"{here}/resume"), 422, "not_organizer")


def test_changes_need_the_scope_manage(cup: Cup, manager: Program) -> None:
    Token.objects.update(scopes=[Scope.READ.value, Scope.UPLOAD.value])
    for method, more in (("POST", "/cancel"), ("PATCH", ""), ("PUT", "/entries/house-greedy"), ("POST", "/rulings")):
        problem(manager.send(method, f"cups/{cup.slug}{more}", {"reason": "x"}), 403, "permission_denied")
        problem(Program().send(method, f"cups/{cup.slug}{more}"), 401, "not_authenticated")


def test_cups_of_private_ladders_are_hidden(cup: Cup, carl_manages: Program) -> None:
    type(cup.ladder).objects.filter(slug=DUEL).update(private=True, by_invitation=True)
    for more in ("", "/standings", "/rounds", "/rounds/1", "/ledger", "/entries"):
        problem(carl_manages.get(f"cups/{cup.slug}{more}"), 404, "not_found")
    assert walked("cups") == []
    bot = Bot.objects.filter(owner=None)[0]
    problem(carl_manages.send("PUT", f"cups/{cup.slug}/entries/{bot.slug}"), 404, "not_found")
    assert person("ada", Scope.READ).get(f"cups/{cup.slug}").status_code == 404
