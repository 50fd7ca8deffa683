"""Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.access import ladder_seen_by
from ladder.exhibitions import requests
from ladder.exhibitions.choices import allowances, choices, games_left
from ladder.models import Ladder, Order
from ladder.pages.ordering.forms import CompareForm, OrderForm, ScheduleForm, TestForm
from ladder.pages.ordering.showing import may_cancel, order_page, order_seen_by, orders_page

_REFUSED = 422
_Place = Callable[["User", Ladder, Any], Order]


@require_safe
@never_cache
def orders(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/orders.html", {"page": orders_page(request.GET.get, request.user)})


@require_safe
@never_cache
def order(request: HttpRequest, order_id: int) -> HttpResponse:
    page = order_page(order_seen_by(request.user, order_id), request.GET.get, request.user)
    return render(request, "pages/order.html", {"page": page})


def _ordering(template: str, form_class: type[OrderForm], place: _Place) -> Callable[..., HttpResponse]:
    """A view with a form that becomes an order on a ladder."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @never_cache
    @login_required
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        person, ladder = cast("User", request.user), ladder_seen_by(request.user, slug)
        form = form_class(choices(person, ladder, request.GET.get("bot")), ladder.seats, request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                return redirect("pages:order", place(person, ladder, form).pk)
            except Refused as refusal:
                form.add_error(None, str(refusal))
        context = {"form": form, "ladder": ladder, "limits": allowances(), "games_left": games_left(person)}
        return render(request, template, context, status=_REFUSED if form.errors else 200)

    return view


def _place_test(person: User, ladder: Ladder, form: TestForm) -> Order:
    return requests.order_test(person, ladder, form.versions, form.cleaned_data["blocks"], form.sent_token)


def _place_comparison(person: User, ladder: Ladder, form: CompareForm) -> Order:
    asked = form.cleaned_data
    most, margin = asked["most_blocks"], asked["margin"]
    return requests.order_comparison(person, ladder, form.pair, asked["gauntlet"], most, margin, form.sent_token)


def _place_schedule(person: User, ladder: Ladder, form: ScheduleForm) -> Order:
    rotated = form.cleaned_data["rotated"] == "yes"
    deals = form.cleaned_data["deals"]
    return requests.order_scheduled(person, ladder, form.versions, deals, form.time, form.sent_token, rotated)


test = _ordering("pages/order_test.html", TestForm, _place_test)
compare = _ordering("pages/order_compare.html", CompareForm, _place_comparison)
schedule = _ordering("pages/order_schedule.html", ScheduleForm, _place_schedule)


@require_POST
@login_required
def cancel(request: HttpRequest, order_id: int) -> HttpResponse:
    """End an order; what has begun is played out."""
    found, person = order_seen_by(request.user, order_id), cast("User", request.user)
    if not may_cancel(found, person):
        raise PermissionDenied(_("Only who ordered it can cancel it."))
    said = _("Cancelled. What has begun is played out.")
    return _done(request, found, lambda: requests.cancel(found, person), said)


@require_POST
@login_required
def answer(request: HttpRequest, order_id: int) -> HttpResponse:
    """Agree to a match at a set time, or do not."""
    found, person = order_seen_by(request.user, order_id), cast("User", request.user)
    agreed = "agree" in request.POST
    said = _("You have agreed.") if agreed else _("You have not agreed, so the match is cancelled.")
    return _done(request, found, lambda: requests.answer(found, person, agreed), said)


def _done(request: HttpRequest, found: Order, does: Callable[[], object], said: str) -> HttpResponse:
    try:
        does()
        messages.success(request, said)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:order", found.pk)
