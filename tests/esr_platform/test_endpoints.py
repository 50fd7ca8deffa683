"""No endpoint shows more of a running live game than spectators may see, whoever reads it.

While a round is played, no response changes with its moves, not even in its length or headers. No response contains
anything that happened after the last finished round.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.core.cache import caches
from django.db.models import F
from django.test import Client

from bots.models import Bot, RemoteBot
from bots.remote import note_seen
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from esr_platform.api.streams.match import SpectatorCursor, head, spectator_events
from games.registry import GAMES
from games.rules import Document, State
from ladder.creation import open_house
from ladder.live.answers import AnswerVerdict, answer
from ladder.live.end import finish
from ladder.live.visibility import cut
from ladder.matchmaking import presence
from ladder.members.memberships import register
from ladder.models import Block, DealSeries, Ladder, Match
from tests.build import person, staff
from tests.esr_platform.endpoints import STREAMS, Exposure, filled, judged, read, routes, timeless
from tests.ladder.live.play import KEY
from tests.ladder.live_tables import as_if_later, asked, move_on, remote_bots, seated, table_of, to_round
from tests.ladder.pages.test_closedness import bare, spelled

GEMS, WINE = "edel-stein-reich-3-remote", "die-weinhaendler-3-remote"
STREAM = "the stream"
LEAST_LETTERS = 30
"""Shorter sentences stand in many games."""


@dataclass(frozen=True)
class Table:
    """A running game of ``bots``, of whom the first is Ada's, the second Bob's; ``over`` is one that was before.

    ``stranger`` is a remote bot that sits at no table.
    """

    ladder: Ladder
    bots: Sequence[Bot]
    match: Match
    over: Match
    stranger: Bot

    @property
    def values(self) -> dict[str, Sequence[object]]:
        """What the addresses can name: what is to be read of this table and of those who sit there."""
        bots = [bot.slug for bot in self.bots[:2]]
        return {
            "match": [self.match.pk],
            "match_id": [self.match.pk],
            "index": range(len(self.bots)),
            "slug": [self.ladder.slug, *bots],
            "bot": bots,
            "first": bots[:1],
            "second": bots[1:],
            "bot_id": [self.bots[0].pk],
            "username": ["ada", "bob"],
            "language": ["de"],
        }

    def addresses(self, kinds: Collection[Exposure]) -> list[str]:
        """Every address of these kinds, but for streams."""
        known = judged()
        wanted = [route for route in routes() if known.get(route) in kinds and route not in STREAMS]
        urls = [address for route in wanted for address in filled(route, self.values)]
        asked_for = [
            f"/matches/?ladder={self.ladder.slug}&state=running",
            "/search/?q=afar",
            "/search/suggestions/?q=af",
        ]
        return [*urls, *(asked_for if Exposure.NAMES in kinds else ())]


@pytest.fixture
def unhurried(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked to slow down, and who was in the lobby once is there all the time."""
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 100_000)
    monkeypatch.setattr(presence, "HERE_S", 3600)


def begun(slug: str, random: Random) -> Table:
    open_house()
    ladder = Ladder.objects.get(slug=slug)
    DealSeries.objects.filter(season__ladder=ladder).update(key=KEY)
    bots = remote_bots(ladder)
    staff("eve")
    stranger = register(person("sid"), "Sid afar", {ladder.game: [ladder.seats]}).bot
    over = seated(ladder, bots)
    while move_on(over, random):
        pass
    assert finish(over.pk)
    Block.objects.filter(matches=over).update(ended=F("ended") - timedelta(hours=1))  # so that it is in every file
    return Table(ladder, bots, seated(ladder, bots[::-1]), over, stranger)


def signed_in(name: str | None) -> Client:
    client = Client()
    if name is not None:
        client.force_login(User.objects.get(username=name))
    return client


def bearing(user: User, bot: Bot | None = None, scopes: Collection[Scope] = tuple(Scope)) -> Client:
    """A client with a token of ``user``, or of one bot."""
    _, secret = tokens.issue(user, "a test", scopes, None, bot)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def everything(client: Client, addresses: Sequence[str], match: Match) -> dict[str, tuple[int, str]]:
    """What comes back of every address, and what the public stream of ``match`` is made of."""
    return {**{address: read(client, address) for address in addresses}, STREAM: (200, streamed(match))}


def streamed(match: Match) -> str:
    """All that a client is told who opens the stream now, with the parts of the page for those who ask for words.

    That it goes out as it is, the tests of streams hold.
    """
    now = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    news = spectator_events(match.pk, [SpectatorCursor()])[0]
    return json.dumps([head(now), *news.events, timeless(news.parts()) if news.parts else ""])


