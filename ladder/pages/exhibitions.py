"""Exhibition matches: tests, version comparisons and scheduled matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, cast
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Prefetch, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.models import BotVersion
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.words import listing
from ladder.access import exhibition_seen_by, ladder_seen_by, may_cancel
from ladder.exhibitions import requests
from ladder.exhibitions.choices import MARGINS, Choices, allowances, choices, games_left
from ladder.exhibitions.progress import Row, Scores, differences, hypotheses, over_in_turn, rows, scores
from ladder.models import Agreement, Block, Exhibition, ExhibitionPlayer, Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import Part, part
from ladder.pages.components.responses import form_status
from ladder.pages.matches import listed_part
from ladder.pairings.seatings import seatings
from ladder.ratings.means import Mean, mean_of
from ladder.ratings.sprt import Hypotheses, Verdict, Walk, walk

# --- The chart of a comparison ---------------------------------------------------------------------------------------

_ABOVE = 1.25
"""The box reaches so much further than the bounds, so that a last step over one of them is seen."""


@dataclass(frozen=True)
class Chart:
    """``path`` is drawn in a box of 100 by 100; ``upper``, ``zero`` and ``lower`` are heights in it, from the top.

    ``ticks`` are numbers of blocks with where they lie, in per cent from the left.
    """

    path: str
    upper: float
    zero: float
    lower: float
    last: tuple[float, float]
    ticks: Sequence[tuple[int, float]]


def chart(ratios: Sequence[float], hypotheses: Hypotheses, most: int) -> Chart:
    """The chart of a walk of at most ``most`` blocks; it begins at 0 before the first."""
    blocks = max(10, min(most, 2 * len(ratios)))
    top, bottom = _ABOVE * hypotheses.upper, _ABOVE * hypotheses.lower

    def height(ratio: float) -> float:
        return round(100 * (top - min(top, max(bottom, ratio))) / (top - bottom), 2)

    points = [(round(100 * number / blocks, 2), height(ratio)) for number, ratio in enumerate([0.0, *ratios])]
    return Chart(
        path="M" + "L".join(f"{x} {y}" for x, y in points),
        upper=height(hypotheses.upper),
        zero=height(0.0),
        lower=height(hypotheses.lower),
        last=points[-1],
        ticks=[(number, round(100 * number / blocks, 2)) for number in _ticks(blocks)],
    )


def _ticks(blocks: int) -> list[int]:
    step = next(step for step in (5, 10, 25, 50, 100, 250, 1000) if blocks / step <= 5 or step == 1000)
    return list(range(step, blocks + 1, step))


# --- Forms -----------------------------------------------------------------------------------------------------------

Options = list[tuple[str, Any]]
"""As a choice field takes them: values with their words, or groups of these."""

_NOBODY: Final = ("", gettext_lazy("choose…"))
_GONE: Final = gettext_lazy("It cannot be chosen (any more). Choose another one.")
DEFAULT_BLOCKS: Final = 10


class ExhibitionForm(forms.Form):
    """What every order has: the token of the form, so that sending it twice does no harm."""

    token = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, offered: Choices, seats: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered, self.seats = offered, seats
        self.initial.setdefault("token", uuid4())

    @property
    def sent_token(self) -> UUID:
        token: UUID = self.cleaned_data["token"]
        return token


class SeatedForm(ExhibitionForm):
    """An exhibition with one version a seat."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for seat in range(1, self.seats + 1):
            self.fields[f"seat_{seat}"] = _version_field(
                gettext("Seat %(number)s") % {"number": seat}, everybody(self.offered)
            )

    @property
    def seat_fields(self) -> list[forms.BoundField]:
        return [self[f"seat_{seat}"] for seat in range(1, self.seats + 1)]

    @property
    def versions(self) -> list[int]:
        """The chosen versions by seat."""
        return [self.cleaned_data[f"seat_{seat}"] for seat in range(1, self.seats + 1)]


