"""People at tables of a real site: a browser context each, everything that each of them receives, and a hand to play.

The site is a web process of its own, for streams need one, with a process that looks after its tables, and where code
plays a worker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
from django.conf import settings
from django.db import transaction
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from bots.owners import player_of
from bots.protocol import Limits
from esr_platform.accounts.models import User
from ladder.live.start import open_table
from ladder.matches.blocks import BlockPlayer
from ladder.members.memberships import membership_of
from ladder.models import Ladder, Match
from tests.build import person

HERE = Path(__file__).parent
PLAYER = (HERE / "player.js").read_text(encoding="utf-8").split("\n", 2)[2].rstrip().rstrip(";")
COMPOSERS = (HERE / "composers.js").read_text(encoding="utf-8").split("\n", 1)[1].rstrip().rstrip(";")

AMPLE = Limits(move_ms=120_000, bank_ms=600_000, game_ms=3_600_000)
"""Nobody is late."""

SHORT = Limits(move_ms=10_000, bank_ms=10_000, game_ms=3_600_000)
"""Players who do nothing miss two decisions within half a minute. A busy browser needs less than ten seconds."""

WHOLE_GAME_MS = 240_000

TABLE = "document.querySelector('sitting-table')"
NUMBER = f"{TABLE}.decision.number"
SKIPPED = f"({TABLE}.showing.skip(), true)"
BOARD = f"{TABLE}.dataset.board.match(/([a-z]+)[^/]*$/)[1]"
"""What holds of the table of a page: what stands there is JavaScript."""


@dataclass
class Sitter:
    """One person at a table: their browser, where they sit, and what its console said."""

    user: User | None
    seat: int
    context: BrowserContext
    page: Page
    messages: list[str] = field(default_factory=list)

    @property
    def composer(self) -> Any:
        return self.page.locator(".sitting-composer")

    @property
    def waiting(self) -> Any:
        return self.page.locator("[data-waiting]")

    def open(self, match: Match) -> None:
        self.page.goto(f"/play/tables/{match.pk}/")
        self.page.wait_for_selector("sitting-table.begun", timeout=60_000)

    def play(self, *, kept: Collection[str] = ()) -> None:
        """Let the page play by itself, all but the kinds of decisions that are ``kept``."""
        if not self.page.evaluate("Boolean(window.player)"):
            self.page.evaluate(PLAYER, {"seed": 7 + self.seat})
        self.page.evaluate("(kinds) => { player.kept = kinds; }", list(kept))

    def play_by_hand(self, kinds: Collection[str], press: Callable[[str], None]) -> set[str]:
        """Make the first decision of each of ``kinds`` with ``press`` and let the page play all others by itself.

        Return the kinds that were played with ``press``, when that was all of them or the game is over.
        """
        self.page.evaluate(COMPOSERS, [])
        done: set[str] = set()
        self.play(kept=kinds)
        while done != set(kinds) and (question := self._until_kept()):
            move = self.page.evaluate("(question) => player.chosen(question)", question)
            about = {"question": question, "composer": self.page.evaluate(BOARD)}
            number = self.page.evaluate(NUMBER)
            for selector in self._selectors(about, move):
                press(f".compose {selector}")
            self.until_answered(number)
            done.add(question["kind"])
            self.play(kept=set(kinds) - done)
        return done

    def _selectors(self, about: dict[str, Any], move: Any) -> list[str]:
        """The elements to press for ``move``, once the composer of the decision is drawn."""
        drawn = "([about, move]) => { try { return composers.selectors(about, move); } catch { return null; } }"
        selectors: list[str] = self.page.wait_for_function(drawn, arg=[about, move]).json_value()
        return selectors

    def until_answered(self, number: int) -> None:
        """Wait until a decision is no longer asked."""
        try:
            self.page.wait_for_function(f"(number) => {NUMBER} !== number", arg=number, timeout=60_000)
        except PlaywrightTimeout as error:
            focused = self.page.evaluate("document.activeElement.outerHTML.slice(0, 300)")
            raise AssertionError(f"not sent: {self.asked()}, {self.composer.inner_text()}, {focused}") from error

    def _until_kept(self) -> dict[str, Any] | None:
        """The next decision that waits for a hand; ``None`` at the end of the game."""
        self.page.wait_for_function(
            f"() => {TABLE}.ended || ({NUMBER} !== null && {NUMBER} !== {TABLE}.decision.sending"
            f" && player.kept.includes({TABLE}.present.question.kind))",
            timeout=WHOLE_GAME_MS,
        )
        return None if self.page.evaluate(f"{TABLE}.ended") else self.asked()

    def asked(self) -> dict[str, Any] | None:
        """What the page is asked now."""
        question: dict[str, Any] | None = self.page.evaluate(f"{TABLE}.present?.question")
        return question

    def until_asked(self, kind: str = "", seconds: float = 60) -> dict[str, Any]:
        """Wait for a decision, of a kind if one is named."""
        self.page.wait_for_function(
            f"(kind) => {SKIPPED} && {NUMBER} !== null && (!kind || {TABLE}.present.question?.kind === kind)",
            arg=kind,
            timeout=seconds * 1000,
        )
        asked = self.asked()
        assert asked is not None
        return asked

    def send(self, move: object) -> dict[str, Any]:
        """Send a move by the hand of the page's own script."""
        response: dict[str, Any] = self.page.evaluate(f"(move) => {TABLE}.decision.send({NUMBER}, move)", move)
        return response

    def played(self) -> dict[str, int]:
        """How many decisions of each kind the page has played by itself; none may have been refused."""
        assert self.page.evaluate("player.problems") == []
        counts: dict[str, int] = self.page.evaluate("player.played")
        return counts

    def until_the_end(self, milliseconds: float = WHOLE_GAME_MS) -> None:
        expect(self.page.locator(".sitting-end")).to_be_visible(timeout=milliseconds)