def stay_here(bots: Sequence[Bot]) -> None:
    """However long it takes to read everything, these bots are connected meanwhile, and all people are in the lobby."""
    presence.note_here(User.objects.values_list("pk", flat=True))
    note_seen([bot.pk for bot in bots])
    RemoteBot.objects.update(seen_at=F("seen_at") + timedelta(hours=1))


def secrets_of(match: Match) -> dict[str, set[str]]:
    """What no endpoint but that of the seat may contain now, as words with nothing between them.

    The game after the cut as it is told and as its log has it, what lies at the bottom of every deck, and the seed.
    """
    position = table_of(match)
    now, known = position.state(journal=True), cut(position.state(journal=True))
    names = [live_seat.seat.version.bot.name for live_seat in position.live_seats]
    all_lines, cut_told = ({*sentences(state, names)} if state else set() for state in (now, known))
    before = known.entries(None) if known else []
    return {
        "seed": set(spelled(bytes(position.match.block.seed))),
        "story": {bare(text) for text in all_lines - cut_told if len(text) >= LEAST_LETTERS},
        "log": {
            bare(json.dumps(membership)) for membership in now.entries(None)[len(before) :] if "step" in membership
        },
        "deck": set(bottoms(now.record)),
    }


def sentences(state: State, names: Sequence[str]) -> Iterator[str]:
    for chapter in GAMES[state.rules.slug].presentation.story(state.log(None), names):
        yield from chapter.sentences


def bottoms(record: Document) -> Iterator[str]:
    """The last five cards of every deck, both ways round: whoever has shuffled it alone knows them for long."""
    decks = {step["chance"]: step["cards"] for step in record["steps"] if len(step.get("cards", ())) >= 10}
    for cards in decks.values():
        yield from (bare("".join(bottom)) for bottom in (cards[-5:], cards[-5:][::-1]))


