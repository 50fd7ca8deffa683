"""What the page of a ladder's accounts shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext, gettext_noop

from bots.models import Bot
from ladder.ledger.audit import Audit, recent_audit
from ladder.models import Intervention, Ladder, LedgerEntry, RebuildRun
from ladder.pages.paging import Part, part

ROWS = 20
RUNS = 8

ACTIONS: Final = (
    gettext_noop("cancelled before anybody began it"),
    gettext_noop("voided without a result"),
    gettext_noop("took its result back"),
)
"""What staff do to matches, as ``Intervention.Action`` says it."""

STATES: Final = (gettext_noop("queued"), gettext_noop("running"))
"""States of matches where they are counted; the others are called the same elsewhere."""


@dataclass(frozen=True)
class CorrectionRow:
    """An entry of the ledger that is no result, with what it says in a sentence."""

    entry: LedgerEntry
    sentence: str

    @property
    def reason(self) -> str:
        return str(self.entry.document.get("reason", ""))

    @property
    def match(self) -> int | None:
        """The match whose result was taken back."""
        return self.entry.document.get("match") if self.entry.kind == LedgerEntry.Kind.VOID else None


@dataclass(frozen=True)
class AuditPage:
    """A ladder's accounts, what was corrected, and what staff did to its matches."""

    ladder: Ladder
    audit: Audit
    corrections: Sequence[CorrectionRow]
    part: Part[LedgerEntry]
    interventions: Sequence[Intervention]
    runs: Sequence[RebuildRun]

    @property
    def reached(self) -> int:
        """How many entries the ledger has."""
        return self.audit.ladder.next_ledger - 1


def audit_page(ladder: Ladder, parameters: Callable[[str], str | None]) -> AuditPage:
    """The page as it is now, with the part of the corrections that the address asks for; twenty queries."""
    written = LedgerEntry.objects.filter(ladder=ladder).exclude(kind=LedgerEntry.Kind.RESULT).select_related("author")
    corrections = part(written, parameters, ROWS)
    names = _names(corrections.rows)
    withdrawn = Intervention.objects.filter(match__ladder=ladder).exclude(action=Intervention.Action.TAKEN_BACK)
    return AuditPage(
        ladder=ladder,
        audit=recent_audit(ladder),
        corrections=[CorrectionRow(entry, _sentence(entry, names)) for entry in corrections.rows],
        part=corrections,
        interventions=list(withdrawn.select_related("author")[:ROWS]),
        runs=list(RebuildRun.objects.filter(ladder=ladder).select_related("author")[:RUNS]),
    )


def _names(entries: Sequence[LedgerEntry]) -> Mapping[int, str]:
    """By entry of the ladder, what its bot is called now."""
    merged = [one.document for one in entries if one.kind == LedgerEntry.Kind.MERGE]
    ids = {pk for document in merged for pk in (document["entry"], document["into"]) if pk is not None}
    return dict(Bot.objects.filter(entries__in=ids).values_list("entries", "name")) if ids else {}


def _sentence(entry: LedgerEntry, names: Mapping[int, str]) -> str:
    return _SENTENCES[LedgerEntry.Kind(entry.kind)](entry.document, names)


def _void(document: Any, _names: Mapping[int, str]) -> str:
    return gettext("Result number %(number)s was taken back.") % {"number": document["result"]}


def _merge(document: Any, names: Mapping[int, str]) -> str:
    one, into = document["entry"], document["into"]
    who = _called(one, names)
    if into is None:
        return gettext("The results of %(who)s count for nobody.") % {"who": who}
    if into == one:
        return gettext("The results of %(who)s count for itself again.") % {"who": who}
    return gettext("The results of %(who)s count for %(whom)s.") % {"who": who, "whom": _called(into, names)}


def _called(entry: int, names: Mapping[int, str]) -> str:
    return names.get(entry) or gettext("entry %(number)s") % {"number": entry}


def _k(document: Any, _names: Mapping[int, str]) -> str:
    values = {name: document[name] for name in ("provisional", "established", "provisional_games")}
    said = gettext("K is %(provisional)s for an entry's first %(provisional_games)s games, then %(established)s.")
    return said % values


def _season(document: Any, _names: Mapping[int, str]) -> str:
    kept, of = document["regress"]
    if document["season"] == 1:
        return gettext("Season 1 began.")
    said = gettext("Season %(number)s began; ratings kept %(share)s of their distance from 1500.")
    return said % {"number": document["season"], "share": f"{kept}/{of}"}


_SENTENCES: Mapping[LedgerEntry.Kind, Callable[[Any, Mapping[int, str]], str]] = {
    LedgerEntry.Kind.VOID: _void,
    LedgerEntry.Kind.MERGE: _merge,
    LedgerEntry.Kind.K: _k,
    LedgerEntry.Kind.SEASON: _season,
}
