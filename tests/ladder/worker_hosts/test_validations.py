"""Validations on worker hosts: a verdict is the site's, and no host rejects an upload alone."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.db.models import F
from django.db.models.functions import Now

from bots.client import Problem
from bots.client.work import TokenRefused, WorkClient
from bots.models import BotVersion, Machine, WorkerHost
from bots.runner import FakeProgram
from bots.runner.bot_log import Transcript
from bots.runner.spec import StoredProgram
from bots.sandbox import InProcessLauncher, SandboxLauncher
from bots.series import game_seed
from bots.validation import MOST_TRIES, SEED
from bots.worker.documents import spec_of
from bots.worker.host import packed_trial
from bots.worker.play import PlayedMatch
from games.rules import Document
from ladder.models import Membership
from tests.bots.uploads.brought import DUEL, check, honest, uploaded
from tests.build import opened_house, person
from tests.ladder.hosts import SiteTransport, asked, client_of, faked, host, packed_document, present, process_of

pytestmark = pytest.mark.django_db(transaction=True)


def default(message: Document) -> Any:
    """Answer with the default move."""
    return message["decision"]["default"] if message["type"] == "decide" else None


def crash(message: Document) -> Any:
    """End at the first decision."""
    if message["type"] == "decide":
        raise SystemExit(3)


class Fakes:
    """A launcher of the site that starts this fake in place of every upload."""

    def __init__(self, play: Callable[[Document], Any]) -> None:
        self.play = play

    def start(self, _program: object, limits: Any) -> Any:
        return InProcessLauncher().start(FakeProgram(self.play), limits)


@pytest.fixture(autouse=True)
def lab() -> WorkerHost:
    return host("lab")


@pytest.fixture
def version() -> BotVersion:
    return uploaded(person("ada"))


def again(version: BotVersion) -> BotVersion:
    return BotVersion.objects.get(pk=version.pk)


def held(client: WorkClient) -> Document:
    """The assignment that the host of ``client`` has got."""
    given = asked(client)
    assert given is not None
    return given


def document_of(given: Document, play: Callable[[Document], Any] = default) -> Document:
    """What an honest host brings of a game of such a bot."""
    spec = spec_of(given, lambda program: StoredProgram(program.digest, Path("/nowhere")))
    transcript = Transcript(len(spec.seats))
    match = PlayedMatch(faked(play)(spec, transcript), transcript, 0.0)
    document: Document = orjson.loads(zlib.decompress(packed_trial(match)))
    return document


def refused(call: Any, *arguments: Any) -> tuple[int, str]:
    """Status and code with which the site refuses a call."""
    with pytest.raises(Problem) as problem:
        call(*arguments)
    return problem.value.status, problem.value.code


# --- A host that means well ------------------------------------------------------------------------------------------


def test_a_host_validates_an_upload_game_by_game_and_it_is_on_its_ladders(tmp_path: Path) -> None:
    opened_house()
    version = uploaded(person("ada"), games={"edel-stein-reich": [3, 4]})
    process = process_of("lab", tmp_path, faked(default))
    assert process.play_next()
    assert [result["seats"] for result in (again(version).validation_report or {})["formats"]] == [3]
    assert again(version).state == "checking"
    assert process.play_next()
    done = again(version)
    assert (done.state, done.active, done.lease, done.vain_starts) == ("ready", True, None, 0)
    assert all(result["ok"] for result in (done.validation_report or {})["formats"])
    assert Membership.objects.filter(bot=version.bot).exists()


def test_a_host_runs_the_upload_in_its_sandbox(sandbox_launcher: SandboxLauncher, tmp_path: Path) -> None:
    ready = uploaded(person("ada"))
    broken = uploaded(person("bob"), "Second", b"import sys\nprint('about to go', file=sys.stderr)\nsys.exit(3)\n")
    process = process_of("lab", tmp_path)
    while process.play_next():
        pass
    assert again(ready).state == "ready"
    rejected = again(broken)
    (problem,) = (rejected.validation_report or {})["formats"][0]["problems"]
    assert (rejected.state, problem["reason"], problem["question"]["type"]) == ("refused", "exit", "hello")
    assert "about to go" in problem["stderr_tail"]


def test_the_report_of_a_rejection_has_the_question_and_the_last_decisions(version: BotVersion, tmp_path: Path) -> None:
    process_of("lab", tmp_path, faked(lambda message: "nonsense" if message["type"] == "decide" else None)).play_next()
    (result,) = (again(version).validation_report or {})["formats"]
    assert [(problem["reason"], problem["question"]["type"]) for problem in result["problems"]] == [
        ("illegal", "decide")
    ]
    assert [decision["id"] for decision in result["last_decisions"]] == [1]


def test_server_lag_on_a_host_rejects_nothing_and_the_next_attempt_is_elsewhere(
    version: BotVersion, tmp_path: Path
) -> None:
    present("other")
    late = document_of(held(client_of()))
    BotVersion.objects.update(lease=None, lease_until=None, vain_starts=0)
    client = client_of()
    given = held(client)
    delay = {"seat": 0, "decision": None, "wall_us": 1, "allowed_us": 1, "machine_delay_us": 1}
    late["report"]["machine_delays"] = [delay]
    assert client.bring(given["lease"], packed_document(late)) == "delayed"
    BotVersion.objects.update(tried=Now() - timedelta(minutes=1))
    assert asked(client) is None
    assert asked(client_of(host("other").name)) is not None


def test_a_host_that_stops_gives_an_upload_back_and_that_is_no_attempt(version: BotVersion) -> None:
    client = client_of()
    for _ in range(MOST_TRIES + 1):
        client.give_up(held(client)["lease"], "returned", "")
    assert (again(version).vain_starts, again(version).state) == (0, "checking")


# --- Rejections ------------------------------------------------------------------------------------------------------


def test_where_nobody_else_validates_the_rejection_of_a_host_counts(version: BotVersion, tmp_path: Path) -> None:
    process_of("lab", tmp_path, faked(crash)).play_next()
    assert again(version).state == "refused"


@pytest.mark.parametrize(("play", "state"), [(default, "ready"), (crash, "refused")])
@pytest.mark.parametrize("by", ["host", "celery"])
def test_a_rejection_by_a_host_is_confirmed_elsewhere(
    version: BotVersion, tmp_path: Path, by: str, play: Callable[[Document], Any], state: str
) -> None:
    if by == "host":
        present("other")
    else:
        Machine.objects.create(host="a", sandbox={"ok": True})
    accuser = process_of("lab", tmp_path, faked(crash))
    assert accuser.play_next()
    accused = again(version)
    assert (accused.state, accused.rejected_by, (accused.validation_report or {})["formats"]) == (
        "checking", "host:lab/0", [],
    )  # fmt: skip
    assert not accuser.play_next(), "it does not confirm itself"
    if by == "host":
        process_of("other", tmp_path, faked(play)).play_next()
    else:
        check(version.pk, Fakes(play))
    assert (again(version).state, again(version).rejected_by) == (state, "")


# --- The edges -------------------------------------------------------------------------------------------------------


def test_a_host_without_the_scope_validates_nothing(version: BotVersion) -> None:
    given = held(client_of())
    WorkerHost.objects.update(scopes=["matches"])
    with pytest.raises(TokenRefused):
        client_of().bring(given["lease"], packed_document({}))
    BotVersion.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert asked(client_of()) is None


@pytest.mark.parametrize("said", [{"uploads": False}, {"languages": ["lua"]}, {"kinds": ["matches", "live"]}])
def test_a_host_that_cannot_run_the_upload_does_not_get_it(version: BotVersion, said: dict[str, Any]) -> None:
    assert asked(client_of(), **said) is None
    assert again(version).state == "received"


# --- A hostile host --------------------------------------------------------------------------------------------------


def changed(document: Document, part: str, **values: Any) -> Document:
    return {**document, part: {**document[part], **values}}


def with_seat(document: Document, **values: Any) -> Document:
    first, *rest = document["report"]["seats"]
    return changed(document, "report", seats=[{**first, **values}, *rest])


STRIKE = {"id": 99, "reason": "late", "detail": "", "answer": "", "wall_us": 1, "cpu_us": None}
FORGERIES: Mapping[str, Callable[[Document, Document], Any]] = {
    "a game that is not over": lambda document, _: changed(
        document, "record", steps=document["record"]["steps"][:20], outcome=None
    ),
    "no game": lambda document, _: changed(document, "record", steps=[], outcome=None),
    "another deal": lambda _, given: document_of({**given, "seed": "0" * 64}),
    "another game": lambda _, given: document_of({**given, "game": "edel-stein-reich", "seats": given["seats"] * 2}),
    "a hidden fault": lambda _, given: changed(
        document_of(given, lambda message: "nonsense" if message["type"] == "decide" else None),
        "report",
        seats=document_of(given)["report"]["seats"],
    ),
    "a strike that was not asked": lambda document, _: with_seat(document, strikes=[STRIKE]),
    "an unknown strike": lambda document, _: with_seat(document, strikes=[{**STRIKE, "reason": "hated"}]),
    "too much time": lambda document, _: with_seat(
        document, decisions=[{**each, "wall_us": 10**9} for each in document["report"]["seats"][0]["decisions"]]
    ),
    "no lines": lambda document, _: {**document, "lines": []},
    "a strike without lines": lambda document, _: {
        **with_seat(document, strikes=[{**STRIKE, "id": 1}]),
        "lines": [{"hellos": [], "exchanges": []}] * 2,
    },
    "an endless question": lambda document, _: {
        **document,
        "lines": [{"hellos": [], "exchanges": [({"x": "y" * (1 << 20)}, None)]}] * 2,
    },
    "a list": lambda *_: [],
}
"""What a host brings that wants to accept or reject an upload without a game, or wants the site to fail."""


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_game_decides_nothing_and_is_played_elsewhere(version: BotVersion, kind: str) -> None:
    present("other")
    client = client_of()
    given = held(client)
    forged = FORGERIES[kind](document_of(given), given)
    BotVersion.objects.update(tried=Now() - timedelta(seconds=20))
    assert refused(client.bring, given["lease"], packed_document(forged)) == (422, "wrong_record")
    after = again(version)
    assert (after.state, after.lease, (after.validation_report or {})["formats"]) == ("checking", None, [])
    BotVersion.objects.update(tried=Now() - timedelta(minutes=1))
    assert asked(client) is None
    assert asked(client_of(host("other").name)) is not None


def test_a_game_counts_once_however_often_it_is_brought(version: BotVersion) -> None:
    client = client_of()
    given = held(client)
    data = packed_document(document_of(given))
    assert client.bring(given["lease"], data) == "finished"
    validated = again(version).validated
    assert refused(client.bring, given["lease"], data) == (409, "lease_unknown")
    assert refused(client.give_up, given["lease"], "failed", "") == (409, "lease_unknown")
    assert (again(version).state, again(version).validated) == ("ready", validated)


def test_an_upload_that_a_host_withholds_is_validated_by_another(version: BotVersion) -> None:
    client, other = client_of(), client_of(host("other").name)
    late = held(client)
    BotVersion.objects.update(lease_until=Now() - timedelta(seconds=1))
    new = held(other)
    assert client.renew(late["lease"]) is False
    assert refused(client.bring, late["lease"], packed_document(document_of(late))) == (409, "lease_unknown")
    assert other.bring(new["lease"], packed_document(document_of(new))) == "finished"
    assert again(version).state == "ready"


def test_a_host_alone_makes_no_upload_undecided(version: BotVersion) -> None:
    """It withholds an upload as often as it gets it, and as soon as it may."""
    present("other")
    client = client_of()
    for _ in range(MOST_TRIES + 1):
        asked(client)
        BotVersion.objects.update(
            tried=Now() - timedelta(minutes=1), lease_until=F("lease_until") - timedelta(minutes=1)
        )
    assert (again(version).state, again(version).vain_starts) == ("checking", 1)


def test_a_host_keeps_an_upload_for_as_long_as_a_game_can_take(version: BotVersion) -> None:
    client = client_of()
    given = held(client)
    assert client.renew(given["lease"])
    BotVersion.objects.update(tried=Now() - timedelta(hours=2))
    assert client.renew(given["lease"]) is False


def test_a_lease_opens_no_other_code_and_no_other_host(version: BotVersion) -> None:
    secret = uploaded(person("eve"), "Secret", honest(1))
    given = held(client_of())
    assert given["seats"][0]["uploaded"]["digest"] == version.digest
    transport = SiteTransport()
    spy = client_of("lab", transport)
    for digest in (secret.digest, "0" * 64):
        assert refused(spy.code, given["lease"], digest) == (404, "code_unknown")
    assert not any(honest(1) in body for body in transport.received)
    thief = client_of(host("thief").name)
    for call in (thief.code, thief.bring):
        assert refused(call, given["lease"], "0" * 64 if call == thief.code else b"") == (409, "lease_unknown")
    assert thief.renew(given["lease"]) is False
    assert again(version).lease is not None


def test_what_is_told_of_a_game_is_public(version: BotVersion) -> None:
    """The deal of a validation is the same for all bots, so a host learns nothing from it."""
    given = held(client_of())
    assert (given["kind"], given["game"], given["trial"]) == ("validations", DUEL, True)
    assert given["seed"] == game_seed(SEED, 0).hex()
