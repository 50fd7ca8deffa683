"""``esr watch GAME``: a live game in sentences, as everybody may see it, a round behind."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from bots.local.asking import site_client
from bots.local.command import Command
from bots.local.screen import Screen
from games.registry import GAMES


def arguments(parser: ArgumentParser) -> None:
    """The game."""
    parser.add_argument("game", type=int, metavar="GAME", help="the number of a live match")


def run(options: Namespace, screen: Screen) -> int:
    """Say what has become public as it does, until the game has ended."""
    with site_client(needs_token=False) as client:
        telling: _Telling | None = None
        end: dict[str, Any] = {}
        for event in client.watch(options.game):
            if event["type"] == "game" and telling is None:
                telling = _Telling([str(player["name"]) for player in event["players"]])
                screen.say(f"game {options.game}, {event['ladder']}: {', '.join(telling.names)}")
            elif telling is not None:
                for line in telling.lines(event):
                    screen.say(line)
            if event["type"] == "game_end":
                end = event
    outcome = end.get("outcome")
    said = f"ranks {outcome['ranks']}" if outcome else end.get("reason") or "no result"
    screen.say(f"game {options.game} {end.get('status', 'has ended')}: {said}")
    screen.answer({"ok": True, "game": options.game, "status": end.get("status"), "outcome": outcome})
    return 0


class _Telling:
    """The sentences of a game that have not been said yet."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._entries: list[dict[str, Any]] = []
        self._title = ""
        self._said = 0

    def lines(self, event: dict[str, Any]) -> Iterator[str]:
        """What ``event`` adds to what was said, under a heading a round."""
        view, self._entries = event.get("view"), self._entries + event.get("log", [])
        if view is None or view["game"] not in GAMES:
            return
        game = GAMES[view["game"]]
        log = {"format": "game-log/1", "game": game.slug, "rules": game.rules, "seats": view["seats"], "seat": None,
               "commitment": None, "entries": self._entries, "outcome": event.get("outcome")}  # fmt: skip
        told = [
            (chapter.title, line) for chapter in game.story(log, self.names, by_step=True) for line in chapter.sentences
        ]
        for title, line in told[self._said :]:
            if title != self._title:
                self._title = title
                yield f"\n{title}"
            yield f"  {line}"
        self._said = max(self._said, len(told))


COMMAND = Command(
    "watch",
    "Follow a live game in sentences, a round behind, as everybody may.",
    """\
  esr watch 1234

The number is that of its match. While a game runs nobody but its seats sees more than the rounds before the last one;
when it has ended, all of it is told. No token is needed but for private ladders.""",
    arguments,
    run,
)
