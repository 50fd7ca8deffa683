"""The site that commands connect to: credentials, API clients and local processes of remote bots."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Final

from bots.archives import ArchiveLimits
from bots.cli.frame import UsageError, cut
from bots.client import Client, ClientError, NoAnswer, Problem
from bots.client.calls import PATIENCE_S, GameStart
from bots.protocol import ClockLeft, Decide, End, Hello, Malformed, encode, is_ready, parse_answer
from bots.runner import PlatformFailure, Process
from bots.runner.channel import Channel, open_channel
from bots.runner.process_end import LAST_WORDS_MS, StdoutEnded, end_process, next_line

# --- Credentials -----------------------------------------------------------------------------------------------------

#: ESR_SITE: URL of the site. Default: the site of `esr login`.
SITE: Final = "ESR_SITE"
#: ESR_TOKEN: API token for the site. Default: the token of `esr login`.
TOKEN: Final = "ESR_TOKEN"  # noqa: S105 - the name of a variable
#: ESR_CONFIG_DIR: Folder that contains the credentials file. Default: `esr` in the user's configuration folder.
FOLDER: Final = "ESR_CONFIG_DIR"


@dataclass(frozen=True)
class Credentials:
    """URL of a site and an API token for it. Without a token (``""``), only public data can be read."""

    site: str
    token: str = ""

    def client(self, bot: str | None = None, patience_s: float = PATIENCE_S) -> Client:
        """Return an API client of the site. Raises ``UsageError`` if the URL is invalid."""
        try:
            return Client(self.site, self.token, bot, patience_s=patience_s)
        except ValueError as error:
            raise UsageError(str(error)) from error


def find_credentials(*, needs_token: bool = True) -> Credentials:
    """Read the credentials from the environment or the credentials file.

    Raises ``UsageError`` if the site or a required token is missing.
    """
    written = _written()
    site = os.environ.get(SITE) or str(written.get("site", ""))
    token = os.environ.get(TOKEN, "")
    if not token and site == written.get("site"):  # never send a token to another site
        token = str(written.get("token", ""))
    if not site:
        variables = f"{SITE} and {TOKEN}" if needs_token else f"{SITE} (public data needs no token)"
        raise UsageError(f"Not signed in. Run `esr login URL`, or set {variables}.")
    if needs_token and not token:
        raise UsageError(f"No token for {site}. Create an API token on its account page, then run `esr login {site}`.")
    return Credentials(site, token)


def keep(credentials: Credentials) -> Path:
    """Write the credentials file, readable only by its owner, and return its path. Raises ``UsageError``."""
    path = credentials_file()
    text = json.dumps({"site": credentials.site, "token": credentials.token}, indent=1) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with open(new, "w", encoding="utf-8", opener=_for_the_owner) as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from error
    return path


def credentials_file() -> Path:
    """Return the path of the credentials file. The file does not have to exist."""
    named = os.environ.get(FOLDER)
    if named:
        return Path(named) / "credentials.json"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / "esr" / "credentials.json"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "esr" / "credentials.json"


def _written() -> dict[str, Any]:
    path = credentials_file()
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"Cannot read {path}: {error}. Run `esr login URL` to replace it.") from error
    return document if isinstance(document, dict) else {}


def _for_the_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


# --- Limits ----------------------------------------------------------------------------------------------------------

_UPLOADS: Final = ("archive_bytes", "unpacked_bytes", "file_bytes", "files")
_SINCE: Final = ("executable_archive_bytes", "executable_unpacked_bytes")
"""Limits that older sites do not state; then those of other uploads apply."""


def ask_limits(client: Client, site: str) -> ArchiveLimits:
    """Ask the site for its limits of uploads, and remember them for :func:`known_limits`. Raises ``ClientError``."""
    document = client.get("uploads/limits")
    limits: dict[str, Any] = {name: document["limits"][name] for name in _UPLOADS}
    limits |= {name: document["limits"].get(name, limits[name.removeprefix("executable_")]) for name in _SINCE}
    limits |= {"libraries": document["libraries"], "languages": [each["name"] for each in document["languages"]]}
    with suppress(OSError):
        _limits_file().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _limits_file().write_text(json.dumps({"site": site, **limits}), encoding="utf-8")
    return ArchiveLimits(**limits)


def known_limits() -> ArchiveLimits:
    """Return the limits of uploads that the site of this user had when a command last asked, or else the defaults."""
    try:
        known = json.loads(_limits_file().read_bytes())
        if known["site"] == find_credentials(needs_token=False).site:
            limits: dict[str, Any] = {name: known[name] for name in (*_UPLOADS, *_SINCE, "libraries", "languages")}
            return ArchiveLimits(**limits)
    except (UsageError, OSError, ValueError, KeyError, TypeError):
        pass
    return ArchiveLimits()


def _limits_file() -> Path:
    return credentials_file().with_name("limits.json")


# --- Clients ---------------------------------------------------------------------------------------------------------

_MAY_BE_PRIVATE: Final = ("Ladder", "Match")
"""First words of the errors for pages that are hidden from users who are not members."""


@contextmanager
def site_client(
    bot: str | None = None,
    *,
    needs_token: bool = True,
    credentials: Credentials | None = None,
    patience_s: float = PATIENCE_S,
) -> Iterator[Client]:
    """Return an API client for ``credentials``, by default those of the user. Calls are retried for ``patience_s``.

    In the block, ``ClientError`` becomes ``UsageError``.
    """
    credentials = credentials or find_credentials(needs_token=needs_token)
    with credentials.client(bot, patience_s) as client:
        try:
            yield client
        except ClientError as error:
            raise UsageError(" ".join([f"{error} ({credentials.site})", *_advice(error, credentials)])) from error


def _advice(error: ClientError, credentials: Credentials) -> Iterator[str]:
    """Yield what to do if a name is taken, or if the site hides a private ladder or one of its matches."""
    if isinstance(error, Problem) and error.code == "name_taken":
        yield "To use the bot that you already have, add `--bot SLUG` with the slug in the URL of its page."
    if not isinstance(error, Problem) or error.status != HTTPStatus.NOT_FOUND:
        return
    if error.detail.startswith("Cup"):
        yield "Check the slug; `esr cup list` lists cups."
    if error.detail.startswith(_MAY_BE_PRIVATE):
        if credentials.token:
            yield "If it is private, join it with its invitation link first."
        else:
            yield "If it is private, join it with its invitation link and then sign in with `esr login`."


def bot_argument(parser: ArgumentParser) -> None:
    """Add ``--bot``."""
    parser.add_argument("--bot", metavar="SLUG", help="slug of your bot, as in the URL of its page")


# --- Remote bots -----------------------------------------------------------------------------------------------------

MS: Final = 1_000_000
GOODBYE_MS: Final = 1000
"""Time in milliseconds that a bot has to exit after ``end``."""

STARTS_A_DECISION: Final = 2
"""Maximum number of processes started for one decision. After that, the default move is played."""

Start = Callable[[], Process]


class ProcessPlayer:
    """A local bot process that plays one game on a site, under the same protocol rules as on the site.

    If the process exits, a new one is started with ``resumed`` set and receives the complete log.
    """

    def __init__(self, start: Start, begun: GameStart, tell: Callable[[str], None]) -> None:
        self._start, self._tell = start, tell
        self._hello: Hello = begun["message"]
        self._log: list[dict[str, Any]] = []
        self._process: Process | None = None
        self._channel: Channel | None = None
        self._begin()

    def decide(self, message: Decide) -> Any:
        """Return the bot's move. Raises ``NoAnswer`` if the site would count a strike or a forfeit."""
        self._log += message["log"]
        until_ns = perf_counter_ns() + _allowed_ms(message["clock"]) * MS
        for start in range(1, STARTS_A_DECISION + 1):
            if self._channel is None:
                self._begin()
                message = {**message, "log": self._log}
            assert self._channel is not None
            self._channel.send(encode(message))
            try:
                return self._answer(message["id"], until_ns)
            except NoAnswer as failure:
                if failure.reason != "exit":
                    raise
                if start == STARTS_A_DECISION:
                    raise
        raise AssertionError("a decision has at least one start")

    def end(self, message: End | None) -> None:
        """Send ``end`` and stop the process."""
        if self._channel is not None:
            if message is not None:
                self._channel.send(encode(message))
            self._channel.close_stdin()
        self._leave(GOODBYE_MS)

    # --- the process ---------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            self._process = self._start()
        except PlatformFailure as failure:
            raise NoAnswer("not_ready", f"Cannot start the bot: {failure}") from failure
        self._channel = open_channel(self._process)
        self._channel.send(encode(self._hello))
        self._hello = {**self._hello, "resumed": True}
        until_ns = perf_counter_ns() + self._hello["limits"]["startup_ms"] * MS
        try:
            while is_ready(self._line(until_ns) or b"") is not True:
                pass
        except NoAnswer as failure:
            self._leave(0)
            raise NoAnswer("not_ready", f"The bot did not send `ready`: {failure}") from failure

    def _leave(self, patience_ms: int) -> str:
        """End the process, show the last lines of its stderr, and return how it ended."""
        process, channel, self._process, self._channel = self._process, self._channel, None, None
        if process is None or channel is None:
            return ""
        try:
            end = end_process(process, channel, patience_ms)
        except PlatformFailure as failure:
            return str(failure)
        tail = channel.stderr_tail()
        for line in tail.splitlines()[-20:]:
            self._tell(f"stderr: {line}")
        return f"{end}; {end.advice(tail)}."

    # --- answers -------------------------------------------------------------------------------------------------

    def _answer(self, number: int, until_ns: int) -> Any:
        while True:
            line = self._line(until_ns)
            if line is None:
                raise NoAnswer("too_long", "The answer is longer than 64 KiB. Send only the move.")
            answer = parse_answer(line)
            if isinstance(answer, Malformed):
                raise NoAnswer("malformed", f"{answer.reason}: {cut(line.decode(errors='backslashreplace'))}")
            if answer.id == number:
                return answer.move
            if not 1 <= answer.id < number:
                raise NoAnswer("wrong_id", f"The answer has id {answer.id}; expected {number}.")

    def _line(self, until_ns: int) -> bytes | None:
        """Return the next line, or ``None`` if it is too long. Raises ``NoAnswer``."""
        assert self._process is not None and self._channel is not None
        try:
            return next_line(self._process, self._channel, until_ns)
        except TimeoutError as error:
            raise NoAnswer("late", "The bot did not answer in time.") from error
        except StdoutEnded as error:
            how = self._leave(LAST_WORDS_MS)
            raise NoAnswer("exit", how[:1].upper() + how[1:]) from error


def _allowed_ms(clock: ClockLeft) -> int:
    """Return the time for a decision in milliseconds. The site's own clock started slightly earlier."""
    return min(clock["move_ms"] + clock["bank_ms"], clock["game_ms"])
