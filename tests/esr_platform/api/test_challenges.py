from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bots.models import Bot
from bots.owners import player_of
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope
from ladder.models import Ladder, Match, Proposal
from tests.build import DUEL
from tests.esr_platform.api.conftest import Program, document, problem
from tests.ladder.matchmaking.online_bots import REMOTE, online_bots


@pytest.fixture
def pair(duel: Ladder) -> Sequence[Bot]:
    """Two remote bots that are here, of two people."""
    return online_bots("ada", "bob")


def of_owner(bot: Bot) -> Program:
    owner: Any = bot.owner
    return Program(owner, tokens.issue(owner, "all", [Scope.PLAY], None)[1])


def of_bot(bot: Bot) -> Program:
    owner: Any = bot.owner
    return Program(owner, tokens.issue(owner, "own", [], None, bot)[1])


def body(pair: Sequence[Bot]) -> dict[str, Any]:
    return {"ladder": REMOTE, "bots": [bot.slug for bot in pair]}


def test_a_game_begins_when_the_challenged_bot_accepts(pair: Sequence[Bot]) -> None:
    ada, bob = of_owner(pair[0]), of_bot(pair[1])
    answer = ada.send("POST", "challenges", body(pair))
    assert answer.status_code == 201, answer.content
    made = document(answer)
    assert (made["state"], made["by"], made["match"]) == ("open", "ada", None)
    assert [player["accepted"] for player in made["players"]] == [True, None]
    assert document(bob.get("challenges"))["results"] == [made]
    for _ in range(2):
        begun = document(bob.send("POST", f"challenges/{made['id']}/accept"))
        assert (begun["state"], begun["match"]) == ("started", Match.objects.get().pk)
    assert document(ada.get(f"challenges/{made['id']}")) == begun
    assert document(bob.get("challenges"))["results"] == []


def test_a_challenge_can_be_declined_or_withdrawn(pair: Sequence[Bot]) -> None:
    ada, bob = of_owner(pair[0]), of_owner(pair[1])
    declined = document(ada.send("POST", "challenges", body(pair)))
    assert document(bob.send("POST", f"challenges/{declined['id']}/decline"))["state"] == "declined"
    problem(bob.send("POST", f"challenges/{declined['id']}/accept"), 422, "declined")
    taken_back = document(ada.send("POST", "challenges", body(pair)))
    problem(bob.send("POST", f"challenges/{taken_back['id']}/withdraw"), 422, "not_yours")
    for _ in range(2):
        assert document(ada.send("POST", f"challenges/{taken_back['id']}/withdraw"))["state"] == "withdrawn"
    assert not Match.objects.exists()


def test_a_challenge_is_hidden_from_other_users(pair: Sequence[Bot]) -> None:
    made = document(of_owner(pair[0]).send("POST", "challenges", body(pair)))
    cid, other = online_bots("cid")[0], online_bots("dora")[0]
    Bot.objects.filter(pk=other.pk).update(owner=pair[1].owner)
    for stranger in (of_owner(cid), of_bot(cid), of_bot(Bot.objects.get(pk=other.pk))):
        problem(stranger.get(f"challenges/{made['id']}"), 404, "not_found")
        for word in ("accept", "decline", "withdraw"):
            problem(stranger.send("POST", f"challenges/{made['id']}/{word}"), 404, "not_found")
        assert document(stranger.get("challenges"))["results"] == []
    assert Proposal.objects.get().state == "open"


def test_a_bot_token_can_only_challenge_with_its_own_bot(pair: Sequence[Bot]) -> None:
    other = online_bots("cid")[0]
    Bot.objects.filter(pk=other.pk).update(owner=pair[0].owner)
    own = of_bot(Bot.objects.get(pk=other.pk))
    problem(own.send("POST", "challenges", body(pair)), 403, "permission_denied")
    problem(own.send("POST", "challenges", {**body(pair), "bots": [other.slug, "nobody"]}), 422, "unknown_bot")
    assert not Proposal.objects.exists()


def test_an_impossible_challenge_is_refused_with_a_reason(pair: Sequence[Bot]) -> None:
    ada = of_owner(pair[0])
    problem(ada.send("POST", "challenges", {**body(pair), "ladder": DUEL}), 422, "not_live")
    problem(ada.send("POST", "challenges", {**body(pair), "ladder": "nowhere"}), 404, "not_found")
    for change in ({"bots": "x"}, {"bots": [1, 2]}, {"bots": ["x"]}, {"bot": []}):
        problem(ada.send("POST", "challenges", {**body(pair), **change}), 400, "invalid")


def test_a_token_cannot_seat_its_owner(pair: Sequence[Bot]) -> None:
    owner: Any = pair[0].owner
    by_hand = player_of(owner).bot
    wanted = {"ladder": f"{DUEL}-open", "bots": [by_hand.slug, pair[0].slug]}
    for program in (of_owner(pair[0]), of_bot(pair[0])):
        problem(program.send("POST", "challenges", wanted), 403, "permission_denied")
    assert not Proposal.objects.exists() and not Match.objects.exists()
