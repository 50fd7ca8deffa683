"""The documents that endpoints for changes receive and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers

from bots import remote
from bots.names import MAX_NAME
from games.registry import GAMES
from ladder.exhibitions.choices import MARGINS
from ladder.models import Exhibition, ExhibitionPlayer

# --- Fields ----------------------------------------------------------------------------------------------------------

SLUG: Final = r"^[-a-zA-Z0-9_]{1,60}$"
"""An address name."""

MOST_SEATS: Final = max(count for game in GAMES.values() for count in game.seat_counts)


class Word(serializers.CharField):
    """A text, never a number."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Name(serializers.RegexField):
    """A text of a certain shape, by default an address name."""

    def __init__(self, pattern: str = SLUG, **options: Any) -> None:
        super().__init__(pattern, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    """A whole number, as JSON Schema has it: 20 and 20.0 are one, those in quotes and ``true`` are none."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int and not (type(data) is float and data.is_integer()):
            self.fail("invalid")
        return super().to_internal_value(int(data))


class Sent(serializers.Serializer[Any]):
    """A JSON document that is sent. A field that is not known is refused, or a slip of the pen would mean something."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            sentence = f"There is no such field. There are: {', '.join(self.fields)}."
            raise serializers.ValidationError({name: [sentence] for name in unknown})
        return super().to_internal_value(data)


def tables(**options: Any) -> serializers.DictField:
    """Seat counts by the game's slug; whether there are such tables is judged elsewhere."""
    counts = serializers.ListField(child=Whole(min_value=2, max_value=MOST_SEATS), max_length=MOST_SEATS)
    return serializers.DictField(child=counts, **options)


# --- Documents -------------------------------------------------------------------------------------------------------

PLAYER: Final = r"^[-a-zA-Z0-9_]{1,60}(/[1-9][0-9]{0,8})?$"
_MOST_OPPONENTS: Final = 60
_MOST_BLOCKS: Final = 1_000_000


class RemoteBotForm(Sent):
    """A new remote bot: nothing is uploaded, its program runs where you like."""

    kind = serializers.ChoiceField(choices=["remote"])
    name = Word(max_length=MAX_NAME)
    games = tables(required=False, default=None, help_text="seat counts by game; else every table")
    label = Word(  # type: ignore[assignment]  # the framework takes it out of the class
        required=False,
        default=remote.FIRST_LABEL,
        max_length=remote.MOST_LABEL,
        help_text="what you call this state of your program",
    )
    games_at_once = Whole(required=False, default=1, min_value=1, max_value=remote.MOST_GAMES)


class LabelForm(Sent):
    """Another state of a remote bot's program, which plays from now on. A label that it has had is that version."""

    label = Word(max_length=remote.MOST_LABEL)  # type: ignore[assignment]
    games = tables(required=False, default=None, help_text="seat counts by game; else those it has")


class _ExhibitionForm(Sent):
    ladder = Name(help_text="its name in addresses")
    blocks = Whole(min_value=1, max_value=_MOST_BLOCKS, help_text="deals, each played in all seatings")
    key = serializers.UUIDField(
        required=False, help_text="of your own making: the same key sent again is the same order"
    )


def _player(**options: Any) -> Name:
    return Name(PLAYER, **options)


class TestForm(_ExhibitionForm):
    """So many blocks at one table; a challenge where bots of other people sit there. Unrated."""

    kind = serializers.ChoiceField(choices=["test"])
    players = serializers.ListField(
        child=_player(),
        min_length=2,
        max_length=5,
        help_text="who sits where: `citrine` is the version that plays, `citrine/3` the third one",
    )


class ComparisonForm(_ExhibitionForm):
    """Whether one version of yours is better than another. ``blocks`` is the most: it ends once that is decided."""

    kind = serializers.ChoiceField(choices=["comparison"])
    candidate = _player(help_text="as in `citrine/4`")
    baseline = _player(help_text="as in `citrine/3`")
    opponents = serializers.ListField(child=_player(), min_length=1, max_length=_MOST_OPPONENTS)
    margin = serializers.ChoiceField(
        choices=MARGINS, required=False, default=MARGINS[1], help_text="better by how much, in 1/1000 of a score"
    )


EXHIBITION_FORMS: Final[Mapping[str, type[_ExhibitionForm]]] = {"test": TestForm, "comparison": ComparisonForm}
"""What is sent for an exhibition, by its ``kind``."""


class StandingThere(serializers.Serializer[Any]):
    """A bot of yours on a ladder. ``active``: it is given new games there; ``declined``: you wish that it is not."""

    ladder = serializers.CharField()
    bot = serializers.CharField()
    active = serializers.BooleanField()
    declined = serializers.BooleanField()
    rating = serializers.FloatField(help_text="points")
    games = serializers.IntegerField(help_text="rated games of the season")


class MeanDocument(serializers.Serializer[Any]):
    """A mean with its 95 % interval."""

    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ExhibitionPlayerDocument(serializers.Serializer[Any]):
    part = serializers.ChoiceField(choices=ExhibitionPlayer.Part.values)
    bot = serializers.CharField()
    version = serializers.IntegerField()
    score = MeanDocument(allow_null=True, help_text="share of opponents beaten, 0 to 1; null before the first block")


class ExhibitionDocument(serializers.Serializer[Any]):
    """What somebody has ordered to be played, and what came of it so far."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Exhibition.Kind.values)
    ladder = serializers.CharField()
    state = serializers.ChoiceField(choices=Exhibition.State.values)
    reason = serializers.CharField(help_text="why it was cancelled or ended early; else empty")
    blocks = serializers.IntegerField(help_text="deals that are wanted; of a comparison the most")
    blocks_ended = serializers.IntegerField()
    margin = serializers.IntegerField(allow_null=True, help_text="of a comparison, in 1/1000 of a score")
    verdict = serializers.CharField(help_text="of a comparison that is decided; else empty")
    due_at = serializers.DateTimeField(allow_null=True)
    created = serializers.DateTimeField()
    ended = serializers.DateTimeField(allow_null=True)
    players = ExhibitionPlayerDocument(many=True)
    matches = serializers.ListField(child=serializers.IntegerField(), help_text="those that were begun or are to come")
