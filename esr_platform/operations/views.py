"""The page of operators, and the forms of its actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from bots.models import Drain, Machine, WorkerHost
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Intake, User
from esr_platform.accounts.roles import REASON_LENGTH
from esr_platform.operations.overview import overview
from ladder import operations
from ladder.access import found
from ladder.models import Ladder, Match
from ladder.pages.components.responses import for_operators, form_status


@require_safe
@for_operators
def show(request: HttpRequest) -> HttpResponse:
    """Everything that operators see (``esr_platform.operations.overview``)."""
    context = {
        "page": overview(),
        "ladders": Ladder.objects.filter(open=True, paused=None).order_by("name"),
        "slow_ms": settings.SLOW_QUERY_MS,
    }
    return render(request, "operations/overview.html", context)


# --- Actions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Action:
    """An action on one thing, which ``find`` returns by its name in the URL. ``find`` raises ``Http404``."""

    title: str | Promise
    effect: str | Promise
    send: str | Promise
    done: str | Promise
    read_by: str | Promise
    find: Callable[[str], Any]
    act: Callable[[Any, str, User], object]


def _match(number: str) -> Match:
    pk = int(number) if number.isdecimal() and len(number) < 19 else 0
    return found(Match.objects.select_related("ladder"), str(_("Match not found.")), pk=pk)


def _ladder(slug: str) -> Ladder:
    return found(Ladder.objects.all(), str(_("Ladder not found.")), slug=slug)


def _host(name: str) -> str:
    worker_host = name.removeprefix(WorkerHost.WORKER)
    known = Drain.objects.filter(host=name).exists() or (
        WorkerHost.objects.filter(name=worker_host).exists()
        if worker_host != name
        else Machine.objects.filter(host=name).exists()
    )
    if not known:
        raise Http404(str(_("Host not found.")))
    return name


def _intake(kind: str) -> Intake:
    if kind not in Intake.values:
        raise Http404
    return Intake(kind)


_STAFF: Final = _("The site staff can read it in the audit log.")
_PUBLIC: Final = _("Everyone can read it while the pause lasts. The audit log keeps it.")

ACTIONS: Final[Mapping[str, Action]] = {
    "requeue": Action(
        _("Requeue match %(name)s"),
        _(
            "A queued match is sent to the workers again at once. A running match is taken from its worker, whose "
            "result is discarded, and another worker begins it within seconds. This does not count as a failed attempt."
        ),
        _("Requeue match"),
        _("The match was queued again."),
        _STAFF,
        _match,
        lambda match, reason, by: operations.requeue(match.pk, reason, by),
    ),
    "drain": Action(
        _("Drain host %(name)s"),
        _(
            "The host gets no new matches and validations. It finishes what it has begun. Wait until it plays nothing, "
            "then stop it. It stays drained when it starts again, until you resume it."
        ),
        _("Drain host"),
        _("The host is drained."),
        _STAFF,
        _host,
        operations.drain,
    ),
    "resume-host": Action(
        _("Resume host %(name)s"),
        _("The host gets matches and validations again."),
        _("Resume host"),
        _("The host gets work again."),
        _STAFF,
        _host,
        operations.resume_host,
    ),
    "pause": Action(
        _("Pause ladder %(name)s"),
        _(
            "No match of this ladder begins, also none of its cups and match requests. Running matches are finished. "
            "The ladder page shows the pause with its reason."
        ),
        _("Pause ladder"),
        _("The ladder is paused."),
        _PUBLIC,
        _ladder,
        operations.pause,
    ),
    "resume": Action(
        _("Resume ladder %(name)s"),
        _("Matches of this ladder begin again, first those that are queued."),
        _("Resume ladder"),
        _("The ladder plays again."),
        _STAFF,
        _ladder,
        operations.resume,
    ),
    "pause-intake": Action(
        _("Pause intake: %(name)s"),
        _("The site refuses new ones with your reason. What it has accepted continues."),
        _("Pause intake"),
        _("The intake is paused."),
        _PUBLIC,
        _intake,
        operations.pause_intake,
    ),
    "resume-intake": Action(
        _("Resume intake: %(name)s"),
        _("The site accepts new ones again."),
        _("Resume intake"),
        _("The intake is open again."),
        _STAFF,
        _intake,
        operations.resume_intake,
    ),
}
"""By their names in URLs."""


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3}))


@require_http_methods(["GET", "HEAD", "POST"])
@for_operators
def act(request: HttpRequest, action: str, subject: str) -> HttpResponse:
    """Explain an action on ``subject`` and ask for the reason, then do it."""
    if action not in ACTIONS:
        raise Http404
    chosen = ACTIONS[action]
    thing = chosen.find(subject)
    form = ReasonForm(request.POST or None)
    form.fields["reason"].help_text = str(chosen.read_by)
    if request.method == "POST" and form.is_valid():
        try:
            chosen.act(thing, form.cleaned_data["reason"], cast("User", request.user))
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, str(chosen.done))
            return redirect("operations")
    name = thing.label if isinstance(thing, Intake) else thing.pk if isinstance(thing, Match) else thing
    context = {"action": chosen, "title": str(chosen.title) % {"name": name}, "form": form}
    return render(request, "operations/action.html", context, status=form_status(form))
