"""Create a cup, and change its texts and times before its registration closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from bots.tournaments.formats import FORMATS, MOST_BLOCKS, MOST_ENTRANTS, MOST_ROUNDS
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.access import cup_seen_by, may_run
from ladder.cups import creation, desk
from ladder.cups.creation import (
    LONGEST_ABOUT,
    LONGEST_REPEAT,
    LONGEST_TITLE,
    CupForm,
    hosted_ladders,
)
from ladder.cups.series import in_zone
from ladder.models import Cup
from ladder.pages.components.responses import form_status, limit_actions
from ladder.pages.components.words import day, grouped, seats

FIELDS: Final = {
    "title_taken": "title",
    "removed_by_moderator": "title",
    "unknown_format": "game_format",
    "no_ladder": "game_format",
    "unknown_cup_format": "format",
    "games": "capacity",
    "entries": "entries_per_user",
    "too_early": "closes_at",
    "start_early": "starts_at",
    "too_late": "starts_at",
}
"""The field of a refusal, by its code. Other codes are names of fields or belong to the whole form."""

VISIBILITY: Final = {
    "listed": gettext_lazy("Public. Everyone can find the cup in the list."),
    "link": gettext_lazy("Unlisted. Only users who have the link can find the cup."),
}
_TIME: Final = "%Y-%m-%dT%H:%M"


def game_format_choices() -> list[tuple[str, str]]:
    """The formats that have a ladder of hosted bots."""
    playable = sorted(set(hosted_ladders().values_list("game", "seats")))
    return [(f"{game}:{count}", f"{GAMES[game].name}, {seats(count)}") for game, count in playable if game in GAMES]


def _time_field(label: Any, help_text: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "data-zone-time": ""}, format=_TIME)
    return forms.DateTimeField(label=label, widget=widget, help_text=help_text)


class SettingsForm(forms.Form):
    """The texts and times of a cup. The times are entered in ``time_zone``."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=LONGEST_TITLE)
    about = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=LONGEST_ABOUT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Optional. For example rules, prizes or a contact."),
    )
    closes_at = _time_field(
        gettext_lazy("Registration closes"),
        gettext_lazy("At this time, the entrant list and each bot's version are frozen."),
    )
    starts_at = _time_field(gettext_lazy("Start"), gettext_lazy("The first round starts at this time."))
    repeat_days = forms.IntegerField(
        label=gettext_lazy("Repeat every (days)"),
        required=False,
        min_value=1,
        max_value=LONGEST_REPEAT.days,
        help_text=gettext_lazy(
            "Optional. When registration closes, the next cup is created at the same local time. The series ends if two"
            " cups in a row have too few bots."
        ),
    )

    zone = "UTC"

    def clean(self) -> dict[str, Any]:
        """Read the times in the time zone of the form."""
        zone = self.cleaned_data.get("time_zone", self.zone)
        for name in ("closes_at", "starts_at"):
            entered: datetime | None = self.cleaned_data.get(name)
            if entered is None:
                continue
            moment = in_zone(entered.replace(tzinfo=None), zone)
            if moment is None:
                text = _("This time does not exist in %(zone)s because clocks go forward. Choose another time.")
                self.add_error(name, text % {"zone": zone})
            else:
                self.cleaned_data[name] = moment
        return self.cleaned_data

    def refuse(self, refusal: Refused) -> None:
        """Show a refusal at its field, or at the top of the form."""
        field = FIELDS.get(refusal.code, refusal.code)
        self.add_error(field if field in self.fields else None, str(refusal))


_CHOSEN: Final = [gettext_lazy(format_.name) for format_ in FORMATS.values() if format_.has_chosen_rounds]
"""The names of the formats with a number of rounds to choose."""


