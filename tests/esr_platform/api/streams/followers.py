"""A client of a seat's stream that breaks off and goes on, and believes nothing that does not follow on the last."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from esr_platform.accounts.models import User
from ladder.models import Match
from tests.esr_platform.api.streams.people import Window, window
from tests.esr_platform.api.streams.programs import Site
from tests.ladder.live.play import pass_time, position
from tests.services.ports import wait_until


class Follower:
    """One seat as its client follows it: it vanishes now and then, and goes on where it was."""

    def __init__(self, match: Match, seat: int, browser: Window) -> None:
        self.match, self.seat, self.browser = match, seat, browser
        self.place: str | None = None
        self.entries: list[Any] = []
        self.begun: int | None = None
        self.present: dict[str, Any] = {}
        self.end: dict[str, Any] | None = None
        self.answered = 0
        self.connect()

    def connect(self) -> None:
        self.stream, self.read = self.browser.sit(self.match.pk, self.place), 0
        assert self.stream.status == 200

    def vanish(self) -> None:
        self.stream.close()
        self.connect()

    def move_to(self, site: Site) -> None:
        """Go on at another server."""
        self.browser = window(site, session=self.browser.session)
        self.connect()

    def take_in(self) -> None:
        """Read what has come: the events must follow on each other, without a gap and nothing twice."""
        lines = list(self.stream.lines)
        whole = len(lines) - lines[::-1].index("") if "" in lines else 0
        place = None
        for line in lines[self.read : whole]:
            if line.startswith("id: "):
                place = line.removeprefix("id: ")
            elif line.startswith("data: "):
                self._take(json.loads(line.removeprefix("data: ")))
                self.place = place or self.place
        self.read = max(self.read, whole)

    def _take(self, event: dict[str, Any]) -> None:
        if event["type"] == "moments":
            if self.begun is None:
                assert event["reset"]
                self.begun = event["log_from"]
            assert "reset" not in event or not self.entries
            assert event["log_from"] == self.begun + len(self.entries), "no gap and no double"
            self.entries += [entry for moment in event["moments"] for entry in moment["entries"]]
        if event["type"] in ("moments", "present"):
            self.present = event["present"]
        if event["type"] == "end":
            assert self.end is None
            self.end = event

    @property
    def asked(self) -> int | None:
        self.take_in()
        number: int | None = self.present.get("decision")
        return number

    @property
    def knows_all(self) -> bool:
        """Whether it has been told all that its seat may know."""
        self.take_in()
        return (
            self.begun is not None
            and self.entries == position(self.match).shown_to(self.seat).entries(self.seat)[self.begun :]
        )


def seated(site: Site, users: list[User], match: Match) -> list[Follower]:
    return [Follower(match, seat, window(site, user)) for seat, user in enumerate(users)]


def play(match: Match, followers: list[Follower], moves: int, random: Random, *, breaking: float = 0.0) -> None:
    """Answer what the streams ask, over HTTP, at most ``moves`` times; of streams some break off before each."""

    def who() -> Follower | None:
        return next((follower for follower in followers if (follower.asked or 0) > follower.answered), None)

    for _ in range(moves):
        wait_until(lambda: who() is not None or not position(match).state().pending, "somebody is asked")
        follower = who()
        if follower is None:
            return
        for other in followers:
            if random.random() < breaking:
                other.vanish()
        number = follower.present["decision"]
        move = position(match).state().random_move(follower.seat, random)
        response = follower.browser.answer(match.pk, number, move)
        assert response.status_code == 200, response.text
        follower.answered = number
        pass_time(match)
