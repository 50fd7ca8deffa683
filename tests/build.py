"""Builders for tests: users, bots, ladders, blocks and finished matches, without uploads, workers or a sandbox.

``built_once`` and ``opened_house`` build database contents once per process and then copy their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random
from typing import Any, Final, TypeVar

from allauth.account.models import EmailAddress
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import DateTimeField, F, Model, QuerySet
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from bots.archives import read_upload
from bots.limits import archive_limits
from bots.models import Bot, BotVersion
from bots.owners import make_active, player_of
from bots.runner.report import ForfeitReport, MatchReport, SeatReport
from bots.tournaments.seatings import seatings
from bots.uploads.storage import keep
from esr_platform.accounts.models import Role, User
from esr_platform.leases import Lease
from games.registry import GAMES
from games.rules import Forfeit
from ladder.creation import open_house
from ladder.ledger.rebuild import rerate
from ladder.matches.blocks import BlockPlayer, schedule_block
from ladder.matches.leases import MOST_FAILURES, claim, give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import QUEUE_LENGTH, fill
from ladder.members.memberships import enter, membership_of
from ladder.models import Attempt, Block, Ladder, Match, Membership, Result
from ladder.seasons import open_first
from tests.bots.uploads.brought import DUEL, DUEL_ONLY, HONEST
from tests.fixed_randomness import fixed_randomness

__all__ = ["DUEL", "DUEL_ONLY", "HONEST"]

FAILED: Final = Attempt.Ending.FAILED
PASSWORD: Final = "a cellar full of amethysts"

T = TypeVar("T")
Rows = dict[type[Model], list[Any]]

Play = Callable[[Match], MatchReport]


# Users and clients


def person(name: str, **fields: Any) -> User:
    """A new user without a password, whose email address is not verified."""
    return User.objects.create(username=name, email=f"{name}@example.org", **fields)


def staff(name: str) -> User:
    """A new site admin."""
    return person(name, role=Role.ADMIN)


def verified(name: str) -> User:
    """The user of this name, new if there is none, with a verified email address."""
    user = User.objects.filter(username=name).first() or person(name)
    EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})
    return user


def with_password(name: str, *, verified: bool = True, **fields: Any) -> User:
    """A new user whose password is ``PASSWORD``."""
    user = User.objects.create_user(name, f"{name}@example.org", PASSWORD, **fields)
    EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)
    return user


def signed_in(user: User | None) -> Client:
    """A client with a session of ``user``, or without one."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


# Bots and versions


def new_version(bot: Bot, source: bytes = HONEST, formats: Any = DUEL_ONLY) -> BotVersion:
    """A validated and stored version that is not yet the active one."""
    source = b"# %d\n%s" % (bot.versions.count() + 1, source)
    return BotVersion.objects.create(
        bot=bot,
        number=bot.versions.count() + 1,
        digest=read_upload("bot.py", source, archive_limits()).digest,
        archive=keep("bot.py", source).path,
        filename="bot.py",
        size=len(source),
        command=["bot.py"],
        formats=formats,
    )


def uploaded(owner: User, name: str = "Mine", source: bytes = HONEST, formats: Any = DUEL_ONLY) -> Bot:
    """A bot with one active version, on the ladders of the formats that it supports."""
    bot = Bot.objects.create(owner=owner, name=name, slug=sha256(name.encode()).hexdigest()[:20])
    make_active(new_version(bot, source, formats))
    enter(bot)
    return bot


def active_version(bot: Bot) -> BotVersion:
    """The active version, which must exist."""
    version = bot.active_version
    assert version is not None
    return version


def house_version(name: str) -> BotVersion:
    """The active version of a house bot."""
    return active_version(Bot.objects.get(house_name=name))


# Blocks and their matches


def players_of(members: Iterable[Membership]) -> list[BlockPlayer]:
    """These members as rated players with their active versions."""
    return [BlockPlayer(active_version(member.bot), member) for member in members]


def first_players(ladder: Ladder, *, rated: bool = True, first: int = 0) -> list[BlockPlayer]:
    """As many active members of ``ladder`` as it has seats, from number ``first`` on."""
    members = ladder.memberships.filter(active=True).select_related("bot").order_by("pk")[first : first + ladder.seats]
    return players_of(members) if rated else [BlockPlayer(active_version(member.bot), None) for member in members]


