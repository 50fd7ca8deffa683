"""Activities of demo users: upload bots, request matches, play live games and run remote bots."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from time import monotonic
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

import orjson
from allauth.account.models import EmailAddress
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from bots.house.catalogue import HOUSE
from bots.house.inside import Maker, load
from bots.models import Bot, BotVersion
from bots.owners import owner_of
from bots.uploads.upload import NotStored, upload_new_bot, upload_version
from esr_platform.accounts import demo, tokens
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.demo.cast import PEOPLE, VISITORS, DemoBot, Meeting, Visitor, archive
from esr_platform.supervisor.site import SiteLocation
from games.rules import Document, Move
from ladder.creation import LadderPlan, found_ladder
from ladder.exhibitions.requests import request_comparison, request_scheduled, request_test
from ladder.live.answers import answer_seat
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.matchmaking import proposals
from ladder.members.invitations import invite
from ladder.members.memberships import CannotJoin, join
from ladder.models import Exhibition, Ladder, LiveSeat, Match, Proposal
from ladder.seasons import WrongMoment, close

# --- Accounts and uploads --------------------------------------------------------------------------------------------

DOMAIN: Final = "@demo.invalid"
"""Email domain of demo users. The top-level domain is reserved, so no email is ever delivered."""


def strangers() -> int:
    """Number of accounts that are neither demo users nor the demo account. Deleted accounts do not count."""
    ours = Q(email__endswith=DOMAIN) | Q(username=demo.USERNAME)
    return User.objects.filter(deleted=None).exclude(ours).count()


def person(name: str) -> User:
    """Get or create the account of a demo user. Only the demo account has a password."""
    email = demo.EMAIL if name == demo.USERNAME else f"{name}{DOMAIN}"
    user, new = User.objects.get_or_create(username=name, defaults={"email": email, "wants_digests": False})
    if new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def everybody() -> list[User]:
    """Get or create all demo users."""
    return [person(name) for name in PEOPLE]


def bring(bot: DemoBot, number: int) -> bool:
    """Upload version ``number`` of ``bot`` if it is not there yet; return whether it is there.

    A version is uploaded after the validation of the previous version. If an upload is refused because of a rate limit,
    the next call retries it.
    """
    made = Bot.objects.of_code().filter(owner__username=bot.owner, name=bot.name).first()
    have = 0 if made is None else made.versions.count()
    if have >= number:
        return True
    try:
        if made is None:
            version = upload_new_bot(person(bot.owner), bot.name, _file(bot), archive(bot, 1))
            Bot.objects.filter(pk=version.bot_id).update(description=bot.description)
        elif made.retired is None and not made.versions.filter(state__in=("received", "checking")).exists():
            upload_version(made, _file(bot), archive(bot, have + 1))
    except (Refused, NotStored):
        return False
    return False


def _file(bot: DemoBot) -> str:
    return f"{bot.name.lower().replace(' ', '-')}.zip"


# --- Exhibition matches and ladders ----------------------------------------------------------------------------------
#
# Each function performs its step if it is not done yet and returns whether it is done.

_CLASS: Final = "Thursday class"
_MEMBERS: Final = ("ruth", "tomas", "marek", "demo")


def found_class() -> bool:
    """Create a private ladder for four. The bots of its members join after their validation."""
    ladder = Ladder.objects.filter(name=_CLASS).first()
    if ladder is None:
        teacher = person("ruth")
        house = ("greedy", "haggler", "kontor")
        plan = LadderPlan(_CLASS, "edel-stein-reich", 4, house=house, by_invitation=True, private=True)
        ladder = found_ladder(plan, teacher)
    invite(ladder, [person(name) for name in _MEMBERS])
    theirs = Bot.objects.of_code().filter(owner__username__in=_MEMBERS, versions__active=True)
    theirs = theirs.exclude(memberships__ladder=ladder)
    for bot in theirs.distinct():
        try:
            join(bot, ladder)
        except CannotJoin:
            continue
    return ladder.memberships.filter(active=True, bot__owner__isnull=False).count() >= len(_MEMBERS)


def request_a_test() -> bool:
    """Request a test match of Jackdaw against three house bots, two deals."""
    table = _versions("Jackdaw", "greedy", "haggler", "kontor")
    ids = [version.pk for version in table]
    return bool(ids) and _placed("test", lambda token: request_test(_owner(table), _ladder(), ids, 2, token))


def request_a_comparison() -> bool:
    """Request a comparison of the newest and the first version of Tulip."""
    both = BotVersion.objects.filter(bot__name="Tulip", state=BotVersion.State.READY).order_by("number")
    table = _versions("Tulip", "greedy", "miser", "haggler")
    if both.count() < 2 or not table:
        return False
    pair = (both.reverse()[0].pk, both[0].pk)
    others = [version.pk for version in table[1:]]
    return _placed(
        "comparison", lambda token: request_comparison(_owner(table), _ladder(), pair, others, 12, 100, token)
    )


def request_a_match() -> bool:
    """Schedule a match of Ledger against house bots for the next Saturday at 20:00."""
    table = _versions("Ledger", "kontor", "stickler", "magpie")
    ids, at = [version.pk for version in table], _saturday_evening()
    return bool(ids) and _placed("match", lambda token: request_scheduled(_owner(table), _ladder(), ids, 2, at, token))


def end_a_season(slug: str) -> bool:
    """Close the first season of a ladder, so that it has final standings and a second season."""
    ladder = Ladder.objects.get(slug=slug)
    first = ladder.seasons.get(number=1)
    if first.closing is None and first.closed is None:
        try:
            close(first)
        except WrongMoment:
            return False
    return True


def _placed(name: str, place: Callable[[UUID], Exhibition]) -> bool:
    """Place a match request unless it exists. Its token is the same in every run."""
    token = uuid5(NAMESPACE_URL, f"demo:{name}")
    try:
        return Exhibition.objects.filter(token=token).exists() or bool(place(token))
    except Refused:
        return False


def _versions(name: str, *house: str) -> list[BotVersion]:
    """Active versions of the demo bot and the house bots; empty if one of them has no active version."""
    playing = BotVersion.objects.select_related("bot__owner").filter(active=True)
    versions = [playing.filter(bot__name=name, bot__owner__isnull=False).first()]
    versions += [playing.filter(bot__house_name=house_name).first() for house_name in house]
    return [version for version in versions if version is not None] if None not in versions else []


def _owner(table: list[BotVersion]) -> User:
    return owner_of(table[0].bot)


def _ladder() -> Ladder:
    return Ladder.objects.get(slug="edel-stein-reich-4")


def _saturday_evening() -> datetime:
    now = timezone.now()
    day = now + timedelta(days=(5 - now.weekday()) % 7 or 7)
    return day.replace(hour=20, minute=0, second=0, microsecond=0)


# --- Live games ------------------------------------------------------------------------------------------------------
#
# Each function performs its step if it is not done yet and returns whether it is done.

_BURST_S: Final = 0.4
"""Maximum time that one call plays at a table, because other steps wait for it."""

_STAYS: Final = timedelta(days=1)
"""Lifetime of open games of demo users, who have no browser that would keep them open."""


def meet(meeting: Meeting) -> bool:
    """Play the games of ``meeting`` for a short time; return whether all of them are finished."""
    ladder = Ladder.objects.filter(slug=meeting.ladder).first()
    if ladder is None:
        return True
    running, played = None, 0
    for match in _matches(ladder, meeting):
        over = match.status != Match.Status.RUNNING or match.table.over
        running, played = (running, played + 1) if over else (match, played)
    if running is None and played < meeting.games:
        running = _begin(ladder, meeting)
    if running is not None:
        _play_on(running, meeting)
        return False
    return played >= meeting.games


def offer(meeting: Meeting) -> bool:
    """Create an open casual game with these users that stays open for a day."""
    ladder, people = Ladder.objects.filter(slug=meeting.ladder).first(), [person(name) for name in meeting.people]
    if ladder is None:
        return True
    try:
        made = proposals.create_game(people[0], ladder, clock="calm")
        for other in people[1:]:
            made = proposals.join(made, other)
    except Refused:
        return False
    Proposal.objects.filter(pk=made.pk, state=Proposal.State.OPEN).update(expires=Now() + _STAYS)
    return True


def _matches(ladder: Ladder, meeting: Meeting) -> list[Match]:
    matches = Match.objects.filter(ladder=ladder)
    for name in meeting.people:
        matches = matches.filter(seats__version__bot__owner__username=name, seats__version__bot__kind="person")
    return list(matches.select_related("table", "ladder", "block").order_by("pk").distinct())


def _begin(ladder: Ladder, meeting: Meeting) -> Match | None:
    """Start a game by a link; ``None`` if one of the users cannot join at the moment."""
    people = [person(name) for name in meeting.people]
    try:
        offered = proposals.create_game(people[0], ladder, rated=True, kind=Proposal.Kind.LINK)
        for other in people[1:]:
            offered = proposals.join(offered.token, other)
    except Refused:
        return None
    if offered.match_id is None:
        return None
    return Match.objects.select_related("table", "ladder", "block").get(pk=offered.match_id)


def _play_on(match: Match, meeting: Meeting) -> None:
    """Answer the decisions of the users until there are none or the time is over."""
    until, answered = monotonic() + _BURST_S, True
    while answered and monotonic() < until:
        match.refresh_from_db()
        position, answered = position_of(match), False
        for seat, live_seat in _asked(position):
            name = live_seat.seat.version.bot.name
            move = _choice(position, seat, meeting.plays_like(name))
            answer_seat(match.pk, seat, live_seat.asked, orjson.dumps({"move": move}), monotonic())
            answered = True


def _asked(position: Position) -> Iterator[tuple[int, LiveSeat]]:
    """Yield the seats of users with an open decision."""
    if position.match.status == Match.Status.RUNNING:
        for seat, live_seat in enumerate(position.live_seats):
            overdue = live_seat.due_at is not None and live_seat.due_at <= position.now
            if live_seat.kind == LiveSeat.Kind.PERSON and live_seat.owes and overdue:
                yield seat, live_seat


def _choice(position: Position, seat: int, house: str) -> Move:
    """Return the move of this house bot, based on what the seat can see."""
    state, ladder = position.shown_to(seat), position.match.ladder
    hello: Document = {"type": "hello", "protocol": 1, "game": ladder.game, "seats": ladder.seats, "seat": seat}
    seed = sha256(f"{position.match.pk}/{seat}/{position.live_seats[seat].asked}".encode()).hexdigest()
    bot = _loaded(house)({**hello, "rules": state.record["rules"], "seed": seed}, list(HOUSE[house].args))
    return bot.choose(state.decision(seat), state.view(seat), state.entries(seat))


@cache
def _loaded(house: str) -> Maker:
    return load(HOUSE[house])


# --- Remote bots -----------------------------------------------------------------------------------------------------
#
# Each remote bot is ``esr play-remote`` in a separate process with a temporary token of its owner.

GAMES: Final = 4
"""Number of games that each remote bot plays on its ladder."""

_TOKEN_LASTS: Final = timedelta(hours=12)
_GOING_S: Final = 10.0


@dataclass
class Visit:
    """The remote bots of one run. Call it repeatedly until it returns whether all have played enough games."""

    location: SiteLocation
    _playing: dict[Visitor, subprocess.Popen[bytes]] = field(default_factory=dict)
    _tokens: list[Token] = field(default_factory=list)

    def __call__(self) -> bool:
        """Start missing remote bots; return whether all of them have played."""
        wanted = [visitor for visitor in VISITORS if not _has_played(visitor)]
        for visitor in wanted:
            if visitor not in self._playing:
                self._playing[visitor] = self._come(visitor)
        return not wanted

    def end(self) -> None:
        """Stop all remote bots and revoke their tokens."""
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
        token, secret = tokens.issue(person(visitor.owner), "demo games", scopes, _TOKEN_LASTS)
        self._tokens.append(token)
        command = ["play-remote", f"house:{visitor.house}", "--ladder", visitor.ladder, "--games", str(GAMES)]
        return subprocess.Popen(
            [sys.executable, "-m", "bots.cli", *command, "--name", visitor.name, "--label", visitor.label],
            cwd=self.location.code,
            env={**os.environ, "ESR_SITE": self.location.url.rstrip("/"), "ESR_TOKEN": secret},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextmanager
def visits(location: SiteLocation) -> Iterator[Visit]:
    """Run remote bots until the end of the block."""
    visit = Visit(location)
    try:
        yield visit
    finally:
        visit.end()


def _has_played(visitor: Visitor) -> bool:
    """Whether the remote bot has played enough games, or its ladder does not exist."""
    played = Match.objects.filter(
        ladder__slug=visitor.ladder,
        status=Match.Status.FINISHED,
        seats__version__bot__owner__username=visitor.owner,
        seats__version__bot__name=visitor.name,
    )
    return played.count() >= GAMES or not Ladder.objects.filter(slug=visitor.ladder).exists()
