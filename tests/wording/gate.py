"""Hits per surface, with the exceptions of ``allowed.toml`` and the stored numbers of ``baseline.json``."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.wording.rules import Rule, hits
from tests.wording.texts import SHRINKING, Text, texts

ALLOWED: Final = Path(__file__).with_name("allowed.toml")
BASELINE: Final = Path(__file__).with_name("baseline.json")


@dataclass(frozen=True)
class Hit:
    """A wording that breaks a rule."""

    rule: Rule
    found: str
    text: Text

    def __str__(self) -> str:
        place = f"{self.text.path}:{self.text.line}" if self.text.line else self.text.path
        return f"{place}: {self.rule.name}: '{self.found[:80]}' -> {self.rule.instead}\n    {self.text.text[:160]}"


@dataclass(frozen=True)
class Result:
    """The hits of one surface."""

    surface: str
    words: int
    hard: tuple[Hit, ...]
    soft: tuple[Hit, ...]

    @property
    def soft_rate(self) -> float:
        """Hits of soft rules per 1,000 words."""
        return 1000 * len(self.soft) / max(self.words, 1)

    @property
    def rate(self) -> float:
        """Hits of all rules per 1,000 words."""
        return 1000 * (len(self.hard) + len(self.soft)) / max(self.words, 1)

    def __str__(self) -> str:
        counts = f"{len(self.hard):>5} hard {len(self.soft):>5} soft"
        return f"{self.surface:<26} {self.words:>8,} words {counts} {self.rate:>6.1f} per 1,000"


@dataclass(frozen=True)
class Exemption:
    """A hit that is right where it is."""

    rule: str
    path: str
    text: str
    reason: str

    def covers(self, hit: Hit) -> bool:
        return self.rule == hit.rule.name and hit.text.path.startswith(self.path) and self.text in hit.text.text


@cache
def exemptions() -> tuple[Exemption, ...]:
    """The exceptions of ``allowed.toml``."""
    entries = tomllib.loads(ALLOWED.read_text(encoding="utf-8")).get("text", [])
    return tuple(Exemption(**entry) for entry in entries)


@cache
def found(surface: str) -> tuple[Hit, ...]:
    """All hits of a surface, also the allowed ones."""
    return tuple(Hit(rule, words, text) for text in texts(surface) for rule, words in hits(text.text))


@cache
def check(surface: str) -> Result:
    """The hits of a surface that are not allowed."""
    kept = [hit for hit in found(surface) if not any(exemption.covers(hit) for exemption in exemptions())]
    return Result(
        surface,
        sum(text.words for text in texts(surface)),
        tuple(hit for hit in kept if hit.rule.is_hard),
        tuple(hit for hit in kept if not hit.rule.is_hard),
    )


def baseline() -> dict[str, int]:
    """The stored number of hits by surface."""
    stored: dict[str, int] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return stored


def lower_baseline() -> None:
    """Store the present numbers of hits where they are lower than the stored ones."""
    stored = baseline()
    counts = {name: len(check(name).hard) + len(check(name).soft) for name in SHRINKING}
    lowered = {name: min(count, stored.get(name, count)) for name, count in counts.items()}
    BASELINE.write_text(json.dumps(lowered, indent=2) + "\n", encoding="utf-8")
