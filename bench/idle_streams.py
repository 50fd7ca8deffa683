"""Measure memory and CPU time of idle streams of one stream process: ``python -m bench.idle_streams [--streams 5000]``.

Spectators of a live game in which nobody moves, each with its own IP address, hold a stream open as browsers do. The
bench prints the memory of the stream process per stream and its CPU time while nothing happens but keep-alives.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from bench.cpu_time import ProcessTable
from bench.databases import on_each
from bench.remote_play import rss_mb, site

MOST_KB, MOST_CPU = 20.0, 0.05
AT_ONCE = 50
"""Streams that are opened at the same time."""


async def opened(port: int, match: int, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open the stream of spectator ``number`` and read its first event."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = [
        f"GET /api/v1/matches/{match}/stream?words=en HTTP/1.1",
        "Host: localhost",
        f"X-Forwarded-For: 10.{number >> 16}.{number >> 8 & 255}.{number & 255}",
        "Accept: text/event-stream",
    ]
    writer.write("\r\n".join([*head, "", ""]).encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in answer.split(b"\r\n")[0]:
        raise RuntimeError(answer.decode())
    await reader.readuntil(b"event: game")
    return reader, writer


async def drained(reader: asyncio.StreamReader) -> None:
    """Read the keep-alives of a stream until it ends."""
    while await reader.read(1 << 16):
        pass


async def measured(port: int, match: int, process: int, options: argparse.Namespace) -> tuple[float, float]:
    """KB per stream, and cores in use while all streams are idle."""
    await asyncio.gather(*[opened(port, match, number) for number in range(AT_ONCE)])  # code that is loaded once
    before = rss_mb(process)
    streams = []
    for first in range(AT_ONCE, AT_ONCE + options.streams, AT_ONCE):
        streams += await asyncio.gather(*[opened(port, match, first + more) for more in range(AT_ONCE)])
    readers = [asyncio.create_task(drained(reader)) for reader, _ in streams]
    await asyncio.sleep(options.rest)
    kb = 1024 * (rss_mb(process) - before) / len(streams)
    used_s = ProcessTable().tree_s(process)
    await asyncio.sleep(options.seconds)
    used_s = ProcessTable().tree_s(process) - used_s
    if any(reader.done() for reader in readers):
        raise RuntimeError("a stream was closed")
    for reader in readers:
        reader.cancel()
    return kb, used_s / options.seconds


def measure(options: argparse.Namespace) -> int:
    """One database, the one of DATABASE_URL, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command

    from bench.people import table
    from ladder.models import Ladder

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    duel = Ladder.objects.get(players=Ladder.Players.PEOPLE, game="edel-stein-reich-duel")
    match = table(0, duel, 1.0)["game"]
    most = {"MAX_STREAMS_PER_PROCESS": str(4 * options.streams)}
    with site(DJANGO_SETTINGS_MODULE="bench.settings", **most) as running:
        kb, cores = asyncio.run(measured(running.port, match, running.parts["streams1"], options))
    print(f"\n{options.inside}, {options.streams} idle streams of spectators, {options.seconds} s")
    print(f"  {kb:.1f} KB each: {'met' if kb <= MOST_KB else f'MISSED (limit: {MOST_KB:.0f} KB)'}")
    print(f"  {cores:.1%} of a core: {'met' if cores <= MOST_CPU else f'MISSED (limit: {MOST_CPU:.0%})'}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--streams", type=int, default=5000, help="a multiple of 50 (default: 5000)")
    parser.add_argument("--rest", type=float, default=10.0, help="seconds before the measurement (default: 10)")
    parser.add_argument("--seconds", type=float, default=30.0, help="default: 30")
    return on_each("bench.idle_streams", parser, measure, ["sqlite"])


if __name__ == "__main__":
    sys.exit(main())
