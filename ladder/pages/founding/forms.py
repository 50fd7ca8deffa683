"""What staff are asked who open a ladder, or invite people to one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django import forms
from django.contrib.auth import get_user_model
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bots.house.catalogue import HOUSE
from bots.protocol import Limits
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.creation import Plan
from ladder.pages.words import seats

LIMITS: Final = {
    "startup_ms": _("Start of a bot, ms"),
    "move_ms": _("A move, ms"),
    "bank_ms": _("Bank of a game, ms"),
    "game_ms": _("A whole game, ms"),
    "memory_mb": _("Memory of a seat, MiB"),
}
PLAYERS: Final = {
    "hosted": _("Uploaded and house bots: every deal in all seatings, played by our workers"),
    "remote": _("Remote bots: live games, each with a deal of its own"),
    "open": _("People, remote, uploaded and house bots together: live games, each with a deal of its own"),
    "people": _("People by hand: live games, each with a deal of its own, and time to think"),
}
ACCESS: Final = {
    "everybody": _("Everybody: every bot that claims the table is entered"),
    "members": _("By invitation: everybody sees it, members enter their bots"),
    "class": _("A class: by invitation, and only members and staff see it"),
}
MOST_NAMES: Final = 200


def table_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every table, by game."""
    return [
        (game.name, [(f"{game.slug}:{count}", f"{game.name}, {seats(count)}") for count in game.seat_counts])
        for game in GAMES.values()
    ]


def house_choices() -> list[tuple[str, str]]:
    """Every house bot, with the games it plays."""
    return [
        (name, f"{one.title} ({', '.join(GAMES[slug].name for slug in one.games if slug in GAMES)})")
        for name, one in HOUSE.items()
    ]


class LadderForm(forms.Form):
    """A new ladder."""

    name = forms.CharField(label=_("Name"), max_length=80, help_text=_("Its address is made from it, and stays."))
    table = forms.ChoiceField(label=_("Game and seats"), choices=table_choices)
    players = forms.ChoiceField(
        label=_("Who plays"), required=False, choices=list(PLAYERS.items()), widget=forms.RadioSelect
    )
    access = forms.ChoiceField(label=_("Who may enter"), choices=list(ACCESS.items()), widget=forms.RadioSelect)
    freezes_at = forms.DateTimeField(
        label=_("Deadline (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "data-local-time": ""}, format="%Y-%m-%dT%H:%M"),
        help_text=_("From then on nobody enters, and every bot goes on with the version that plays then. Empty: none."),
    )
    house = forms.MultipleChoiceField(
        label=_("House bots"), required=False, choices=house_choices, widget=forms.CheckboxSelectMultiple
    )
    weight = forms.IntegerField(
        label=_("Weight"),
        min_value=1,
        max_value=20,
        initial=1,
        help_text=_("Its share of the workers beside the others'."),
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
    def plan(self) -> Plan:
        """The ladder that is asked for; its limits are what differs from the usual ones."""
        asked = self.cleaned_data
        game, _, count = asked["table"].partition(":")
        return Plan(
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


class InviteForm(forms.Form):
    """User names, one a line or with commas between them."""

    names = forms.CharField(label=_("User names"), widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000)

    def clean_names(self) -> list[User]:
        """The people; whoever is not found is named."""
        names = [name for name in re.split(r"[\s,;]+", self.cleaned_data["names"]) if name]
        if len(names) > MOST_NAMES:
            said = gettext("That is %(number)s names. Invite at most %(most)s at once.")
            raise forms.ValidationError(said % {"number": len(names), "most": MOST_NAMES})
        people: list[Any] = list(get_user_model()._default_manager.filter(username__in=names).order_by("pk"))
        missing = sorted(set(names) - {person.username for person in people})
        if missing:
            said = gettext("Nobody is called %(names)s. Nobody was invited yet.")
            raise forms.ValidationError(said % {"names": ", ".join(missing)})
        return people
