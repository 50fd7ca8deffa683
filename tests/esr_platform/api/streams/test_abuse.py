"""Clients that vanish, send garbage, hold on to streams or bring old tokens, against a real web server.

What is answered twice, for other seats or with guessed numbers is in ``test_answers.py``, body by body.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from esr_platform.accounts.models import Token
from ladder.models import Attempt, LiveSeat, Match, PlayedMove, Result, Table
from tests.esr_platform.api.streams.programs import Site
from tests.ladder.live.play import bot_at, live_ladder, owing, position, remote_bots, table_of
from tests.services.ports import wait_until

pytestmark = pytest.mark.slow

MIB = 1 << 20
LONG_AGO = "2026-01-01T00:00:00Z"


@pytest.fixture
def match(transactional_db: None) -> Match:
    return table_of(live_ladder("edel-stein-reich-duel", 2), remote_bots(2))


@contextmanager
def nothing_moves() -> Iterator[None]:
    """No row of any table and no match is another one afterwards."""
    before = rows()
    yield
    assert rows() == before


def rows() -> list[list[Any]]:
    return [
        list(model.objects.order_by("pk").values()) for model in (PlayedMove, LiveSeat, Table, Match, Attempt, Result)
    ]


def asked(match: Match) -> tuple[int, int, Any]:
    """Which seat owes an answer, to which decision, and a move that is legal."""
    seat = owing(match)[0]
    current = position(match)
    return seat, current.live_seats[seat].asked, current.state().decision(seat)["default"]


def connected(site: Site, clients: ExitStack) -> socket.socket:
    url = httpx2.URL(site.url)
    assert url.port is not None
    return clients.enter_context(socket.create_connection((url.host, url.port), timeout=180))


def head(site: Site, match: Match, length: int | str, secret: str = "") -> bytes:
    """The head of an answer to the first decision, whose body is so long."""
    authorization = f"Authorization: Bearer {secret}\r\n" if secret else ""
    host = httpx2.URL(site.url).netloc.decode()
    line = f"POST /api/v1/matches/{match.pk}/decisions/1 HTTP/1.1"
    return f"{line}\r\nHost: {host}\r\n{authorization}Content-Length: {length}\r\n\r\n".encode()


def test_clients_that_vanish_or_send_garbage_move_nothing(site: Site, match: Match) -> None:
    seat, number, move = asked(match)
    program = site.program(position(match).live_seats[seat].seat.version.bot)
    body = json.dumps({"move": move}).encode()
    with nothing_moves(), ExitStack() as clients:
        for sent in (
            b"",
            b"POST /api/v1/ga",
            b"\x00\xff\x16\x03\x01" * 40,
            b"GET /api/v1/bot/stream HTTP/1.1\r\nHost: " + b"x" * 100_000,
            head(site, match, "many", program.secret),
            head(site, match, len(body), program.secret),
            head(site, match, len(body), program.secret) + body[:-1],
            head(site, match, 64, program.secret) + body,
        ):
            client = connected(site, clients)
            client.sendall(sent)
            client.close()
        streams = [program.stream(), *(site.stranger().stream(f"matches/{match.pk}/stream") for _ in range(5))]
        wait_until(lambda: all(stream.lines for stream in streams), "all are open")
        before = LiveSeat.objects.filter(table=match.pk, starts__gt=0).update(starts=0)
        assert before <= 1, "only that its program was told of the game is noted"
        for stream in streams:
            stream.close()
    assert site.stranger().get(f"matches/{match.pk}/view").status_code == 200
    assert program.post(match.pk, number, body).status_code == 200, "it may still be answered, and counts"


def test_bodies_of_ten_megabytes_are_nobodys_answer_and_are_not_kept(site: Site, match: Match) -> None:
    seat, number, move = asked(match)
    program = site.program(position(match).live_seats[seat].seat.version.bot)
    assert program.get("bot/decision?wait=0").status_code == 200
    with nothing_moves():
        huge = b'{"move": "' + b"x" * 10 * MIB
        for secret in ("", "esr_guess", program.secret):
            client = site.with_token(secret)
            assert client.post(match.pk, number, huge).status_code == 413
        assert site.with_token("esr_guess").post(match.pk, number, huge[: 5 * MIB]).status_code == 401
    before = memory_mb(site)
    assert program.post(match.pk, number, huge[: 5 * MIB]).json()["code"] == "too_long", "its own strike, as on stdin"
    assert program.post(match.pk, number, json.dumps({"move": move}).encode()).status_code == 409
    assert memory_mb(site) < before + 16


def test_bodies_that_dribble_hold_nobody_up_and_count_when_they_are_whole(site: Site, match: Match) -> None:
    seat, number, move = asked(match)
    program = site.program(position(match).live_seats[seat].seat.version.bot)
    body = json.dumps({"move": move}).encode()
    threads = site.threads()
    with ExitStack() as clients:
        with nothing_moves():
            slow = [connected(site, clients) for _ in range(60)]
            for client in slow:
                client.sendall(head(site, match, len(body), program.secret) + body[:4])
            assert site.stranger().get(f"matches/{match.pk}/view").status_code == 200
            assert site.threads() <= threads + 6, "whoever dribbles holds no thread"
        slow[0].sendall(body[4:])
        assert slow[0].recv(20).startswith(b"HTTP/1.1 200")
        slow[1].sendall(body[4:])
        assert slow[1].recv(20).startswith(b"HTTP/1.1 200"), "the same again"
    assert PlayedMove.objects.filter(match=match, seat__index=seat, decision=number).count() == 1


def test_nobody_opens_more_streams_than_there_is_room_for(started: Callable[..., Site], match: Match) -> None:
    site = started(MAX_STREAMS_PER_CLIENT="3")
    host = httpx2.URL(site.url).netloc.decode()
    with nothing_moves(), ExitStack() as clients:
        strangers = [connected(site, clients) for _ in range(3)]
        for client in strangers:
            client.sendall(f"GET /api/v1/matches/{match.pk}/stream HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert client.recv(20).startswith(b"HTTP/1.1 200")
        refused = site.stranger().stream(f"matches/{match.pk}/stream")
        assert (refused.status, refused.problem["code"]) == (429, "too_many_waiting")
        assert int(refused.headers["Retry-After"]) > 0
        held = len(descriptors(site))
        strangers[0].close()
        wait_until(lambda: len(descriptors(site)) < held, "the server lets go of who has vanished")
        assert site.stranger().stream(f"matches/{match.pk}/stream").status == 200, "there is room again"
    bot = position(match).live_seats[0].seat.version.bot
    own = [site.program(bot).stream() for _ in range(8)]
    wait_until(lambda: sum(not stream.ended for stream in own) <= 1, "the newest of one bot counts")
    assert own[-1].status == 200


def test_old_tokens_and_guessed_games_open_nothing(site: Site, match: Match) -> None:
    seat, number, move = asked(match)
    live_seats = position(match).live_seats
    program, (stranger,) = site.program(live_seats[seat].seat.version.bot), remote_bots(1, "stranger")
    other, body = site.program(stranger), json.dumps({"move": move}).encode()
    with nothing_moves():
        for guess in (0, match.pk + 1, 2**31, 2**63, 2**70):
            assert other.post(guess, 1, body).status_code == 404
            assert other.get(f"matches/{guess}/decision?wait=0").status_code == 404
        assert other.get(f"matches/{match.pk}/decision?wait=0").status_code == 404
        assert other.get(f"matches/{match.pk}/view").json()["seat"] is None
        assert other.get(f"bot/decision?wait=0&bot={live_seats[seat].seat.version.bot.slug}").status_code == 404
        for change in ({"revoked": LONG_AGO}, {"revoked": None, "expires": LONG_AGO}):
            Token.objects.filter(bot=bot_at(match, seat)).update(**change)
            for path in ("bot/stream", "bot/decision?wait=0", f"matches/{match.pk}/decision?wait=0"):
                assert program.get(path).status_code == 401
            assert program.get(f"matches/{match.pk}/view").status_code == 401
            assert program.post(match.pk, number, body).status_code == 401


def descriptors(site: Site) -> list[str]:
    """What the server holds open."""
    return os.listdir(f"/proc/{site.process.pid}/fd")


def memory_mb(site: Site) -> float:
    pages = Path(f"/proc/{site.process.pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / MIB
