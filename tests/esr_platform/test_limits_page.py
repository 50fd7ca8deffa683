"""``docs/reference/limits.md``: every row has the value of its setting or of the constant in the code."""

from __future__ import annotations

import os
import re
import runpy
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from allauth.account import app_settings as accounts
from allauth.core.internal.ratelimit import parse_rate
from django.conf import settings

from bots import moderation, names
from bots.archives import ArchiveLimits
from bots.languages import LANGUAGES
from bots.manifest import MAX_BYTES
from bots.protocol import Limits
from bots.protocol.answers import MAX_ANSWER_BYTES, MAX_DEPTH
from bots.runner.channel import KEPT_STDERR_BYTES
from bots.runner.match_seat import MAX_STRIKES
from bots.runner.spec import MAX_REPLAYS
from bots.sandbox.limits import THREADS, limit_values
from bots.tournaments import formats, round_robin
from bots.uploads import attempt, storage
from bots.validation import MOST_TRIES, WARNING_SHARE
from esr_platform import admission, heads
from esr_platform.account_pages import digests, forms, notifications
from esr_platform.accounts import tokens
from esr_platform.api.resources.matches import MOST_RECORDS
from esr_platform.api.resources.views import MOST_ITEMS
from esr_platform.api.streams.bot import LONGEST_S
from esr_platform.api.streams.seat import MOST_WINDOWS
from ladder import chat
from ladder.creation import LIVE_LIMITS
from ladder.cups import creation, desk
from ladder.cups import moderation as cup_moderation
from ladder.exhibitions import choices
from ladder.live import absences, presence
from ladder.matches import logs, pauses
from ladder.matchmaking import guests, proposals
from ladder.matchmaking import limits as matchmaking
from ladder.matchmaking.game_start import CLOCKS
from ladder.pages import calendars