class NewCupForm(SettingsForm):
    """A new cup."""

    game_format = forms.ChoiceField(label=gettext_lazy("Game and number of players"), choices=game_format_choices)
    format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        choices=[(slug, gettext_lazy(format_.summary)) for slug, format_ in FORMATS.items()],
        widget=forms.RadioSelect,
        initial="swiss",
    )
    rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        required=False,
        min_value=1,
        max_value=MOST_ROUNDS,
        initial=5,
        help_text=format_lazy(
            gettext_lazy("Only for this format: {formats}. Otherwise, the number follows from the number of bots."),
            formats=format_lazy(", ".join(["{}"] * len(_CHOSEN)), *_CHOSEN),
        ),
    )
    blocks = forms.IntegerField(
        label=gettext_lazy("Blocks per table"),
        min_value=1,
        max_value=MOST_BLOCKS,
        initial=1,
        help_text=gettext_lazy("In a block, the bots of a table play one deal in every seating."),
    )
    capacity = forms.IntegerField(
        label=gettext_lazy("Maximum number of bots"), min_value=2, max_value=MOST_ENTRANTS, initial=16
    )
    entries_per_user = forms.IntegerField(
        label=gettext_lazy("Bots per user"), min_value=1, max_value=MOST_ENTRANTS, initial=1
    )
    at_a_table = forms.IntegerField(
        label=gettext_lazy("Bots of one user at a table"),
        min_value=1,
        max_value=5,
        initial=1,
        help_text=gettext_lazy("Pairings follow this limit where possible."),
    )
    visibility = forms.ChoiceField(
        label=gettext_lazy("Visibility"), choices=list(VISIBILITY.items()), widget=forms.RadioSelect, initial="listed"
    )
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=lambda: [(name, name.replace("_", " ")) for name in creation.time_zones()],
        initial="UTC",
        widget=forms.Select(attrs={"data-time-zone": ""}),
        help_text=gettext_lazy(
            "Applies to the times below. If a local time occurs twice when clocks go back, the first one is used."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields["time_zone"].widget.attrs["data-guess"] = ""  # a script selects that of the browser

    @property
    def cup_form(self) -> CupForm:
        """The settings of the requested cup."""
        asked: Mapping[str, Any] = self.cleaned_data
        game, _, count = asked["game_format"].partition(":")
        same = ("title", "about", "format", "blocks", "capacity", "entries_per_user", "at_a_table", "time_zone")
        return CupForm(
            game=game,
            seats=int(count),
            closes_at=asked["closes_at"],
            starts_at=asked["starts_at"],
            rounds=asked["rounds"] if FORMATS[asked["format"]].has_chosen_rounds else None,
            listed=asked["visibility"] == "listed",
            repeat_days=asked["repeat_days"],
            **{name: asked[name] for name in same},
        )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@limit_actions
def new_cup(request: HttpRequest) -> HttpResponse:
    """Create a cup. Users without a verified email address learn how to verify it."""
    user = cast("User", request.user)
    form = NewCupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            cup = creation.create_cup(user, form.cup_form)
        except Refused as refusal:
            form.refuse(refusal)
        else:
            text = _(
                "%(cup)s was created. Registration is open until %(time)s. With %(most)s bots, the cup has %(games)s"
                " games."
            )
            time = f"{day(cup.closes_at)}, {cup.closes_at.astimezone(UTC):%H:%M} UTC"
            games = grouped(creation.most_games(form.cup_form))
            values = {"cup": cup.title, "time": time, "most": cup.capacity, "games": games}
            messages.success(request, text % values)
            return redirect("pages:cup", cup.slug)
    context = {"form": form, "unverified": user.email_address is None}
    return render(request, "pages/cup_settings.html", context, status=form_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@limit_actions
def change_cup(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the texts and times of a cup before its registration closes."""
    cup, user = cup_seen_by(request.user, slug), cast("User", request.user)
    if not may_run(user, cup):
        raise PermissionDenied(_("Only the organizers of %(cup)s can do that.") % {"cup": cup.title})
    form = SettingsForm(request.POST or None, initial=_initial(cup))
    form.zone = cup.time_zone
    if request.method == "POST" and form.is_valid():
        try:
            changed = desk.change(user, cup, desk.CupChange(**_wanted(cup, form.cleaned_data)))
        except Refused as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, _("Settings changed.") if changed else _("Nothing was changed."))
            return redirect("pages:cup_desk", slug)
    return render(request, "pages/cup_settings.html", {"form": form, "cup": cup}, status=form_status(form))


def _wanted(cup: Cup, entered: Mapping[str, Any]) -> dict[str, Any]:
    """The entered settings. A time that was not edited keeps its seconds, which the form does not show."""
    kept = {name: getattr(cup, name) for name in ("closes_at", "starts_at")}
    same = {name: time for name, time in kept.items() if time.replace(second=0, microsecond=0) == entered[name]}
    return {**entered, **same}


def _initial(cup: Cup) -> dict[str, Any]:
    names: Sequence[str] = ("title", "about", "repeat_days")
    times = {name: getattr(cup, name).astimezone(ZoneInfo(cup.time_zone)) for name in ("closes_at", "starts_at")}
    local = {name: time.replace(tzinfo=None) for name, time in times.items()}
    return {**{name: getattr(cup, name) for name in names}, **local}
