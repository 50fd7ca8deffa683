"""What somebody is asked who orders matches: who plays, how often, and when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bots.models import BotVersion
from ladder.exhibitions.choices import MARGINS, Choices, allowances
from ladder.pairings.seatings import seatings

Options = list[tuple[str, Any]]
"""As a choice field takes them: values with their words, or groups of these."""

_NOBODY: Final = ("", _("choose…"))
_GONE: Final = _("It cannot be chosen (any more). Choose another one.")
DEFAULT_BLOCKS: Final = 10


class OrderForm(forms.Form):
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


class SeatedForm(OrderForm):
    """An order with one version a seat."""

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

    blocks = forms.IntegerField(label=_("Blocks"), min_value=1, initial=DEFAULT_BLOCKS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _at_most(self.fields["blocks"], allowances().blocks)


class ScheduleForm(SeatedForm):
    """A match at a set time."""

    due_at = forms.DateTimeField(
        label=_("When (UTC)"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "data-local-time": ""}, format="%Y-%m-%dT%H:%M"),
        help_text=_("The time zone is UTC, also known as GMT."),
    )
    deals = forms.IntegerField(label=_("Deals"), min_value=1, initial=1)
    rotated = forms.ChoiceField(
        label=_("Seats"),
        choices=[("yes", _("each deal in all seatings")), ("no", _("each deal once, seated as above"))],
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


class CompareForm(OrderForm):
    """A comparison of two versions of one's own."""

    margin = forms.TypedChoiceField(
        label=_("Better by"),
        coerce=int,
        choices=_margins,
        initial=MARGINS[1],
        help_text=_("The smaller the difference that matters to you, the more blocks it takes to find it."),
    )
    most_blocks = forms.IntegerField(label=_("Blocks at most"), min_value=1)
    gauntlet = forms.TypedMultipleChoiceField(
        label=_("Opponents"), coerce=int, widget=forms.CheckboxSelectMultiple, error_messages={"invalid_choice": _GONE}
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
    missing = {"required": _("Choose who plays here."), "invalid_choice": _GONE}
    return forms.TypedChoiceField(label=label, coerce=int, choices=[_NOBODY, *options], error_messages=missing)


def _at_most(field: Any, most: int) -> None:
    """Say how many there may be; ``ladder.orders`` judges it."""
    field.widget.attrs["max"] = most
    field.help_text = gettext("At most %(number)s.") % {"number": most}
