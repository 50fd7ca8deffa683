"""What reading endpoints answer, described for the OpenAPI document. Nothing is serialized with these classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from rest_framework import serializers

from bots.models import Bot
from games.registry import GAMES
from games.rules import FORFEIT_REASONS
from ladder.models import Block, DealSeries, Ladder, Match

Word = serializers.CharField
Whole = serializers.IntegerField
Moment = serializers.DateTimeField
Flag = serializers.BooleanField
Json = serializers.JSONField
Points = serializers.FloatField
Choice = serializers.ChoiceField


class Document(serializers.Serializer[Any]):
    """A document whose every field is always there."""


class Sparse(Document):
    """A document of which only some fields may be asked for; those in ``always`` come all the same."""

    always: ClassVar[Sequence[str]] = ("id",)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        for name, field in fields.items():
            field.required = name in self.always
        return fields


class GameDocument(Sparse):
    """A game that can be played here."""

    always = ("slug",)

    slug = Word(help_text="its name in addresses and documents")
    name = Word()
    rules = Word(help_text="the version of its rules")
    seats = serializers.ListField(child=Whole(), help_text="how many can play it")
    scores = serializers.ListField(child=Word(), help_text="the columns of its results, left to right")
    documents = serializers.ListField(child=Word(), help_text="what `/games/{slug}/schemas/{document}` describes")
    guide = Word(help_text="the rules for a newcomer, Markdown")


_KIND: Final = "whether its code runs here or elsewhere, or a person plays"


class NamedSeason(Document):
    number = Whole(help_text="from 1")
    opened = Moment()
    closes_at = Moment(allow_null=True)
    closing = Moment(allow_null=True, help_text="since when nothing new is scheduled in it")
    closed = Moment(allow_null=True, help_text="since when its table is final")


class LadderDocument(Sparse):
    """A ladder: rated play of one game with one number of seats."""

    always = ("slug",)

    slug = Word()
    name = Word()
    game = Choice(choices=tuple(GAMES))
    seats = Whole(min_value=2, max_value=5)
    players = Choice(choices=Ladder.Players.values, help_text="whose bots sit at its tables, or people")
    open = Flag(help_text="whether new games are scheduled")
    by_invitation = Flag()
    private = Flag(help_text="whether only its members know of it; you are one")
    freezes_at = Moment(allow_null=True, help_text="from when on versions stay as they are")
    limits = serializers.DictField(child=Whole(), help_text="what a bot is given in a game: milliseconds and MiB")
    created = Moment()
    bots = Whole(help_text="bots and people that play here")
    games = Whole(help_text="rated games that count, of all seasons")
    season = NamedSeason(allow_null=True, help_text="the newest one")


class NamedBot(Document):
    bot = Word(help_text="its name in addresses")
    name = Word()
    owner = Word(allow_null=True, help_text="user name; null for house bots and where the account is gone")
    house = Flag(help_text="whether it is a house bot")


class EstimateDocument(Document):
    """By all games of the season, with 95 % certainty."""

    version = Whole()
    rating = Points(help_text="points")
    low = Points(help_text="points")
    high = Points(help_text="points")
    rank_low = Whole(help_text="the best rank that it may have", allow_null=True)
    rank_high = Whole(help_text="the worst rank that it may have", allow_null=True)
    blocks = Whole()
    games = Whole()
    computed = Moment()


class MembershipDocument(Sparse):
    """A bot or a person on a ladder, with what the rated games of the season have added up to."""

    always = ("bot",)

    rank = Whole(help_text="competition rank by rating in the whole table")
    bot = Word(help_text="its name in addresses")
    name = Word()
    kind = Choice(choices=Bot.Kind.values, help_text=_KIND)
    owner = Word(allow_null=True, help_text="user name; null for house bots and where the account is gone")
    house = Flag(help_text="whether it is a house bot")
    rating = Points(help_text="points")
    last_change = Points(help_text="points that its last game brought")
    games = Whole(help_text="rated games of the season")
    wins = Points(help_text="first places; k winners get 1/k each")
    active = Flag(help_text="whether it is given new games")
    provisional = Flag(help_text="whether its rating still moves fast, because it has few games")
    estimate = EstimateDocument(allow_null=True, help_text="of the version it played last")


class SeriesDocument(Document):
    name = Word(help_text="what is hashed to make a deal")
    kind = Choice(choices=DealSeries.Kind.values)
    deals = Whole(help_text="deals that were made")
    key_hash = Word(help_text="SHA-256 of the key, hex, public from the start")
    key = Word(allow_null=True, help_text="hex; null until the season is closed and its last deal played")


class SeasonDocument(Sparse):
    """A stretch of a ladder's life with ratings and deals of its own."""

    always = ("number",)

    ladder = Word()
    number = Whole(help_text="from 1")
    opened = Moment()
    closes_at = Moment(allow_null=True)
    closing = Moment(allow_null=True, help_text="since when nothing new is scheduled in it")
    closed = Moment(allow_null=True, help_text="since when its table is final")
    winners = serializers.ListField(child=Word(), help_text="bots; none before it is closed")
    series = SeriesDocument(many=True)


