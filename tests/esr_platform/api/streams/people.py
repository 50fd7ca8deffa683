"""People who play in browsers, at real tables, against a real web server or the test's own client."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.utils.crypto import get_random_string

from bots.owners import player_of
from bots.protocol import Limits
from esr_platform.accounts.models import User
from ladder.matches.blocks import BlockPlayer
from ladder.members.memberships import membership_of
from ladder.models import Ladder, Match
from tests.build import person
from tests.esr_platform.api.streams.programs import LONG, SSE, Site, Stream
from tests.ladder.live.play import CALM, live_ladder, opened

TOKEN = get_random_string(32)
"""Against forgeries, the same in the cookie and the header."""


def people(count: int, prefix: str = "anna") -> list[User]:
    return [person(f"{prefix}{i}") for i in range(count)]


def table_of_people(
    game: str, users: list[User], *, rated: bool = False, limits: Limits = CALM, ladder: Ladder | None = None
) -> Match:
    """A live game at which ``users`` sit in this order."""
    ladder = ladder or live_ladder(game, len(users), "people")
    players = [player_of(user) for user in users]
    seated = [BlockPlayer(player, membership_of(player, ladder) if rated else None) for player in players]
    return opened(ladder, seated, rated=rated, limits=limits)


def session_of(user: User | None, **said: Any) -> str:
    """The key of a new session, signed in where there is a user."""
    client = Client()
    if user is not None:
        client.force_login(user)
    session = client.session
    session.update(said)
    session.save()
    assert session.session_key is not None
    return str(session.session_key)


@dataclass
class Window:
    """One window of a browser, with a session or without one, at a real web server."""

    http: httpx2.Client
    session: str = ""
    streams: list[Stream] = field(default_factory=list)

    @property
    def cookies(self) -> str:
        named = {"sessionid": self.session, "csrftoken": TOKEN}
        return "; ".join(f"{name}={value}" for name, value in named.items() if value)

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": self.cookies}

    def get(self, path: str) -> httpx2.Response:
        return self.http.get(path, headers=self.headers)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        content = b"" if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", "X-CSRFToken": TOKEN, **self.headers, **headers}
        return self.http.post(path, content=content, headers=sent)

    def answer(self, game: int, decision: int, move: Any) -> httpx2.Response:
        return self.post(f"matches/{game}/decisions/{decision}", {"move": move})

    def stream(self, path: str, last: str | None = None) -> Stream:
        known = {} if last is None else {"Last-Event-ID": last}
        opened = Stream(self.http, path, SSE, {**self.headers, **known})
        self.streams.append(opened)
        return opened

    def sit(self, game: int, last: str | None = None) -> Stream:
        return self.stream(f"matches/{game}/seat/stream", last)


def window(site: Site, user: User | None = None, session: str | None = None) -> Window:
    """A window at ``site``, signed in as ``user``."""
    key = session_of(user) if session is None and user is not None else session or ""
    limits = httpx2.Limits(max_connections=None)
    client = site.clients.enter_context(httpx2.Client(base_url=site.url, timeout=LONG, limits=limits))
    return Window(client, key)


@dataclass
class Tab:
    """The same through the test's own client, for what answers at once; forgeries are looked for as on a site."""

    user: User | None = None
    said: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.session = session_of(self.user, **self.said) if self.user is not None or self.said else ""
        if self.session:
            self.client.cookies["sessionid"] = self.session
        self.client.cookies["csrftoken"] = TOKEN

    def get(self, address: str) -> HttpResponse:
        return self.client.get(f"/api/v1/{address}")

    def post(self, address: str, body: Any = None, kind: str = "application/json", **headers: str) -> HttpResponse:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"X-CSRFToken": TOKEN, **headers}
        return self.client.post(f"/api/v1/{address}", data, content_type=kind, headers=sent)

    def sign_out(self) -> None:
        Session.objects.filter(session_key=self.session).delete()
