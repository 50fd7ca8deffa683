"""Hosted bots at live tables on worker hosts: the site judges each answer, and each decision is answered once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db.models import F
from django.db.models.functions import Now

from bots.client import Problem
from bots.client.work import TokenRefused, WorkClient
from bots.models import WorkerHost
from bots.uploads.storage import uploads
from games.rules import Document
from ladder.ledger.rebuild import rerate
from ladder.live.end import finish
from ladder.live.hosted import PATIENCE, ask_seat, remind
from ladder.matches.assignments import seeds_key
from ladder.models import Block, DealSeries, LedgerEntry, LiveSeat, Match, PlayedMove
from tests.build import HONEST, person, uploaded
from tests.ladder.hosts import SiteTransport, asked, client_of, host, packed_document, present, process_of
from tests.ladder.live.hosted import Fakes, asked_once, default, house_game, owing
from tests.ladder.live.play import pass_time
from tests.ladder.live.test_logs import log_of, with_a_house_bot

pytestmark = [pytest.mark.usefixtures("house"), pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def lab() -> WorkerHost:
    return host("lab")


@pytest.fixture(autouse=True)
def _others() -> None:
    """Another host does the same work."""
    present("other")


@pytest.fixture
def match() -> Match:
    return house_game("greedy", "haggler")


def held(match: Match, client: WorkClient | None = None) -> Document:
    """The assignment of a decision of the match, which the host has got."""
    pass_time(match)
    given = asked(client or client_of())
    assert given is not None and given["kind"] == "live"
    return given


def answer(given: Document, **said: Any) -> Document:
    """What an honest host brings of a bot that plays the default move, or else ``said``."""
    decision = given["decide"]
    advice = {
        "move": decision["decision"]["default"],
        "fault": None,
        "line": None,
        "thought": {"id": decision["id"], "wall_us": 1000, "cpu_us": 1000, "machine_delay_us": 0},
        "ready_us": None,
        "machine_delay": None,
        "exit_status": None,
        "stderr_tail": "",
    }
    return {"starts": [{**advice, **said}]}


def refused(call: Any, *arguments: Any) -> tuple[int, str]:
    """Status and code with which the site refuses a call."""
    with pytest.raises(Problem) as problem:
        call(*arguments)
    return problem.value.status, problem.value.code


def lose(match: Match) -> None:
    """Let the leases of all seats run out."""
    LiveSeat.objects.filter(table=match.pk, lease__isnull=False).update(lease_until=Now() - timedelta(seconds=1))


# --- A host that means well ------------------------------------------------------------------------------------------


def test_a_host_plays_house_bots_to_a_result_that_counts(match: Match, tmp_path: Path) -> None:
    process = process_of("lab", tmp_path)
    while owing(match) is not None:
        pass_time(match)
        assert process.play_next()
    assert finish(match.pk)
    assert not PlayedMove.objects.filter(match=match).exclude(default="").exists()
    assert LedgerEntry.objects.filter(result__match=match).count() == 1
    assert set(LiveSeat.objects.filter(table=match.pk).values_list("worker", flat=True)) == {"host:lab/0"}
    assert [rebuild.differences for rebuild in rerate(check=True) if rebuild.differences] == []


def test_a_host_plays_an_uploaded_bot_whose_owner_can_read_the_log(sandbox_launcher: object, tmp_path: Path) -> None:
    ada = person("ada")
    match = with_a_house_bot(uploaded(ada))
    process = process_of("lab", tmp_path)
    while owing(match) is not None:
        pass_time(match)
        assert process.play_next()
    assert finish(match.pk)
    log = log_of(Match.objects.select_related("ladder", "block").get(pk=match.pk), 0, ada)
    assert log is not None
    assert len(log["starts"]) == len(log["decisions"]) > 10
    assert [start["hello"]["resumed"] for start in log["starts"]] == [False, *[True] * (len(log["starts"]) - 1)]
    assert not PlayedMove.objects.filter(match=match).exclude(default="").exists()


def test_people_wait_for_no_match_because_live_tables_come_first(match: Match) -> None:
    Match.objects.filter(status="queued").update(sent_at=Now())
    pass_time(match)
    assert (asked(client_of()) or {})["kind"] == "live"


def test_an_answer_that_only_the_machine_made_late_is_asked_again_on_the_host(match: Match, tmp_path: Path) -> None:
    client = client_of()
    given = held(match, client)
    delay = {"seat": 0, "decision": 1, "wall_us": 1, "allowed_us": 1, "machine_delay_us": 1}
    starts = [*answer(given, machine_delay=delay)["starts"], *answer(given)["starts"]]
    assert client.bring(given["lease"], packed_document({"starts": starts})) == "finished"
    assert (PlayedMove.objects.get().default, LiveSeat.objects.get(seat=PlayedMove.objects.get().seat).starts) == (
        "",
        2,
    )


@pytest.mark.parametrize("play", ["illegal", "malformed", "exit"])
def test_a_fault_costs_the_seat_what_it_costs_on_a_celery_worker(play: str, tmp_path: Path) -> None:
    def faulty(message: Document) -> Any:
        if message["type"] == "decide" and play == "exit":
            raise SystemExit(3)
        return {"illegal": {"nonsense": 1}, "malformed": b"{\n"}[play] if message["type"] == "decide" else None

    moves = []
    for by in ("celery", "host"):
        match = house_game("random", "greedy")
        pass_time(match)
        live_seat = owing(match)
        assert live_seat is not None
        if by == "celery":
            asked_once(match, Fakes(faulty))
        else:
            assert process_of("lab", tmp_path, launcher=Fakes(faulty)).play_next()
        after = LiveSeat.objects.get(pk=live_seat.pk)
        move = PlayedMove.objects.get(seat=live_seat.seat)
        moves.append((move.default, move.detail, move.heard, after.strikes, after.forfeit))
        LiveSeat.objects.filter(table=match.pk, owes=True).update(due_at=Now() + timedelta(hours=1))
    assert moves[0] == moves[1]


def test_a_host_that_cannot_ask_a_bot_leaves_the_table_to_others(match: Match, tmp_path: Path) -> None:
    pass_time(match)
    broken = process_of("lab", tmp_path, launcher=Fakes(default, failures=1))
    assert broken.play_next()
    assert owing(match) is not None
    assert not broken.play_next()
    assert asked(client_of(host("other").name)) is not None
    assert Match.objects.get(pk=match.pk).status == "running"


# --- The edges -------------------------------------------------------------------------------------------------------


def test_a_host_without_the_scope_is_asked_for_nothing_at_live_tables(match: Match) -> None:
    given = held(match)
    WorkerHost.objects.update(scopes=["matches", "validations"])
    with pytest.raises(TokenRefused):
        client_of().bring(given["lease"], packed_document(answer(given)))
    lose(match)
    assert (asked(client_of()) or {"kind": ""})["kind"] != "live"


def test_a_host_without_a_sandbox_gets_only_decisions_of_house_bots() -> None:
    match = with_a_house_bot(uploaded(person("ada")))
    unable = {"uploads": False, "rated": False, "languages": [], "problem": "no bubblewrap"}
    while (owes := owing(match)) is not None and owes.seat.index != 0:
        asked_once(match)
    pass_time(match)
    assert asked(client_of(), **unable, kinds=["live"]) is None
    assert asked(client_of(), kinds=["live"]) is not None


def test_no_decision_is_given_before_the_moves_before_it_are_shown(match: Match) -> None:
    LiveSeat.objects.filter(table=match.pk, owes=True).update(due_at=Now() + timedelta(seconds=30))
    assert asked(client_of(), kinds=["live"]) is None


def test_lost_code_ends_the_game_and_pauses_the_bot() -> None:
    bot = uploaded(person("ada"))
    match = with_a_house_bot(bot)
    version = bot.active_version
    assert version is not None
    while (owes := owing(match)) is not None and owes.seat.index != 0:
        asked_once(match)
    given = held(match)
    uploads().delete(version.archive)
    assert refused(client_of().code, given["lease"], version.digest) == (409, "code_lost")
    bot.refresh_from_db()
    assert (Match.objects.get(pk=match.pk).status, bot.paused is not None) == ("void", True)


# --- A hostile host --------------------------------------------------------------------------------------------------

FORGERIES: Mapping[str, Callable[[Document], Any]] = {
    "late without waiting": lambda given: answer(given, fault={"reason": "late", "detail": ""}),
    "an unknown fault": lambda given: answer(given, fault={"reason": "hated", "detail": ""}),
    "resigned": lambda given: answer(given, fault={"reason": "resign", "detail": ""}),
    "a long detail": lambda given: answer(given, fault={"reason": "exit", "detail": "x" * 5000}),
    "time that has not passed": lambda given: answer(
        given, thought={"id": 1, "wall_us": 10**10, "cpu_us": 0, "machine_delay_us": 0}
    ),
    "negative time": lambda given: answer(given, ready_us=-1),
    "no start": lambda _: {"starts": []},
    "many starts": lambda given: {"starts": answer(given)["starts"] * 4},
    "a number": lambda _: 3,
}
"""What a host brings that wants a seat to lose time or the game, or wants the site to fail."""


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_answer_changes_nothing_and_another_worker_asks(match: Match, kind: str) -> None:
    client = client_of()
    given = held(match, client)
    before = LiveSeat.objects.get(pk=int(given["lease"].split("/")[1]))
    assert refused(client.bring, given["lease"], packed_document(FORGERIES[kind](given))) == (422, "wrong_record")
    after = LiveSeat.objects.get(pk=before.pk)
    assert (after.owes, after.lease, after.strikes, after.forfeit) == (True, None, 0, "")
    assert (after.bank_ms, after.game_ms) == (before.bank_ms, before.game_ms)
    assert not PlayedMove.objects.exists()
    assert asked(client, kinds=["live"]) is None
    assert ask_seat(match.pk, after.seat.index, launcher=Fakes(default))


def test_a_move_against_the_rules_is_not_played(match: Match) -> None:
    client = client_of()
    given = held(match, client)
    assert client.bring(given["lease"], packed_document(answer(given, move={"all": "gems"}))) == "finished"
    assert PlayedMove.objects.get().default == "illegal"


def test_a_repeated_answer_and_another_answer_count_once(match: Match) -> None:
    client = client_of()
    given = held(match, client)
    assert client.bring(given["lease"], packed_document(answer(given))) == "finished"
    other = next(
        (move for move in given["decide"]["decision"]["legal"] or [] if move != answer(given)["starts"][0]["move"]), 0
    )
    for data in (answer(given), answer(given, move=other)):
        assert refused(client.bring, given["lease"], packed_document(data)) == (409, "lease_unknown")
    assert PlayedMove.objects.count() == 1


def test_an_answer_to_one_seat_is_none_to_another(match: Match) -> None:
    client = client_of()
    given = held(match, client)
    kind, row, token = given["lease"].split("/")
    for forged in (f"{kind}/{int(row) + 1}/{token}", f"matches/{match.pk}/{token}", f"validations/{row}/{token}"):
        assert refused(client.bring, forged, packed_document(answer(given))) == (409, "lease_unknown")
    assert not PlayedMove.objects.exists()


def test_an_answer_that_a_host_withholds_is_asked_elsewhere_and_the_late_one_is_none(match: Match) -> None:
    client, other = client_of(), client_of(host("other").name)
    late = held(match, client)
    lose(match)
    new = held(match, other)
    assert client.renew(late["lease"]) is False
    assert refused(client.bring, late["lease"], packed_document(answer(late))) == (409, "lease_unknown")
    assert other.bring(new["lease"], packed_document(answer(new))) == "finished"
    assert PlayedMove.objects.count() == 1
    pass_time(match)
    assert asked(client, kinds=["live"]) is None, "it gets nothing of this table for a while"


def test_a_host_that_keeps_a_decision_neither_keeps_it_for_long_nor_ends_the_game(match: Match) -> None:
    client = client_of()
    given = held(match, client)
    assert client.renew(given["lease"])
    LiveSeat.objects.filter(owes=True).update(claimed=Now() - timedelta(hours=1))
    assert client.renew(given["lease"]) is False
    lose(match)
    LiveSeat.objects.filter(owes=True).update(due_at=F("due_at") - PATIENCE - timedelta(seconds=1))
    remind()
    assert Match.objects.get(pk=match.pk).status == "running"


def test_a_host_that_withholds_several_answers_rests(tmp_path: Path) -> None:
    games = [house_game("greedy", "haggler") for _ in range(3)]
    for match in games:
        pass_time(match)
    client = client_of()
    while asked(client, kinds=["live"]) is not None:
        pass
    for match in games:
        lose(match)
        for seat in LiveSeat.objects.filter(table=match.pk, owes=True):
            ask_seat(match.pk, seat.seat.index, launcher=Fakes(default))
    assert refused(lambda: asked(client)) == (429, "host_rests")
    cache.delete("host:lab/failures")
    assert asked(client, kinds=["live"]) is None


def test_a_lease_opens_no_other_code_and_no_other_host() -> None:
    secret = uploaded(person("eve"), "Secret", HONEST + b"# a secret\n")
    match = with_a_house_bot(uploaded(person("ada")))
    while (owes := owing(match)) is not None and owes.seat.index != 0:
        asked_once(match)
    given = held(match)
    spy, thief = client_of(), client_of(host("thief").name)
    assert refused(spy.code, given["lease"], secret.versions.get().digest) == (404, "code_unknown")
    assert refused(spy.code, given["lease"], "0" * 64) == (404, "code_unknown")
    assert refused(thief.code, given["lease"], given["uploaded"]["digest"]) == (409, "lease_unknown")
    assert refused(thief.bring, given["lease"], packed_document(answer(given))) == (409, "lease_unknown")
    assert thief.renew(given["lease"]) is False


def test_a_host_receives_neither_the_deal_nor_a_key(match: Match) -> None:
    transport = SiteTransport()
    client = client_of("lab", transport)
    for _ in range(6):
        given = held(match, client)
        client.bring(given["lease"], packed_document(answer(given)))
    received = b"".join(transport.received)
    secrets = [settings.SECRET_KEY.encode(), seeds_key().hex().encode()]
    secrets += [bytes(key).hex().encode() for key in DealSeries.objects.values_list("key", flat=True)]
    secrets += [bytes(seed).hex().encode() for seed in Block.objects.values_list("seed", flat=True)]
    assert [secret for secret in secrets if secret in received] == []