def scheduled(ladder: Ladder, players: Sequence[BlockPlayer], **options: Any) -> Block:
    """A new block in whose first match ``players`` sit in this order."""
    with transaction.atomic():
        return schedule_block(Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk), players, **options)


def block_on(ladder: Ladder, purpose: Block.Purpose = Block.Purpose.LADDER, first: int = 0) -> Block:
    """A new block among the members of ``ladder`` from number ``first`` on."""
    rated = purpose == Block.Purpose.LADDER
    return scheduled(ladder, first_players(ladder, rated=rated, first=first), purpose=purpose)


def first_match(ladder: Ladder, players: Sequence[BlockPlayer]) -> Match:
    """The first match of a new rated block, with ``players`` in this order."""
    return scheduled(ladder, players).matches.select_related("ladder", "block").get(seating=0)


def match_of(bot: Bot, ladder: Ladder, seed: int = 0) -> Match:
    """A queued match of ``bot``, at seat 0, against house bots."""
    mine = ladder.memberships.get(bot=bot)
    others = list(ladder.memberships.filter(bot__owner=None).select_related("bot").order_by("pk"))
    return first_match(ladder, players_of([mine, *Random(seed).sample(others, ladder.seats - 1)]))


def people_match(ladder: Ladder, names: Sequence[str]) -> Match:
    """A rated live match among these users, without a table."""
    versions = [player_of(verified(name)) for name in names]
    players = [BlockPlayer(version, membership_of(version, ladder)) for version in versions]
    block = scheduled(ladder, players, purpose=Block.Purpose.LIVE, rotated=False)
    return Match.objects.select_related("ladder", "block").get(block=block)


def open_ladder(slug: str = "live-games", game: str = "edel-stein-reich-duel") -> Ladder:
    """A new ladder for two with live matches, of which all house bots are members."""
    ladder = Ladder.objects.create(slug=slug, name=slug, game=game, seats=2, players=Ladder.Players.OPEN)
    open_first(ladder)
    hosted = Ladder.objects.filter(game=game, seats=2, players=Ladder.Players.HOSTED).order_by("pk")[0]
    for membership in hosted.memberships.filter(active=True, bot__owner=None).order_by("pk"):
        Membership.objects.create(ladder=ladder, bot=membership.bot)
    return ladder


def live_match(ladder: Ladder, purpose: Block.Purpose = Block.Purpose.LIVE, first: int = 0) -> Match:
    """A live match among the members of ``ladder`` from number ``first`` on, without a table."""
    block = scheduled(ladder, first_players(ladder, first=first), purpose=purpose, rotated=False)
    return Match.objects.select_related("ladder", "block").get(block=block)


