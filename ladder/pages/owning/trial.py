"""A version's check as a list of steps, from the report that grows while it is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.utils.translation import gettext, gettext_noop, ngettext

from bots import reports
from bots.models import BotVersion
from games.registry import GAMES
from ladder.pages.words import sentence, size, thinking, time_taken

_State = BotVersion.State

HEADINGS: Final = {
    _State.RECEIVED: gettext_noop("v%(number)s waits for its check"),
    _State.CHECKING: gettext_noop("v%(number)s is being checked"),
    _State.READY: gettext_noop("v%(number)s is ready"),
    _State.REFUSED: gettext_noop("v%(number)s was refused"),
}


@dataclass(frozen=True)
class Step:
    """One step of a check; ``mark`` is ``done``, ``now``, ``todo`` or ``failed``, each a symbol of the sprite."""

    mark: str
    text: str
    note: str = ""


@dataclass(frozen=True)
class Trial:
    """How far an uploaded version has come."""

    version: BotVersion

    @property
    def heading(self) -> str:
        """``v2 is being checked``."""
        return gettext(HEADINGS[_State(self.version.state)]) % {"number": self.version.number}

    @property
    def over(self) -> bool:
        """Whether it will change no more by itself."""
        return self.version.state in (_State.READY, _State.REFUSED)

    @property
    def refused(self) -> bool:
        return self.version.state == _State.REFUSED

    @property
    def said(self) -> str:
        """The state in one sentence, for those who listen: it changes with every step and never in between."""
        if self.refused:
            return f"{self.heading}. {sentence(self.version.reason)}"
        now = next((step for step in self.steps if step.mark == "now"), None)
        return f"{self.heading}." if now is None else f"{self.heading}: {now.text}."

    @cached_property
    def steps(self) -> Sequence[Step]:
        """What is through, what is being tried, what is to come."""
        return list(self._steps())

    @property
    def _report(self) -> Mapping[str, Any]:
        return self.version.check_report or reports.begun(self.version.claims)

    def _steps(self) -> Iterator[Step]:
        report = self._report
        yield Step("done", gettext("Received, nothing refused"), size(self.version.size))
        yield self._start(report)
        for table in report["tables"]:
            note = time_taken(table["wall_ms"] / 1000) if table["ok"] else _trouble(table)
            yield Step("done" if table["ok"] else "failed", table_words(table), note)
        for table in report["untried"]:
            yield Step("now" if table == report["now"] and not self.over else "todo", table_words(table))
        yield self._end()

    def _start(self, report: Mapping[str, Any]) -> Step:
        text = gettext("Starts in the sandbox, answers hello")
        if report["tables"]:
            ready_us = report["tables"][0]["ready_us"]
            return Step("failed", text) if ready_us is None else Step("done", text, thinking(ready_us))
        if self.over:
            return Step("failed" if self.refused else "done", text)
        return Step("now" if report["now"] else "todo", text)

    def _end(self) -> Step:
        if self.refused:
            return Step("failed", gettext("Refused"))
        return Step("done" if self.over else "todo", gettext("Ready to play"))


def table_words(table: Mapping[str, Any]) -> str:
    """``Edel, Stein & Reich, 4 seats`` for a table of a report."""
    game = GAMES.get(table["game"])
    name = game.name if game else table["game"]
    return gettext("%(game)s, %(count)s seats") % {"game": name, "count": table["seats"]}


def _trouble(table: Mapping[str, Any]) -> str:
    number = len(table["problems"]) + table.get("more_problems", 0)
    return ngettext("%(problems)s problem", "%(problems)s problems", number) % {"problems": number}
