"""How one leads from an answer to the next question: the links of the OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST: Final = "$response.body#/results/0/"
BODY: Final = "$response.body#/"


@dataclass(frozen=True)
class Link:
    """From an answer of the operation ``source`` to ``target``; ``parameters`` say where in the answer they stand."""

    source: str
    target: str
    parameters: dict[str, str]

    @property
    def name(self) -> str:
        """What it is called, once a response."""
        return f"{self.target}_by_{'_'.join(self.parameters)}"


def _from_list(source: str, target: str, **parameters: str) -> Link:
    return Link(source, target, {name: FIRST + field for name, field in parameters.items()})


def _from_one(source: str, target: str, **parameters: str) -> Link:
    return Link(source, target, {name: BODY + field for name, field in parameters.items()})


_MATCHES: Final = ("matches", "ladder_matches", "bot_matches")

LINKS: Final[tuple[Link, ...]] = (
    _from_list("games", "game", slug="slug"),
    _from_one("game", "game_schema", slug="slug", document="documents/0"),
    _from_list("ladders", "ladder", slug="slug"),
    *(_from_one("ladder", target, slug="slug") for target in ("entries", "ladder_matches", "seasons")),
    _from_one("ladder", "head_to_head", ladder="slug"),
    _from_one("ladder", "season", slug="slug", number="season/number"),
    _from_list("seasons", "season", slug="ladder", number="number"),
    _from_one("season", "standings", slug="ladder", number="number"),
    *(_from_list("entries", target, slug="bot") for target in ("bot", "bot_matches")),
    _from_list("standings", "bot", slug="bot"),
    _from_list("head_to_head", "bot", slug="opponent"),
    _from_list("bots", "bot", slug="slug"),
    *(_from_one("bot", target, slug="slug") for target in ("bot_matches", "versions")),
    _from_one("bot", "ratings", slug="slug", ladder="ladders/0/ladder"),
    _from_one("bot", "person", username="owner"),
    _from_list("versions", "version", slug="bot", number="number"),
    *(_from_list(source, "match", match_id="id") for source in _MATCHES),
    *(_from_one("match", target, match_id="id") for target in ("record", "log", "replay")),
    _from_one("match", "ladder", slug="ladder"),
    _from_one("match", "bot", slug="players/0/bot"),
    _from_list("ratings", "match", match_id="match"),
    _from_one("person", "bot", slug="bots/0"),
    *(_from_one(source, "version", slug="bot", number="number") for source in ("upload_bot", "upload_version")),
    _from_one("order", "order_state", order_id="id"),
    _from_one("order_state", "match", match_id="matches/0"),
)