def fill_with_blocks(*ladders: Ladder, count: int = 8, seed: int = 1) -> None:
    """Fill the empty queues of ``ladders`` with at least ``count`` blocks each."""
    for ladder in ladders:
        weight = -(-count * len(seatings(ladder.seats)) // QUEUE_LENGTH)
        Ladder.objects.filter(pk=ladder.pk).update(weight=weight)
    fill(Random(seed))
    for ladder in ladders:
        Ladder.objects.filter(pk=ladder.pk).update(weight=ladder.weight)


def first_games() -> QuerySet[Match]:
    """The first match of every block, by id. Only matches of different blocks can run at the same time."""
    return Match.objects.filter(lineup=0, seating=0).select_related("ladder", "block").order_by("pk")


def games_of(block: Block) -> list[Match]:
    """The matches of ``block`` in the order of their seatings."""
    return list(Match.objects.filter(block=block).select_related("ladder", "block").order_by("seating"))


# Results


def variety_of(match: Match) -> int:
    """A number that is different for every match. Unlike primary keys it does not depend on the tests before."""
    return 100 * (match.block.number or 0) + 10 * match.lineup + match.seating


def report_of(match: Match, *, variety: int = 0, forfeits: Mapping[int, str | Forfeit] | None = None) -> MatchReport:
    """A runner's report of a random legal game of the deal of ``match``; each ``variety`` is another game.

    A forfeit that is given only by its reason has no time, as in old games.
    """
    gone = {
        seat: Forfeit(forfeit) if isinstance(forfeit, str) else forfeit for seat, forfeit in (forfeits or {}).items()
    }
    state = GAMES[match.ladder.game].new(match.ladder.seats, bytes(match.block.seed))
    random = Random(variety)
    while state.pending:
        for seat in state.pending:
            state.play(seat, state.random_move(seat, random))
    for seat, forfeit in gone.items():
        state.forfeit(seat, *forfeit)
    return MatchReport(
        record=state.record,
        forfeits=tuple(
            ForfeitReport(seat, *forfeit, None, f"evidence: {forfeit.reason}") for seat, forfeit in gone.items()
        ),
        seats=tuple(SeatReport(f"seat {i}", "00" * 32, 1000, (), (), 0, "") for i in range(match.ladder.seats)),
        machine_delays=(),
        play_again=False,
        wall_us=1000,
    )


def due_again(match: Match) -> None:
    """Skip the pause before the next attempt."""
    Match.objects.filter(pk=match.pk).update(due_at=F("created"))


def claimed(match: Match, worker: str = "here") -> Lease[Match]:
    """A lease of ``match``, also if its next attempt is not due yet."""
    Match.objects.filter(pk=match.pk).update(due_at=Now())
    lease = claim(match.pk, worker)
    assert lease is not None
    return lease


def expire_lease(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def finished(match: Match, **options: Any) -> Result:
    """The result of a random game of ``match``; ``options`` are those of ``report_of``."""
    result = record_result(claimed(match), report_of(match, **options))
    assert result is not None
    return result


def finish_game(match: Match, variety: int = 0, forfeits: Mapping[int, str | Forfeit] | None = None) -> Match:
    """Give ``match`` the result of a random game, see ``report_of``."""
    finished(match, variety=variety, forfeits=forfeits)
    match.refresh_from_db()
    return match


def finish_block(block: Block, games: Iterable[Match] | None = None) -> Block:
    """Finish ``games``, or all matches of ``block``."""
    for number, match in enumerate(games_of(block) if games is None else games):
        finish_game(match, variety=variety_of(match) + number)
    block.refresh_from_db()
    return block


def finish_others(match: Match) -> None:
    """Finish the other matches of the block of ``match``."""
    for other in Match.objects.filter(block=match.block, status="queued").exclude(pk=match.pk):
        finished(other)


def finish_all(ladder: Ladder) -> Ladder:
    """Finish all queued matches of ``ladder``."""
    for match in Match.objects.select_related("ladder", "block").filter(ladder=ladder, status="queued").order_by("pk"):
        finished(match, variety=variety_of(match))
    return ladder


def make_void(match: Match) -> Match:
    """Let attempts of ``match`` fail until it is void."""
    for _ in range(MOST_FAILURES):
        give_back(claimed(match), Attempt.Ending.FAILED, "the disk is full")
    match.refresh_from_db()
    return match


def finished_block(ladder: Ladder, members: Sequence[Membership], play: Play | None = None) -> Block:
    """A finished rated block of ``members`` in this order, played by ``play`` or at random."""
    block = scheduled(ladder, players_of(members))
    for match in block.matches.select_related("ladder", "block").order_by("seating"):
        report = play(match) if play else report_of(match, variety=variety_of(match))
        assert record_result(claimed(match), report) is not None
    block.refresh_from_db()
    assert block.ended
    return block


def finished_blocks(ladder: Ladder, count: int, play: Play | None = None) -> list[Block]:
    """Finished blocks among members of ``ladder``, drawn with a fixed seed."""
    members, random = list(ladder.memberships.select_related("bot").order_by("pk")), Random(7)
    return [finished_block(ladder, random.sample(members, ladder.seats), play) for _ in range(count)]


def finished_by_hand(ladder: Ladder, names: Sequence[str], variety: int = 0) -> Match:
    """A finished rated match among these users."""
    return finish_game(people_match(ladder, names), variety=variety)


def finished_live(ladder: Ladder, games: int, purpose: Block.Purpose = Block.Purpose.LIVE) -> list[Match]:
    """Finished live matches among changing members."""
    return [finish_game(live_match(ladder, purpose, first=number % 3), variety=number) for number in range(games)]


def finished_matches(ladder: Ladder) -> list[Match]:
    return list(Match.objects.filter(ladder=ladder, status="finished").order_by("pk"))


# What the database holds


def snapshot() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the ladder app, by model."""
    models = sorted(apps.get_app_config("ladder").get_models(), key=lambda model: model.__name__)
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in models}


def ratings(ladder: Ladder) -> dict[int, tuple[int, int, int, int]]:
    """Rating, last change, games and wins of every member, by its primary key."""
    rows = Membership.objects.filter(ladder=ladder).values_list("pk", "rating", "last_change", "games", "win_shares")
    return {row[0]: row[1:] for row in rows}


def differences() -> list[str]:
    """What a rebuild of all ratings from the ledgers would change."""
    return [difference for rebuild in rerate(check=True, records=True) for difference in rebuild.differences]


# Contents that are built once


@dataclass(frozen=True)
class Saved:
    """The result of a build, the rows that it wrote and the time when they were complete."""

    value: Any
    rows: Rows
    at: datetime


_saved: dict[str, Saved] = {}


def built_once(name: str, build: Callable[[], T]) -> T:
    """Return the result of ``build``, with all its rows in the database.

    The first call in a process runs ``build``; later calls insert the same rows, with the same keys and with their
    times moved to now. A build may return model instances, also in tuples and dataclasses. Where one of the tables
    that it fills is not empty, it runs for real.
    """
    before = _filled()
    saved = _saved.get(name)
    if saved is not None and not before & set(saved.rows):
        _insert(saved)
        return _reread(saved.value)
    with fixed_randomness(name):
        value: T = build()
    if saved is None and not before:
        rows = {model: list(model._base_manager.all()) for model in _filled()}
        _saved[name] = Saved(value, rows, timezone.now())
    return _reread(value)


def opened_house() -> None:
    """Put all ladders with the house bots into the database."""
    built_once("house", open_house)


def _tables(*labels: str) -> set[type[Model]]:
    return {model for model in apps.get_models(include_auto_created=True) if model._meta.app_label in labels}


def _filled() -> set[type[Model]]:
    """The tables of the project that have rows, from one query."""
    models = sorted(_tables("accounts", "bots", "ladder"), key=lambda model: model._meta.db_table)
    names = [connection.ops.quote_name(model._meta.db_table) for model in models]
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(f"EXISTS (SELECT 1 FROM {name})" for name in names))
        flags = cursor.fetchone()
    return {model for model, filled in zip(models, flags, strict=True) if filled}


def _insert(saved: Saved) -> None:
    passed = timezone.now() - saved.at
    with transaction.atomic():
        for model, rows in saved.rows.items():
            times = [field.attname for field in model._meta.concrete_fields if isinstance(field, DateTimeField)]
            moved = [copy(row) for row in rows]
            for row in moved:
                for attname in times:
                    if (time := getattr(row, attname)) is not None:
                        setattr(row, attname, time + passed)
            _insert_rows(model, moved)
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(saved.rows)):
                cursor.execute(statement)


def _insert_rows(model: type[Model], rows: list[Any]) -> None:
    """Insert rows as they are: ``raw`` keeps Django from setting the current time."""
    columns = [field for field in model._meta.concrete_fields if not field.generated]
    size = max(1, connection.ops.bulk_batch_size(columns, rows))
    for start in range(0, len(rows), size):
        model._base_manager._insert(rows[start : start + size], fields=columns, using=connection.alias, raw=True)


def _reread(value: Any) -> Any:
    """A copy of ``value`` whose model instances are read from the database."""
    if isinstance(value, Model):
        return type(value)._base_manager.get(pk=value.pk)
    if isinstance(value, tuple):
        return tuple(_reread(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _reread(getattr(value, field.name)) for field in fields(value)})
    assert value is None, f"a build returns model instances, tuples and dataclasses, no {type(value)}"
    return None
