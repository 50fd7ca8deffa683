"""What may stand behind the question mark of an address. One description both reads it and documents it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.http import QueryDict
from rest_framework.exceptions import ValidationError

LARGEST: Final = 10**15
"""No number of a row, and no rating, is larger."""

SLUG: Final = r"^[-a-zA-Z0-9_]{1,60}$"

Asked = Mapping[str, Any]
"""What an address asks for, by parameter; what it does not say has the parameter's default."""


@dataclass(frozen=True)
class Parameter(ABC):
    """One parameter: its name, a sentence on what it does, and what holds where it is not said."""

    name: str
    meaning: str
    example: Any = None
    default: Any = None
    required: bool = False

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """JSON Schema of exactly what is accepted."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value of a text. Raises ``ValueError`` with a sentence that says what may stand there."""


@dataclass(frozen=True)
class Number(Parameter):
    """A whole number from ``least`` to ``most``."""

    least: int = 0
    most: int = LARGEST

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def read(self, text: str) -> int:
        number = int(text) if re.fullmatch(r"-?[0-9]{1,16}", text, re.ASCII) else None
        if number is None or not self.least <= number <= self.most:
            raise ValueError(f"Write a whole number from {self.least} to {self.most}.")
        return number


@dataclass(frozen=True)
class Choice(Parameter):
    """One of some words."""

    words: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def read(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"Write one of: {', '.join(self.words)}.")
        return text


@dataclass(frozen=True)
class Flag(Parameter):
    """``true`` or ``false``."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def read(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError("Write true or false.")
        return text == "true"


@dataclass(frozen=True)
class Text(Parameter):
    """A text of a certain shape, such as an address name."""

    pattern: str = SLUG
    shape: str = "an address name: letters, digits, - and _, at most 60"

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": self.pattern}

    def read(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(f"Write {self.shape}.")
        return text


@dataclass(frozen=True)
class Moment(Parameter):
    """A moment with its offset from UTC, as RFC 3339 has it."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}

    def read(self, text: str) -> datetime:
        moment = _moment(text.upper())
        if moment is None or moment.tzinfo is None:
            raise ValueError("Write a moment with its offset from UTC, as in 2026-11-22T18:00:00Z.")
        try:
            return moment.astimezone(UTC)
        except OverflowError:  # of the first or the last day that there is
            return moment.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Names(Parameter):
    """Some of certain words, with commas between them; ``always`` are those that need not be said."""

    words: Sequence[str] = ()
    always: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "enum": list(self.words)}, "minItems": 1}

    def read(self, text: str) -> tuple[str, ...]:
        asked = text.split(",")
        if not set(asked) <= set(self.words):
            raise ValueError(f"Write some of these, with commas between them: {', '.join(self.words)}.")
        return tuple(word for word in self.words if word in asked or word in self.always)


def read(sent: QueryDict, parameters: Sequence[Parameter]) -> Asked:
    """What ``sent`` asks for. Raises ``ValidationError`` for what is wrong, unknown, missing, or there twice."""
    if not sent:
        wrong = {one.name: ["This is required."] for one in parameters if one.required}
        if wrong:
            raise ValidationError(wrong)
        return {one.name: one.default for one in parameters}
    known = {one.name for one in parameters}
    asked: dict[str, Any] = {}
    wrong = {name: [_unknown(known)] for name in sent if name not in known}
    for one in parameters:
        try:
            asked[one.name] = _value(one, sent.getlist(one.name))
        except ValueError as error:
            wrong[one.name] = [str(error)]
    if wrong:
        raise ValidationError(wrong)
    return asked


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if "T" in text else None
    except ValueError:
        return None


def _value(parameter: Parameter, texts: Sequence[str]) -> Any:
    if not texts:
        if parameter.required:
            raise ValueError("This is required.")
        return parameter.default
    if len(texts) > 1:
        raise ValueError("Write this once.")
    return parameter.read(texts[0])


def _unknown(known: set[str]) -> str:
    return (
        f"There is no such parameter here. There are: {', '.join(sorted(known))}." if known else "None is known here."
    )
