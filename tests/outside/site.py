"""A running site for outside programs: the web server, workers and the scheduler on a new SQLite database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

from bots.client import Client, play
from tests.services.ports import free_port, wait_until
from tests.services.redis import redis_server
from tests.services.workers import processes

DUEL = "edel-stein-reich-duel"
LIMITS = ("MAX_UPLOADS_PER_HOUR", "MAX_BOTS_PER_USER", "MAX_BOTS_EVER_PER_USER", "MAX_QUEUED_VALIDATIONS_PER_USER")
WHOLE_GAME = "whole game"
OWNERS = count(1)


@dataclass(frozen=True)
class Site:
    """A site at ``url`` with the user *outside*, whose ``token`` and ``client`` may do everything."""

    url: str
    token: str
    client: Client

    def validated(self, bot: str) -> Any:
        """Return version 1 of ``bot`` when its validation has ended."""
        answers: dict[str, Any] = {}

        def has_ended() -> bool:
            answers.update(self.client.get(f"bots/{bot}/versions/1"))
            return answers["state"] in {"ready", "refused", "undecided"}

        wait_until(has_ended, f"{bot} is validated", 600, every_s=0.5)
        return answers

    def remote_bot(self, games_at_once: int = 1) -> str:
        """Register a remote bot for the duel of a new user, and return its token."""
        from bots.models import RemoteBot
        from esr_platform.accounts import tokens
        from esr_platform.accounts.models import Scope
        from ladder.members.memberships import register
        from tests.build import verified

        # A program that polled counts as online for a while after its end.
        RemoteBot.objects.filter(games_at_once=1).update(games_at_once=0)
        number = next(OWNERS)
        owner = verified(f"owner{number}")
        bot = register(owner, f"Outside {number}", {DUEL: [2]}, games_at_once=games_at_once).bot
        return tokens.issue(owner, "program", [Scope.PLAY], None, bot)[1]

    def played(self, printed: str) -> str:
        """Return how the match whose id a program printed last was played: a whole game if bots made every move."""
        from ladder.models import PlayedMove

        *_, match = printed.split() or [""]
        if not match.isdecimal():
            return f"no match, but: {printed[-3000:]}"
        status = self.client.get(f"matches/{match}")["status"]
        by_default = PlayedMove.objects.filter(match=match).exclude(default="").count()
        return WHOLE_GAME if (status, by_default) == ("finished", 0) else f"{status}, {by_default} default moves"


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
        "ESR_BOT_PACKAGES": "",  # the NumPy of Debian would bring libraries of Fortran into the sandbox
        **dict.fromkeys(LIMITS, "10000"),
    }
    with redis_server(folder) as redis:
        os.environ.update(environment, REDIS_URL=redis, DJANGO_SETTINGS_MODULE="esr_platform.settings")
        import django

        django.setup()
        from django.core.management import call_command

        from esr_platform.accounts import tokens
        from esr_platform.accounts.models import Scope
        from ladder.models import Ladder
        from tests.build import verified

        call_command("migrate", verbosity=0)
        call_command("open_house", verbosity=0)
        Ladder.objects.exclude(players=Ladder.Players.REMOTE).update(open=False)
        token = tokens.issue(verified("outside"), "outside", list(Scope), None)[1]
        url = f"http://127.0.0.1:{free_port()}"
        with processes({**environment, "REDIS_URL": redis}) as group, Client(url, token, patience_s=180) as client:
            group.web(int(url.rpartition(":")[2]))
            group.worker("default,live")
            group.worker("validations")
            group.beat()
            client.get("ladders")  # The client repeats the request until the web server answers.
            site = Site(url, token, client)
            Thread(target=_opponent, args=(url, site.remote_bot(games_at_once=8)), daemon=True).start()
            yield site


def _opponent(url: str, token: str) -> None:
    """Play all games that the site offers, with the default moves."""

    class Opponent:
        def choose(self, decision: Any, view: Any, log: Any) -> Any:
            return decision["default"]

    with Client(url, token) as client:
        play(client, lambda hello: Opponent())
