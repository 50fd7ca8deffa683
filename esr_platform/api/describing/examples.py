"""Examples in the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

# --- Documents -------------------------------------------------------------------------------------------------------

_SITE: Final = "https://arena.example.org/api/v1"
THEN, _NOW = "2026-11-21T18:00:00Z", "2026-11-22T09:30:12.481516Z"
_SHA: Final = "9f0c5be44f3a7c5f7a1d2d3b8f1c8e0a4f2b6d7c9e1a3b5c7d9e0f1a2b3c4d5e"
LADDER: Final = "edel-stein-reich-4"

_WHO: Final = {"bot": "citrine", "name": "Citrine", "kind": "hosted", "owner": "miriam", "house": False}
_HOUSE: Final = {"bot": "house-greedy", "name": "Greedy", "kind": "hosted", "owner": None, "house": True}


def part(row: dict[str, Any], following: str | None = None) -> dict[str, Any]:
    return {"next": f"{_SITE}/{following}" if following else None, "results": [row]}


GAME: Final = {
    "slug": "die-weinhaendler",
    "name": "Die Weinhändler",
    "rules": "1",
    "seats": [3, 4, 5],
    "scores": ["points"],
    "documents": ["record", "match-log", "log", "view", "decision", "hello", "decide", "end", "ready", "answer"],
    "guide": "# Die Weinhändler\n…",
}
_SEASON: Final = {"number": 2, "opened": THEN, "closes_at": None, "closing": None, "closed": None}
LADDERS: Final = {
    "slug": LADDER,
    "name": "Edel, Stein & Reich, 4 players",
    "game": "edel-stein-reich",
    "seats": 4,
    "players": "hosted",
    "open": True,
    "by_invitation": False,
    "private": False,
    "freezes_at": None,
    "limits": {"startup_ms": 3000, "move_ms": 1000, "bank_ms": 10000, "game_ms": 60000, "memory_mb": 512},
    "created": THEN,
    "bots": 12,
    "games": 48212,
    "season": _SEASON,
}
_ESTIMATE: Final = {
    "version": 3,
    "rating": 1688.2,
    "low": 1671.5,
    "high": 1704.9,
    "rank_low": 1,
    "rank_high": 2,
    "blocks": 512,
    "games": 2048,
    "computed": _NOW,
}
ENTRY: Final = {
    "rank": 1,
    **_WHO,
    "rating": 1702.413,
    "last_change": 3.127,
    "games": 2048,
    "wins": 811.5,
    "active": True,
    "provisional": False,
    "estimate": _ESTIMATE,
}
_SERIES: Final = {"name": LADDER, "kind": "ladder", "deals": 812, "key_hash": _SHA, "key": None}
ONE_SEASON: Final = {"ladder": LADDER, **_SEASON, "winners": [], "series": [_SERIES]}
STANDING: Final = {"rank": 1, **_WHO, "rating": 1702.413, "games": 2048, "wins": 811.5}
VERSION: Final = {
    "bot": "citrine",
    "number": 3,
    "label": "",
    "state": "ready",
    "active": True,
    "digest": _SHA,
    "language": "python",
    "claims": {"edel-stein-reich": [3, 4, 5]},
    "created": THEN,
    "checked": _NOW,
    "reason": None,
    "filename": None,
    "size": None,
}
BOT: Final = {
    "slug": "citrine",
    "name": "Citrine",
    "kind": "hosted",
    "description": "Counts gems.",
    "owner": "miriam",
    "house": False,
    "created": THEN,
    "retired": None,
    "paused": None,
    "pause_reason": "",
    "suspended": False,
    "public_source": False,
    "version": 3,
    "ladders": [{"ladder": LADDER, "rating": 1702.413, "games": 2048, "active": True}],
}
RATING: Final = {
    "number": 48211,
    "match": 51007,
    "season": 2,
    "version": 3,
    "rank": 1,
    "before": 1699.286,
    "after": 1702.413,
    "counted": _NOW,
}
_SEATED: Final = {"version": 3, "label": "", "forfeit": ""}
_FIRST: Final = {
    "seat": 0,
    **_WHO,
    **_SEATED,
    "rank": 1,
    "score": {"money": 95, "gems": [3, 2, 4, 1]},
    "rating_before": 1699.286,
    "rating_after": 1702.413,
}
_SECOND: Final = {
    "seat": 1,
    **_HOUSE,
    **_SEATED,
    "rank": 2,
    "score": {"money": 81, "gems": [1, 2, 0, 5]},
    "rating_before": 1502.0,
    "rating_after": 1498.873,
}
MATCH: Final = {
    "id": 51007,
    "ladder": "edel-stein-reich-duel",
    "game": "edel-stein-reich-duel",
    "seats": 2,
    "season": 2,
    "purpose": "ladder",
    "rated": True,
    "live": False,
    "status": "finished",
    "reason": "",
    "open": True,
    "created": THEN,
    "started": _NOW,
    "ended": _NOW,
    "players": [_FIRST, _SECOND],
}
DEAL: Final = {
    "series": "edel-stein-reich-duel",
    "number": 5100,
    "commitment": _SHA,
    "seed": _SHA,
    "games": [{"id": 51007, "status": "finished"}, {"id": 51008, "status": "finished"}],
}
PAIR: Final = {
    "bot": "citrine",
    "opponent": "house-greedy",
    "games": 640,
    "blocks": 160,
    "share": {"value": 0.71, "low": 0.67, "high": 0.75},
    "bought": 512,
    "paid": 1490,
    "sold": 488,
    "received": 1377,
}
PERSON: Final = {"username": "miriam", "since": THEN, "suspended": False, "bots": ["citrine"], "player": "miriam"}
RECORD: Final = {
    "format": "game-record/1",
    "game": "edel-stein-reich-duel",
    "rules": "1",
    "seats": 2,
    "seed": _SHA,
    "commitment": _SHA,
    "steps": [{"chance": "age_order", "seats": [1, 0]}],
    "outcome": {"ranks": [1, 2], "scores": [_FIRST["score"], _SECOND["score"]]},
}
LOG: Final = {
    "format": "game-log/1",
    "game": "edel-stein-reich-duel",
    "rules": "1",
    "seats": 2,
    "seat": None,
    "commitment": _SHA,
    "outcome": RECORD["outcome"],
    "entries": [{"ply": 0, "step": {"chance": "age_order", "seats": [1, 0]}}],
}
LIMITS: Final = {
    "limits": {"archive_bytes": 8388608, "unpacked_bytes": 16777216, "files": 200},
    "playing": {"startup_ms": 3000, "move_ms": 1000, "bank_ms": 10000, "game_ms": 60000, "memory_mb": 512},
    "languages": [{"name": "python", "title": "Python", "about": "3.11", "version": "3.11.2", "numpy": ""}],
}
UPLOADED: Final = {
    **VERSION,
    "state": "received",
    "active": False,
    "checked": None,
    "reason": "",
    "filename": "bot.zip",
    "size": 4096,
    "check_report": None,
}

OWN_BOT: Final = {
    "slug": "garnet",
    "name": "Garnet",
    "version": 2,
    "label": "epoch-40",
    "games": {"edel-stein-reich": [4]},
    "games_at_once": 4,
    "here": True,
    "available": True,
    "paused": None,
    "pause_reason": "",
    "running": [{"game": 4711, "decision": 3}],
    "answer_ms": 812,
    "network_ms": 31,
}
STANDING_THERE: Final = {
    "ladder": LADDER,
    "bot": "citrine",
    "active": True,
    "declined": False,
    "rating": 1702.413,
    "games": 2048,
}
ORDER: Final = {
    "id": 93,
    "kind": "test",
    "ladder": LADDER,
    "state": "running",
    "reason": "",
    "blocks": 20,
    "blocks_ended": 3,
    "margin": None,
    "verdict": "",
    "due_at": None,
    "created": THEN,
    "ended": None,
    "matches": [51007, 51008],
    "players": [
        {"part": "seat", "bot": "citrine", "version": 3, "score": {"value": 0.61, "low": 0.52, "high": 0.7}},
        {"part": "seat", "bot": "house-greedy", "version": 1, "score": None},
    ],
}

CHALLENGE: Final = {
    "id": 12,
    "ladder": "edel-stein-reich-duel-open",
    "game": "edel-stein-reich-duel",
    "seats": 2,
    "by": "miriam",
    "state": "open",
    "players": [
        {"bot": "garnet", "name": "Garnet", "owner": "miriam", "accepted": True},
        {"bot": "opal", "name": "Opal", "owner": "ada", "accepted": None},
    ],
    "rated": False,
    "limits": {"startup_ms": 3000, "move_ms": 5000, "bank_ms": 60000, "game_ms": 600000, "memory_mb": 512},
    "expires": _NOW,
    "match": None,
}


# --- Endpoints -------------------------------------------------------------------------------------------------------

EXAMPLES: Final[dict[str, Any]] = {
    "games": part(GAME),
    "game": GAME,
    "game_schema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
    "ladders": part(LADDERS),
    "ladder": LADDERS,
    "members": part(ENTRY, f"ladders/{LADDER}/members?limit=1&cursor=1702413_17"),
    "seasons": part(ONE_SEASON),
    "season": ONE_SEASON,
    "standings": part(STANDING),
    "ladder_matches": part(MATCH),
    "bots": part(BOT, "bots?limit=1&cursor=12"),
    "bot": {**BOT, "versions": [VERSION]},
    "versions": part(VERSION),
    "version": {**VERSION, "check_report": None},
    "ratings": part(RATING),
    "bot_matches": part(MATCH),
    "matches": part(MATCH, "matches?limit=1&cursor=51007"),
    "match": {**MATCH, "deal": DEAL, "ledger": {"result": 48211, "void": None}, "occupants": [], "outages": []},
    "record": RECORD,
    "log": LOG,
    "replay": {"format": "replay/1"},
    "head_to_head": part(PAIR),
    "person": PERSON,
    "limits": LIMITS,
    "upload_bot": UPLOADED,
    "upload_version": UPLOADED,
    "activate_version": UPLOADED,
    "challenges": {"results": [CHALLENGE]},
    "challenge": CHALLENGE,
    "challenge_state": CHALLENGE,
    "accept_challenge": CHALLENGE,
    "decline_challenge": CHALLENGE,
    "withdraw_challenge": CHALLENGE,
    "own_bot": OWN_BOT,
    "declare": OWN_BOT,
    "join_ladder": STANDING_THERE,
    "leave_ladder": STANDING_THERE,
    "order": ORDER,
    "order_state": ORDER,
    "cancel_order": ORDER,
    "own_token": {
        "owner": "miriam",
        "name": "laptop",
        "scopes": ["play", "read"],
        "bot": None,
        "created": THEN,
        "expires": None,
    },
}
"""By operation."""
