"""Query parameters. Each object parses a parameter and describes it in the OpenAPI document."""

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
"""Upper bound of ids and ratings."""

SLUG: Final = r"^[-a-zA-Z0-9_]{1,60}$"

Asked = Mapping[str, Any]
"""Parsed values of a request by parameter name. Missing parameters have their defaults."""


@dataclass(frozen=True)
class Parameter(ABC):
    """One query parameter: its name, description, example and default."""

    name: str
    meaning: str
    example: Any = None
    default: Any = None
    required: bool = False

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """JSON Schema of exactly the values that ``read`` accepts."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """Parse ``text``. Raises ``ValueError`` with a message that names the valid values."""


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
            raise ValueError(f"Must be a whole number from {self.least} to {self.most}.")
        return number


@dataclass(frozen=True)
class ChoiceParameter(Parameter):
    """One of ``words``."""

    words: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def read(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"Must be one of: {', '.join(self.words)}.")
        return text


@dataclass(frozen=True)
class Flag(Parameter):
    """``true`` or ``false``."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def read(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError("Must be true or false.")
        return text == "true"


@dataclass(frozen=True)
class Text(Parameter):
    """A string that matches ``pattern``, by default a slug. ``shape`` describes the pattern in error messages."""

    pattern: str = SLUG
    shape: str = "a slug of up to 60 letters, digits, '-' and '_'"

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": self.pattern}

    def read(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(f"Must be {self.shape}.")
        return text


@dataclass(frozen=True)
class Time(Parameter):
    """An RFC 3339 time with a UTC offset."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}

    def read(self, text: str) -> datetime:
        try:
            time = datetime.fromisoformat(text.upper()) if "T" in text.upper() else None
        except ValueError:
            time = None
        if time is None or time.tzinfo is None:
            raise ValueError("Must be a time with a UTC offset, for example 2026-11-22T18:00:00Z.")
        try:
            return time.astimezone(UTC)
        except OverflowError:  # on the first and last days that Python supports
            return time.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Names(Parameter):
    """A comma-separated selection of ``words``. ``always`` are added to it."""

    words: Sequence[str] = ()
    always: Sequence[str] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "enum": list(self.words)}, "minItems": 1}

    def read(self, text: str) -> tuple[str, ...]:
        asked = text.split(",")
        if not set(asked) <= set(self.words):
            raise ValueError(f"Must be a comma-separated list of: {', '.join(self.words)}.")
        return tuple(word for word in self.words if word in asked or word in self.always)


def read(sent: QueryDict, parameters: Sequence[Parameter]) -> Asked:
    """Parse a query string. Raises ``ValidationError`` for invalid, unknown, missing and repeated parameters."""
    known = ", ".join(sorted(parameter.name for parameter in parameters))
    asked = {parameter.name: parameter.default for parameter in parameters}
    wrong = {name: [f"Unknown parameter. Known parameters: {known or 'none'}."] for name in sent if name not in asked}
    for parameter in parameters:
        texts = sent.getlist(parameter.name)
        if len(texts) > 1:
            wrong[parameter.name] = ["This parameter must not be repeated."]
        elif texts:
            try:
                asked[parameter.name] = parameter.read(texts[0])
            except ValueError as error:
                wrong[parameter.name] = [str(error)]
        elif parameter.required:
            wrong[parameter.name] = ["This parameter is required."]
    if wrong:
        raise ValidationError(wrong)
    return asked