def leaks(seen: Mapping[str, tuple[int, str]], secrets: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Where which kind of secret stands."""
    words = [(kind, word) for kind, texts in secrets.items() for word in texts]
    plain = {address: text + bare(text) for address, (_, text) in seen.items()}
    return sorted({(address, kind) for address, text in plain.items() for kind, word in words if word in text})


def moved(before: Mapping[str, tuple[int, str]], after: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    """Where something else is read now, with the place at which it begins."""
    others = [address for address in before if before[address] != after[address]]
    return {address: _parting(before[address][1], after[address][1]) for address in others}


def _parting(old: str, new: str) -> str:
    place = next((at for at, (letter, other) in enumerate(zip(old, new, strict=False)) if letter != other), len(old))
    return f"{old[max(0, place - 60) : place + 30]!r} -> {new[place : place + 30]!r}"


def play_within_the_round(match: Match, random: Random) -> int:
    """Answer wrongly once and play on, but not into the next round; how many moves that were."""
    as_if_later(match)
    table = table_of(match).table
    number = table.round
    live_seat = table_of(match).live_seats[asked(match)[0]]
    assert (
        answer(match.pk, live_seat.seat.version.bot_id, live_seat.asked, b"no answer").verdict is AnswerVerdict.REFUSED
    )
    moves = 1
    while table_of(match).table.round == number and len(table_of(match).rows) < table.moves + 4:
        moves += move_on(match, random)
    assert table_of(match).table.round == number, "choose another seed: the round was too short"
    return moves


def test_every_address_is_judged() -> None:
    """A new endpoint must be listed in ``endpoints.JUDGED`` with its exposure."""
    assert sorted(set(routes()) ^ set(judged())) == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("unhurried")
def test_nothing_that_anybody_reads_moves_while_a_round_is_played() -> None:
    random = Random(2)
    table = begun(GEMS, random)
    to_round(table.match, 4, random)
    stranger = table.stranger.owner
    assert stranger
    stay_here(table.bots)
    everywhere = table.addresses({Exposure.NAMES, Exposure.CUT, Exposure.ENDED, Exposure.SEAT, Exposure.APART})
    everywhere.remove("/account/tokens/")  # it says when the tokens were used last with which all of this is read
    everywhere.remove("/metrics")  # the CPU time of the process changes with each request
    of_the_api = [address for address in everywhere if address.startswith("/api/")]
    of_no_seat = [address for address in of_the_api if address not in table.addresses({Exposure.SEAT})]
    readers = {
        "everybody": (signed_in(None), everywhere),
        "somebody": (signed_in("sid"), everywhere),
        "the owner of a seat": (signed_in("ada"), everywhere),
        "staff": (signed_in("eve"), everywhere),
        "a stranger's token": (bearing(stranger), of_no_seat),
        "the token of a bot elsewhere": (bearing(stranger, table.stranger), of_no_seat),
    }
    before = {name: everything(client, clients, table.match) for name, (client, clients) in readers.items()}
    assert play_within_the_round(table.match, random) >= 3
    as_if_later(table.match)
    secrets = secrets_of(table.match)
    assert all(secrets.values())
    for name, (client, urls) in readers.items():
        after = everything(client, urls, table.match)
        assert moved(before[name], after) == {}, name
        assert leaks(after, secrets) == [], name
        assert all(status < 500 for status, _ in after.values())
    assert {before["everybody"][address][0] for address in table.addresses({Exposure.ENDED})} == {404}
    assert {before["everybody"][address][0] for address in table.addresses({Exposure.SEAT})} == {401}
    assert len(everywhere) > 100


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("unhurried")
def test_at_every_ply_of_a_game_its_own_endpoints_show_the_same_until_the_next_round_begins() -> None:
    random = Random(5)
    table = begun(WINE, random)
    addresses = table.addresses({Exposure.CUT, Exposure.ENDED})
    view, page = f"/api/v1/matches/{table.match.pk}/view", f"/matches/{table.match.pk}/"
    client, rounds = signed_in(None), 0
    seen: dict[str, tuple[int, str]] = {}
    while True:
        as_if_later(table.match)
        caches["pages"].clear()  # an hour later, no page is kept that strangers share
        now = everything(client, addresses, table.match)
        secrets = secrets_of(table.match)
        assert leaks(now, {kind: secrets[kind] for kind in ("seed", "story", "log")}) == []
        number = table_of(table.match).table.round
        if number == rounds:
            assert moved(seen, now) == {}
        elif rounds:
            assert set(moved(seen, now)) == {view, STREAM, page, f"{page}rounds/"}
        seen, rounds = now, number
        shown = client.get(view).json()
        assert (shown["round"], shown["seat"]) == (number - 1 or None, None)
        assert shown["view"] is None or shown["view"]["you"] is None
        if not move_on(table.match, random):
            break
    assert rounds > 5


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("unhurried")
def test_the_token_of_a_seat_gives_that_seats_view_and_no_other() -> None:
    random = Random(6)
    table = begun(WINE, random)
    to_round(table.match, 3, random)
    view = f"/api/v1/matches/{table.match.pk}/view"
    public = read(signed_in(None), view)
    state = table_of(table.match).state(journal=True)
    for bot in table.bots:
        owner = bot.owner
        assert owner
        seat = table_of(table.match).seat_of(bot.pk)
        others = [other for other in table.bots if other != bot]
        for client in (bearing(owner), bearing(owner, bot), bearing(owner, scopes=[Scope.PLAY])):
            shown = client.get(view).json()
            assert (shown["seat"], shown["view"], shown["log"]) == (seat, state.view(seat), state.entries(seat))
            for other in others:
                assert client.get(f"{view}?bot={other.slug}").json().get("seat") in (None, seat)
                assert (
                    client.get(f"/api/v1/bot?bot={other.slug}").status_code in (403, 404)
                    or bot.slug in read(client, f"/api/v1/bot?bot={other.slug}")[1]
                )
        assert read(bearing(owner, scopes=[Scope.READ]), view) == public
        assert read(signed_in(owner.username), view) == public
    assert table.stranger.owner
    for client in (bearing(table.stranger.owner), bearing(table.stranger.owner, table.stranger)):
        assert read(client, view) == public
        assert read(client, f"/api/v1/matches/{table.match.pk}/decision?wait=0")[0] == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("unhurried")
def test_when_the_game_is_over_all_of_it_is_open() -> None:
    random = Random(7)
    table = begun(WINE, random)
    secrets = secrets_of(table.match)
    while move_on(table.match, random):
        secrets = secrets_of(table.match)
    assert finish(table.match.pk)
    client = signed_in(None)
    seen = {address: read(client, address) for address in table.addresses({Exposure.CUT, Exposure.ENDED})}
    assert {status for address, (status, _) in seen.items() if "/log" not in address} <= {200, 204}
    assert {kind for _, kind in leaks(seen, secrets)} >= {"seed", "story", "log"}
