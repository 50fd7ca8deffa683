"""The form with which staff end a season."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

KEPT: Final = {
    "1": _("all of it"),
    "3/4": _("three quarters"),
    "1/2": _("one half"),
    "1/4": _("one quarter"),
    "0": _("nothing"),
}
"""What the next season can keep of the ratings' distance from the start."""


class CloseForm(forms.Form):
    """When the season ends, and what its ratings are worth in the next one."""

    at = forms.DateTimeField(
        label=_("When (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("Leave it empty to close the season now."),
    )
    keep = forms.ChoiceField(
        label=_("What the next season keeps of every rating's distance from 1500"),
        choices=[*KEPT.items(), ("", _("open no next season"))],
        required=False,
        initial="1/2",
    )

    def clean_at(self) -> datetime | None:
        at: datetime | None = self.cleaned_data["at"]
        if at is not None and at <= timezone.now():
            raise forms.ValidationError(
                gettext("That time is over. Choose a later one, or leave it empty to close now.")
            )
        return at

    @property
    def then(self) -> Fraction | None:
        """What the next season keeps, ``None`` where none is to be opened."""
        return _share(self.cleaned_data["keep"])


class OpenForm(forms.Form):
    """What the next season keeps, after one that has no next."""

    keep = forms.ChoiceField(
        label=_("What it keeps of every rating's distance from 1500"), choices=list(KEPT.items()), initial="1/2"
    )

    @property
    def kept(self) -> Fraction:
        return _share(self.cleaned_data["keep"]) or Fraction(0)


def _share(word: Any) -> Fraction | None:
    return Fraction(word) if word else None