class StandingDocument(Sparse):
    """A row of a closed season's final table. Later corrections do not touch it."""

    always = ("bot",)

    rank = Whole(help_text="competition rank by rating")
    bot = Word()
    name = Word()
    kind = Choice(choices=Bot.Kind.values, help_text=_KIND)
    owner = Word(allow_null=True)
    house = Flag()
    rating = Points(help_text="points")
    games = Whole()
    wins = Points(help_text="first places; k winners get 1/k each")


class PlaceDocument(Document):
    ladder = Word()
    rating = Points(help_text="points")
    games = Whole(help_text="rated games of the season")
    active = Flag(help_text="whether it is given new games")


class BotListed(Sparse):
    """A bot, or a person as they sit at tables."""

    always = ("slug",)

    slug = Word()
    name = Word()
    kind = Choice(choices=Bot.Kind.values, help_text=_KIND)
    description = Word()
    owner = Word(allow_null=True, help_text="user name; null for house bots and where the account is gone")
    house = Flag()
    created = Moment()
    retired = Moment(allow_null=True)
    paused = Moment(allow_null=True)
    pause_reason = Word(help_text="why it is on leave; empty where it is not")
    suspended = Flag(help_text="whether staff have taken it off its ladders")
    public_source = Flag(help_text="whether everybody may download the code that plays")
    version = Whole(allow_null=True, help_text="the version that plays; null where none does, and for people")
    ladders = PlaceDocument(many=True)


class BotVersionListed(Sparse):
    """A version of a bot. Everybody sees those that were ready, its owner all of them."""

    always = ("number",)

    bot = Word()
    number = Whole(help_text="from 1")
    label = Word(help_text="of a remote bot's version: its owner's name for it; else empty")  # type: ignore[assignment]
    state = Choice(choices=("received", "checking", "ready", "refused"))
    active = Flag(help_text="whether new games are given this version")
    digest = Word(help_text="SHA-256 of the code, hex")
    language = Word(help_text="`remote` where the program runs elsewhere")
    claims = Json(help_text="the tables it plays: seat counts by game")
    created = Moment()
    checked = Moment(allow_null=True, help_text="when its check came to an end")
    reason = Word(allow_null=True, help_text="why it was refused; null for everybody but its owner")
    filename = Word(allow_null=True, help_text="what its owner uploaded; null for everybody else")
    size = Whole(allow_null=True, help_text="of the archive, bytes; null for everybody but its owner")


class BotVersionDocument(BotVersionListed):
    """A version of a bot, with what its check has found for its owner."""

    check_report = Json(help_text="every table that was tried; null for everybody but its owner")


class BotDocument(BotListed):
    """A bot with its newest versions; people have none."""

    versions = BotVersionListed(many=True)


class RatingDocument(Sparse):
    """What one rated game did to a rating."""

    always = ("number",)

    number = Whole(help_text="of the ladder's ledger: the order in which games count")
    match = Whole()
    season = Whole()
    version = Whole()
    rank = Whole()
    before = Points(help_text="points")
    after = Points(help_text="points")
    counted = Moment(help_text="when it was entered into the ledger")


