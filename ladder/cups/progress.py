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
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from bots.house.catalogue import HOUSE
from bots.models import BotVersion
from bots.programs import LostCode, NotHere, house_bot, plays, program_of
from bots.tournaments.formats import Plan
from bots.tournaments.keys import cup_seed
from bots.tournaments.ledger import plan_from, played_from
from bots.tournaments.rounds import PlayedRound, Round, Standing
from bots.tournaments.tables import is_over, settled
from games.rules import Document
from ladder.cups import proof
from ladder.cups.registration import cancel, cancel_queued, freeze, leave, repeat
from ladder.matches.blocks import BlockPlayer, CupBlock, schedule_cup_blocks
from ladder.matches.dispatch import dispatch
from ladder.models import Block, Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Match, SeatResult

SUBSTITUTE: Final = "random"
"""The house bot that plays for an entrant who has left, unless it cannot play here."""

MOST_STEPS: Final = 20
"""How many steps of a cup are done at a time, so that no cup delays the others."""

logger = logging.getLogger(__name__)


def advance(after: int | None = None) -> int:
    """Do what is due in all open cups, or in the cup of the match ``after``; return the number of steps.

    Safe to run concurrently. A cup that fails does not stop the others; finally the first error is raised.
    """
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
        held = Cup.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder")
        cup = held.get(pk=cup_id)
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
    busy = Match.objects.filter(block__cup_table=of_cup, status__in=Match.PENDING)
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
        if is_over := not _plays(running):
            _end_round(cup, running)
        return is_over
    idle = list(_idle(running))
    if _remove_lost(cup, idle):
        return True
    return _decide(cup, running, idle)


# --- What was played -------------------------------------------------------------------------------------------------


def plan_of(cup: Cup) -> Plan:
    """The plan of a frozen cup, from its ledger."""
    document = CupLedgerEntry.objects.get(cup=cup, kind=CupLedgerEntry.Kind.ENTRANTS).document
    return plan_from(document, bytes(cup.key))


def played(cup: Cup) -> list[PlayedRound]:
    """The rounds that have ended, as the ledger has them: with rulings."""
    return played_from(proof.course(cup))


def left(cup: Cup) -> dict[int, str]:
    """The entrants who were withdrawn or disqualified after the entrant list was frozen, with their states."""
    gone = CupEntry.objects.filter(cup=cup, number__isnull=False).exclude(state=CupEntry.State.ENTERED)
    return {entry.number: entry.state for entry in gone if entry.number is not None}


def standings_of(cup: Cup, past: Sequence[PlayedRound]) -> list[Standing]:
    """The standings of a frozen cup after the rounds ``past``, best first."""
    return plan_of(cup).standings(past, left(cup))


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
    if entered.count() < max(2, cup.ladder.seats):
        cancel(cup, "Too few bots were left at the start.")
        return
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.RUNNING)
    cup.state = Cup.State.RUNNING
    _begin_round(cup)


