"""The collusion report of a cup, whose bots may have the same owner and meet."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from esr_platform.accounts.models import Role, User
from tests.build import signed_in, uploaded, verified
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round
from tests.page import parsed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


def test_staff_see_who_gained_from_whom_in_a_cup_and_bots_of_one_owner_are_compared() -> None:
    ada, staff = verified("ada"), User.objects.create_user("eve", role=Role.MODERATOR)
    own = [uploaded(ada, name, formats={"edel-stein-reich": [3]}) for name in ("one", "two")]
    cup = due(entered(new_cup("swiss", rounds=1, blocks=8, entries_per_user=2), [*own, *house_bots(most=1)]))
    address = f"/staff/collusion/cups/{cup.slug}/"
    assert parsed(signed_in(staff).get(address)).one(data_flagged=True)["data-pairs"] == "0"
    play_round(cup)
    assert Client().get(address).status_code != 200
    page = parsed(signed_in(staff).get(address))
    assert page.one(data_flagged=True)["data-pairs"] == "6"
    assert page.all("a", href=f"/bots/{own[0].slug}/")
    assert parsed(signed_in(staff).get("/staff/collusion/")).all("a", href=address)
    output = StringIO()
    call_command("collusion_report", "--cup", cup.slug, "--json", stdout=output)
    pairs = json.loads(output.getvalue())["found"]
    assert {own[0].slug, own[1].slug} in [{pair["taker"], pair["giver"]} for pair in pairs]