@dataclass
class Hall:
    """The site with its people."""

    browser: Browser
    url: str
    contexts: list[Sitter] = field(default_factory=list)

    def sit(self, match: Match, names: Sequence[str]) -> list[Sitter]:
        """Open the table for people who are signed in, by name; in the order of ``names``."""
        sitters = [self.visitor(known(name), self._seat(match, name)) for name in names]
        for sitter in sitters:
            sitter.open(match)
        return sitters

    def visitor(self, user: User | None = None, seat: int = -1, **options: Any) -> Sitter:
        """A browser of its own, signed in as ``user``. What it writes to its console is kept in ``messages``."""
        context = self.browser.new_context(base_url=self.url, **options)
        context.set_default_timeout(180_000)  # milliseconds
        page = context.new_page()
        sitter = Sitter(user, seat, context, page)
        page.on("console", lambda message: sitter.messages.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: sitter.messages.append(str(error)))
        page.add_init_script(RECEIVED)
        self.contexts.append(sitter)
        if user is not None:
            self._sign_in(context, user)
        return sitter

    def _sign_in(self, context: BrowserContext, user: User) -> None:
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": self.url}])

    def _seat(self, match: Match, name: str) -> int:
        return match.seats.get(version__bot__owner__username=name).index

    def close(self) -> None:
        for sitter in self.contexts:
            sitter.context.close()


RECEIVED = """(() => {
  window.received = [];
  const { fetch } = window;
  const keep = async (body) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      window.received.push(value);
    }
  };
  window.fetch = async (...wanted) => {
    const response = await fetch(...wanted);
    if (!response.body) return response;
    const [mine, theirs] = response.body.tee();
    keep(mine).catch(() => {});
    const { status, statusText, headers } = response;
    const copy = new Response(theirs, { status, statusText, headers });
    return Object.defineProperty(copy, "url", { value: response.url });
  };
})()"""
"""Keeps every byte that scripts of a page fetch, streams too, before any of them runs."""

CLOCK = """
import time, django
django.setup()
from ladder.live.sweep import sweep_tables
while True:
    sweep_tables()
    time.sleep(0.25)
"""
"""What the site's clock does for tables, more often."""


def all_received(sitter: Sitter) -> str:
    """Everything that a browser was sent: its page, what its scripts have fetched, and the page as it stands now."""
    fetched = sitter.page.evaluate("window.received.join('')")
    source = sitter.context.request.get(sitter.page.url).text()
    return "\n".join([source, fetched, sitter.page.content()])


def documents(sitter: Sitter) -> Iterator[Any]:
    """Every JSON document that came to a page by events, in order."""
    text = sitter.page.evaluate("window.received.join('')")
    for line in re.findall(r"^data: (.*)$", text, re.MULTILINE):
        yield json.loads(line)


def known(name: str) -> User:
    """The person of that name, made when they are met first."""
    return User.objects.filter(username=name).first() or person(name)


def table_of_people(ladder: Ladder, names: Sequence[str], limits: Limits = AMPLE, *, rated: bool = False) -> Match:
    """A table of people, a casual one unless it is to be ``rated``."""
    with transaction.atomic():
        versions = [player_of(known(name)) for name in names]
        players = [BlockPlayer(version, membership_of(version, ladder) if rated else None) for version in versions]
    return open_table(ladder, players, rated=rated, limits=limits)


def answers(url: str) -> bool:
    """Whether a web server is there."""
    try:
        return httpx2.get(url, timeout=10).status_code == HTTPStatus.OK
    except httpx2.TransportError:
        return False
