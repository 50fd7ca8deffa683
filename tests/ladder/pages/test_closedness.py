"""While one game of a block is still to be played, nothing of its deal is anywhere: every page, as everybody."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest
from django.test import Client

from bots.models import Bot
from games.record import replay
from games.registry import GAMES
from games.replays import replay_document
from games.rules import Document
from ladder.matches.blocks import BlockPlayer
from ladder.matches.logs import unpacked
from ladder.matches.play import play
from ladder.models import Block, DealSeries, Ladder, Match, Result, Season, SeatLog
from ladder.packing import unpack
from ladder.seasons import close, publish_keys
from tests.build import (
    DUEL,
    active_version,
    block_on,
    finish_game,
    games_of,
    make_void,
    person,
    scheduled,
    staff,
    uploaded,
)
from tests.ladder.pages.walk import walk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house", "sandbox_launcher")]

CHATTY = b"""\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sys.stderr.write("WHAT I HAVE SEEN".lower() + line)
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide" and message["id"] == 3:
        print('{"id": 3, "move": "%s"}' % "AN ANSWER THAT IS NONE".lower(), flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""


@dataclass(frozen=True)
class Site:
    """Two blocks with finished games: a duel, one of two games played by ``bot``; a table of four, one left over."""

    bot: Bot
    duel: Block
    four: Block

    @property
    def blocks(self) -> tuple[Block, Block]:
        return self.duel, self.four

    @property
    def values(self) -> dict[str, Sequence[object]]:
        """What addresses can name."""
        matches = [match.pk for block in self.blocks for match in games_of(block)]
        bots = [self.bot, games_of(self.four)[0].seats.get(index=0).version.bot]
        slugs = [DUEL, "edel-stein-reich-4", *(bot.slug for bot in bots), "edel-stein-reich"]
        numbers = [1, 2]
        known = {"slug": slugs, "match_id": matches, "index": [0, 1], "number": numbers, "bot_id": [bots[0].pk]}
        known["username"] = [bot.owner.username for bot in bots if bot.owner] + ["nobody"]
        return _Otherwise(numbers, known)


class _Otherwise(dict[str, Sequence[object]]):
    """Values for parameters that nobody has thought of when this was written."""

    def __init__(self, otherwise: Sequence[object], known: Mapping[str, Sequence[object]]) -> None:
        super().__init__(known)
        self.otherwise = otherwise

    def __missing__(self, name: str) -> Sequence[object]:
        return self.otherwise


@pytest.fixture
def site(settings: Any) -> Site:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "files": 10_000}  # every file is looked into
    bot = uploaded(person("ada"), source=CHATTY)
    person("bob")
    staff("eve")
    ladder = Ladder.objects.get(slug=DUEL)
    other = ladder.memberships.filter(bot__owner=None).select_related("bot").earliest("pk")
    own = ladder.memberships.get(bot=bot)
    duel = scheduled(ladder, [BlockPlayer(active_version(membership.bot), membership) for membership in (own, other)])
    assert play(games_of(duel)[0].pk) == "finished"
    four = block_on(Ladder.objects.get(slug="edel-stein-reich-4"))
    finished, forfeited, void, _ = games_of(four)
    finish_game(finished)
    finish_game(forfeited, 1, {2: "exit"})
    make_void(void)
    return Site(bot, duel, four)


def finish(block: Block) -> None:
    """Play the game that is left."""
    for match in games_of(block):
        if match.status == Match.Status.QUEUED:
            finish_game(match, 3)
    block.refresh_from_db()
    assert block.ended


def spelled(secret: bytes) -> Iterator[str]:
    """The ways in which bytes are written."""
    yield from (secret.hex(), secret.hex().upper(), repr(secret)[2:-1])
    yield from (encode(secret).decode().rstrip("=") for encode in (b64encode, urlsafe_b64encode))


def bare(text: str) -> str:
    """Only what cards, moves and sentences consist of, however a page or a document puts them together."""
    return re.sub(r"[^A-Za-z0-9:_]", "", unescape(text))


def decks(record: Document) -> Iterator[str]:
    """Five cards that lie together, of every chance step."""
    for step in record["steps"]:
        for place in range(len(step.get("cards", ())) - 4):
            yield bare("".join(step["cards"][place : place + 5]))


def sentences(match: Match, record: Document) -> Iterator[str]:
    """The told game."""
    names = [seat.version.bot.name for seat in match.seats.select_related("version__bot").order_by("index")]
    for chapter in GAMES[record["game"]].presentation.story(replay(record).log(None), names):
        yield from (bare(sentence) for sentence in chapter.sentences if len(sentence) > 30)


def replayed(record: Document) -> Iterator[str]:
    """The sentences of the replay, which has no names."""
    for lines in replay_document(record)["sentences"]:
        yield from (bare(sentence) for sentence in lines if len(sentence) > 30)