class TestForm(SeatedForm):
    """A test or a challenge."""

    blocks = forms.IntegerField(label=gettext_lazy("Blocks"), min_value=1, initial=DEFAULT_BLOCKS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _at_most(self.fields["blocks"], allowances().blocks)


class ScheduleForm(SeatedForm):
    """A match at a set time."""

    due_at = forms.DateTimeField(
        label=gettext_lazy("When (UTC)"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "data-local-time": ""}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy("The time zone is UTC, also known as GMT."),
    )
    deals = forms.IntegerField(label=gettext_lazy("Deals"), min_value=1, initial=1)
    rotated = forms.ChoiceField(
        label=gettext_lazy("Seats"),
        choices=[
            ("yes", gettext_lazy("each deal in all seatings")),
            ("no", gettext_lazy("each deal once, seated as above")),
        ],
        initial="yes",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _at_most(self.fields["deals"], allowances().deals)

    @property
    def time(self) -> datetime:
        moment: datetime = self.cleaned_data["due_at"]
        return moment


def _margins() -> list[tuple[Any, str]]:
    return [(margin, gettext("%(number)s points of 100") % {"number": f"{margin / 10:.0f}"}) for margin in MARGINS]


class CompareForm(ExhibitionForm):
    """A comparison of two versions of one's own."""

    margin = forms.TypedChoiceField(
        label=gettext_lazy("Better by"),
        coerce=int,
        choices=_margins,
        initial=MARGINS[1],
        help_text=gettext_lazy("The smaller the difference that matters to you, the more blocks it takes to find it."),
    )
    most_blocks = forms.IntegerField(label=gettext_lazy("Blocks at most"), min_value=1)
    gauntlet = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Opponents"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": _GONE},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = _groups([(gettext("Your versions"), self.offered.own)])
        self.fields["candidate"] = _version_field(gettext("Is this version"), own)
        self.fields["baseline"] = _version_field(gettext("better than this one?"), own)
        gauntlet: Any = self.fields["gauntlet"]
        groups = [(gettext("House bots"), self.offered.house), (gettext("The top of the ladder"), self.offered.others)]
        gauntlet.choices = _groups(groups)
        limits, games = allowances(), 2 * len(seatings(self.seats))
        _at_most(self.fields["most_blocks"], limits.comparison_blocks)
        self.initial.setdefault("most_blocks", min(limits.comparison_blocks, limits.games_a_day // games))
        self.initial.setdefault("gauntlet", [one.pk for one in self.offered.house[: max(3, self.seats - 1)]])

    @property
    def pair(self) -> tuple[int, int]:
        return self.cleaned_data["candidate"], self.cleaned_data["baseline"]


def everybody(offered: Choices) -> Options:
    """All that is offered, in groups."""
    return _groups(
        [
            (gettext("Your versions"), offered.own),
            (gettext("House bots"), offered.house),
            (gettext("Others, best first"), offered.others),
        ]
    )


def _groups(groups: Sequence[tuple[str, Sequence[BotVersion]]]) -> Options:
    return [(name, [(one.pk, _said(one)) for one in versions]) for name, versions in groups if versions]


def _said(version: BotVersion) -> str:
    owner = version.bot.owner
    who = str(version.bot) if owner is None else f"{version} ({owner.username})"
    return who if version.active or owner is None else gettext("%(version)s, does not play now") % {"version": who}


def _version_field(label: str, options: Options) -> forms.TypedChoiceField:
    missing = {"required": gettext_lazy("Choose who plays here."), "invalid_choice": _GONE}
    return forms.TypedChoiceField(label=label, coerce=int, choices=[_NOBODY, *options], error_messages=missing)


def _at_most(field: Any, most: int) -> None:
    """Say how many there may be; ``ladder.exhibitions.choices`` judges it."""
    field.widget.attrs["max"] = most
    field.help_text = gettext("At most %(number)s.") % {"number": most}


# --- The pages -------------------------------------------------------------------------------------------------------

ROWS = 20
SOON = 20
_Part = ExhibitionPlayer.Part
_PLACES = Case(*(When(part=part, then=Value(place)) for place, part in enumerate(_Part)))
"""The parts in the order of a page: the table; the two that are compared, then their opponents."""


@dataclass(frozen=True)
class Comparison:
    """How a comparison stands."""

    exhibition: Exhibition
    candidate: BotVersion
    baseline: BotVersion
    walk: Walk
    difference: Mean | None

    @property
    def chart(self) -> Chart:
        return chart(self.walk.ratios, hypotheses(self.exhibition), self.exhibition.blocks_wanted)

    @property
    def bound(self) -> float:
        """The bound above; the one below is as far from 0."""
        return hypotheses(self.exhibition).upper

    @property
    def margin_points(self) -> float:
        """The difference that is asked for, in points of 100."""
        return (self.exhibition.margin or 0) / 10

    @property
    def verdict(self) -> Verdict:
        """As it was decided; a release with another prior does not change what an ended comparison has found."""
        return Verdict(self.exhibition.verdict) if self.exhibition.verdict else self.walk.verdict

    @property
    def better(self) -> bool:
        return self.verdict is Verdict.BETTER

    @property
    def not_better(self) -> bool:
        return self.verdict is Verdict.NOT_BETTER


@dataclass(frozen=True)
class ExhibitionPage:
    """One order: who plays, what came out so far, and what the viewer may do about it."""

    exhibition: Exhibition
    players: Sequence[ExhibitionPlayer]
    agreements: Sequence[Agreement]
    found: Scores
    over: Sequence[int]
    written: int
    ended: int
    matches: Part[Match]
    viewer: Viewer

    @property
    def title(self) -> str:
        return title(self.exhibition, [player.version for player in self.players])

    @property
    def counted(self) -> int:
        """Blocks that count: every game of theirs is finished."""
        return len(self.found)

    @property
    def dropped(self) -> int:
        """Blocks that have ended and do not count."""
        return max(0, self.ended - self.counted)

    @property
    def rows(self) -> list[Row]:
        return rows(self.exhibition, self.found, self.players)

    @property
    def gauntlet(self) -> list[BotVersion]:
        return [player.version for player in self.players if player.part == _Part.GAUNTLET]

    @cached_property
    def comparison(self) -> Comparison | None:
        """How it stands; ``None`` for other kinds of exhibitions."""
        if self.exhibition.kind != Exhibition.Kind.COMPARISON:
            return None
        by_part = {player.part: player.version for player in self.players}
        taken = differences(self.exhibition, self.over, self.found)
        walked = walk(taken, hypotheses(self.exhibition))
        mean = mean_of(taken[: len(walked.ratios)])
        return Comparison(self.exhibition, by_part[_Part.CANDIDATE], by_part[_Part.BASELINE], walked, mean)

    @property
    def may_cancel(self) -> bool:
        """Whether the viewer may end it: who ordered it, staff, and before it begins who agreed to it."""
        return self.exhibition.open and may_cancel(self.exhibition, self.viewer)

    @property
    def asked(self) -> bool:
        """Whether the viewer has still to say whether their bot will be there."""
        return self.exhibition.state == Exhibition.State.INVITED and any(
            agreement.person_id == self.viewer.pk and agreement.agreed is None for agreement in self.agreements
        )


@dataclass(frozen=True)
class ExhibitionsPage:
    """What waits for the viewer's word, what will begin, and what the viewer has ordered."""

    asked: Sequence[Exhibition]
    planned: Sequence[Exhibition]
    own: Part[Exhibition]
    ladders: Sequence[Ladder]


def exhibition_page(exhibition: Exhibition, parameters: Callable[[str], str | None], user: Viewer) -> ExhibitionPage:
    """All that is to be said of ``exhibition``; eight queries, and one more for a comparison."""
    blocks = list(Block.objects.filter(exhibition=exhibition).values_list("ended", flat=True))
    over = over_in_turn(exhibition)
    return ExhibitionPage(
        exhibition=exhibition,
        players=list(players_of(exhibition)),
        agreements=list(exhibition.agreements.select_related("person")),
        found=scores(exhibition),
        over=over,
        written=len(blocks),
        ended=sum(ended is not None for ended in blocks),
        matches=listed_part(Match.objects.filter(block__exhibition=exhibition), parameters),
        viewer=user,
    )


def exhibitions_page(parameters: Callable[[str], str | None], user: Viewer) -> ExhibitionsPage:
    """The page of all that is on demand, for ``user``; at most eight queries."""
    seen = _listed(Exhibition.objects.visible_to(user))
    planned = seen.filter(state=Exhibition.State.PLANNED) | seen.filter(
        kind=Exhibition.Kind.SCHEDULED, state=Exhibition.State.RUNNING
    )
    mine = Q(state=Exhibition.State.INVITED, agreements__person=user.pk, agreements__agreed=None)
    own = seen.filter(requested_by=user.pk) if user.pk is not None else seen.none()
    return ExhibitionsPage(
        asked=list(seen.filter(mine).order_by("due_at")) if user.pk is not None else [],
        planned=list(planned.order_by("due_at", "pk")[:SOON]),
        own=part(own, parameters, ROWS),
        ladders=list(Ladder.objects.visible_to(user).filter(open=True, players=Ladder.Players.HOSTED).order_by("pk")),
    )


def title(exhibition: Exhibition, versions: Sequence[BotVersion]) -> str:
    """``Mine v7 or Mine v6?``, ``Mine v7, Greedy and Haggler``."""
    names = [version.bot.name if version.bot.owner_id is None else str(version) for version in versions]
    if exhibition.kind == Exhibition.Kind.COMPARISON:
        return _("Is %(candidate)s better than %(baseline)s?") % {"candidate": names[0], "baseline": names[1]}
    return listing(names)


def players_of(exhibition: Exhibition) -> QuerySet[ExhibitionPlayer]:
    """Who plays in ``exhibition``, with their bots and owners, in the order of its page."""
    return listed_players().filter(exhibition=exhibition)


def listed_players() -> QuerySet[ExhibitionPlayer]:
    """Players of any exhibitions with their bots and owners, each order's in the order of its page."""
    players = ExhibitionPlayer.objects.select_related("version__bot__owner").defer("version__check_report")
    return players.order_by("exhibition", _PLACES, "index")


def _listed(exhibitions: QuerySet[Exhibition]) -> QuerySet[Exhibition]:
    shown = exhibitions.select_related("ladder", "requested_by")
    return shown.prefetch_related(Prefetch("players", queryset=listed_players()))


# --- Views -----------------------------------------------------------------------------------------------------------

_Place = Callable[["User", Ladder, Any], Exhibition]


@require_safe
@never_cache
def exhibitions(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/exhibitions.html", {"page": exhibitions_page(request.GET.get, request.user)})


@require_safe
@never_cache
def exhibition(request: HttpRequest, exhibition_id: int) -> HttpResponse:
    page = exhibition_page(exhibition_seen_by(request.user, exhibition_id), request.GET.get, request.user)
    return render(request, "pages/exhibition.html", {"page": page})


def _ordering(template: str, form_class: type[ExhibitionForm], place: _Place) -> Callable[..., HttpResponse]:
    """A view with a form that becomes an exhibition on a ladder."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @never_cache
    @login_required
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        person, ladder = cast("User", request.user), ladder_seen_by(request.user, slug)
        form = form_class(choices(person, ladder, request.GET.get("bot")), ladder.seats, request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                return redirect("pages:exhibition", place(person, ladder, form).pk)
            except Refused as refusal:
                form.add_error(None, str(refusal))
        context = {"form": form, "ladder": ladder, "limits": allowances(), "games_left": games_left(person)}
        return render(request, template, context, status=form_status(form))

    return view


def _place_test(person: User, ladder: Ladder, form: TestForm) -> Exhibition:
    return requests.request_test(person, ladder, form.versions, form.cleaned_data["blocks"], form.sent_token)


def _place_comparison(person: User, ladder: Ladder, form: CompareForm) -> Exhibition:
    asked = form.cleaned_data
    most, margin = asked["most_blocks"], asked["margin"]
    return requests.request_comparison(person, ladder, form.pair, asked["gauntlet"], most, margin, form.sent_token)


def _place_schedule(person: User, ladder: Ladder, form: ScheduleForm) -> Exhibition:
    rotated = form.cleaned_data["rotated"] == "yes"
    deals = form.cleaned_data["deals"]
    return requests.request_scheduled(person, ladder, form.versions, deals, form.time, form.sent_token, rotated)


test = _ordering("pages/exhibition_test.html", TestForm, _place_test)
compare = _ordering("pages/exhibition_compare.html", CompareForm, _place_comparison)
schedule = _ordering("pages/exhibition_schedule.html", ScheduleForm, _place_schedule)


@require_POST
@login_required
def cancel(request: HttpRequest, exhibition_id: int) -> HttpResponse:
    """End an exhibition; what has begun is played out."""
    found, person = exhibition_seen_by(request.user, exhibition_id), cast("User", request.user)
    if not may_cancel(found, person):
        raise PermissionDenied(_("Only who ordered it can cancel it."))
    said = _("Cancelled. What has begun is played out.")
    return _done(request, found, lambda: requests.cancel(found, person), said)


@require_POST
@login_required
def answer(request: HttpRequest, exhibition_id: int) -> HttpResponse:
    """Agree to a match at a set time, or do not."""
    found, person = exhibition_seen_by(request.user, exhibition_id), cast("User", request.user)
    agreed = "agree" in request.POST
    said = _("You have agreed.") if agreed else _("You have not agreed, so the match is cancelled.")
    return _done(request, found, lambda: requests.answer(found, person, agreed), said)


def _done(request: HttpRequest, found: Exhibition, does: Callable[[], object], said: str) -> HttpResponse:
    try:
        does()
        messages.success(request, said)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:exhibition", found.pk)
