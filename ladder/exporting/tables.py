"""The tables of an export: whose results they are is decided by the ladders that it is made of.

What is closed of a deal is not in them (``ladder.openness``), and of games that go on, nothing is.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import BooleanField, Case, CharField, F, QuerySet, Value, When

from bots.models import Bot, BotVersion
from ladder.access import public_players
from ladder.exporting.columns import Table, as_json, flag, moment, number, points, word
from ladder.models import Block, Ladder, LedgerEntry, Match, Season, Seat
from ladder.openness import opened, opened_blocks


def tables(ladders: QuerySet[Ladder]) -> Sequence[Table]:
    """All tables of what was played on ``ladders``."""
    return (_ladders(ladders), _seasons(ladders), _bots(), _versions(), _deals(ladders), *_games(ladders))


def _ladders(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        word("ladder", "its name in addresses", "slug"),
        word("name", "what it is called"),
        word("game", "a slug of the rules"),
        number("seats", "players at a table"),
        word("players", "hosted, remote, open or people: who sits there"),
        flag("open", "whether new games are scheduled"),
        moment("created", "since when it is there"),
    )
    return Table("ladders", ladders, columns)


def _seasons(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        word("ladder", "its ladder", "ladder__slug"),
        number("season", "from 1", "number"),
        moment("opened", "when it began"),
        moment("closed", "when its table was final", nullable=True),
    )
    return Table("seasons", Season.objects.filter(ladder__in=ladders), columns)


def _bots() -> Table:
    owner = Case(When(owner__deleted=None, then=F("owner__username")), output_field=CharField(null=True))
    house = Case(
        When(owner=None, kind=Bot.Kind.HOSTED, then=Value(True)), default=Value(False), output_field=BooleanField()
    )
    columns = (
        word("bot", "its name in addresses", "slug"),
        word("name", "what it is called"),
        word("kind", "hosted or remote: where its code runs; person: who plays by hand"),
        word("owner", "user name; null for the house, for guests, and where the account is gone", owner, nullable=True),
        flag("house", "whether it is the house's", house),
        moment("created", "since when it is there"),
        moment("retired", "since when it plays no more", nullable=True),
    )
    return Table("bots", public_players().select_related(None), columns)


def _versions() -> Table:
    columns = (
        word("bot", "whose version it is", "bot__slug"),
        number("version", "from 1", "number"),
        word("label", "a remote bot's name for it; else empty"),
        word("digest", "SHA-256 of the code, hex"),
        word("language", "what it is written in; remote where nobody here knows, person where there is no code"),
        moment("created", "when it came"),
    )
    ready = BotVersion.objects.filter(bot__in=public_players(), state=BotVersion.State.READY)
    return Table("versions", ready, columns)


def _deals(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        number("deal", "its number in this export", "pk"),
        word("ladder", "where it is played", "ladder__slug"),
        number("season", "null from before the first season", "series__season__number", nullable=True),
        word("series", "what is hashed with the number to make the deal", "series__name", nullable=True),
        number("number", "of the series, from 1", nullable=True),
        word("purpose", "what it is played for"),
        word("commitment", "SHA-256 of the seed, hex"),
        word("seed", "hex", made=lambda seed: bytes(seed).hex()),
        moment("ended", "when the last of its games had ended"),
    )
    return Table("deals", Block.objects.filter(opened_blocks(), ladder__in=ladders), columns)


def _games(ladders: QuerySet[Ladder]) -> tuple[Table, Table, Table]:
    ended = Match.objects.filter(opened("block"), ladder__in=ladders, status__in=Match.ENDED)
    return _matches(ended), _seats(ended), _ledger(ladders)


def _matches(ended: QuerySet[Match]) -> Table:
    columns = (
        number("match", "as in addresses", "pk"),
        word("ladder", "where it was played", "ladder__slug"),
        number("deal", "which deal it was played with", "block"),
        number("seating", "which of the deal's seatings"),
        word("status", "finished, void, cancelled or aborted"),
        word("reason", "why it has no result; else empty"),
        moment("created", "when it was scheduled"),
        moment("started", "its last attempt; null where nobody tried", nullable=True),
        moment("ended", "when it ended"),
    )
    return Table("matches", ended, columns)


def _seats(ended: QuerySet[Match]) -> Table:
    columns = (
        number("match", "which game", "match_id"),
        number("seat", "from 0", "index"),
        word("bot", "who sat there", "version__bot__slug"),
        number("version", "which version of it", "version__number"),
        number("rank", "competition rank; null without a result", "result__rank", nullable=True),
        word("forfeit", "why it lost without playing to the end; else empty", "result__forfeit", nullable=True),
        as_json(
            "score",
            "the game's own score object, JSON; without numbers if the game ended early",
            read="result__score",
            nullable=True,
        ),
        points("rating_before", "points; null where the game does not count", "result__rating_before"),
        points("rating_after", "points; null where the game does not count", "result__rating_after"),
    )
    return Table("seats", Seat.objects.filter(match__in=ended), columns)


def _ledger(ladders: QuerySet[Ladder]) -> Table:
    columns = (
        word("ladder", "whose ledger", "ladder__slug"),
        number("number", "the order in which it counts, from 1 without gaps"),
        word("kind", "result, void, merge, k or season"),
        number("season", "in which it counts", "season__number"),
        number("match", "of a result, and of one that was taken back", "result__match", nullable=True),
        as_json("document", "what it says, JSON"),
        word("hash", "SHA-256 over it and the entry before, hex"),
        moment("created", "when it was written"),
    )
    return Table("ledger", LedgerEntry.objects.filter(ladder__in=ladders), columns)
