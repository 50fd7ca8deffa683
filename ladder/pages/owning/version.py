"""One version's page for its owner: its state, and all that its check has found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext

from bots.languages import LANGUAGES
from bots.models import BotVersion
from bots.validation import SEED
from games.registry import GAMES
from ladder.models import Season
from ladder.pages.owning.trial import Trial, table_words
from ladder.pages.words import PROBLEMS, enumerated, sentence, thinking, time_taken, visible


@dataclass(frozen=True)
class Found:
    """One strike or forfeit of the check, as it is told; ``answer`` is escaped already, ``asked`` is JSON."""

    where: str
    what: str
    detail: str
    asked: str
    answer: str
    stderr: str


@dataclass(frozen=True)
class TableRow:
    """One game of the bot with itself; ``last`` are the decisions before the first problem, JSON by decision."""

    words: str
    ok: bool
    ready: str
    decisions: int
    slowest: str
    took: str
    stderr: str
    problems: Sequence[Found]
    more_problems: int
    last: Sequence[Mapping[str, Any]]
    again: str


@dataclass(frozen=True)
class VersionPage:
    """A version with its check; ``yours`` is whether the viewer owns it, else it is staff."""

    version: BotVersion
    yours: bool

    @cached_property
    def trial(self) -> Trial:
        return Trial(self.version)

    @property
    def language(self) -> str:
        """What its code is written in, for people."""
        known = LANGUAGES.get(self.version.language)
        return known.title if known else self.version.language

    @property
    def command(self) -> str:
        """The file that is started, and its arguments."""
        return visible(" ".join(self.version.command))

    @property
    def tables(self) -> str:
        """What it claims."""
        claimed = {GAMES[slug].name if slug in GAMES else slug: counts for slug, counts in self.version.claims.items()}
        text = gettext("%(game)s with %(counts)s")
        tables = [(name, enumerated([str(count) for count in counts])) for name, counts in claimed.items()]
        return "; ".join(text % {"game": name, "counts": counts} for name, counts in tables)

    @cached_property
    def rows(self) -> Sequence[TableRow]:
        """The tables that were tried."""
        return [_row(table) for table in (self.version.check_report or {}).get("tables", ())]

    @property
    def untried(self) -> Sequence[str]:
        """The tables that were not."""
        return [table_words(table) for table in (self.version.check_report or {}).get("untried", ())]

    @property
    def reruns(self) -> int:
        """How many games of seasons that are not closed were played again because the machine had made it late."""
        return self.version.reruns.filter(block__series__season__closed=None).count()

    @property
    def past_reruns(self) -> Sequence[tuple[str, int]]:
        """The same for each closed season that had any, the newest first, with the names of its ladder and itself."""
        closed = Season.objects.filter(closed__isnull=False, series__blocks__reruns__version=self.version)
        counted = closed.annotate(count=Count("series__blocks__reruns")).select_related("ladder").order_by("-closed")
        text = gettext("Season %(number)s")
        return [(f"{one.ladder.name}, {text % {'number': one.number}}", one.count) for one in counted]

    @property
    def can_activate(self) -> bool:
        """Whether the viewer could have it play."""
        version = self.version
        return self.yours and version.state == BotVersion.State.READY and not version.active


def _row(table: Mapping[str, Any]) -> TableRow:
    ready_us, slowest_us = table["ready_us"], table["slowest_us"]
    return TableRow(
        words=table_words(table),
        ok=table["ok"],
        ready=_ready(ready_us),
        decisions=table["decisions"],
        slowest="–" if slowest_us is None else thinking(slowest_us),
        took=time_taken(table["wall_ms"] / 1000),
        stderr=visible(table["stderr"]),
        problems=[_found(problem) for problem in table["problems"]],
        more_problems=table["more_problems"],
        last=[_decision(decision) for decision in table["last_decisions"]],
        again=f"esr play {table['game']} {' '.join(['DIR'] * table['seats'])} --seed {SEED} --logs logs",
    )


def _ready(us: int | None) -> str:
    if us is None:
        return gettext("ready after never")
    return gettext("ready after %(time)s") % {"time": thinking(us)}


def _found(problem: Mapping[str, Any]) -> Found:
    decision = problem["decision"]
    question = problem["question"]
    return Found(
        where=_where(problem["seat"], decision),
        what=sentence(gettext(PROBLEMS.get(problem["reason"], problem["reason"]))),
        detail=sentence(visible(problem["detail"])),
        asked="" if question is None else in_json(question if decision is None else question["decision"]),
        answer=visible(problem["answer"]),
        stderr=visible(problem["stderr_tail"]),
    )


def _where(seat: int, decision: int | None) -> str:
    if decision is None:
        return gettext("Seat %(seat)s, before its first decision") % {"seat": seat}
    return gettext("Seat %(seat)s, decision %(number)s") % {"seat": seat, "number": decision}


def _decision(decision: Mapping[str, Any]) -> Mapping[str, Any]:
    answer = decision["answer"]
    asked = in_json(decision["decision"])
    return {**decision, "asked": asked, "answer": None if answer is None else visible(answer)}


def in_json(document: Any) -> str:
    """A document in one line, with nothing in it that cannot be seen."""
    return visible(json.dumps(document, ensure_ascii=False))
