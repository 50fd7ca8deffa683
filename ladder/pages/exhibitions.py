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
from django.core.validators import MaxValueValidator
from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.intervals import Mean, difference
from bots.models import BotVersion
from bots.tournaments.seatings import seatings
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.words import listing
from ladder.access import exhibition_seen_by, ladder_seen_by, may_cancel
from ladder.exhibitions import requests
from ladder.exhibitions.choices import MARGINS, Choices, allowances, choices, games_left
from ladder.exhibitions.progress import (
    Scores,
    VersionResult,
    differences,
    hypotheses,
    listed_players,
    over_in_turn,
    rows,
    scores,
)
from ladder.models import Agreement, Block, Exhibition, ExhibitionPlayer, Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import KeysetPage, paginate
from ladder.pages.components.responses import form_status
from ladder.pages.matches import listed_part
from ladder.ratings.sprt import Hypotheses, LikelihoodWalk, TestVerdict, walk

# --- The chart of a comparison ---------------------------------------------------------------------------------------

_ABOVE = 1.25
"""The chart extends beyond the bounds by this factor, so that the last step is visible."""


@dataclass(frozen=True)
class Chart:
    """A path in a box of 100 by 100; ``upper``, ``zero`` and ``lower`` are distances from the top.

    ``ticks`` are numbers of blocks with their distances from the left in percent.
    """

    path: str
    upper: float
    zero: float
    lower: float
    last: tuple[float, float]
    ticks: Sequence[tuple[int, float]]


def chart(ratios: Sequence[float], hypotheses: Hypotheses, most: int) -> Chart:
    """Return the chart of a walk of at most ``most`` blocks. It starts at 0, before the first block."""
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
"""Choices for a choice field: values with labels, or groups of them."""

_NOBODY: Final = ("", gettext_lazy("Choose a version…"))
_GONE: Final = gettext_lazy("This version is not available. Choose another one.")
DEFAULT_BLOCKS: Final = 10


