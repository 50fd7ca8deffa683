"""Export all data of an account."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import orjson
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from bots.models import Bot, BotReport, BotVersion, TextRemoval, Upload
from bots.uploads.storage import ArchiveLost, OutOfReach, bytes_of
from esr_platform.accounts.models import User
from ladder.access import cups_seen_by, matches_seen_by
from ladder.matches.logs import unpacked
from ladder.matches.public_results import result_of
from ladder.models import (
    Agreement,
    ChatLine,
    ChatReport,
    CupEntry,
    CupLedgerEntry,
    Exhibition,
    Invitation,
    Ladder,
    Match,
    Membership,
    Proposal,
    Seat,
    SeatLog,
)
from ladder.openness import opened

# --- Contents --------------------------------------------------------------------------------------------------------

Row = dict[str, Any]
_ROWS_PER_QUERY: Final = 200
_ACTION: Final = ("cup__title", "number", "kind", "document", "reason", "created")
_CUP: Final = ("title", "slug", "about", "format", "listed", "closes_at", "starts_at", "state", "reason", "created")
_CUP_ENTRY: Final = ("cup__title", "cup__slug", "version__number", "state", "reason", "created")
_GAME: Final = ("ladder__name", "rated", "clock", "kind", "state", "match", "created", "ended")
_GAMES: Final = 1000
_TOKEN: Final = ("name", "hint", "scopes", "bot__slug", "created", "last_used", "expires", "revoked")


def account_document(person: User) -> Row:
    """The account without secrets: no password, passkeys or codes."""
    seen = Ladder.objects.visible_to(person)
    terms = {"version": person.terms_version, "accepted": person.terms_accepted}
    addresses = EmailAddress.objects.filter(user=person)
    games = Proposal.objects.games().filter(by=person, ladder__in=seen)
    return {
        "username": person.username,
        "joined": person.date_joined,
        "last_login": person.last_login,
        "wants_digests": person.wants_digests,
        "chat": person.chat,
        "terms": terms,
        "addresses": list(addresses.values("email", "verified", "primary")),
        "tokens": list(person.tokens.values(*_TOKEN)),
        "keys": list(Authenticator.objects.filter(user=person).values("type", "created_at", "last_used_at")),
        "elsewhere": _elsewhere(person),
        "memberships": list(Invitation.objects.filter(person=person).values("ladder__name", "created", "agreed")),
        "reports": list(BotReport.objects.filter(by=person).values("bot__name", "text", "created", "settled")),
        "reported_lines": list(ChatReport.objects.filter(by=person).values("line__match", "created", "settled_at")),
        "reported_guest_names": list(person.guest_name_reports.values("seat__match", "name", "created", "settled_at")),
        "reported_cups": list(person.cup_reports.values("cup__title", "text", "created", "settled_at")),
        "cups": _cups(person),
        "cup_actions": list(CupLedgerEntry.objects.filter(author=person).order_by("pk").values(*_ACTION)),
        "uploads": list(Upload.objects.filter(owner=person).values("filename", "size", "refusal", "created")),
        "by_hand": _standings(Membership.objects.filter(bot__owner=person, bot__kind=Bot.Kind.PERSON), person),
        "seats_offered": list(games.order_by("-pk").values(*_GAME)[:_GAMES]),
    }


def bot_document(bot: Bot, person: User) -> Row:
    """A bot with its versions and its ratings on ladders that ``person`` may see."""
    names = ("number", "digest", "state", "reason", "filename", "size", "language", "formats", "active", "created")
    return {
        "name": bot.name,
        "address": _address("pages:bot", bot.slug),
        "description": bot.description,
        "public_source": bot.public_source,
        "created": bot.created,
        "retired": bot.retired,
        "paused": bot.paused,
        "suspended": bot.suspended,
        "versions": list(bot.versions.order_by("number").values(*names)),
        "entries": _standings(Membership.objects.filter(bot=bot), person),
        "cups": list(CupEntry.objects.filter(bot=bot, cup__in=cups_seen_by(person)).order_by("pk").values(*_CUP_ENTRY)),
        "taken_away": list(TextRemoval.objects.filter(bot=bot).values("what", "before", "reason", "created")),
    }


def _standings(entries: QuerySet[Membership], person: User) -> list[Row]:
    """Ratings on ladders that ``person`` may see."""
    seen = entries.filter(ladder__in=Ladder.objects.visible_to(person)).select_related("ladder").order_by("ladder")
    return [
        {"ladder": entry.ladder.name, "rating": entry.points, "games": entry.games, "plays": entry.active}
        for entry in seen
    ]


def _cups(person: User) -> list[Row]:
    """The cups that ``person`` organizes, alone or with others."""
    organized = cups_seen_by(person).filter(Q(organizer=person) | Q(co_organizers=person)).distinct()
    return list(organized.order_by("pk").values(*_CUP))


def chat_lines(person: User) -> Iterator[Row]:
    """The chat messages of ``person``, newest first."""
    for line in newest_first(ChatLine.objects.filter(by=person)):
        yield {
            "match": line.match_id,
            "preset": line.preset,
            "text": line.text,
            "created": line.created,
            "hidden": line.hidden_at,
        }


def match_lines(person: User) -> Iterator[Row]:
    """Matches of ``person`` and their bots that they may see, newest first, with seats and results."""
    theirs = Seat.objects.filter(match=OuterRef("pk"), version__bot__owner=person)
    matches = matches_seen_by(person).filter(Exists(theirs)).select_related("ladder", "block")
    for match in newest_first(matches.prefetch_related("seats__version__bot", "seats__result")):
        yield _match(match)


def exhibition_lines(person: User) -> Iterator[Row]:
    """Match requests of ``person`` on ladders that they may see, and invitations to them."""
    ordered = Exhibition.objects.visible_to(person).filter(requested_by=person)
    for exhibition in newest_first(ordered.select_related("ladder")):
        yield {
            "exhibition": exhibition.pk,
            "kind": exhibition.kind,
            "ladder": exhibition.ladder.name,
            "state": exhibition.state,
            "reason": exhibition.reason,
            "blocks": exhibition.blocks_wanted,
            "verdict": exhibition.verdict,
            "due_at": exhibition.due_at,
            "created": exhibition.created,
            "ended": exhibition.ended,
        }
    for asked in newest_first(Agreement.objects.filter(person=person)):
        yield {"asked": asked.exhibition_id, "agreed": asked.agreed, "answered": asked.answered}


def newest_first(rows: QuerySet[Any]) -> Iterator[Any]:
    """All rows in batches with separate queries, because the connection may change in between."""
    before: int | None = None
    while batch := list((rows if before is None else rows.filter(pk__lt=before)).order_by("-pk")[:_ROWS_PER_QUERY]):
        yield from batch
        before = batch[-1].pk


def _match(match: Match) -> Row:
    return {
        "match": match.pk,
        "address": _address("pages:match", match.pk),
        "ladder": match.ladder.name,
        "status": match.status,
        "started": match.started,
        "ended": match.ended,
        "seats": [_seat(seat) for seat in sorted(match.seats.all(), key=lambda seat: seat.index)],
    }


def _seat(seat: Seat) -> Row:
    result = result_of(seat)
    reached = {}
    if result is not None:
        reached = {"rank": result.rank, "forfeit": result.forfeit, "forfeit_at": result.forfeit_at}
    return {"bot": seat.version.bot.name, "version": seat.version.number, **reached}


def _elsewhere(person: User) -> list[Row]:
    if not apps.is_installed("allauth.socialaccount"):
        return []
    accounts: Any = import_string("allauth.socialaccount.models.SocialAccount")
    return list(accounts.objects.filter(user=person).values("provider", "uid", "date_joined", "extra_data"))


def _address(name: str, of: object) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=(of,))}"


# --- Files -----------------------------------------------------------------------------------------------------------
#
# The archive is created while it is sent, one entry at a time, so it need not fit into memory. ``MAX_EXPORT_BYTES``
# limits it; omitted.txt lists what was left out. It contains only data that the user can see on the site.

_READ_ME: Final = """\
All data that {site} stores about {name}, as of {now} UTC.