def _begin_round(cup: Cup) -> bool:
    """Pair the next round and schedule its blocks, or end the cup."""
    past = played(cup)
    following = plan_of(cup).next_round(past, left(cup))
    if following is None:
        _end(cup, past)
        return True
    round_ = CupRound.objects.create(cup=cup, number=len(past) + 1, byes=list(following.byes))
    tables = CupTable.objects.bulk_create(
        CupTable(round=round_, index=index, entrants=list(table)) for index, table in enumerate(following.tables)
    )
    seats = _Seats(cup)
    playing = [(table, seats.players(table)) for table in tables if seats.is_played(table)]
    blocks = [_block(cup, table, number, who) for table, who in playing for number in range(1, cup.blocks + 1)]
    schedule_cup_blocks(cup.ladder, blocks)
    proof.append(
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


class NoSubstitute(LookupError):
    """No house bot can play for an entrant who has left."""


class _Seats:
    """The versions that play for the entrants of a cup. A house bot substitutes for an entrant who has left."""

    def __init__(self, cup: Cup) -> None:
        self._ladder = cup.ladder
        entries = CupEntry.objects.filter(cup=cup, number__isnull=False).select_related("version__bot")
        self._entries = {entry.number: entry for entry in entries}

    def _is_left(self, entrant: int) -> bool:
        return self._entries[entrant].state != CupEntry.State.ENTERED

    def is_played(self, table: CupTable) -> bool:
        """Whether anything is open at ``table``: at least two of its entrants have not left."""
        return sum(not self._is_left(one) for one in table.entrants) > 1

    def players(self, table: CupTable) -> list[BlockPlayer]:
        """The players by place at ``table``. Raises ``NoSubstitute``."""
        return [BlockPlayer(self._version(one)) for one in table.entrants]

    def _version(self, entrant: int) -> BotVersion:
        entry = self._entries[entrant]
        if not self._is_left(entrant) and entry.version is not None:
            return entry.version
        return self._substitute

    @cached_property
    def _substitute(self) -> BotVersion:
        """``SUBSTITUTE`` or, if it cannot play, the first house bot of the catalogue that can, if possible no entrant.

        Raises ``NoSubstitute``.
        """
        house = BotVersion.objects.filter(bot__owner=None, bot__house_name__in=HOUSE, active=True)
        ladder, order = self._ladder, [SUBSTITUTE, *HOUSE]
        able = [one for one in house.select_related("bot") if plays(one, ladder.game, ladder.seats)]
        if not able:
            raise NoSubstitute(f"no house bot can play {ladder.game} with {ladder.seats} seats")
        entered = {entry.bot_id for entry in self._entries.values()}
        return min(
            able,
            key=lambda one: (
                one.bot.house_name != SUBSTITUTE and one.bot_id in entered,
                order.index(one.bot.house_name),
            ),
        )


def _end_round(cup: Cup, round_: CupRound) -> None:
    """Make the deals and replays of a round public together, and append its results."""
    tables = list(CupTable.objects.filter(round=round_).order_by("index"))
    _opened(round_)
    blocks = blocks_of(tables)
    proof.append(
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


def _end(cup: Cup, past: Sequence[PlayedRound]) -> None:
    rows = standings_of(cup, past)
    document = {
        "key": bytes(cup.key).hex(),
        "standings": [[row.rank, row.entrant, row.match_points] for row in rows],
    }
    proof.append(cup, CupLedgerEntry.Kind.END, document)
    ranks = {row.entrant: row.rank for row in rows}
    entries = list(CupEntry.objects.filter(cup=cup, number__in=ranks))
    for entry in entries:
        entry.rank = ranks[entry.number or 0]
    CupEntry.objects.bulk_update(entries, ["rank"], batch_size=100)
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.FINISHED, ended=Now())
    cup.state = Cup.State.FINISHED


# --- Tables ----------------------------------------------------------------------------------------------------------


def _decide(cup: Cup, round_: CupRound, tables: Sequence[CupTable]) -> bool:
    """Decide ``tables``, whose games are over, or schedule another block. Entrants who have left rank last.

    Returns whether anything was done. A table without a substitute waits for one, or for a ruling of the organizer.
    """
    left_now, blocks, ties = left(cup), blocks_of(tables), _tie_places(cup, round_)
    unfinished = list[CupTable]()
    for table in tables:
        gone = [place for place, one in enumerate(table.entrants) if one in left_now]
        played, seats = blocks[table.pk], len(table.entrants)
        if is_over(played, seats, gone, cup.blocks, ties[table.index]):
            points = settled(played, seats, gone, cup.blocks)
            undecided = CupTable.objects.filter(pk=table.pk, decided=False)
            undecided.update(points=points and list(points), gone=gone, decided=True)
        else:
            unfinished.append(table)
    if unfinished:
        seated, more = _Seats(cup), list[CupBlock]()
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
    return cup.rules.tie_places(cup.ladder.seats, Round(tuple(map(tuple, tables)), tuple(round_.byes)))


def blocks_of(tables: Iterable[CupTable]) -> dict[int, list[Document]]:
    """By table, the blocks that were played, as the ledger has them: the commitment and the games by seating.

    ``ranks`` are by seat, and ``None`` for a match without a result, which is void or canceled.
    """
    ranks: dict[int, list[int]] = defaultdict(list)
    played = SeatResult.objects.filter(
        seat__match__block__cup_table__in=tables, seat__match__status=Match.Status.FINISHED
    )
    for match_id, rank in played.order_by("seat__match", "seat__index").values_list("seat__match", "rank"):
        ranks[match_id].append(rank)
    blocks: dict[int, Document] = {}
    found: dict[int, list[Document]] = {table.pk: [] for table in tables}
    matches = Match.objects.filter(block__cup_table__in=tables).order_by("block__number", "block", "seating")
    columns = ("pk", "status", "block", "block__cup_table", "block__commitment")
    for match_id, status, block_id, table_id, commitment in matches.values_list(*columns):
        if block_id not in blocks:
            blocks[block_id] = {"commitment": commitment, "games": []}
            found[table_id].append(blocks[block_id])
        blocks[block_id]["games"].append({"match": match_id, "status": status, "ranks": ranks.get(match_id)})
    return found
