"""Page requests wait for their turn, and for answers of players; nobody waits for slow clients."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pytest_django import Settings

from esr_platform.admission import BoundedPages
from esr_platform.bodies import BoundedBodies
from esr_platform.overload import REFUSED, RETRY_S, Answers

LONG_S = 60.0
SHORT_S = 0.001
MANY = 1e9


class Site:
    """Page requests at ``BoundedPages``. The application lists which of them run, and answers when it is told to."""

    def __init__(self, slow_s: float = LONG_S, **limits: Any) -> None:
        self.answers = Answers(slow_s, LONG_S)
        pages = BoundedPages(self.respond, self.answers, **limits)
        self.application = BoundedBodies(pages, 1000, 1000, LONG_S)
        self.begun: list[str] = []
        self.ready: dict[str, asyncio.Event] = {}
        self.statuses: dict[str, int] = {}
        self.headers: dict[str, dict[bytes, bytes]] = {}
        self.connected: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def respond(self, scope: Any, receive: Any, send: Any) -> None:
        if (await receive())["type"] == "http.disconnect":
            return
        self.begun.append(scope["path"])
        await self.ready[scope["path"]].wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    async def ask(self, path: str, client: str = "10.0.0.1", *, reads: bool = True, body: bool = True) -> None:
        """Send a request, and let it come as far as it can. The client reads nothing, or does not send its body."""
        self.ready[path], self.connected[path] = asyncio.Event(), asyncio.Event()
        scope = {"type": "http", "path": path, "headers": [], "client": (client, 1)}
        messages = [{"type": "http.request", "body": b"", "more_body": False}] if body else []

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await self.connected[path].wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.statuses[path], self.headers[path] = message["status"], dict(message["headers"])
            if not reads:
                await asyncio.Event().wait()

        self.tasks[path] = asyncio.create_task(self.application(scope, receive, send))
        await settled()

    async def answer(self, path: str) -> None:
        self.ready[path].set()
        await settled()

    async def leave(self, path: str) -> None:
        self.connected[path].set()
        await settled()


async def settled() -> None:
    """Let all tasks run until each of them waits for something."""
    for _ in range(20):
        await asyncio.sleep(0)


def run(act: Callable[[Site], Awaitable[None]], **limits: Any) -> Site:
    async def running() -> Site:
        site = Site(**{"patience_s": LONG_S, "pause_share": MANY, "most_pause_s": LONG_S, **limits})
        await act(site)
        for task in site.tasks.values():
            task.cancel()
        return site

    return asyncio.run(running())


def refused() -> float:
    (metric,) = REFUSED.collect()
    return sum(
        sample.value for sample in metric.samples if sample.labels == {"reason": "pages"} and "total" in sample.name
    )


@pytest.fixture(autouse=True)
def _two_at_once(settings: Settings) -> None:
    settings.MAX_PAGES_AT_ONCE = 2


def test_a_page_begins_when_another_one_is_answered() -> None:
    async def act(site: Site) -> None:
        for path in ("/1", "/2", "/3", "/4"):
            await site.ask(path)
        assert site.begun == ["/1", "/2"]
        await site.answer("/2")
        assert site.begun == ["/1", "/2", "/3"]

    assert run(act).statuses == {"/2": 200}


def test_pages_wait_for_answers_of_players() -> None:
    async def act(site: Site) -> None:
        with site.answers.processed():
            with site.answers.processed():
                await site.ask("/1")
                await site.answer("/1")
                await site.ask("/2")
                await site.ask("/3")
            await settled()
            assert site.begun == ["/1"]
        site.answers.on_end()
        await settled()
        assert site.begun == ["/1", "/2", "/3"]

    run(act)


def test_after_a_slow_answer_pages_still_begin_one_by_one() -> None:
    async def act(site: Site) -> None:
        with site.answers.processed():
            pass
        await site.ask("/1")
        await site.ask("/2")
        assert site.begun == ["/1"]

    run(act, slow_s=0.0)


def test_answers_of_players_never_block_all_pages() -> None:
    async def act(site: Site) -> None:
        with site.answers.processed():
            for number in range(3):
                await site.ask(f"/{number}")
            while "/2" not in site.begun:  # a page begins after each pause
                await site.answer(site.begun[-1])
                await asyncio.sleep(SHORT_S)

    run(act, most_pause_s=SHORT_S)


def test_a_pause_is_as_long_as_the_page_before_it_requires() -> None:
    async def act(site: Site) -> None:
        with site.answers.processed():
            for path in ("/1", "/2"):
                await site.ask(path)
                await site.answer(path)
            assert site.begun == ["/1", "/2"]

    run(act, pause_share=0.0)


def test_addresses_take_turns() -> None:
    async def act(site: Site) -> None:
        for number in range(6):
            await site.ask(f"/many/{number}", "10.0.0.1")
        await site.ask("/other", "10.0.0.2")
        await site.answer("/many/0")
        await site.answer("/many/1")
        assert site.begun[2:] == ["/many/2", "/other"]

    run(act)


def test_pages_to_play_have_half_of_the_turns() -> None:
    async def act(site: Site) -> None:
        for number in range(4):
            await site.ask(f"/matches/{number}/", f"10.0.0.{number}")
        for number in range(4):
            await site.ask(f"/play/tables/{number}/", "10.1.0.1")
        for _ in range(3):
            await site.answer(site.begun[-1])
        assert site.begun[2:] == ["/play/tables/0/", "/matches/2/", "/play/tables/1/"]

    run(act)


def test_a_page_that_has_waited_too_long_is_refused_and_counted() -> None:
    before = refused()

    async def act(site: Site) -> None:
        for path in ("/1", "/2", "/3", "/api/v1/games"):
            await site.ask(path)
        await asyncio.gather(site.tasks["/3"], site.tasks["/api/v1/games"])
        await site.answer("/1")
        assert site.begun == ["/1", "/2"]

    site = run(act, patience_s=SHORT_S)
    assert site.statuses == {"/1": 200, "/3": 503, "/api/v1/games": 503}
    assert {site.headers[path][b"retry-after"] for path in ("/3", "/api/v1/games")} == {str(RETRY_S).encode()}
    assert refused() == before + 2


def test_if_too_many_wait_the_newest_one_of_the_address_with_the_most_is_refused_at_once() -> None:
    async def act(site: Site) -> None:
        for number in range(5):
            await site.ask(f"/many/{number}", "10.0.0.1")
        await site.ask("/other", "10.0.0.2")
        assert site.statuses == {"/many/4": 503}
        await site.ask("/many/5", "10.0.0.1")
        assert site.statuses == {"/many/4": 503, "/many/5": 503}
        for number in range(4):
            await site.answer(f"/many/{number}")
        assert sorted(site.begun[2:]) == ["/many/2", "/many/3", "/other"]

    run(act, most_waiting=3)


def test_a_client_that_leaves_does_not_get_its_turn() -> None:
    async def act(site: Site) -> None:
        for path in ("/1", "/2", "/3", "/4"):
            await site.ask(path)
        await site.leave("/3")
        await site.answer("/1")
        assert site.begun == ["/1", "/2", "/4"]

    assert "/3" not in run(act).statuses


def test_slow_clients_occupy_no_place() -> None:
    async def act(site: Site) -> None:
        for path in ("/sends/1", "/sends/2", "/sends/3"):
            await site.ask(path, body=False)
        for path in ("/reads/1", "/reads/2"):
            await site.ask(path, reads=False)
            await site.answer(path)
        await site.ask("/1")
        await site.ask("/2")
        assert site.begun[2:] == ["/1", "/2"]

    run(act)