account.json       your account: email addresses, API tokens without secrets, passkeys, private ladders, reports,
                   your ratings as a player, open games that you created, cups that you organize
chat.jsonl         your chat messages
bots/              your bots with their versions, code, ratings and cups
matches.jsonl      your matches and those of your bots that you can see, one per line, with the URLs of their pages
exhibitions.jsonl  your match requests and invitations
logs/              bot logs that are still stored and whose deals are public

All times are UTC. Results and game records are published under CC BY 4.0.
"""


class _Pipe(io.RawIOBase):
    """A write-only stream that collects the output of ``ZipFile`` in pieces."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """Return and clear what was written."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken


@dataclass(frozen=True)
class _Entry:
    """A file in the archive."""

    path: str
    data: bytes


def wait_s(person: User) -> int:
    """Count an export of ``person``. Returns 0 if it is allowed, otherwise the seconds to wait."""
    pause: int = settings.EXPORT_PAUSE_SECONDS
    key, now = f"export:{person.pk}", time.time()
    if cache.add(key, now, pause):
        return 0
    return max(1, ceil(float(cache.get(key, now)) + pause - now))


def export(person: User) -> Iterator[bytes]:
    """Generate the ZIP file in pieces."""
    pipe, left = _Pipe(), settings.MAX_EXPORT_BYTES
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
            archive.writestr(
                "omitted.txt",
                "These files were left out because the archive would be too large:\n"
                + "\n".join(omitted[:10_000])
                + "\n",
            )
    yield pipe.taken()


