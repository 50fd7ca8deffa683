"""The desk of a cup: its organizers pause it, remove bots and rule on tables."""

from __future__ import annotations

import pytest
from django.test import Client

from bots.models import Bot
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupRound, CupTable
from tests.build import person, signed_in, staff, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round
from tests.page import at_most, page, parsed

pytestmark = pytest.mark.usefixtures("house")


def organizer(cup: Cup) -> Client:
    assert cup.organizer is not None
    return signed_in(cup.organizer)


def desk(cup: Cup, part: str = "") -> str:
    return f"/cups/{cup.slug}/desk/{part}"


def kinds(cup: Cup) -> list[str]:
    """The actions of authors in the ledger."""
    return list(CupLedgerEntry.objects.filter(cup=cup).exclude(author=None).values_list("kind", flat=True))


def running(format_: str = "swiss") -> Cup:
    return due(entered(new_cup(format_), house_bots()))


def test_only_organizers_and_site_admins_see_the_desk(client: Client) -> None:
    cup = new_cup("swiss")
    assert client.get(desk(cup)).status_code == 302
    stranger = signed_in(person("mallory"))
    entry = entered(cup, house_bots()[:1]).entries.get()
    parts = ("", "pause/", "cancel/", "settings/", f"entries/{entry.bot.slug}/")
    for part in parts:
        assert stranger.get(desk(cup, part)).status_code == 403
    for part in ("resume/", "organizers/", "workers/", "pause/", "cancel/"):
        assert stranger.post(desk(cup, part), {"reason": "No."}).status_code == 403
    assert desk(cup) not in page(stranger, f"/cups/{cup.slug}/").links
    assert desk(cup) in page(organizer(cup), f"/cups/{cup.slug}/").links
    assert page(signed_in(staff("root")), desk(cup)).one("tr", data_entry=entry.bot.slug)
    assert kinds(cup) == []


def test_pausing_needs_a_reason_and_resuming_is_one_click() -> None:
    cup = new_cup("swiss")
    olga = organizer(cup)
    empty = olga.post(desk(cup, "pause/"), {"reason": " "})
    assert (empty.status_code, parsed(empty).errors) == (422, {"reason"})
    olga.post(desk(cup, "pause/"), {"reason": "The rules change."})
    text = page(olga, desk(cup))
    assert "paused" in text.notes
    assert desk(cup, "resume/") in text.actions
    olga.post(desk(cup, "resume/"))
    olga.post(desk(cup, "resume/"))
    assert "paused" not in page(olga, desk(cup)).notes
    assert kinds(cup) == ["paused", "resumed"]


def test_entrants_are_listed_with_the_problems_of_their_bots() -> None:
    ada, cup = person("ada"), new_cup("swiss")
    bot = uploaded(ada, formats={cup.ladder.game: [cup.ladder.seats]})
    entered(cup, [bot, *house_bots()[:2]])
    Bot.objects.filter(pk=bot.pk).update(paused=cup.created, pause_reason="three forfeits in a row")
    row = page(organizer(cup), desk(cup)).one("tr", data_entry=bot.slug)
    assert row.notes == {"problem"}


def test_an_organizer_removes_an_entrant_with_a_public_reason() -> None:
    cup = running()
    entry = CupEntry.objects.get(cup=cup, number=0)
    olga, address = organizer(cup), desk(cup, f"entries/{CupEntry.objects.get(cup=cup, number=0).bot.slug}/")
    assert address in page(olga, desk(cup)).links
    assert parsed(olga.post(address, {"how": "disqualify", "reason": ""})).errors == {"reason"}
    assert olga.post(address, {"how": "disqualify", "reason": "It copies a bot."}).status_code == 302
    olga.post(address, {"how": "disqualify", "reason": "It copies a bot."})
    entry.refresh_from_db()
    assert (entry.state, entry.reason) == ("disqualified", "It copies a bot.")
    assert address not in page(olga, desk(cup)).links
    assert kinds(cup) == ["left"]


def test_an_organizer_rules_on_a_table() -> None:
    cup = running()
    olga, table = organizer(cup), CupTable.objects.filter(round__cup=cup).order_by("index")[1]
    address = desk(cup, "rounds/1/2/")
    assert address in page(olga, desk(cup)).links
    loser = table.entrants[1]
    choices = {choice["value"] for choice in page(olga, address).all("input", name="ruling")}
    assert choices == {"void", "bye", *(f"loss:{entrant}" for entrant in table.entrants)}
    assert parsed(olga.post(address, {"ruling": "loss:99", "reason": "Late."})).errors == {"ruling"}
    assert olga.post(address, {"ruling": f"loss:{loser}", "reason": "Late."}).status_code == 302
    olga.post(address, {"ruling": f"loss:{loser}", "reason": "Late."})
    document = CupLedgerEntry.objects.get(cup=cup, kind="ruling").document
    assert (document["table"], document["entrant"], document["points"][1]) == (1, loser, 0)
    page(olga, desk(cup, "rounds/1/9/"), status=404)


