from __future__ import annotations

import re
from itertools import pairwise

import pytest
from django.test import Client

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import Role, Scope, Token, User, flags_of
from games.registry import GAMES
from games.schemas import DOCUMENTS
from ladder.corrections import void
from ladder.models import Block, Invitation, Ladder, Match
from tests.build import staff
from tests.esr_platform.api.conftest import Program, document, person, problem, read, walked

pytestmark = pytest.mark.django_db


def _some(ladder: Ladder) -> Match:
    return Match.objects.select_related("block").filter(ladder=ladder).order_by("pk")[0]


def test_only_the_result_is_public_while_a_deal_is_still_in_play(played: Ladder) -> None:
    match = _some(played)
    Block.objects.filter(pk=match.block_id).update(ended=None)
    row = read(f"matches/{match.pk}")
    assert (row["open"], row["deal"]["seed"], row["deal"]["commitment"]) == (False, None, match.block.commitment)
    assert sorted(player["rank"] for player in row["players"])[0] == 1
    for part in ("record", "log", "replay"):
        problem(Client().get(f"/api/v1/matches/{match.pk}/{part}"), 404, "not_found")


def test_a_public_match_has_a_record_logs_of_all_seats_and_a_replay(played: Ladder) -> None:
    match = _some(played)
    row = read(f"matches/{match.pk}")
    assert row["deal"]["seed"] == match.block.public_seed
    assert {game["id"] for game in row["deal"]["games"]} == set(match.block.matches.values_list("pk", flat=True))
    assert row["ledger"]["result"] >= 1
    record = read(f"matches/{match.pk}/record")
    assert (record["format"], record["seed"]) == ("game-record/1", match.block.public_seed)
    everybody, first = read(f"matches/{match.pk}/log"), read(f"matches/{match.pk}/log?seat=0")
    assert (everybody["seat"], first["seat"], first["outcome"]) == (None, 0, record["outcome"])
    problem(Client().get(f"/api/v1/matches/{match.pk}/log?seat=4"), 404, "not_found")
    assert read(f"matches/{match.pk}/replay")["format"] == "replay/1"


def test_a_void_match_has_no_result(played: Ladder) -> None:
    match = _some(played)
    void(match.pk, "a test", staff("ruth"))
    row = read(f"matches/{match.pk}")
    assert (row["status"], row["reason"] != "") == ("void", True)
    assert {(player["rank"], player["score"], player["rating_after"]) for player in row["players"]} == {
        (None, None, None)
    }
    assert row["ledger"]["void"] > row["ledger"]["result"]


def test_an_upload_token_does_not_show_private_ladders(secret: Ladder) -> None:
    uploads, reads = person("ada", Scope.UPLOAD), person("miriam", Scope.UPLOAD, Scope.READ)
    for member in (uploads, reads):
        Invitation.objects.create(ladder=secret, person=member.user)
    listed = [
        {ladder["ladder"] for ladder in document(who.get("bots/house-greedy"))["ladders"]} for who in (uploads, reads)
    ]
    assert [secret.slug in ladders for ladders in listed] == [False, True]


def test_lists_neither_name_nor_count_data_of_private_ladders(secret: Ladder) -> None:
    for address in ("ladders", "matches", "bots", "bots/house-greedy", "bots/house-greedy/matches"):
        text = Client().get(f"/api/v1/{address}").content.decode()
        assert not re.search(rf"{secret.slug}(?!-(open|remote|people))", text), address
    assert walked("matches") == []


def test_a_version_that_was_never_validated_is_visible_to_its_owner_only(miriam: Program, carl: Program) -> None:
    miriam.upload(name="Citrine")
    BotVersion.objects.update(state="ready", active=True)
    miriam.upload("bots/citrine/versions", data=b"print(2)\n")
    assert [version["number"] for version in read("bots/citrine/versions")["results"]] == [1]
    assert [version["number"] for version in document(miriam.get("bots/citrine/versions"))["results"]] == [2, 1]
    problem(carl.get("bots/citrine/versions/2"), 404, "not_found")
    first = read("bots/citrine/versions/1")
    assert (first["filename"], first["size"], first["validation_report"]) == (None, None, None)
    assert first["notices"] is None
    assert document(miriam.get("bots/citrine/versions/1"))["filename"] == "bot.py"
    assert [version["number"] for version in read("bots/citrine")["versions"]] == [1]


def test_staff_see_hidden_bots_of_others_with_the_scope_read_but_not_upload(miriam: Program) -> None:
    miriam.upload(name="Citrine")
    uploads, reads = person("ruth", Scope.UPLOAD), person("rose", Scope.UPLOAD, Scope.READ)
    User.objects.filter(username__in=("ruth", "rose")).update(role=Role.ADMIN, **flags_of(Role.ADMIN))
    for address in ("bots/citrine", "bots/citrine/versions", "bots/citrine/versions/1"):
        problem(uploads.get(address), 404, "not_found")
        assert reads.get(address).status_code == 200
    uploads.upload(name="Jasper")
    assert document(uploads.get("bots/jasper/versions/1"))["filename"] == "bot.py"


def test_a_user_is_shown_with_public_bots_only(miriam: Program) -> None:
    problem(Client().get("/api/v1/people/miriam"), 404, "not_found")
    miriam.upload(name="Citrine")
    BotVersion.objects.update(state="ready", active=True)
    assert read("people/MIRIAM")["bots"] == ["citrine"]
    User.objects.update(deleted="2026-01-01T00:00:00Z", is_active=False, email="")
    problem(Client().get("/api/v1/people/miriam"), 404, "not_found")
    assert read("bots/citrine")["owner"] is None
    problem(Client().get("/api/v1/people/a%00b"), 404, "not_found")


def test_the_reason_of_a_suspension_is_not_public(miriam: Program) -> None:
    miriam.upload(name="Citrine")
    BotVersion.objects.update(state="ready", active=True)
    Bot.objects.update(suspended="2026-01-01T00:00:00Z", suspension_reason="It insults people.")
    answer = Client().get("/api/v1/bots/citrine")
    assert b"insults" not in answer.content
    assert document(answer)["suspended"] is True


def test_an_invalid_token_cannot_read_public_data_either(db: None) -> None:
    problem(
        Client().get("/api/v1/ladders", headers={"Authorization": "Bearer esr_nobody"}), 401, "authentication_failed"
    )
    assert Token.objects.count() == 0


@pytest.mark.parametrize("slug", list(GAMES))
def test_games_have_schemas_of_their_documents(db: None, slug: str) -> None:
    assert read(f"games/{slug}")["documents"] == list(DOCUMENTS)
    assert all("$schema" in read(f"games/{slug}/schemas/{name}") for name in DOCUMENTS)
    problem(Client().get(f"/api/v1/games/{slug}/schemas/seed"), 404, "not_found")


def test_the_rating_history_matches_the_ledger(played: Ladder) -> None:
    for membership in played.memberships.select_related("bot"):
        rows = walked(f"bots/{membership.bot.slug}/ratings", ladder=played.slug, limit=2)
        assert [row["number"] for row in rows] == sorted(row["number"] for row in rows)
        assert len(rows) == membership.games
        assert not rows or rows[-1]["after"] == membership.points
        assert all(one["after"] == two["before"] for one, two in pairwise(rows))