def _entries(person: User) -> Iterator[_Entry]:
    """The entries, small and irreplaceable data first."""
    now = timezone.now().strftime("%Y-%m-%d %H:%M")
    yield _Entry("README.txt", _READ_ME.format(site=settings.SITE_NAME, name=person.username, now=now).encode())
    yield _Entry("account.json", _json(account_document(person)))
    bots = list(Bot.objects.of_code().filter(owner=person).order_by("pk"))
    for bot in bots:
        yield _Entry(f"bots/{bot.slug}/bot.json", _json(bot_document(bot, person)))
    for bot in bots:
        yield from _code(bot)
    yield from _lines("chat", chat_lines(person))
    yield from _lines("exhibitions", exhibition_lines(person))
    yield from _lines("matches", match_lines(person))
    yield from _logs(person)


def _code(bot: Bot) -> Iterator[_Entry]:
    for version in bot.versions.select_related("bot").exclude(archive="").defer("validation_report").order_by("number"):
        yield _file_of(version)


def _file_of(version: BotVersion) -> _Entry:
    """The archive as uploaded, or a text file with the error if the storage cannot return it."""
    place = f"bots/{version.bot.slug}/v{version.number}"
    try:
        return _Entry(f"{place}.{'py' if version.archive.endswith('.py') else 'zip'}", bytes_of(version))
    except (ArchiveLost, OutOfReach) as problem:
        return _Entry(f"{place}.missing.txt", f"{problem}\n".encode())


def _logs(person: User) -> Iterator[_Entry]:
    """Stored logs of the owner's bots for public deals, newest first."""
    own = SeatLog.objects.filter(seat__version__bot__owner=person, seat__match__in=matches_seen_by(person))
    readable = own.filter(opened("seat__match__block"))
    for log in newest_first(readable.select_related("seat")):
        yield _Entry(f"logs/match-{log.seat.match_id}-seat-{log.seat.index}.json", _json(unpacked(bytes(log.packed))))


def _lines(name: str, documents: Iterable[Any]) -> Iterator[_Entry]:
    """JSON lines, in files of limited size."""
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