def test_results_that_a_bracket_follows_from_are_settled() -> None:
    cup = running("knockout")
    olga = organizer(cup)
    for _ in range(4):  # blocks that decide ties
        if CupRound.objects.filter(cup=cup).count() == 1:
            play_round(cup)
    text = page(olga, f"{desk(cup)}?round=1")
    assert "settled" in text.notes
    assert desk(cup, "rounds/1/1/") not in text.links
    asked = page(olga, desk(cup, "rounds/1/1/"))
    assert (asked.notes, asked.all("input", name="ruling")) == ({"settled"}, [])
    refused = olga.post(desk(cup, "rounds/1/1/"), {"ruling": "void", "reason": "Late."})
    assert (refused.status_code, parsed(refused).errors) == (422, {""})


def test_a_canceled_cup_has_a_desk_without_actions() -> None:
    cup = running()
    olga = organizer(cup)
    assert olga.post(desk(cup, "cancel/"), {"reason": "The room is closed."}).status_code == 302
    cup.refresh_from_db()
    assert (cup.state, cup.reason) == ("cancelled", "The room is closed.")
    text = page(olga, desk(cup))
    assert "ended" in text.notes
    assert not [link for link in (*text.links, *text.actions) if link.startswith(desk(cup)) and link != desk(cup)]
    for action in ("rounds/1/1/", "cancel/", "pause/"):
        asked = page(olga, desk(cup, action))
        assert (asked.notes, asked.all("input", name="ruling")) == ({"ended"}, [])
        assert asked.all("textarea", name="reason") == asked.all("input", name="reason") == []
    again = olga.post(desk(cup, "cancel/"), {"reason": "The room is closed."})
    assert parsed(again).errors == {""}
    assert kinds(cup) == ["cancelled"]


def test_the_main_organizer_adds_and_removes_co_organizers() -> None:
    cup, bea = new_cup("swiss"), person("bea")
    olga, helper = organizer(cup), signed_in(bea)
    unknown = olga.post(desk(cup, "organizers/"), {"username": "nobody"})
    assert (unknown.status_code, parsed(unknown).errors) == (422, {"username"})
    olga.post(desk(cup, "organizers/"), {"username": "bea"})
    text = page(helper, desk(cup))
    assert desk(cup, "organizers/") not in text.actions
    assert helper.post(desk(cup, "organizers/"), {"username": "bea"}).status_code == 422
    assert helper.post(desk(cup, f"organizers/{bea.pk}/"))["Location"] == f"/cups/{cup.slug}/"
    assert helper.get(desk(cup)).status_code == 403
    assert kinds(cup) == ["changed", "changed"]


def test_site_admins_reserve_workers_at_the_desk() -> None:
    cup, root = new_cup("swiss"), signed_in(staff("root"))
    assert desk(cup, "workers/") not in page(organizer(cup), desk(cup)).actions
    assert parsed(root.post(desk(cup, "workers/"), {"percent": "95"})).errors == {"percent"}
    root.post(desk(cup, "workers/"), {"percent": "60"})
    cup.refresh_from_db()
    assert cup.reserved_percent == 60
    organizer(cup).post(desk(cup, "workers/"), {"percent": "10"})
    root.post(desk(cup, "workers/"), {"percent": ""})
    cup.refresh_from_db()
    assert cup.reserved_percent is None


def test_an_owner_withdraws_a_bot_after_the_deadline() -> None:
    ada = person("ada")
    cup = new_cup("swiss")
    bot = uploaded(ada, formats={cup.ladder.game: [cup.ladder.seats]})
    due(entered(cup, [bot, *house_bots()]))
    owner, address = signed_in(ada), f"/cups/{cup.slug}/withdraw/"
    assert f"{address}?bot={bot.slug}" in page(owner, f"/cups/{cup.slug}/").links
    assert page(owner, f"{address}?bot={bot.slug}").one("input", name="bot")["value"] == bot.slug
    owner.post(address, {"bot": bot.slug})
    assert CupEntry.objects.get(cup=cup, bot=bot).state == CupEntry.State.WITHDRAWN
    assert f"{address}?bot={bot.slug}" not in page(owner, f"/cups/{cup.slug}/").links


def test_the_audit_log_lists_what_organizers_do() -> None:
    cup = running()
    entry = CupEntry.objects.get(cup=cup, number=0)
    olga, root = organizer(cup), signed_in(staff("root"))
    olga.post(desk(cup, f"entries/{entry.bot.slug}/"), {"how": "withdraw", "reason": "Its owner asked for it."})
    play_round(cup)
    olga.post(desk(cup, "organizers/"), {"username": person("bea").username})
    root.post(desk(cup, "workers/"), {"percent": "60"})
    rows = page(root, "/staff/trail/?of=cups").all("tr", data_kind=True)
    assert [row["data-kind"] for row in rows] == ["changed", "changed", "left"]
    for row, text in zip(rows, ("60", "bea", entry.bot.name), strict=True):
        assert text in row.text
    assert rows[-1].one(class_="lines").content == ["Its owner asked for it."]
    ledger = page(root, f"/cups/{cup.slug}/ledger/").all("tr", data_kind=True)
    assert {"entrants", "round", "left", "changed"} <= {row["data-kind"] for row in ledger}


def test_a_desk_needs_few_queries() -> None:
    cup = running()
    olga = organizer(cup)
    page(olga, desk(cup))
    with at_most(18) as queries:
        page(olga, desk(cup))
    play_round(cup)
    with at_most(len(queries)):
        page(olga, desk(cup))
