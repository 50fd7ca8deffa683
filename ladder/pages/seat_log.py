"""Bot log page: the log of one seat for the bot's owner and site staff."""

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

from esr_platform.downloads import attachment
from games.record import to_json
from games.rules import Document
from ladder import access
from ladder.access import found, match_seen_by
from ladder.matches.logs import log_of
from ladder.models import Match, Seat
from ladder.models.ladders import Viewer
from ladder.pages.components.words import PROBLEMS, sentence, visible
from ladder.pages.version import in_json

DECISIONS_PER_PAGE = 100


@dataclass(frozen=True)
class Decided:
    """One decision. ``asked`` is JSON, ``answer`` is escaped, times are in µs, ``strike`` is a sentence or empty."""

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
    """One page of the decisions of a seat, with facts about its whole game."""

    match: Match
    seat: Seat
    log: Document
    decisions: Page[Any]

    @property
    def hellos(self) -> Sequence[str]:
        """The hello messages of the first and the last start as JSON."""
        starts = self.log["starts"]
        return [in_json(start["hello"]) for start in (starts if len(starts) < 3 else (starts[0], starts[-1]))]

    @property
    def never_ready(self) -> bool:
        """Whether the last start never became ready. A remote bot has no ready time but has answered."""
        return self.ready_us is None and not any(decision["answer"] for decision in self.log["decisions"][-1:])

    @property
    def ready_us(self) -> int | None:
        """The duration of the last start in µs; ``None`` if the bot never became ready."""
        return self.log["starts"][-1]["ready_us"] if self.log["starts"] else None

    @property
    def strikes(self) -> Sequence[Mapping[str, Any]]:
        """The strikes with the raw answers."""
        return [
            {**strike, "what": _struck(strike), "answer": visible(strike["answer"])} for strike in self.log["strikes"]
        ]

    @property
    def forfeit(self) -> str:
        """The reason of a forfeit, or an empty string."""
        forfeit = self.log["forfeit"]
        return "" if forfeit is None else _what(forfeit["reason"], forfeit["evidence"])

    @property
    def stderr(self) -> str:
        """The end of the bot's stderr output."""
        return visible(self.log["stderr_tail"])

    @property
    def wall_us(self) -> int:
        """The total wall time of all decisions in µs."""
        return sum(decision["wall_us"] for decision in self.log["decisions"])

    @property
    def kept_until(self) -> datetime | None:
        """The time after which the log is deleted."""
        return self.match.ended and self.match.ended + timedelta(days=settings.BOT_LOG_DAYS)


def seat_log_page(match: Match, seat: Seat, user: Viewer, page: str | None) -> SeatLogPage | None:
    """Return page ``page`` of the log of ``seat``, or ``None`` if ``user`` cannot see one. One query."""
    log = log_of(match, seat.index, user)
    if log is None:
        return None
    strikes = {strike["id"]: _struck(strike) for strike in log["strikes"]}
    shown = Paginator(log["decisions"], DECISIONS_PER_PAGE).get_page(page)
    shown.object_list = [_decided(decision, strikes) for decision in shown.object_list]
    return SeatLogPage(match, seat, log, shown)


def download(match: Match, index: int, user: Viewer) -> tuple[str, str] | None:
    """Return file name and JSON of a bot log, or ``None`` if ``user`` cannot see one. One query."""
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
    """Show the log of a seat to the owner of its bot and to site staff."""
    seat = _seat(request, match_id, index)
    page = seat_log_page(seat.match, seat, request.user, request.GET.get("page"))
    if page is None:
        raise Http404(_no_log())
    return render(request, "pages/seat_log.html", {"page": page})


@require_safe
@never_cache
@login_required
def download_log(request: HttpRequest, match_id: int, index: int) -> HttpResponse:
    seat = _seat(request, match_id, index)
    document = download(seat.match, index, request.user)
    if document is None:
        raise Http404(_no_log())
    name, text = document
    return attachment(name, text.encode(), "application/json")


def _no_log() -> str:
    return _("Bot log not found. Bot logs are deleted after %(days)s days.") % {"days": settings.BOT_LOG_DAYS}


def _seat(request: HttpRequest, match_id: int, index: int) -> Seat:
    """Return the requested seat if the user is the owner of its bot or site staff."""
    match = match_seen_by(request.user, match_id)
    seats = match.seats.select_related("version__bot__owner", "match__ladder", "match__block")
    seat = found(seats, _("Seat not found."), index=index)
    if not access.may_read(request.user, seat.version.bot):
        text = _("Only the owner of %(name)s and site staff can see this log.")
        raise PermissionDenied(text % {"name": seat.version.bot.name})
    return seat
