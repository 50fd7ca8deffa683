"""Streams of remote bots from a real web server, with real Redis."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from bots import remote
from bots.models import Bot, RemoteBot
from esr_platform.accounts.models import Token
from ladder.live.end import finish
from ladder.matchmaking import remote_bots as pairing
from ladder.models import Match, PlayedMove
from tests.esr_platform.api.streams.programs import NDJSON, SSE, Program, Site, Stream
from tests.ladder.live.play import asked, live_ladder, play_out, position, remote_bots, table_of
from tests.services.ports import wait_until

pytestmark = pytest.mark.slow

DUEL = ("edel-stein-reich-duel", 2)


def play_on(programs: list[Program], streams: list[Stream], moves: int) -> None:
    """Answer everything that the streams have asked, ``moves`` times or until the game is over."""
    done = [0, 0]

    def asked() -> int | None:
        return next((seat for seat in (0, 1) if len(streams[seat].of("decide")) > done[seat]), None)

    for _ in range(moves):
        wait_until(lambda: asked() is not None or is_over(), "somebody is asked, or the game is over")
        seat = asked()
        if seat is None:
            break
        event = streams[seat].of("decide")[done[seat]]
        done[seat] += 1
        move = event["message"]["decision"]["default"]
        assert programs[seat].answer(event["game"], event["decision"], move).status_code == 200


def is_over() -> bool:
    return not position(Match.objects.get()).state().pending


def test_a_game_is_played_over_streams_to_its_end(site: Site) -> None:
    ladder = live_ladder(*DUEL)
    bots = remote_bots(2)
    programs = [site.program(bot) for bot in bots]
    streams = [programs[0].stream(), programs[1].stream(accept=SSE)]
    assert [stream.headers["Content-Type"] for stream in streams] == ["application/x-ndjson", "text/event-stream"]
    match = table_of(ladder, bots)
    for seat, stream in enumerate(streams):
        start = stream.wait_for("game_start")
        hello = start["message"]
        assert (start["game"], start["rated"], start["ladder"]) == (match.pk, True, ladder.slug)
        assert [player["bot"] for player in start["players"]] == [bot.slug for bot in bots]
        assert (hello["type"], hello["seat"], hello["resumed"]) == ("hello", seat, False)
    play_on(programs, streams, 10)
    streams[0].close()
    streams[0] = programs[0].stream()
    assert streams[0].wait_for("game_start")["message"]["resumed"] is True
    wait_until(lambda: any(stream.of("decide") for stream in streams), "the game goes on")
    play_on(programs, streams, 500)
    assert finish(match.pk)
    ends = [stream.wait_for("game_end") for stream in streams]
    state = position(match).state(journal=True)
    for seat, end in enumerate(ends):
        assert (end["status"], end["message"]["outcome"]) == ("finished", state.outcome)
        entries = [entry for event in streams[seat].of("decide") for entry in event["message"]["log"]]
        assert entries + end["message"]["log"] == state.entries(seat), "the whole log, and nothing twice"
        ids = [event["decision"] for event in streams[seat].of("decide")]
        assert ids == sorted(set(ids))
    assert "event: game_end" in streams[1].lines


def test_the_newest_stream_counts_whichever_process_holds_it(started: Callable[[], Site]) -> None:
    ladder, here, there = live_ladder(*DUEL), started(), started()
    bots = remote_bots(2)
    old = here.program(bots[0]).stream()
    wait_until(lambda: bool(old.lines), "the stream is open")
    new = there.program(bots[0]).stream()
    assert old.wait_for("closed")["reason"]
    wait_until(lambda: old.ended, "the old stream ends")
    table_of(ladder, bots)
    new.wait_for("game_start")
    Token.objects.filter(bot=bots[0]).update(revoked="2026-01-01T00:00:00Z")
    assert "revoked" in new.wait_for("closed")["reason"]


def is_online(bot: Bot) -> bool:
    return remote.here().filter(pk=bot.pk).exists()


def has_left(bot: Bot) -> bool:
    """Whether the site has noted that its stream has closed, which is not the same as that its time has passed."""
    return RemoteBot.objects.filter(pk=bot.pk, stream=None, here_since=None, seen_at__isnull=False).exists()


@pytest.mark.parametrize("accept", [NDJSON, SSE])
def test_a_bot_is_offline_as_soon_as_its_stream_has_closed(site: Site, accept: str) -> None:
    (bot,) = remote_bots(1)
    program = site.program(bot)
    stream = program.stream(accept=accept)
    wait_until(lambda: bool(stream.lines), "the stream is open")
    assert is_online(bot)
    stream.close()
    wait_until(lambda: has_left(bot), "the bot is offline")
    assert program.get("bot").json()["here"] is False
    again = program.stream(accept=accept)
    wait_until(lambda: bool(again.lines), "the stream is open again")
    assert program.get("bot").json()["here"] is True


def test_a_bot_whose_program_is_killed_is_offline(site: Site) -> None:
    (bot,) = remote_bots(1)
    program = (
        "import sys, urllib.request as web\n"
        "asked = web.Request(sys.argv[1] + 'bot/stream', headers={'Authorization': 'Bearer ' + sys.argv[2]})\n"
        "for line in web.urlopen(asked): print(flush=True)\n"
    )
    words = [sys.executable, "-c", program, site.url, site.token_of(bot)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stdout.readline()
        assert is_online(bot)
        running.kill()
    wait_until(lambda: has_left(bot), "the bot is offline")


def test_a_bot_stays_online_while_another_process_holds_its_newest_stream(started: Callable[[], Site]) -> None:
    here, there = started(), started()
    (bot,) = remote_bots(1)
    old = here.program(bot).stream()
    wait_until(lambda: bool(old.lines), "the stream is open")
    new = there.program(bot).stream()
    old.wait_for("closed")
    wait_until(lambda: old.ended, "the old stream has ended")
    assert is_online(bot)
    there.process.terminate()
    assert there.process.wait(180) is not None
    wait_until(lambda: new.ended, "the new stream has ended")
    wait_until(lambda: has_left(bot), "a server that stops leaves nobody online")


def test_a_client_that_closes_its_stream_on_game_end_loses_nothing(site: Site) -> None:
    ladder = live_ladder(*DUEL)
    bots = remote_bots(2)
    match = table_of(ladder, bots)
    programs = [site.program(bot) for bot in bots]
    streams = [program.stream() for program in programs]
    for stream in streams:
        stream.wait_for("game_start")
    play_out(match, lambda state, seat: state.default_move(seat))
    assert finish(match.pk)
    for stream in streams:
        stream.wait_for("game_end")
        stream.close()
    for bot in bots:
        wait_until(lambda bot=bot: has_left(bot), "the bot is offline")  # type: ignore[misc]
    RemoteBot.objects.update(waits_since=None)
    assert pairing.seat() == 0
    assert Match.objects.count() == 1


def test_who_waits_costs_no_thread_and_does_not_hold_the_server_up(site: Site) -> None:
    ladder = live_ladder(*DUEL)
    bots = remote_bots(2)
    match = table_of(ladder, bots)
    programs = [site.program(bot) for bot in bots]
    programs[0].get("bot/decision?wait=0")
    programs[0].stream().wait_for("game_start")
    before = site.threads()
    strangers = [site.stranger().stream(f"matches/{match.pk}/stream") for _ in range(50)]
    wait_until(lambda: all(stream.lines for stream in strangers), "all are open")
    assert site.threads() <= before + 6, "some for the database, whoever waits"
    bots[0].remote.refresh_from_db()
    assert bots[0].remote.seen_at is not None
    site.process.terminate()
    assert site.process.wait(180) is not None
    wait_until(lambda: all(stream.ended for stream in strangers), "all streams end")
    assert not any(stream.of("closed") for stream in strangers), "they are welcome to come again"


def test_an_answer_counts_though_its_sender_vanishes_before_it_hears_so(site: Site) -> None:
    ladder, bots = live_ladder(*DUEL), remote_bots(2)
    match = table_of(ladder, bots)
    seat = position(match).state().pending[0]
    body = json.dumps({"move": asked(match, seat)["decision"]["default"]}).encode()
    host = urlsplit(site.url).netloc
    head = (
        f"POST /api/v1/matches/{match.pk}/decisions/1 HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
        f"Authorization: Bearer {site.token_of(bots[seat])}\r\n\r\n"
    )
    with socket.create_connection((host.split(":")[0], int(host.split(":")[1]))) as vanishing:
        vanishing.sendall(head.encode() + body)
        vanishing.shutdown(socket.SHUT_WR)
    wait_until(lambda: PlayedMove.objects.filter(seat__index=seat, decision=1, default="").exists(), "it is played")
