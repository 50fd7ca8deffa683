"""The log of one seat's game, for the owner of its bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.record import to_json
from games.rules import Document
from ladder import access
from ladder.access import found, match_seen_by
from ladder.matches.logs import log_of
from ladder.models import Match, Seat
from ladder.models.ladders import Viewer
from ladder.pages.components.words import PROBLEMS, sentence, visible
from ladder.pages.version import _download, in_json

ROWS = 100


@dataclass(frozen=True)
class Decided:
    """One decision; ``asked`` is JSON, ``answer`` escaped, times are µs, ``strike`` is a sentence or empty."""

    id: int
    ply: int
    kind: str
    asked: str
    answer: str | None
    wall_us: int
    cpu_us: int | None
    delay_us: int
    strike: str


@dataclass(frozen=True)
class SeatLogPage:
    """A page of the decisions of one seat, with what is said of its whole game."""

    match: Match
    seat: Seat
    log: Document
    decisions: Page[Any]

    @property
    def hellos(self) -> Sequence[str]:
        """What the bot was told at its first start, and at its last, JSON, with its own seed; the file has all."""
        starts = self.log["starts"]
        return [in_json(start["hello"]) for start in (starts if len(starts) < 3 else (starts[0], starts[-1]))]

    @property
    def never_ready(self) -> bool:
        """Whether the last of its processes was not ready. Of a program elsewhere nobody knows, but it has answered."""
        return self.ready_us is None and not any(decision["answer"] for decision in self.log["decisions"][-1:])

    @property
    def ready_us(self) -> int | None:
        """How long its last start took; ``None`` if it never was ready."""
        return self.log["starts"][-1]["ready_us"] if self.log["starts"] else None

    @property
    def strikes(self) -> Sequence[Mapping[str, Any]]:
        """Its strikes, with the raw answers."""
        return [
            {**strike, "what": _struck(strike), "answer": visible(strike["answer"])} for strike in self.log["strikes"]
        ]

    @property
    def forfeit(self) -> str:
        """Why it lost without playing to the end, or nothing."""
        forfeit = self.log["forfeit"]
        return "" if forfeit is None else _what(forfeit["reason"], forfeit["evidence"])

    @property
    def stderr(self) -> str:
        """The end of what it wrote to stderr."""
        return visible(self.log["stderr_tail"])

    @property
    def wall_us(self) -> int:
        """All its thinking."""
        return sum(decision["wall_us"] for decision in self.log["decisions"])

    @property
    def kept_until(self) -> datetime | None:
        """When the log is deleted, to the day."""
        return self.match.ended and self.match.ended + timedelta(days=settings.BOT_LOG_DAYS)


def seat_log_page(match: Match, seat: Seat, user: Viewer, page: str | None) -> SeatLogPage | None:
    """Page ``page`` of the log of ``seat`` for ``user``; ``None`` where there is none for them. One query."""
    log = log_of(match, seat.index, user)
    if log is None:
        return None
    strikes = {strike["id"]: _struck(strike) for strike in log["strikes"]}
    shown = Paginator(log["decisions"], ROWS).get_page(page)
    shown.object_list = [_decided(decision, strikes) for decision in shown.object_list]
    return SeatLogPage(match, seat, log, shown)


def download(match: Match, index: int, user: Viewer) -> tuple[str, str] | None:
    """File name and JSON of a seat's log for ``user``; ``None`` where there is none for them. One query."""
    log = log_of(match, index, user)
    return None if log is None else (f"match-{match.pk}-seat-{index}-log.json", to_json(log) + "\n")


def _decided(decision: Mapping[str, Any], strikes: Mapping[int, str]) -> Decided:
    answer = decision["answer"]
    return Decided(
        id=decision["id"],
        ply=decision["ply"],
        kind=decision["decision"]["kind"],
        asked=in_json(decision["decision"]),
        answer=None if answer is None else visible(answer),
        wall_us=decision["wall_us"],
        cpu_us=decision["cpu_us"],
        delay_us=decision["machine_delay_us"],
        strike=strikes.get(decision["id"], ""),
    )


def _struck(strike: Mapping[str, Any]) -> str:
    return _what(strike["reason"], strike["detail"])


def _what(reason: str, detail: str) -> str:
    return f"{sentence(gettext(PROBLEMS.get(reason, reason)))} {sentence(visible(detail))}".strip()


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
@login_required
def log(request: HttpRequest, match_id: int, index: int) -> HttpResponse:
    """What happened at a seat, for the owner of its bot and staff."""
    seat = _seat(request, match_id, index)
    page = seat_log_page(seat.match, seat, request.user, request.GET.get("page"))
    if page is None:
        raise Http404(_no_log(match_id))
    return render(request, "pages/seat_log.html", {"page": page})


@require_safe
@never_cache
@login_required
def download_log(request: HttpRequest, match_id: int, index: int) -> HttpResponse:
    seat = _seat(request, match_id, index)
    document = download(seat.match, index, request.user)
    if document is None:
        raise Http404(_no_log(match_id))
    name, text = document
    return _download(name, text.encode(), "application/json")


def _no_log(match_id: int) -> str:
    return _("No log of this seat of match %(number)s is kept (any more).") % {"number": match_id}


def _seat(request: HttpRequest, match_id: int, index: int) -> Seat:
    """The seat that an address names, for the owner of its bot and staff."""
    match = match_seen_by(request.user, match_id)
    seats = match.seats.select_related("version__bot__owner", "match__ladder", "match__block")
    seat = found(seats, _("Match %(number)s has no seat %(seat)s.") % {"number": match_id, "seat": index}, index=index)
    if not access.may_read(request.user, seat.version.bot):
        raise PermissionDenied(_("This is for the owner of %(name)s alone.") % {"name": seat.version.bot.name})
    return seat
