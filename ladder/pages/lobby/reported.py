"""What players said that somebody has reported; staff decides. Parse, one call, answer."""

from __future__ import annotations

from typing import Any, Final, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import chat
from ladder.access import found
from ladder.models import ChatLine, ChatReport
from ladder.pages.staff import for_staff

LINES: Final = 20
LATEST: Final = 50


@require_safe
@for_staff
def reported_lines(request: HttpRequest) -> HttpResponse:
    context = {
        "lines": Paginator(_reported(), LINES).get_page(request.GET.get("page")),
        "hidden": _with_who(ChatLine.objects.exclude(hidden_by=None)).order_by("-hidden_at")[:LATEST],
    }
    return render(request, "pages/reported_lines.html", context)


@require_POST
@for_staff
def settle(request: HttpRequest, line_id: int) -> HttpResponse:
    """Hide a line, or leave it."""
    line = found(ChatLine.objects.all(), _("There is no such line."), pk=line_id)
    staff = cast("User", request.user)
    hide = "hide" in request.POST
    try:
        chat.settle(line, staff, hide=hide)
        messages.success(request, _("The line is hidden.") if hide else _("The line stays."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:reported_lines")


def _reported() -> QuerySet[Any]:
    """The lines with reports that nobody has settled, those that were reported first."""
    waiting = ChatReport.objects.filter(line=OuterRef("pk"), settled_at=None)
    reports = ChatReport.objects.filter(settled_at=None).select_related("by").order_by("pk")
    rows = _with_who(ChatLine.objects.filter(Exists(waiting))).order_by("pk")
    return rows.prefetch_related(Prefetch("reports", queryset=reports, to_attr="waiting"))


def _with_who(lines: QuerySet[ChatLine]) -> QuerySet[ChatLine]:
    return lines.select_related("by", "hidden_by", "match__ladder")
