"""Remote games by the client, against a site of one bot: a real game over real HTTP, and connections that break."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.client import AsyncClient, Client, Closed, Incident, Problem, Session, Unreachable, play
from bots.client.calls import Document
from bots.protocol import Hello
from tests.bots.client.site import CUT, TOKEN, TinySite, duel, tiny_site

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.fixture
def site() -> Iterator[TinySite]:
    with tiny_site(duel(1), duel(2)) as running:
        yield running


class Default:
    """Plays the default move and remembers what it was told."""

    def __init__(self, hello: Hello, kept: list[Document]) -> None:
        self.entries: list[Document] = []
        kept.append({"hello": hello, "entries": self.entries})

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        self.entries += log
        return decision["default"]


def played(site: TinySite, games: int = 2) -> list[Document]:
    """Play with :class:`Default`; what its strategies were told."""
    kept: list[Document] = []
    with Client(site.url, TOKEN) as client:
        play(client, lambda hello: Default(hello, kept), games)
    return kept


def test_two_simultaneous_games_are_played_to_the_end(site: TinySite) -> None:
    kept = played(site)
    assert len(kept) == 2
    assert [game.state.outcome is not None for game in site.games] == [True, True]
    assert [game.strikes for game in site.games] == [0, 0]


@pytest.mark.parametrize("at_once", [0, 1])
def test_a_program_is_told_if_its_bot_accepts_no_games(
    site: TinySite, capsys: pytest.CaptureFixture[str], at_once: int
) -> None:
    site.documents["bot"]["games_at_once"] = at_once
    played(site)
    assert ("games_at_once" in capsys.readouterr().err) == (at_once == 0)


def test_a_stream_that_breaks_repeatedly_delivers_every_event_once(site: TinySite) -> None:
    site.cut_stream_after = [3, 4, 7, 2, 9]
    kept = played(site)
    assert site.streams == 6
    for state, game in zip(kept, site.games, strict=True):
        asked = [entry for entry in game.state.entries(0) if entry["ply"] <= state["entries"][-1]["ply"]]
        assert state["entries"] == asked[: len(state["entries"])]


def test_an_answer_is_resent_after_a_broken_connection_and_played_once(site: TinySite) -> None:
    site.faults["POST", "matches/1/decisions/1"] = [(CUT, {}), (503, {"Retry-After": "0"})]
    played(site)
    assert len(site.bodies_of("POST", "matches/1/decisions/1")) == 3
    assert site.games[0].strikes == 0


def test_an_illegal_move_is_never_sent(site: TinySite, capsys: pytest.CaptureFixture[str]) -> None:
    class Cheat:
        def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
            return {"offer": [99, 0, 0, 0]}

    with Client(site.url, TOKEN) as client:
        play(client, lambda hello: Cheat(), 2)
    assert [game.strikes for game in site.games] == [0, 0]
    assert "game 1, decision 1: illegal: {'offer': [99, 0, 0, 0]}" in capsys.readouterr().err


def test_an_error_of_a_strategy_costs_one_decision_only(site: TinySite, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Default):
        def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
            raise ZeroDivisionError("what now")

    with Client(site.url, TOKEN) as client:
        play(client, lambda hello: Broken(hello, []), 2)
    assert site.games[0].state.outcome is not None
    assert "ZeroDivisionError: what now" in capsys.readouterr().err


def test_a_newer_stream_ends_the_older_one_permanently(site: TinySite) -> None:
    site.extra = [{"type": "closed", "reason": "a newer stream was opened"}]
    with Client(site.url, TOKEN) as client, pytest.raises(Closed) as closed:
        list(client.events())
    assert (closed.value.reason, site.streams) == ("a newer stream was opened", 1)


def test_challenges_are_accepted_on_request(site: TinySite) -> None:
    site.extra = [{"type": "challenge", "challenge": {"id": 7}}]
    site.documents["challenges/7/accept"] = {}
    kept_incidents: list[Incident] = []
    with Client(site.url, TOKEN) as client:
        kept: list[Document] = []
        session = Session(client, lambda start: _Silent(), kept_incidents.append, lambda start, end: None, True)
        session.run(lambda: bool(site.bodies_of("POST", "challenges/7/accept")) or bool(kept))
    assert len(site.bodies_of("POST", "challenges/7/accept")) == 1


class _Silent:
    def decide(self, message: Any) -> Any:
        return message["decision"]["default"]

    def end(self, message: Any) -> None: ...


@pytest.mark.parametrize("example", ["python/bot.py", "javascript/bot.mjs"])
def test_an_example_that_the_site_refuses_prints_the_problem_and_stops(site: TinySite, example: str) -> None:
    interpreter = sys.executable if example.endswith(".py") else shutil.which("node")
    if interpreter is None:
        pytest.skip("Node.js is not installed")
    site.faults["GET", "bot"] = site.faults["GET", "bot/stream"] = [(400, {})]
    known = {**os.environ, "ESR_SITE": site.url, "ESR_TOKEN": TOKEN, "PYTHONPATH": str(ROOT)}
    words = [interpreter, str(ROOT / "examples" / "remote" / example)]
    done = subprocess.run(words, env=known, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "A fault.\n")


def test_an_invalid_token_is_not_retried(site: TinySite) -> None:
    with Client(site.url, "esr_wrong") as client:
        with pytest.raises(Problem) as failure:
            list(client.events())
        with pytest.raises(Problem):
            client.my_bot()
    assert (failure.value.status, failure.value.code, len(site.heard)) == (401, "authentication_failed", 2)


def test_the_client_retries_after_the_requested_time(site: TinySite) -> None:
    site.faults["GET", "bot"] = [(429, {"Retry-After": "1"})]
    with Client(site.url, TOKEN) as client:
        assert client.my_bot()["slug"] == "afar"
    assert len(site.bodies_of("GET", "bot")) == 2


def test_retries_end_after_the_patience(site: TinySite) -> None:
    site.faults["GET", "bot"] = [(429, {"Retry-After": "60"}), (503, {})]
    with Client(site.url, TOKEN, patience_s=5) as client, pytest.raises(Problem) as failure:
        client.my_bot()
    assert failure.value.code == "fault"
    with Client("http://127.0.0.1:9", TOKEN, patience_s=0.1) as client, pytest.raises(Unreachable):
        client.my_bot()


def test_a_call_that_is_not_repeatable_is_not_resent(site: TinySite) -> None:
    site.faults["POST", "bots"] = [(CUT, {}), (CUT, {})]
    with Client(site.url, TOKEN) as client, pytest.raises(Unreachable):
        client.upload("bot.py", b"pass", name="Mine")
    assert len(site.bodies_of("POST", "bots")) == 1


@pytest.mark.parametrize("url", ["arena.example.org", "ftp://x", "https://", "https://me@x.org", "https://x?y=1"])
def test_an_invalid_site_url_is_an_error(url: str) -> None:
    with pytest.raises(ValueError, match=re.escape(url)):
        Client(url)


@pytest.mark.parametrize("end", ["", "/", "/api/v1", "/api/v1/"])
def test_the_site_url_can_include_the_api_path(site: TinySite, end: str) -> None:
    with Client(site.url + end, TOKEN) as client:
        assert client.my_bot()["slug"] == "afar"


@pytest.mark.asyncio
async def test_an_asyncio_program_plays_by_the_same_calls(site: TinySite) -> None:
    site.cut_stream_after = [5]
    async with AsyncClient(site.url, TOKEN) as client, client.events() as events:
        over = 0
        async for event in events:
            if event["type"] == "decide":
                move = event["message"]["decision"]["default"]
                verdict = await client.answer(event["game"], event["decision"], move)
                assert verdict.played
            over += event["type"] == "game_end"
            if over == 2:
                break
    assert all(game.state.outcome is not None for game in site.games)