class ExhibitionForm(forms.Form):
    """Base form of match requests. The token makes repeated submissions of the same form harmless."""

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
    """A match request with one version per seat."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for seat in range(self.seats):
            self.fields[f"seat_{seat}"] = _version_field(
                gettext("Seat %(number)s") % {"number": seat}, everybody(self.offered)
            )

    @property
    def seat_fields(self) -> list[forms.BoundField]:
        return [self[f"seat_{seat}"] for seat in range(self.seats)]

    @property
    def versions(self) -> list[int]:
        """The ids of the selected versions, by seat."""
        return [self.cleaned_data[f"seat_{seat}"] for seat in range(self.seats)]


class TestMatchForm(SeatedForm):
    """A request for a test match or a challenge."""

    blocks = forms.IntegerField(label=gettext_lazy("Blocks"), min_value=1, initial=DEFAULT_BLOCKS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _at_most(self.fields["blocks"], allowances().blocks)


class ScheduleForm(SeatedForm):
    """A request for a scheduled match."""

    due_at = forms.DateTimeField(
        label=gettext_lazy("Start time (UTC)"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "data-local-time": ""}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy("The time zone is UTC (GMT)."),
    )
    deals = forms.IntegerField(label=gettext_lazy("Deals"), min_value=1, initial=1)
    rotated = forms.ChoiceField(
        label=gettext_lazy("Seats"),
        choices=[
            ("yes", gettext_lazy("Each deal in all seatings")),
            ("no", gettext_lazy("Each deal once, in the seats above")),
        ],
        initial="yes",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _at_most(self.fields["deals"], allowances().deals)

    def clean_due_at(self) -> datetime:
        """The start time, checked with the other fields."""
        try:
            requests.require_time(self.cleaned_data["due_at"])
        except Refused as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        return self.time

    @property
    def time(self) -> datetime:
        moment: datetime = self.cleaned_data["due_at"]
        return moment


def _margins() -> list[tuple[Any, str]]:
    return [(margin, gettext("%(number)s points") % {"number": f"{margin / 10:.0f}"}) for margin in MARGINS]


class CompareForm(ExhibitionForm):
    """A request to compare two of the user's own versions."""

    margin = forms.TypedChoiceField(
        label=gettext_lazy("Difference to detect"),
        coerce=int,
        choices=_margins,
        initial=MARGINS[1],
        help_text=gettext_lazy("Difference in score, on a scale of 0 to 100. A smaller difference needs more blocks."),
    )
    most_blocks = forms.IntegerField(label=gettext_lazy("Maximum blocks"), min_value=1)
    gauntlet = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Opponents"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": _GONE},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = _groups([(gettext("Your versions"), self.offered.own)])
        self.fields["candidate"] = _version_field(gettext("Candidate"), own)
        self.fields["baseline"] = _version_field(gettext("Baseline"), own)
        gauntlet: Any = self.fields["gauntlet"]
        groups = [(gettext("House bots"), self.offered.house), (gettext("Top of the ladder"), self.offered.others)]
        gauntlet.choices = _groups(groups)
        limits, games = allowances(), 2 * len(seatings(self.seats))
        _at_most(self.fields["most_blocks"], limits.comparison_blocks)
        self.initial.setdefault("most_blocks", min(limits.comparison_blocks, limits.games_a_day // games))
        self.initial.setdefault("gauntlet", [version.pk for version in self.offered.house[: max(3, self.seats - 1)]])

    @property
    def pair(self) -> tuple[int, int]:
        return self.cleaned_data["candidate"], self.cleaned_data["baseline"]


def everybody(offered: Choices) -> Options:
    """Return all available versions in groups."""
    return _groups(
        [
            (gettext("Your versions"), offered.own),
            (gettext("House bots"), offered.house),
            (gettext("Other bots, highest rating first"), offered.others),
        ]
    )


def _groups(groups: Sequence[tuple[str, Sequence[BotVersion]]]) -> Options:
    return [(name, [(version.pk, _said(version)) for version in versions]) for name, versions in groups if versions]


def _said(version: BotVersion) -> str:
    owner = version.bot.owner
    who = str(version.bot) if owner is None else f"{version} ({owner.username})"
    return who if version.active or owner is None else gettext("%(version)s, not active") % {"version": who}


def _version_field(label: str, options: Options) -> forms.TypedChoiceField:
    missing = {"required": gettext_lazy("Choose a version."), "invalid_choice": _GONE}
    return forms.TypedChoiceField(label=label, coerce=int, choices=[_NOBODY, *options], error_messages=missing)


def _at_most(field: Any, most: int) -> None:
    """Show the maximum in the form and check it with the other fields."""
    field.widget.attrs["max"] = most
    field.validators.append(MaxValueValidator(most, gettext_lazy("Enter a number from 1 to %(limit_value)s.")))
    field.help_text = gettext("Maximum: %(number)s.") % {"number": most}


# --- The pages -------------------------------------------------------------------------------------------------------

EXHIBITIONS_PER_PAGE = 20
SOON = 20
_Part = ExhibitionPlayer.Part


@dataclass(frozen=True)
class Comparison:
    """The state of a version comparison."""

    exhibition: Exhibition
    candidate: BotVersion
    baseline: BotVersion
    walk: LikelihoodWalk
    difference: Mean | None

    @property
    def chart(self) -> Chart:
        return chart(self.walk.ratios, hypotheses(self.exhibition), self.exhibition.blocks_wanted)

    @property
    def bound(self) -> float:
        """The upper bound; the lower one is at the same distance from 0."""
        return hypotheses(self.exhibition).upper

    @property
    def margin_points(self) -> float:
        """The difference to detect, on a scale of 0 to 100."""
        return (self.exhibition.margin or 0) / 10

    @property
    def verdict(self) -> TestVerdict:
        """The stored verdict, so that a release with another prior does not change ended comparisons."""
        return TestVerdict(self.exhibition.verdict) if self.exhibition.verdict else self.walk.verdict

    @property
    def better(self) -> bool:
        return self.verdict is TestVerdict.BETTER

    @property
    def not_better(self) -> bool:
        return self.verdict is TestVerdict.NOT_BETTER


@dataclass(frozen=True)
class ExhibitionPage:
    """One match request: players, results so far and the viewer's permissions."""

    exhibition: Exhibition
    players: Sequence[ExhibitionPlayer]
    agreements: Sequence[Agreement]
    found: Scores
    over: Sequence[int]
    written: int
    ended: int
    matches: KeysetPage[Match]
    viewer: Viewer

    @property
    def title(self) -> str:
        return title(self.exhibition, [player.version for player in self.players])

    @property
    def counted(self) -> int:
        """Number of blocks in which every game is finished."""
        return len(self.found)

    @property
    def dropped(self) -> int:
        """Number of ended blocks that do not count."""
        return max(0, self.ended - self.counted)

    @property
    def rows(self) -> list[VersionResult]:
        return rows(self.exhibition, self.found, self.players)

    @property
    def gauntlet(self) -> list[BotVersion]:
        return [player.version for player in self.players if player.part == _Part.GAUNTLET]

    @cached_property
    def comparison(self) -> Comparison | None:
        """The state of the comparison; ``None`` for other kinds of exhibitions."""
        if self.exhibition.kind != Exhibition.Kind.COMPARISON:
            return None
        by_part = {player.part: player.version for player in self.players}
        taken = differences(self.exhibition, self.over, self.found)
        walked = walk(taken, hypotheses(self.exhibition))
        counted = taken[: len(walked.ratios)]
        mean = difference(counted) if counted else None
        return Comparison(self.exhibition, by_part[_Part.CANDIDATE], by_part[_Part.BASELINE], walked, mean)

    @property
    def lacks_season(self) -> bool:
        """Whether its next games wait for the next season of the ladder. One query while there are games to come."""
        going_on = self.exhibition.state in (Exhibition.State.PLANNED, Exhibition.State.RUNNING)
        waits = going_on and self.written < self.exhibition.blocks_wanted
        return waits and not self.exhibition.ladder.seasons.filter(closing=None).exists()

    @property
    def may_cancel(self) -> bool:
        """Whether the viewer may cancel it: the requester, staff, and before it starts anyone who agreed."""
        return self.exhibition.open and may_cancel(self.exhibition, self.viewer)

    @property
    def asked(self) -> bool:
        """Whether the viewer still has to answer."""
        return self.exhibition.state == Exhibition.State.INVITED and any(
            agreement.person_id == self.viewer.pk and agreement.agreed is None for agreement in self.agreements
        )


@dataclass(frozen=True)
class ExhibitionsPage:
    """Requests that wait for the viewer's answer, scheduled matches, and the viewer's own requests."""

    asked: Sequence[Exhibition]
    planned: Sequence[Exhibition]
    own: KeysetPage[Exhibition]
    ladders: Sequence[Ladder]


def exhibition_page(exhibition: Exhibition, parameters: Callable[[str], str | None], user: Viewer) -> ExhibitionPage:
    """Return the page of ``exhibition``. Eight queries, one more for a comparison."""
    blocks = list(Block.objects.filter(exhibition=exhibition).values_list("ended", flat=True))
    over = over_in_turn(exhibition)
    return ExhibitionPage(
        exhibition=exhibition,
        players=list(listed_players().filter(exhibition=exhibition)),
        agreements=list(exhibition.agreements.select_related("person")),
        found=scores(exhibition),
        over=over,
        written=len(blocks),
        ended=sum(ended is not None for ended in blocks),
        matches=listed_part(Match.objects.filter(block__exhibition=exhibition), parameters),
        viewer=user,
    )


def exhibitions_page(parameters: Callable[[str], str | None], user: Viewer) -> ExhibitionsPage:
    """Return the list page for ``user``. At most eight queries."""
    seen = _listed(Exhibition.objects.visible_to(user))
    planned = seen.filter(state=Exhibition.State.PLANNED) | seen.filter(
        kind=Exhibition.Kind.SCHEDULED, state=Exhibition.State.RUNNING
    )
    invited = Q(state=Exhibition.State.INVITED, agreements__person=user.pk, agreements__agreed=None)
    own = seen.filter(requested_by=user.pk) if user.pk is not None else seen.none()
    return ExhibitionsPage(
        asked=list(seen.filter(invited).order_by("due_at")) if user.pk is not None else [],
        planned=list(planned.order_by("due_at", "pk")[:SOON]),
        own=paginate(own, parameters, EXHIBITIONS_PER_PAGE),
        ladders=list(Ladder.objects.visible_to(user).filter(open=True, players=Ladder.Players.HOSTED).order_by("pk")),
    )


def title(exhibition: Exhibition, versions: Sequence[BotVersion]) -> str:
    """Return a title such as ``Mine v7, Greedy and Haggler``."""
    names = [version.bot.name if version.bot.owner_id is None else str(version) for version in versions]
    if exhibition.kind == Exhibition.Kind.COMPARISON:
        return _("%(candidate)s compared with %(baseline)s") % {"candidate": names[0], "baseline": names[1]}
    return listing(names)


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
    """Return a view with a form for a match request on a ladder."""

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


def _place_test(person: User, ladder: Ladder, form: TestMatchForm) -> Exhibition:
    return requests.request_test(person, ladder, form.versions, form.cleaned_data["blocks"], form.sent_token)


def _place_comparison(person: User, ladder: Ladder, form: CompareForm) -> Exhibition:
    asked = form.cleaned_data
    most, margin = asked["most_blocks"], asked["margin"]
    return requests.request_comparison(person, ladder, form.pair, asked["gauntlet"], most, margin, form.sent_token)


def _place_schedule(person: User, ladder: Ladder, form: ScheduleForm) -> Exhibition:
    rotated = form.cleaned_data["rotated"] == "yes"
    deals = form.cleaned_data["deals"]
    return requests.request_scheduled(person, ladder, form.versions, deals, form.time, form.sent_token, rotated)


test = _ordering("pages/exhibition_test.html", TestMatchForm, _place_test)
compare = _ordering("pages/exhibition_compare.html", CompareForm, _place_comparison)
schedule = _ordering("pages/exhibition_schedule.html", ScheduleForm, _place_schedule)


@require_POST
@login_required
def cancel(request: HttpRequest, exhibition_id: int) -> HttpResponse:
    """Cancel a match request. Games that have started are finished."""
    match_request, person = exhibition_seen_by(request.user, exhibition_id), cast("User", request.user)
    if not may_cancel(match_request, person):
        raise PermissionDenied(_("You cannot cancel this match request. Only the user who created it can."))
    text = _("Match request canceled. Games that have started will be finished.")
    return _done(request, match_request, lambda: requests.cancel(match_request, person), text)


@require_POST
@login_required
def answer(request: HttpRequest, exhibition_id: int) -> HttpResponse:
    """Accept or decline the invitation to a scheduled match."""
    match_request, person = exhibition_seen_by(request.user, exhibition_id), cast("User", request.user)
    agreed = "agree" in request.POST
    text = _("You accepted the invitation.") if agreed else _("You declined the invitation, so the match is canceled.")
    return _done(request, match_request, lambda: requests.answer(match_request, person, agreed), text)


def _done(request: HttpRequest, match_request: Exhibition, does: Callable[[], object], text: str) -> HttpResponse:
    try:
        does()
        messages.success(request, text)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:exhibition", match_request.pk)