class PlayerDocument(Document):
    """Who sat at a seat, and what came of it. Rank, score and ratings are null where there is no result."""

    seat = Whole(help_text="from 0")
    bot = Word()
    name = Word()
    kind = Choice(choices=Bot.Kind.values, help_text=_KIND)
    owner = Word(allow_null=True)
    house = Flag()
    version = Whole(help_text="1 for people")
    label = Word(help_text="of a remote bot's version; else empty")  # type: ignore[assignment]
    rank = Whole(allow_null=True, help_text="competition rank: two winners are 1, 1, 3")
    score = Json(help_text="the game's own score object; null without a result, and if the game ended early")
    forfeit = Choice(choices=("", *FORFEIT_REASONS), help_text="why it lost without playing to the end; else empty")
    rating_before = Points(allow_null=True, help_text="points")
    rating_after = Points(allow_null=True, help_text="points")


class MatchListed(Sparse):
    """A game that is to be played, is played or was played."""

    id = Whole()
    ladder = Word()
    game = Choice(choices=tuple(GAMES))
    seats = Whole()
    season = Whole(allow_null=True)
    purpose = Choice(choices=Block.Purpose.values)
    rated = Flag()
    live = Flag(help_text="whether it is driven by requests, with a person at the table or a program elsewhere")
    status = Choice(choices=Match.Status.values)
    reason = Word(help_text="why it has no result; else empty")
    open = Flag(help_text="whether its deal, record, log and replay are open: once every game of its deal has ended")
    created = Moment()
    started = Moment(allow_null=True, help_text="of the last attempt")
    ended = Moment(allow_null=True)
    players = PlayerDocument(many=True, help_text="by seat")


class DealGame(Document):
    id = Whole()
    status = Choice(choices=Match.Status.values)


class DealDocument(Document):
    series = Word(allow_null=True)
    number = Whole(allow_null=True)
    commitment = Word(help_text="SHA-256 of the seed, hex, public from the start")
    seed = Word(allow_null=True, help_text="hex; null until the last game of the deal has ended")
    games = DealGame(many=True, help_text="all games that are played with this deal")


class LedgerNumbers(Document):
    result = Whole(allow_null=True, help_text="its number in the ladder's ledger")
    void = Whole(allow_null=True, help_text="the number that took it back")


class OccupantDocument(Document):
    """Who sat at a seat from which move on: a person, or the house bot that stood in for them."""

    seat = Whole(help_text="from 0")
    bot = Word()
    name = Word()
    version = Whole()
    from_move = Whole(help_text="of the moves that were not forced, from 0")
    to_move = Whole(allow_null=True, help_text="not part of it; null where they sat to the end")


class OutageDocument(Document):
    """A time in which the site was unavailable. Running clocks were extended by it."""

    before_move = Whole(help_text="the move that came next, of the moves that were not forced, from 0")
    ended = Moment()
    ms = Whole()


class MatchDocument(MatchListed):
    """A game with its deal and the numbers that it has in the ladder's ledger."""

    deal = DealDocument()
    ledger = LedgerNumbers()
    occupants = OccupantDocument(many=True, help_text="who really played, where people sat; none before it is open")
    outages = OutageDocument(many=True, help_text="of the site, where people sat; none before it is open")


class ShareDocument(Document):
    """The mean share of points, 0 to 1, with its 95 % interval over blocks."""

    value = Points()
    low = Points()
    high = Points()


class PairDocument(Sparse):
    """What a bot has reached against another one in a season's blocks that are over."""

    always = ("bot", "opponent")

    bot = Word()
    opponent = Word()
    games = Whole()
    blocks = Whole()
    share = ShareDocument()
    bought = Whole(help_text="barters won from the opponent")
    paid = Whole(help_text="what was paid for them, in what the game pays with")
    sold = Whole(help_text="barters left to the opponent")
    received = Whole(help_text="what was received for them")


class PersonDocument(Sparse):
    """Somebody with an account."""

    always = ("username",)

    username = Word()
    since = Moment()
    suspended = Flag()
    bots = serializers.ListField(child=Word(), help_text="address names of the bots that everybody knows of")
    player = Word(allow_null=True, help_text="the address name by which they play themselves; null before they do")