def said_in(log: Document) -> Iterator[str]:
    """What only an owner's log has, not even the code of the bot."""
    yield from (log["starts"][0]["hello"]["seed"], "what I have seen", "an answer that is none")


def closed_of(block: Block) -> dict[str, set[str]]:
    """Everything that nobody may know of ``block``, by what it is."""
    secrets: dict[str, set[str]] = {"seed": set(spelled(bytes(block.seed)))}
    for result in Result.objects.filter(match__block=block).select_related("match"):
        record = unpack(bytes(result.packed_record))
        secrets.setdefault("record", set()).update(spelled(bytes(result.packed_record)[40:]))
        secrets.setdefault("deck", set()).update(decks(record))
        secrets.setdefault("story", set()).update(sentences(result.match, record))
        secrets.setdefault("replay", set()).update(replayed(record))
    secrets["evidence"] = {bare(text)[1:] for text in evidence(block)}
    for log in SeatLog.objects.filter(seat__match__block=block):
        secrets.setdefault("log", set()).update(map(bare, said_in(unpacked(bytes(log.packed)))))
    return secrets


def evidence(block: Block) -> Iterator[str]:
    for match in games_of(block):
        for seat in match.seats.select_related("result").exclude(result=None).exclude(result__evidence=""):
            yield seat.result.evidence


def keys() -> set[str]:
    return {word for series in DealSeries.objects.all() for word in spelled(bytes(series.key))}


def everything_seen(site: Site, user: str | None) -> dict[str, str]:
    """By address, all that ``user`` gets; ``None`` has not signed in.

    But for tutorials: each plays a deal of its own, with sentences that other games have, too.
    """
    client = Client()
    if user is not None:
        client.force_login(person_called(user))
    seen = {}
    for address, status, text in walk(client, site.values):
        assert status < 500, address
        if "/tutorial/" not in address:
            seen[address] = f"{text}\n{bare(text)}"
    assert len(seen) > 100
    return seen


def person_called(name: str) -> Any:
    from esr_platform.accounts.models import User

    return User.objects.get(username=name)


def leaks(seen: Mapping[str, str], closed: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Where which kind of secret stands."""
    words = [(kind, word) for kind, secrets in closed.items() for word in secrets]
    return sorted({(address, kind) for address, text in seen.items() for kind, word in words if word in text})


@pytest.mark.slow
def test_nothing_of_a_deal_is_anywhere_before_the_last_game_of_its_block(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    closed = {**closed_of(site.duel), "key": keys()}
    assert {"seed", "record", "deck", "story", "replay", "log"} <= set(closed)
    four = closed_of(site.four)
    assert {"seed", "record", "deck", "story", "evidence"} <= set(four)
    for user in (None, "ada", "bob", "eve"):
        seen = everything_seen(site, user)
        assert leaks(seen, closed) == leaks(seen, four) == [], user
    written = caplog.text + bare(caplog.text)
    assert leaks({"log lines": written}, closed) == leaks({"log lines": written}, four) == []


@pytest.mark.slow
def test_all_of_it_is_open_once_the_last_game_is_over_and_the_key_once_the_season_is(site: Site) -> None:
    for block in site.blocks:
        finish(block)
    seen = everything_seen(site, None)
    kinds = {kind for _, kind in leaks(seen, closed_of(site.duel))} | {k for _, k in leaks(seen, closed_of(site.four))}
    assert {"seed", "deck", "story", "replay", "evidence"} <= kinds
    assert "log" not in kinds
    assert leaks(everything_seen(site, "bob"), {"key": keys(), "log": closed_of(site.duel)["log"]}) == []
    for user in ("ada", "eve"):
        assert (log := leaks(everything_seen(site, user), {"log": closed_of(site.duel)["log"]}))
        assert {address.split("/")[1] for address, _ in log} == {"matches"}
    own = DealSeries.objects.filter(season__ladder__slug=DUEL)
    close(Season.objects.get(ladder__slug=DUEL, closed=None))
    publish_keys()
    published = {word for series in own.filter(season__number=1) for word in spelled(bytes(series.key))}
    secret = keys() - published
    shown = everything_seen(site, None)
    assert leaks(shown, {"key": published})
    assert leaks(shown, {"key": secret}) == []


def test_the_page_of_a_finished_game_says_what_it_waits_for(site: Site, client: Client) -> None:
    first, left = games_of(site.duel)
    page = client.get(f"/matches/{first.pk}/").content.decode()
    assert 'data-pending="1"' in page
    assert f'href="/matches/{left.pk}/"' in page
    assert "data-live" in page
    for document in ("record", "replay.json"):
        assert client.get(f"/matches/{first.pk}/{document}").status_code == 404
    assert "game-replay" not in page
    finish(site.duel)
    page = client.get(f"/matches/{first.pk}/").content.decode()
    assert bytes(site.duel.seed).hex() in page
    assert "data-live" not in page
    assert "game-replay" in page
    for document in ("record", "replay.json"):
        assert client.get(f"/matches/{first.pk}/{document}").status_code == 200
