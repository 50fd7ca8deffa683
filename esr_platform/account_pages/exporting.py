"""Everything that the site has of a person, as one ZIP file: documents, the code of all versions, logs that are kept.

It is made while it is sent, an entry at a time, so that nobody's history has to fit into memory. ``EXPORT_BYTES``
bounds it; what is left out then is said in the file. Nothing is in it that the person could not see on the site.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.uploads.storage import Lost, OutOfReach, bytes_of
from esr_platform.account_pages.exported import (
    account_document,
    bot_document,
    chat_lines,
    match_lines,
    newest_first,
    order_lines,
)
from esr_platform.accounts.models import User
from ladder.access import matches_seen_by
from ladder.matches.logs import unpacked
from ladder.models import SeatLog
from ladder.openness import opened

_READ_ME: Final = """\
Everything that {site} has of {name}, as of {now}.

account.json    who you are here: addresses, tokens without their secrets, keys, ladders by invitation, reports,
                where you stand by hand, seats you offered
chat.jsonl      what you said at tables
bots/           each bot with its versions, the code as you uploaded it, and its ratings
matches.jsonl   your matches and those of your bots that you may see, a line each; their records are at the
                addresses in it
orders.jsonl    what you have ordered
logs/           logs of your bots' games that are still kept and whose deals are open

Times are UTC. Results and records are published under CC BY 4.0.
"""


class _Pipe(io.RawIOBase):
    """Takes what a ZIP file writes, and hands it on in pieces; it cannot go back."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """What was written since the last time."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken


@dataclass(frozen=True)
class _Entry:
    """A file in the archive."""

    path: str
    data: bytes


def wait_s(person: User) -> int:
    """Count an export of ``person``; seconds until the next one is welcome, 0 if this one is."""
    pause, key = settings.EXPORT_PAUSE_SECONDS, f"export:{person.pk}"
    return 0 if cache.add(key, 1, pause) else pause


def export(person: User) -> Iterator[bytes]:
    """The ZIP file in pieces, each made when the one before has been taken."""
    pipe, left = _Pipe(), settings.EXPORT_BYTES
    omitted: list[str] = []
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in _entries(person):
            if len(entry.data) > left:
                omitted.append(entry.path)
                continue
            left -= len(entry.data)
            archive.writestr(entry.path, entry.data)
            yield pipe.taken()
        if omitted:
            archive.writestr("omitted.txt", "Too large for one file:\n" + "\n".join(omitted[:10_000]) + "\n")
    yield pipe.taken()


def _entries(person: User) -> Iterator[_Entry]:
    """What is in it, the small and the irreplaceable first."""
    now = timezone.now().strftime("%Y-%m-%d %H:%M")
    yield _Entry("README.txt", _READ_ME.format(site=settings.SITE_NAME, name=person.username, now=now).encode())
    yield _Entry("account.json", _json(account_document(person)))
    bots = list(Bot.objects.of_code().filter(owner=person).order_by("pk"))
    for bot in bots:
        yield _Entry(f"bots/{bot.slug}/bot.json", _json(bot_document(bot, person)))
    for bot in bots:
        yield from _code(bot)
    yield from _lines("chat", chat_lines(person))
    yield from _lines("orders", order_lines(person))
    yield from _lines("matches", match_lines(person))
    yield from _logs(person)


def _code(bot: Bot) -> Iterator[_Entry]:
    for version in bot.versions.select_related("bot").exclude(archive="").defer("check_report").order_by("number"):
        yield _file_of(version)


def _file_of(version: BotVersion) -> _Entry:
    """The archive as it was uploaded; where the storage cannot give it, a sentence that says so."""
    place = f"bots/{version.bot.slug}/v{version.number}"
    try:
        return _Entry(f"{place}.{'py' if version.archive.endswith('.py') else 'zip'}", bytes_of(version))
    except (Lost, OutOfReach) as problem:
        return _Entry(f"{place}.missing.txt", f"{problem}\n".encode())


def _logs(person: User) -> Iterator[_Entry]:
    """The owner's logs that are kept, of deals that are open, newest first."""
    own = SeatLog.objects.filter(seat__version__bot__owner=person, seat__match__in=matches_seen_by(person))
    readable = own.filter(opened("seat__match__block"))
    for log in newest_first(readable.select_related("seat")):
        yield _Entry(
            f"logs/match-{log.seat.match_id}-seat-{log.seat.index + 1}.json", _json(unpacked(bytes(log.packed)))
        )


def _lines(name: str, documents: Iterable[Any]) -> Iterator[_Entry]:
    """JSON lines, in files of a size that memory does not notice."""
    lines: list[bytes] = []
    part = 1
    for document in documents:
        lines.append(orjson.dumps(document))
        if len(lines) == 20_000:
            yield _Entry(f"{name}-{part}.jsonl", b"\n".join(lines) + b"\n")
            lines, part = [], part + 1
    if lines or part == 1:
        yield _Entry(f"{name}.jsonl" if part == 1 else f"{name}-{part}.jsonl", b"\n".join([*lines, b""]))


def _json(document: Any) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)
