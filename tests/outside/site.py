"""A running site for outside programs: the web server, workers and the scheduler on a new SQLite database."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

from tests.services.ports import free_port, wait_until
from tests.services.redis import redis_server
from tests.services.workers import processes

DUEL = "edel-stein-reich-duel"
LIMITS = ("MAX_UPLOADS_PER_HOUR", "MAX_BOTS_PER_USER", "MAX_BOTS_EVER_PER_USER", "MAX_QUEUED_VALIDATIONS_PER_USER")


@dataclass
class Site:
    """A site at ``url`` with the user *outside*, whose ``token`` may do everything. ``log`` is the web server's."""

    url: str
    token: str
    bots: int = 0

    def get(self, path: str) -> Any:
        """Return a document of the API."""
        return self._call(path, None, {})[1]

    def upload(self, path: str, archive: Path) -> tuple[int, Any]:
        """Upload ``archive`` as a form to ``path`` of the API, and return the status and the document."""
        name = f"Program {self.bots}"
        self.bots += 1
        boundary = "outside-program"
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\n{name}\r\n' if path == "bots" else ""
        )
        head += (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{archive.name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode() + archive.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        return self._call(path, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def validated(self, bot: str) -> Any:
        """Return version 1 of ``bot`` when its validation has ended."""
        found: dict[str, Any] = {}

        def has_ended() -> bool:
            found.update(self.get(f"bots/{bot}/versions/1"))
            return found["state"] in {"ready", "refused", "undecided"}

        wait_until(has_ended, f"{bot} is validated", 600, every_s=0.5)
        return found

    def remote_bot(self, games_at_once: int = 1) -> tuple[str, str]:
        """Register a remote bot for the duel of a new user. Return its slug and its token."""
        from esr_platform.accounts import tokens
        from esr_platform.accounts.models import Scope
        from ladder.members.memberships import register
        from tests.build import verified

        self.bots += 1
        owner = verified(f"owner{self.bots}")
        bot = register(owner, f"Outside {self.bots}", {DUEL: [2]}, games_at_once=games_at_once).bot
        return bot.slug, tokens.issue(owner, "program", [Scope.PLAY], None, bot)[1]

    def _call(self, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}", **headers}
        request = urllib.request.Request(f"{self.url}/api/v1/{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    """Start a site with its data in ``folder``, and an opponent for remote bots. Settings are read once per process."""
    environment = {
        "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
        "VAR_DIR": str(folder),
        "LOG_LEVEL": "ERROR",
        "SECRET_KEY": sha256(str(folder).encode()).hexdigest(),
        "EMAIL_URL": "dummymail://",
        "MAX_HOUSE_BLOCKS_PER_HOUR": "0",
        **dict.fromkeys(LIMITS, "10000"),
    }
    with redis_server(folder) as redis:
        os.environ.update(environment, REDIS_URL=redis, DJANGO_SETTINGS_MODULE="esr_platform.settings")
        import django

        django.setup()
        from django.core.management import call_command

        from ladder.models import Ladder

        call_command("migrate", verbosity=0)
        call_command("open_house", verbosity=0)
        Ladder.objects.exclude(players=Ladder.Players.REMOTE).update(open=False)
        with processes({**environment, "REDIS_URL": redis}) as group:
            port = free_port()
            group.web(port)
            group.worker("default,live")
            group.worker("checks")
            group.beat()
            site = Site(f"http://127.0.0.1:{port}", _token())
            wait_until(lambda: _answers(site), "the web server answers")
            Thread(target=_opponent, args=(site.url, site.remote_bot(games_at_once=8)[1]), daemon=True).start()
            yield site


def _token() -> str:
    from esr_platform.accounts import tokens
    from esr_platform.accounts.models import Scope
    from tests.build import verified

    return tokens.issue(verified("outside"), "outside", list(Scope), None)[1]


def _answers(site: Site) -> bool:
    try:
        return bool(site.get("ladders"))
    except OSError:
        return False


def _opponent(url: str, token: str) -> None:
    """Play all games that the site offers, with the default moves."""
    from bots.client import Client, play

    class Opponent:
        def choose(self, decision: Any, view: Any, log: Any) -> Any:
            return decision["default"]

    with Client(url, token) as client:
        play(client, lambda hello: Opponent())