SETTINGS: Final = Path(settings.BASE_DIR) / "esr_platform" / "settings.py"
PAGE: Final = (Path(settings.BASE_DIR) / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
_ARCHIVE, _GAME, _PROCESS = ArchiveLimits(), Limits(), limit_values(Limits())
_LOCKOUT: Final = parse_rate(settings.ACCOUNT_RATE_LIMITS["lockout"])
_IP_MINUTE, _ACCOUNT_HOUR = map(int, re.findall(r"(\d+)/[mh]/", settings.ACCOUNT_RATE_LIMITS["login_failed"]))

FIXED: Final[dict[str, Any]] = {
    "size of one file": min(settings.MAX_ARCHIVE_BYTES, settings.MAX_UNPACKED_BYTES),
    "length of a path (UTF-8)": _ARCHIVE.path_bytes,
    "names in a path, with the file name": _ARCHIVE.depth,
    "size of `bot.toml`": MAX_BYTES,
    "attempts at a format before a version is undecided": MOST_TRIES,
    "first break of an undecided version": attempt.BREAKS[0],
    "second break": attempt.BREAKS[1],
    "each further break": attempt.BREAKS[2],
    "percent of a time limit above which a bot gets a warning": 100 * WARNING_SHARE,
    "time from the start to `ready`": _GAME.startup_ms / 1000,
    "time per decision, before the time bank": _GAME.move_ms / 1000,
    "time bank per game": _GAME.bank_ms / 1000,
    "total time per game": _GAME.game_ms / 1000,
    "the same in Java, in multiples": LANGUAGES["java"].start_factor,
    "memory": _PROCESS["DATA"],
    "threads": THREADS,
    "processes besides the bot itself": 0,
    "open files": _PROCESS["NOFILE"],
    "size of files that the bot writes": _PROCESS["FSIZE"],
    "length of an answer": MAX_ANSWER_BYTES,
    "nesting of an answer": MAX_DEPTH,
    "strikes before the bot forfeits the game": MAX_STRIKES,
    "stderr that is kept while a game runs": KEPT_STDERR_BYTES,
    "re-runs of a game because of server lag": MAX_REPLAYS,
    "games with a bad end in a row before a bot is paused": pauses.MOST_BAD,
    "time per decision, before the time bank (live)": LIVE_LIMITS["move_ms"] / 1000,
    "time bank per game (live)": LIVE_LIMITS["bank_ms"] / 1000,
    "total time per game (live)": LIVE_LIMITS["game_ms"] / 1000,
    "fast: time per decision": CLOCKS["quick"].move_ms / 1000,
    "fast: time bank per game": CLOCKS["quick"].bank_ms / 1000,
    "standard: time per decision": CLOCKS["usual"].move_ms / 1000,
    "standard: time bank per game": CLOCKS["usual"].bank_ms / 1000,
    "slow: time per decision": CLOCKS["calm"].move_ms / 1000,
    "slow: time bank per game": CLOCKS["calm"].bank_ms / 1000,
    "total time per game, every time control": CLOCKS["calm"].game_ms / 1000,
    "shortest time until a scheduled match": choices.SOONEST,
    "sign-ups per IP address and minute": int(accounts.RATE_LIMITS["signup"].removesuffix("/m/ip")),
    "sign-ins per IP address and minute": int(accounts.RATE_LIMITS["login"].removesuffix("/m/ip")),
    "failed sign-ins per IP address and minute": _IP_MINUTE,
    "wrong passwords for an account per hour, from all IP addresses": _ACCOUNT_HOUR,
    "open challenges to one bot": matchmaking.MOST_ASKED,
    "time to accept a challenge": matchmaking.ANSWER_WITHIN,
    "time to offer a rematch after a game": proposals.REMATCH_WITHIN,
    "rematch offers per user and game": matchmaking.MOST_REMATCHES,
    "lifetime of an invitation link to a game": proposals.LINK,
    "absence after which a player is offline": presence.AWAY,
    "absence after which others can claim victory": presence.GONE,
    "missed decisions in a row before a substitute plays": absences.MOST_MISSED,
    "lifetime of a guest's invitation link": proposals.GUEST_LINK,
    "time without a connected player before a guest game ends": guests.IDLE,
    "length of a guest name": names.MAX_GUEST_NAME,
    "open streams per seat": MOST_WINDOWS,
    "rows per page of an API list": MOST_ITEMS,
    "records per bulk download": MOST_RECORDS,
    "requests that wait for their turn, per web process": admission.MOST_WAITING,
    "time to wait for a turn": admission.PATIENCE_S,
    "time to wait for a connection to PostgreSQL": admission.CONNECTION_S,
    "duration of a long poll": LONGEST_S,
    "size of the request line and headers": heads.MAX_HEAD_BYTES,
    "time to receive the request line and headers": settings.REQUEST_HEAD_SECONDS,
    "time to receive a whole request": settings.REQUEST_SECONDS,
    "length of a username": forms.LONGEST,
    "length of a bot name": names.MAX_NAME,
    "length of a bot description": names.MAX_DESCRIPTION,
    "email addresses per account": settings.ACCOUNT_MAX_EMAIL_ADDRESSES,
    "API tokens per user": tokens.MOST_TOKENS,
    "wrong passwords for an account from one IP address": _LOCKOUT.amount,
    "period in which these wrong passwords count": _LOCKOUT.duration,
    "lifetime of a link to reset a password": settings.PASSWORD_RESET_TIMEOUT,
    "length of a chat message": chat.LONGEST,
    "chat after the end of a game": chat.AFTERWARDS,
    "reports of bots per user and day": moderation.MOST_A_DAY,
    "reports of cups per user and day": cup_moderation.MOST_A_DAY,
    "cups in a calendar file": calendars.MOST_CUPS,
    "bots per cup": formats.MOST_ENTRANTS,
    "bots per round robin at 3 to 5 seats": round_robin.MOST_BALANCED,
    "blocks per table of a cup": formats.MOST_BLOCKS,
    "rounds of a Swiss cup": formats.MOST_ROUNDS,
    "days until a cup": creation.LATEST.days,
    "co-organizers per cup": desk.MOST_CO_ORGANIZERS,
    "co-organizers that a user adds per day": desk.MOST_ADDED_PER_DAY,
    "actions of organizers per cup": desk.MOST_ACTIONS,
    "percent of the workers that can be reserved for cups": desk.MOST_RESERVED,
    "reports of guest names per user and day": guests.MOST_REPORTS,
    "length of a report": moderation.MAX_TEXT,
    "notification emails per user": 1 if timedelta(days=1) == digests.PAUSE else None,
    "size of one bot log, compressed": logs.MOST_BYTES,
    "stderr in one bot log": logs.KEPT_STDERR,
    "names and secrets of guests after a game": guests.KEPT,
    "stored files that belong to no version": storage.KEPT,
    "notifications in the private feed": notifications.WINDOW,
    "source code of a deleted account": storage.KEPT,
}
"""The values of rows without a setting."""

_UNITS: Final = {
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "min": 60,
    "h": 3600,
    "days": 86_400,
    "day": 86_400,
}
_LIVE: Final = "Bots in live games have more time"


def rows() -> list[tuple[str, str, str]]:
    """The limit, the value and the setting of each row. Names of the second table of clocks end with ``(live)``."""
    table, live = list[tuple[str, str, str]](), False
    for line in PAGE.splitlines():
        live = line.startswith(_LIVE) or (live and not line.startswith("## "))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[1] != "default":
            table.append((f"{cells[0]} (live)" if live else cells[0], cells[1], cells[2]))
    return table


def quantity(text: str) -> float:
    """A value of the page in bytes, seconds or pieces: ``8 MiB``, ``30 min``, ``1,200 per min``."""
    number, *words = text.replace(",", "").split()
    return float(number) * (_UNITS.get(words[0], 1) if words else 1)


@pytest.fixture
def defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The limits in the settings of a site whose environment sets none, in bytes, seconds or pieces."""
    for name in [name for name in os.environ if name.startswith("MAX_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    values = runpy.run_path(str(SETTINGS))
    pace = values["REQUESTS_PER_MINUTE"]
    values |= {f'REQUESTS_PER_MINUTE["{scope}"]': value for scope, value in pace.items()}
    return values | {"MAX_PAGES_PER_MINUTE": pace["pages"], "BOT_LOG_DAYS": values["BOT_LOG_DAYS"] * 86_400}


def test_the_limits_on_the_page_are_those_of_the_code(defaults: dict[str, Any]) -> None:
    shown = {name: quantity(text) for name, text, _ in rows()}
    code = {name: defaults[key.strip("`")] if key.startswith("`") else FIXED[name] for name, _, key in rows()}
    in_seconds = {name: duration.total_seconds() for name, duration in code.items() if isinstance(duration, timedelta)}
    assert len(shown) == len(rows())
    assert shown == {**code, **in_seconds}


def test_the_page_lists_every_limit_of_the_settings() -> None:
    source = SETTINGS.read_text(encoding="utf-8")
    limits = set(re.findall(r"^(MAX_\w+) =", source, flags=re.MULTILINE))
    scopes = {f'REQUESTS_PER_MINUTE["{scope}"]' for scope in settings.REQUESTS_PER_MINUTE if scope != "pages"}
    assert len(limits) > 30
    assert limits | scopes | {"BOT_LOG_DAYS", "EXPORT_PAUSE_SECONDS", "MAX_PAGES_PER_MINUTE"} == {
        setting.strip("`") for _, _, setting in rows() if setting.startswith("`")
    }


def test_every_value_without_a_setting_is_on_the_page() -> None:
    assert set(FIXED) == {name for name, _, setting in rows() if not setting.startswith("`")}
