"""Remote bots visit a demo site: bots of the house run beside it, and play live games through the client as others do.

Nothing here plays: each is ``esr play-remote`` in a process of its own, with a token of its owner for the evening.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token
from esr_platform.demonstrating.cast import VISITORS, Visitor
from esr_platform.demonstrating.people import person
from esr_platform.supervising.site import Place
from ladder.models import Ladder, Match

GAMES: Final = 4
"""So many each plays on its ladder before it goes; together they make live ladders look alive."""

_EVENING: Final = timedelta(hours=12)
_GOING_S: Final = 10.0


@dataclass
class Visit:
    """The visitors of one run. Called again and again, it is over when their ladders have enough games."""

    place: Place
    _playing: dict[Visitor, subprocess.Popen[bytes]] = field(default_factory=dict)
    _tokens: list[Token] = field(default_factory=list)

    def __call__(self) -> bool:
        """Let whoever is missing come; whether all of them have played."""
        wanted = [visitor for visitor in VISITORS if not _has_played(visitor)]
        for visitor in wanted:
            if visitor not in self._playing:
                self._playing[visitor] = self._come(visitor)
        return not wanted

    def end(self) -> None:
        """Nobody plays any more, and their tokens open nothing."""
        for process in self._playing.values():
            process.terminate()
        for process in self._playing.values():
            try:
                process.wait(_GOING_S)
            except subprocess.TimeoutExpired:
                process.kill()
        for token in self._tokens:
            tokens.revoke(token.user, token.pk)

    def _come(self, visitor: Visitor) -> subprocess.Popen[bytes]:
        scopes = [Scope.READ, Scope.PLAY, Scope.UPLOAD, Scope.MANAGE]
        token, secret = tokens.issue(person(visitor.owner), "an evening of live games", scopes, _EVENING)
        self._tokens.append(token)
        said = ["play-remote", f"house:{visitor.house}", "--ladder", visitor.ladder, "--games", str(GAMES)]
        return subprocess.Popen(
            [sys.executable, "-m", "bots.cli", *said, "--name", visitor.name, "--label", visitor.label],
            cwd=self.place.code,
            env={**os.environ, "ESR_SITE": self.place.url.rstrip("/"), "ESR_TOKEN": secret},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextmanager
def visits(place: Place) -> Iterator[Visit]:
    """A visit that ends with this."""
    visit = Visit(place)
    try:
        yield visit
    finally:
        visit.end()


def _has_played(visitor: Visitor) -> bool:
    """Whether its ladder has enough games with it, or is not there."""
    played = Match.objects.filter(
        ladder__slug=visitor.ladder,
        status=Match.Status.FINISHED,
        seats__version__bot__owner__username=visitor.owner,
        seats__version__bot__name=visitor.name,
    )
    return played.count() >= GAMES or not Ladder.objects.filter(slug=visitor.ladder).exists()
