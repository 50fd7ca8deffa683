"""The ledger of a cup in words, on its page and in the audit log of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.tournaments.tables import Ruling
from ladder.access import cup_seen_by
from ladder.models import CupEntry, CupLedgerEntry
from ladder.pages.components import words
from ladder.pages.components.responses import unlisted

Kind = CupLedgerEntry.Kind

ENTRIES_PER_PAGE: Final = 50
RULINGS: Final = {
    Ruling.LOSS: gettext_noop("Round %(round)s, table %(table)s: loss for %(entrant)s"),
    Ruling.VOID: gettext_noop("Round %(round)s, table %(table)s: void"),
    Ruling.BYE: gettext_noop("Round %(round)s, table %(table)s: bye for all entrants"),
}
SETTINGS: Final = {
    "title": gettext_noop("title"),
    "about": gettext_noop("description"),
    "closes_at": gettext_noop("registration deadline"),
    "starts_at": gettext_noop("start"),
    "repeat_days": gettext_noop("days until the next cup"),
}
"""The settings that organizers change, by their names in the ledger."""


@dataclass(frozen=True)
class LedgerRow:
    """An entry of the ledger in words."""

    entry: CupLedgerEntry
    text: str

    @property
    def is_reason_removed(self) -> bool:
        return self.entry.reason is None and self.entry.document.get("reason_hash") is not None


@dataclass(frozen=True)
class _Names:
    """The names of entrants by cup and number, and of other bots and users by their ids."""

    entrants: Mapping[tuple[int, int | None], str]
    bots: Mapping[int, str]
    users: Mapping[int, str]

    def bot(self, entry: CupLedgerEntry) -> str:
        document = entry.document
        known = self.entrants.get((entry.cup_id, document.get("entrant"))) or self.bots.get(document.get("bot", 0))
        return known or gettext("A bot")

    def user(self, user_id: int) -> str:
        return self.users.get(user_id) or gettext("deleted user")


def ledger_rows(entries: Sequence[CupLedgerEntry]) -> list[LedgerRow]:
    """Ledger entries of any cups in words; one query, and one for bots and for users that are no entrants."""
    numbered = CupEntry.objects.filter(cup__in={entry.cup_id for entry in entries}, number__isnull=False)
    entrants = {(cup, number): name for cup, number, name in numbered.values_list("cup", "number", "bot__name")}
    bots, users = set(_named(entries, "bot")), {*_named(entries, "added"), *_named(entries, "removed")}
    people = get_user_model()._default_manager.filter(pk__in=users, deleted=None)
    names = _Names(
        entrants,
        dict(Bot.objects.filter(pk__in=bots).values_list("pk", "name")) if bots else {},
        dict(people.values_list("pk", "username")) if users else {},
    )
    return [LedgerRow(entry, _said(entry, names)) for entry in entries]


def _named(entries: Iterable[CupLedgerEntry], name: str) -> Iterator[int]:
    """The ids that documents of entries by authors have under ``name``."""
    kinds = (Kind.LEFT, Kind.CHANGED)
    return (entry.document[name] for entry in entries if entry.kind in kinds and name in entry.document)


def _said(entry: CupLedgerEntry, names: _Names) -> str:
    document: Mapping[str, Any] = entry.document
    match entry.kind:
        case Kind.ENTRANTS:
            return _("Entrant list frozen: %(number)s entrants") % {"number": len(document["entrants"])}
        case Kind.ROUND:
            return _("Round %(number)s started") % {"number": document["round"]}
        case Kind.RESULTS:
            return _("Round %(number)s ended") % {"number": document["round"]}
        case Kind.LEFT:
            disqualified = document["state"] == CupEntry.State.DISQUALIFIED
            text = _("%(name)s was disqualified") if disqualified else _("%(name)s was withdrawn")
            return text % {"name": names.bot(entry)}
        case Kind.RULING:
            where = {"round": document["round"], "table": document["table"] + 1, "entrant": names.bot(entry)}
            return gettext(RULINGS[Ruling(document["ruling"])]) % where
        case Kind.CHANGED:
            return _changed(document, names)
        case _:
            return gettext(_PLAIN[Kind(entry.kind)])


_PLAIN: Final = {
    Kind.PAUSED: gettext_noop("Cup paused"),
    Kind.RESUMED: gettext_noop("Cup resumed"),
    Kind.CANCELLED: gettext_noop("Cup canceled"),
    Kind.END: gettext_noop("Cup finished and key published"),
}


def _changed(document: Mapping[str, Any], names: _Names) -> str:
    if "added" in document:
        return _("%(name)s became a co-organizer") % {"name": names.user(document["added"])}
    if "removed" in document:
        return _("%(name)s is no longer a co-organizer") % {"name": names.user(document["removed"])}
    if "reserved_percent" in document:
        percent = document["reserved_percent"]
        text = _("Reserved share of the workers: %(percent)s%%") if percent else _("Reservation of workers ended")
        return text % {"percent": percent}
    changes = ", ".join(_setting(name, document) for name in document["fields"])
    return _("Settings changed: %(changes)s") % {"changes": changes}


def _setting(name: str, document: Mapping[str, Any]) -> str:
    """The name of a changed setting; a time also has its new value."""
    if name not in document:
        return gettext(SETTINGS[name])
    time = datetime.fromisoformat(document[name]).astimezone(UTC)
    return f"{gettext(SETTINGS[name])} ({words.day(time)}, {time:%H:%M} UTC)"


@require_safe
def ledger(request: HttpRequest, slug: str) -> HttpResponse:
    shown = cup_seen_by(request.user, slug)
    entries = CupLedgerEntry.objects.filter(cup=shown).select_related("author").order_by("-number")
    page = Paginator(entries, ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    context = {"cup": shown, "entries": page, "rows": ledger_rows(list(page))}
    return unlisted(render(request, "pages/cup_ledger.html", context), shown)
