"""What staff say when they correct something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ladder.corrections import REASON_LENGTH
from ladder.models import Entry, Ladder
from ladder.ratings.elo import LARGEST_K, KFactor


class ReasonForm(forms.Form):
    """Why, and that it is meant."""

    reason = forms.CharField(
        label=_("Why"),
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Everybody can read it, so it names no person. Your name is kept, for staff alone."),
    )
    sure = forms.BooleanField(label=_("I know that this cannot be undone."))


if TYPE_CHECKING:
    _OfEntries = forms.ModelChoiceField[Entry]
else:
    _OfEntries = forms.ModelChoiceField  # which takes no parameter where it runs


class _EntryField(_OfEntries):
    def label_from_instance(self, entry: Entry) -> str:
        return f"{entry.bot.name} ({entry.bot.slug})"


class MergeForm(ReasonForm):
    """Whose results count for whom."""

    NOBODY, ANOTHER, ITSELF = "nobody", "another", "itself"

    entry = _EntryField(label=_("The results of"), queryset=Entry.objects.none())
    counts = forms.ChoiceField(
        label=_("count for"),
        choices=[
            (NOBODY, _("nobody: take it out")),
            (ANOTHER, _("the bot below: both are one")),
            (ITSELF, _("itself again: it was a mistake")),
        ],
    )
    into = _EntryField(label=_("Which bot"), queryset=Entry.objects.none(), required=False)
    field_order = ("entry", "counts", "into", "reason", "sure")

    def __init__(self, ladder: Ladder, data: Any = None) -> None:
        super().__init__(data)
        for name in ("entry", "into"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = Entry.objects.filter(ladder=ladder).select_related("bot").order_by("bot__name", "pk")
        self.fields["sure"].label = gettext("I know what this changes.")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("counts") == self.ANOTHER and cleaned.get("into") is None:
            self.add_error("into", gettext("Choose the bot for which they count."))
        return cleaned

    @property
    def merged_into(self) -> Entry | None:
        """For whom the results count, ``None`` for nobody."""
        counts: dict[str, Entry | None] = {
            self.ANOTHER: self.cleaned_data["into"],
            self.ITSELF: self.cleaned_data["entry"],
        }
        return counts.get(self.cleaned_data["counts"])


class KForm(ReasonForm):
    """Another K."""

    provisional = forms.IntegerField(label=_("K while provisional, points"), min_value=1, max_value=LARGEST_K)
    established = forms.IntegerField(label=_("K afterwards, points"), min_value=1, max_value=LARGEST_K)
    provisional_games = forms.IntegerField(label=_("Provisional for so many games"), min_value=0, max_value=10_000)
    field_order = ("provisional", "established", "provisional_games", "reason", "sure")

    def __init__(self, now: KFactor, data: Any = None) -> None:
        initial = {
            "provisional": now.provisional,
            "established": now.established,
            "provisional_games": now.provisional_games,
        }
        super().__init__(data, initial=initial)
        self.fields["sure"].label = gettext("I know that all ratings of the season change.")

    @property
    def k(self) -> KFactor:
        return KFactor(*(self.cleaned_data[name] for name in ("provisional", "established", "provisional_games")))
