"""Create a ladder: the form for site admins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from bots.house.catalogue import HOUSE
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder import creation
from ladder.creation import LadderPlan
from ladder.pages.components.responses import for_operators, form_status
from ladder.pages.components.words import seats

LIMITS: Final = {
    "startup_ms": gettext_lazy("Startup time of a bot (ms)"),
    "move_ms": gettext_lazy("Time per decision (ms)"),
    "bank_ms": gettext_lazy("Time bank per game (ms)"),
    "game_ms": gettext_lazy("Total time per game (ms)"),
    "memory_mb": gettext_lazy("Memory (MiB)"),
}
PLAYERS: Final = {
    "hosted": gettext_lazy("Hosted bots. Workers play every deal in all seatings."),
    "remote": gettext_lazy("Remote bots. Live games, each with a new deal."),
    "open": gettext_lazy("Everyone: human players, remote bots and hosted bots. Live games, each with a new deal."),
    "people": gettext_lazy("Human players. Live games with more time per decision, each with a new deal."),
}
ACCESS: Final = {
    "everybody": gettext_lazy("Public. Open to every player of this kind."),
    "members": gettext_lazy("Invitation only. Visible to everyone. Only members can add bots."),
    "class": gettext_lazy("Private. Invitation only. Visible only to members and site staff."),
}


def format_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """All formats, by game."""
    return [
        (game.name, [(f"{game.slug}:{count}", f"{game.name}, {seats(count)}") for count in game.seat_counts])
        for game in GAMES.values()
    ]


def house_choices() -> list[tuple[str, str]]:
    """All house bots with the games that they play."""
    return [
        (name, f"{bot.title} ({', '.join(GAMES[slug].name for slug in bot.games if slug in GAMES)})")
        for name, bot in HOUSE.items()
    ]


class LadderForm(forms.Form):
    """A new ladder."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("The URL of the ladder is derived from its name and never changes."),
    )
    format = forms.ChoiceField(label=gettext_lazy("Game and number of players"), choices=format_choices)
    players = forms.ChoiceField(
        label=gettext_lazy("Players"), required=False, choices=list(PLAYERS.items()), widget=forms.RadioSelect
    )
    access = forms.ChoiceField(label=gettext_lazy("Access"), choices=list(ACCESS.items()), widget=forms.RadioSelect)
    freezes_at = forms.DateTimeField(
        label=gettext_lazy("Deadline (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "data-local-time": ""}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy(
            "After the deadline, no bot can join and bots keep the version that is active at that time."
            " Leave this field empty for no deadline."
        ),
    )
    house = forms.MultipleChoiceField(
        label=gettext_lazy("House bots"), required=False, choices=house_choices, widget=forms.CheckboxSelectMultiple
    )
    weight = forms.IntegerField(
        label=gettext_lazy("Weight"),
        min_value=1,
        max_value=20,
        initial=1,
        help_text=gettext_lazy("Share of worker time relative to other ladders."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("access", "everybody")
        self.initial.setdefault("players", "hosted")
        for limit, usual in asdict(Limits()).items():
            self.fields[limit] = forms.IntegerField(label=LIMITS[limit], min_value=0, max_value=600_000, initial=usual)

    @property
    def limit_fields(self) -> Sequence[forms.BoundField]:
        return [self[limit] for limit in LIMITS]

    @property
    def plan(self) -> LadderPlan:
        """The requested ladder; its limits are those that differ from the defaults."""
        asked = self.cleaned_data
        game, _, count = asked["format"].partition(":")
        return LadderPlan(
            name=asked["name"],
            game=game,
            seats=int(count),
            limits=self._limits(),
            house=asked["house"],
            players=asked["players"] or "hosted",
            weight=asked["weight"],
            by_invitation=asked["access"] != "everybody",
            private=asked["access"] == "class",
            freezes_at=asked["freezes_at"],
        )

    def _limits(self) -> Mapping[str, int]:
        usual = asdict(Limits())
        return {limit: self.cleaned_data[limit] for limit in LIMITS if self.cleaned_data[limit] != usual[limit]}


@require_http_methods(["GET", "HEAD", "POST"])
@for_operators
def new_ladder(request: HttpRequest) -> HttpResponse:
    form = LadderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            ladder = creation.found_ladder(form.plan, cast("User", request.user))
            messages.success(request, _("The ladder %(ladder)s was created.") % {"ladder": ladder})
            return redirect("pages:ladder_members" if ladder.by_invitation else "pages:ladder", ladder.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    return render(request, "pages/new_ladder.html", {"form": form}, status=form_status(form))
