"""Play cups: freeze them at their deadline, begin rounds, decide tables and end rounds.

``advance`` is called every few seconds by every scheduler, and by workers at the end of a block, so that rounds follow
each other without a pause. Each step holds the row of its cup and is refused by the constraints of the tables if it was
done before. So two schedulers, a restart or a repeated call change nothing.
Rows are locked in the order user, cup, match; results lock no row of a cup.

An entrant who leaves a frozen cup (``leave``) ranks last in every game of its undecided table, and its queued games are
canceled. If two or more entrants are left there, a house bot plays for it in a new block that replaces the incomplete
one. Otherwise the table is a walkover.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from bots.house.catalogue import HOUSE
from bots.models import BotVersion
from bots.programs import LostCode, NotHere, house_bot, plays, program_of
from bots.tournaments.keys import cup_seed
from bots.tournaments.rounds import Round
from bots.tournaments.tables import is_over, settled
from esr_platform.prepared import Prepared
from ladder.cups import ledger
from ladder.cups.cancellation import cancel, cancel_queued
from ladder.cups.registration import freeze, leave
from ladder.cups.results import CupResults, blocks_of
from ladder.cups.series import repeat
from ladder.live.absences import NoSubstitute
from ladder.matches.blocks import BlockPlayer, CupBlock, schedule_cup_blocks
from ladder.matches.dispatch import dispatch
from ladder.models import Block, Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Match

SUBSTITUTE: Final = "random"
"""The house bot that plays for an entrant who has left, unless it cannot play here."""

MOST_STEPS: Final = 20
"""How many steps of a cup are done at a time, so that no cup delays the others."""

logger = logging.getLogger(__name__)


_CUP_BLOCK_OF: Final = Prepared(
    lambda match: Block.objects.filter(matches__pk=match, cup_table__isnull=False).values_list("pk", flat=True)
)


def advance(after: int | None = None) -> int:
    """Do what is due in all open cups, or in the cup of the match ``after``; return the number of steps.

    Safe to run concurrently. A cup that fails does not stop the others; finally the first error is raised.
    """
    if after is not None and not _CUP_BLOCK_OF(match=after):
        return 0
    steps, failures = 0, list[Exception]()
    due = Cup.objects.filter(_due()).order_by("starts_at", "pk")
    if after is not None:
        due = due.filter(played_rounds__tables__blocks__matches=after)
    for cup_id in list(due.distinct().values_list("pk", flat=True)):
        try:
            steps += next((number for number in range(MOST_STEPS) if not _step(cup_id)), MOST_STEPS)
        except Exception as error:  # raised below
            logger.exception("cup %s failed to advance", cup_id)
            failures.append(error)
    if steps:
        dispatch()
    if failures:
        raise failures[0]
    return steps


def _step(cup_id: int) -> bool:
    """Do one step of a cup, in one transaction. Returns whether there was one."""
    if not Cup.objects.filter(_due(), pk=cup_id).exists():
        return False  # checked without a lock
    with transaction.atomic():
        cup = Cup.lock(cup_id)
        now = Cup.objects.filter(pk=cup_id).annotate(now=Now()).values_list("now", flat=True).get()
        if _remove_unplayable(cup) or cancel_queued(_stale(cup_id), "The game can no longer count."):
            return True
        if cup.state == Cup.State.REGISTRATION and cup.closes_at <= now:
            freeze(cup)
            repeat(cup)
            return True
        if cup.state == Cup.State.READY and cup.starts_at <= now and not cup.paused:
            _start(cup)
            return True
        if cup.state == Cup.State.CANCELLED:
            return _open_stopped(cup)
        return cup.state == Cup.State.RUNNING and _continue(cup)


def _open_stopped(cup: Cup) -> bool:
    """Make the last round of a canceled cup public once its running games have ended."""
    running = CupRound.objects.filter(cup=cup, ended=None).first()
    return running is not None and not _plays(running) and _opened(running)


def _due() -> Q:
    """A filter for cups in which there is probably something to do. Ended cups are left out by their state alone."""
    of_cup = OuterRef("pk")
    running = CupRound.objects.filter(cup=of_cup, ended=None)
    undecided = CupTable.objects.filter(round__cup=of_cup, round__ended=None, decided=False)
    pending = Match.objects.filter(block__cup_table__round__cup=of_cup, status__in=Match.PENDING)
    of_table = OuterRef("pk")  # of a table in ``undecided``
    busy = Match.objects.filter(block__cup_table=of_table, status__in=Match.PENDING)
    is_open = Q(state__in=Cup.OPEN) | Q(Exists(running), state=Cup.State.CANCELLED)
    return is_open & (
        Q(state=Cup.State.REGISTRATION, closes_at__lte=Now())
        | Q(state=Cup.State.READY, starts_at__lte=Now(), paused=False)
        | Q(~Exists(running), state=Cup.State.RUNNING, paused=False)
        | Q(Exists(undecided.filter(~Exists(busy))))
        | Q(Exists(running), ~Exists(undecided), ~Exists(pending))
        | Q(Exists(_away(of_cup)))
        | Q(Exists(_stale(of_cup)))
    )


def _undecided(round_: CupRound) -> QuerySet[CupTable]:
    return CupTable.objects.filter(round=round_, decided=False)


def _plays(round_: CupRound) -> bool:
    """Whether a game of the round is queued or running, which may be at a table that was decided by a ruling."""
    return Match.objects.filter(block__cup_table__round=round_, status__in=Match.PENDING).exists()


def _stale(cup_id: int | OuterRef) -> QuerySet[Match]:
    """Queued games that can no longer count: of a canceled cup, at a decided table, or in a block that has a game
    without a result. Such games can be queued again after they were running.
    """
    over = Q(block__cup_table__decided=True) | Q(block__cup_table__round__cup__state=Cup.State.CANCELLED)
    without = (Match.Status.VOID, Match.Status.CANCELLED)
    broken = Exists(Match.objects.filter(block=OuterRef("block"), status__in=without))
    queued = Match.objects.filter(block__cup_table__round__cup=cup_id, status=Match.Status.QUEUED)
    return queued.filter(over | Q(broken))


def _idle(round_: CupRound) -> QuerySet[CupTable]:
    """The undecided tables of a round without a game to play."""
    undecided = _undecided(round_)
    busy = Match.objects.filter(block__cup_table__in=undecided, status__in=Match.PENDING)
    return undecided.exclude(pk__in=busy.values("block__cup_table")).select_related("round")


def _continue(cup: Cup) -> bool:
    """Decide the tables that are over, or end the round, or begin the next one."""
    running = CupRound.objects.filter(cup=cup, ended=None).first()
    if running is None:
        return False if cup.paused else _begin_round(cup)
    if not _undecided(running).exists():
        if _plays(running):
            return False
        _end_round(cup, running)
        return True
    idle = list(_idle(running))
    if _remove_lost(cup, idle):
        return True
    return _decide(cup, running, idle)


# --- Entrants who leave ----------------------------------------------------------------------------------------------


def _away(cup_id: int | OuterRef) -> QuerySet[CupEntry]:
    """The entries of an open cup whose bot can no longer play. A paused bot can be resumed until the deadline."""
    gone = Q(bot__retired__isnull=False) | Q(bot__suspended__isnull=False)
    replaced = Q(bot__owner=None, version__active=False) | Q(bot__owner__isnull=False, version__archive="")
    frozen = Q(number__isnull=False) & (Q(bot__paused__isnull=False) | replaced)
    entered = CupEntry.objects.filter(gone | frozen, cup=cup_id, state=CupEntry.State.ENTERED, cup__state__in=Cup.OPEN)
    return entered.select_related("bot", "version__bot").order_by("number", "pk")


def _remove_unplayable(cup: Cup) -> bool:
    """Withdraw the entries whose bot can no longer play. Returns whether there were any."""
    away = [(entry, reason) for entry in _away(cup.pk) if (reason := _why_away(entry))]
    for entry, reason in away:
        leave(cup, entry, CupEntry.State.WITHDRAWN, reason)
    return bool(away)


def _why_away(entry: CupEntry) -> str:
    """Why the bot can no longer play, without names; empty if its replaced house code is still installed here."""
    if entry.bot.retired is not None:
        return "The bot was retired."
    if entry.bot.suspended is not None:
        return "The bot was suspended."
    if entry.bot.paused is not None:
        return "The bot was paused."
    return "" if entry.version is not None and house_bot(entry.version) else _NO_CODE


_NO_CODE: Final = "The code of the entered version is no longer available."


def _remove_lost(cup: Cup, tables: Sequence[CupTable]) -> bool:
    """Withdraw the entrants of ``tables`` with a void game whose code is lost. Returns whether there were any."""
    void = Match.objects.filter(block__cup_table__in=tables, status=Match.Status.VOID)
    entered = CupEntry.objects.filter(cup=cup, state=CupEntry.State.ENTERED, version__seats__match__in=void)
    lost = [entry for entry in entered.select_related("version__bot").distinct() if _is_lost(entry.version)]
    for entry in lost:
        leave(cup, entry, CupEntry.State.WITHDRAWN, _NO_CODE)
    return bool(lost)


def _is_lost(version: BotVersion | None) -> bool:
    try:
        if version is not None:
            program_of(version)
    except LostCode:
        return True
    except NotHere:
        pass
    return False


# --- Rounds ----------------------------------------------------------------------------------------------------------


def _start(cup: Cup) -> None:
    """Begin the first round, or cancel a cup of which too few entrants are left."""
    entered = CupEntry.objects.filter(cup=cup, number__isnull=False, state=CupEntry.State.ENTERED)
    if entered.count() < cup.tournament_format.least_entrants(cup.ladder.seats):
        cancel(cup, "Too few bots were left at the start.")
        return
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.RUNNING)
    cup.state = Cup.State.RUNNING
    _begin_round(cup)


def _begin_round(cup: Cup) -> bool:
    """Pair the next round and schedule its blocks, or end the cup."""
    results = CupResults(cup)
    following = results.plan.next_round(results.played, results.left)
    if following is None:
        _end(results)
        return True
    round_ = CupRound.objects.create(cup=cup, number=len(results.played) + 1, byes=list(following.byes))
    tables = CupTable.objects.bulk_create(
        CupTable(round=round_, index=index, entrants=list(table)) for index, table in enumerate(following.tables)
    )
    seats = _Seats(results)
    playing = [(table, seats.players(table)) for table in tables if seats.is_played(table)]
    blocks = [_block(cup, table, number, who) for table, who in playing for number in range(1, cup.blocks + 1)]
    schedule_cup_blocks(cup.ladder, blocks)
    ledger.append(
        cup,
        CupLedgerEntry.Kind.ROUND,
        {
            "round": round_.number,
            "tables": [list(table) for table in following.tables],
            "byes": list(following.byes),
        },
    )
    return True


def _block(cup: Cup, table: CupTable, number: int, players: Sequence[BlockPlayer]) -> CupBlock:
    """A block of ``table`` with its own deal. ``number`` counts the blocks of the table from 1."""
    seed = cup_seed(bytes(cup.key), cup.entrants_hash, table.round.number, table.index + 1, number)
    return CupBlock(table, number, seed, players)


class _Seats:
    """The versions that play for the entrants of a cup. A house bot substitutes for an entrant who has left."""

    def __init__(self, results: CupResults) -> None:
        self._results, self._ladder = results, results.cup.ladder

    def is_played(self, table: CupTable) -> bool:
        """Whether anything is open at ``table``: at least two of its entrants have not left."""
        return sum(entrant not in self._results.left for entrant in table.entrants) > 1

    def players(self, table: CupTable) -> list[BlockPlayer]:
        """The players by place at ``table``. Raises ``NoSubstitute``."""
        return [BlockPlayer(self._version(entrant)) for entrant in table.entrants]

    def _version(self, entrant: int) -> BotVersion:
        return self._substitute if entrant in self._results.left else self._versions[entrant]

    @cached_property
    def _versions(self) -> Mapping[int, BotVersion]:
        """By entrant, the frozen version."""
        frozen = BotVersion.objects.filter(cup_entries__cup=self._results.cup, cup_entries__number__isnull=False)
        versions = {version.pk: version for version in frozen.select_related("bot").defer("validation_report")}
        return {
            number: versions[entry.version_id]
            for number, entry in self._results.entrants.items()
            if entry.version_id is not None
        }

    @cached_property
    def _substitute(self) -> BotVersion:
        """``SUBSTITUTE`` or, if it cannot play, the first house bot of the catalogue that can, if possible no entrant.

        Raises ``NoSubstitute``.
        """
        house = BotVersion.objects.filter(bot__owner=None, bot__house_name__in=HOUSE, active=True)
        ladder, order = self._ladder, [SUBSTITUTE, *HOUSE]
        able = [version for version in house.select_related("bot") if plays(version, ladder.game, ladder.seats)]
        if not able:
            raise NoSubstitute(f"no house bot can play {ladder.game} with {ladder.seats} seats")
        entered = {entry.bot_id for entry in self._results.entrants.values()}

        def key(version: BotVersion) -> tuple[bool, int]:
            name = version.bot.house_name
            return name != SUBSTITUTE and version.bot_id in entered, order.index(name)

        return min(able, key=key)


def _end_round(cup: Cup, round_: CupRound) -> None:
    """Make the deals and replays of a round public together, and append its results."""
    tables = list(CupTable.objects.filter(round=round_).order_by("index"))
    _opened(round_)
    blocks = blocks_of(tables)
    ledger.append(
        cup,
        CupLedgerEntry.Kind.RESULTS,
        {
            "round": round_.number,
            "points": [table.points for table in tables],
            "gone": [table.gone for table in tables],
            "blocks": [blocks[table.pk] for table in tables],
        },
    )


def _opened(round_: CupRound) -> bool:
    """Make the deals and replays of a round public. Returns ``False`` if that was done before."""
    Block.objects.filter(cup_table__round=round_, ended=None).update(ended=Now())
    return bool(CupRound.objects.filter(pk=round_.pk, ended=None).update(ended=Now()))


def _end(results: CupResults) -> None:
    cup, entrants, standings = results.cup, results.entrants, results.standings
    document = {
        "key": bytes(cup.key).hex(),
        "standings": [[standing.rank, standing.entrant, standing.match_points] for standing in standings],
    }
    ledger.append(cup, CupLedgerEntry.Kind.END, document)
    for standing in standings:
        entrants[standing.entrant].rank = standing.rank
    CupEntry.objects.bulk_update(list(entrants.values()), ["rank"], batch_size=100)
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.FINISHED, ended=Now())
    cup.state = Cup.State.FINISHED


# --- Tables ----------------------------------------------------------------------------------------------------------


def _decide(cup: Cup, round_: CupRound, tables: Sequence[CupTable]) -> bool:
    """Decide ``tables``, whose games are over, or schedule another block. Entrants who have left rank last.

    Returns whether anything was done. A table without a substitute waits for one, or for a ruling of the organizer.
    """
    results, blocks, ties = CupResults(cup), blocks_of(tables), _tie_places(cup, round_)
    unfinished = list[CupTable]()
    for table in tables:
        gone = [place for place, entrant in enumerate(table.entrants) if entrant in results.left]
        played, seats = blocks[table.pk], len(table.entrants)
        if is_over(played, seats, gone, cup.blocks, ties[table.index]):
            points = settled(played, seats, gone, cup.blocks)
            undecided = CupTable.objects.filter(pk=table.pk, decided=False)
            undecided.update(points=points and list(points), gone=gone, decided=True)
        else:
            unfinished.append(table)
    if unfinished:
        seated, more = _Seats(results), list[CupBlock]()
        for table in unfinished:
            try:
                players = seated.players(table)
            except NoSubstitute as error:
                logger.error("table %s of round %s of cup %s waits: %s", table.index + 1, round_.number, cup.pk, error)
                continue
            more.append(_block(cup, table, len(blocks[table.pk]) + 1, players))
        schedule_cup_blocks(cup.ladder, more)
        return bool(more) or len(unfinished) < len(tables)
    return bool(tables)


def _tie_places(cup: Cup, round_: CupRound) -> Sequence[int]:
    """By table of a round, how many last places a tie must not join with the place before them."""
    tables = CupTable.objects.filter(round=round_).order_by("index").values_list("entrants", flat=True)
    return cup.tournament_format.tie_places(cup.ladder.seats, Round(tuple(map(tuple, tables)), tuple(round_.byes)))
