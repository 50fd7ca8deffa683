"""Who is online, what remote bots play now, and which streams, tokens and sessions are still valid."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError, InterfaceError
from django.db.models import Case, F, IntegerField, Value, When
from django.db.models.functions import Now

from bots import remote
from bots.models import RemoteBot
from bots.remote import note_seen
from esr_platform import figures
from esr_platform.accounts import sessions, tokens
from esr_platform.api.streams import threads
from esr_platform.api.streams.subscriptions import LOBBY, Subscriptions
from ladder.live import outages, presence
from ladder.live.notify import seat_soon, tell
from ladder.matchmaking import quick_pairing
from ladder.models import LiveSeat, Match

# --- Matches that remote bots play -----------------------------------------------------------------------------------

REMOTE = LiveSeat.objects.filter(kind=LiveSeat.Kind.REMOTE)


def claim_stream(bot: int, stream: UUID) -> None:
    """Make ``stream`` the current stream of the bot, note that the bot is online, and end its other streams."""
    RemoteBot.objects.filter(pk=bot).update(stream=stream)
    note_seen(streams={stream: bot})
    seat_soon()
    tell(None, "stream", [bot])


def come(bot: int) -> None:
    """Note that the bot is online, and start its pairing."""
    note_seen([bot])
    seat_soon()


def games_of(bot: int) -> list[int]:
    """The live games that the bot plays now, the oldest first."""
    return sorted(asked_of([bot]).get(bot, {}))


def asked_of(bots: Collection[int]) -> dict[int, dict[int, int]]:
    """By bot and running match, the number of the decision that is open and visible to the bot, or 0."""
    now = When(owes=True, due_at__lte=Now(), then=F("asked"))
    live_seats = REMOTE.filter(table__match__status=Match.Status.RUNNING, seat__version__bot__in=bots)
    rows = live_seats.annotate(open=Case(now, default=Value(0), output_field=IntegerField())).order_by()
    decisions: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for bot, match, decision in rows.values_list("seat__version__bot", "table", "open"):
        decisions[bot][match] = decision
    return dict(decisions)


# --- Presence --------------------------------------------------------------------------------------------------------
#
# Every few seconds this process writes which bots and people are online here, writes its own heartbeat, and looks for
# changes that it may have missed.

log = structlog.get_logger(__name__)

EVERY_S: Final = 5.0
BEAT_S: Final = 3.0

TAKEN_OVER: Final = "a newer stream of this bot was opened"
NOT_LIVE: Final = "the token was revoked or has expired"
SIGNED_OUT: Final = "you have signed out"


@dataclass(frozen=True)
class BotStates:
    """The state of the bots of this process in the database: newest streams, valid tokens, and open decisions."""

    streams: dict[int, UUID | None]
    tokens: set[int]
    asked: dict[int, dict[int, int]]


class PresenceWriter:
    """Writes presence, wakes streams with changes, and ends streams that are no longer valid."""

    def __init__(self, here: Subscriptions) -> None:
        self._here = here
        self._seen: set[int] = set()
        self._newer: set[int] = set()
        self._comparing = False

    def note(self, bot: int) -> bool:
        """Note a request for a decision of ``bot``, waiting or not. Returns whether the bot is new here."""
        new = bot not in self._seen and bot not in self._here.bots
        self._seen.add(bot)
        return new

    async def leave(self, bot: int, stream: UUID) -> None:
        """Note that ``stream`` has closed, so that its bot gets no more games."""
        self._seen.discard(bot)
        await _tried(partial(threads.write, remote.leave, bot, stream))

    async def keep(self, every_s: float = EVERY_S) -> None:
        """Write and check periodically. It never ends: without it no bot or person here would get a game."""
        notes = (self._note_bots, self._note_players, self._note_visitors, self._note_number)
        steps = (*notes, self.look, self.end_sessions)
        while True:
            await asyncio.sleep(every_s)
            for step in steps:
                await _tried(step)

    async def _note_players(self) -> None:
        seats: defaultdict[int, set[int]] = defaultdict(set)
        for (_, match, seat), subscription in self._here.of_kind("seat"):
            if not subscription.ended:
                seats[match].add(seat)
        if seats:
            await threads.write(presence.note_seen, dict(seats))

    async def _note_visitors(self) -> None:
        """Keep the open games and quick pairings of those who are in the lobby."""
        seen = {
            subscription.browser.user_id for subscription in self._here.of(LOBBY) if subscription.browser is not None
        }
        people = {user for user in seen if user is not None}
        if people:
            await threads.write(quick_pairing.seen, people)

    async def _note_number(self) -> None:
        await threads.read(figures.note_streams, self._here.number)

    async def end_sessions(self) -> None:
        """End the subscriptions whose session has ended or belongs to another account by now."""
        subscriptions = self._here.of(LOBBY).union(subscription for _, subscription in self._here.of_kind("seat"))
        browsers = {
            subscription: subscription.browser for subscription in subscriptions if subscription.browser is not None
        }
        if not browsers:
            return
        live = await threads.read(sessions.still_live, list(browsers.values()))
        for subscription, browser in browsers.items():
            if browser not in live:
                subscription.end(SIGNED_OUT)

    @staticmethod
    async def beat(every_s: float = BEAT_S) -> None:
        """Write the heartbeat of this process periodically. Clocks of people depend on it."""
        while True:
            await asyncio.sleep(every_s)
            await _tried(partial(threads.write, outages.beat))

    async def _note_bots(self) -> None:
        waiting = [(topic.number, subscription.claim) for topic, subscription in self._here.of_kind("bot")]
        streams = {claim.stream: claim.bot for _, claim in waiting if claim is not None}
        asking, self._seen = self._seen | {bot for bot, claim in waiting if claim is None}, set()
        if streams or asking:
            await threads.write(note_seen, asking, streams)

    async def compare(self, bots: Iterable[int]) -> None:
        """Check ``bots``, which have newer streams. Calls during a check are combined into one further check."""
        self._newer |= set(bots) & set(self._here.bots)
        if self._comparing:
            return
        self._comparing = True
        try:
            while self._newer:
                newer, self._newer = self._newer, set()
                await self.look(newer)
        except (DatabaseError, InterfaceError) as error:
            log.warning("streams_not_compared", error=repr(error))  # ``keep`` does, in a moment
        finally:
            self._comparing = False

    async def look(self, bots: Collection[int] | None = None) -> None:
        """End streams that were taken over or whose token is no longer valid; touch what has changed.

        Looks at the streams of ``bots``, or at all of this process.
        """
        claims = {
            subscription: subscription.claim
            for _, subscription in self._here.of_kind("bot")
            if subscription.claim is not None
        }
        if bots is not None:
            claims = {subscription: claim for subscription, claim in claims.items() if claim.bot in bots}
        if not claims:
            return
        claimed, used = {claim.bot for claim in claims.values()}, {claim.token for claim in claims.values()}
        current = await threads.read(_find, sorted(claimed), used)
        for subscription, claim in claims.items():
            if claim.token not in current.tokens:
                subscription.end(NOT_LIVE)
            elif current.streams.get(claim.bot) != claim.stream:
                subscription.end(TAKEN_OVER)
            else:
                for match in claim.behind(current.asked.get(claim.bot, {})):
                    subscription.touch(match)


async def _tried(step: Callable[[], Awaitable[object]]) -> None:
    """Run one step. A failure does not affect the others."""
    try:
        await step()
    except (DatabaseError, InterfaceError) as error:
        log.warning("presence_not_noted", error=repr(error))
    except Exception:  # the border of the task
        log.exception("presence_not_noted")


def _find(bots: list[int], live: set[int]) -> BotStates:
    newest = dict(RemoteBot.objects.filter(pk__in=bots).values_list("pk", "stream"))
    return BotStates(newest, tokens.still_live(live), asked_of(bots))
