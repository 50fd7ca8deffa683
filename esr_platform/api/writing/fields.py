"""What may stand in a document that somebody sends. A field takes the type that the schema says, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers

from games.registry import GAMES

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
