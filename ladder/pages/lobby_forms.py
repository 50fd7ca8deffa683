"""Forms and texts of the lobby."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext

from bots.models import Bot
from bots.names import MAX_GUEST_NAME, guest_name
from bots.protocol import Limits
from esr_platform.accounts.errors import NameRefused, Refused
from games.game import Game
from games.registry import GAMES
from ladder.matchmaking.game_start import CLOCKS
from ladder.models import Ladder, Proposal
from ladder.pages.components.words import grouped, seats, span

# --- Texts -----------------------------------------------------------------------------------------------------------


CLOCK_NAMES: Final = {
    "quick": gettext_lazy("Fast"),
    "usual": gettext_lazy("Standard"),
    "calm": gettext_lazy("Slow"),
}


def time_control(name: str) -> str:
    """``Standard: 45 s + 3 min time bank``, by the name of the clock; empty for an unknown name."""
    limits = CLOCKS.get(name)
    if limits is None:
        return ""
    values = {"move": span(limits.move_ms / 1000), "bank": span(limits.bank_ms / 1000)}
    return gettext("%(name)s: %(move)s + %(bank)s time bank") % {"name": CLOCK_NAMES[name], **values}


def limits_text(limits: Limits) -> str:
    """``45 s per decision, 3 min time bank``."""
    values = {"move": span(limits.move_ms / 1000), "bank": span(limits.bank_ms / 1000)}
    return gettext("%(move)s per decision, %(bank)s time bank") % values


def free_seats(count: int) -> str:
    """``2 seats free``."""
    return ngettext("%(number)s seat free", "%(number)s seats free", count) % {"number": grouped(count)}


def searching(count: int) -> str:
    """``2 searching``."""
    return ngettext("%(number)s searching", "%(number)s searching", count) % {"number": grouped(count)}


def other_searches(count: int) -> str:
    """How many others search on the same ladder, as a sentence."""
    if not count:
        return gettext("No other player is searching at the moment. Keep this page open.")
    text = ngettext("%(number)s other player is searching.", "%(number)s other players are searching.", count)
    return text % {"number": grouped(count)}


def time_left(until: datetime) -> str:
    """``45 s left``."""
    return gettext("%(span)s left") % {"span": span((until - timezone.now()).total_seconds())}


_SYMBOLS: Final = 4


def symbols(game: Game) -> list[tuple[str, str]]:
    """Some of the game's tokens, spread over all of them, with their names."""
    if not game.presentation.drawing:
        return []
    tokens = list(game.presentation.tokens.items())
    return tokens[:: max(1, len(tokens) // _SYMBOLS)][:_SYMBOLS]


# --- Forms -----------------------------------------------------------------------------------------------------------

MOST_OTHERS: Final = 4
_NONE: Final = ("", gettext_lazy("No bot selected"))

CASUAL, RATED = "casual", "rated"
MODES: Final = [(CASUAL, gettext_lazy("Casual (unrated)")), (RATED, gettext_lazy("Rated (counts for the ladder)"))]


class _Formats(forms.Select):
    """Formats to choose from. Each option has its number of seats for scripts."""

    seats: Mapping[str, int] = {}

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(*args, **kwargs)
        option["attrs"]["data-seats"] = self.seats.get(str(option["value"]), 0)
        return option


class LobbyForm(forms.Form):
    """A form whose page contains the codes of its errors."""

    @property
    def codes(self) -> str:
        """The codes of the errors."""
        return " ".join(error.code or "" for errors in self.errors.as_data().values() for error in errors)


class GameForm(LobbyForm):
    """Create an open game, a game by link or a game against bots. Choices are those that the person can see."""

    ladder = forms.ChoiceField(label=gettext_lazy("Game"), widget=_Formats)
    clock = forms.ChoiceField(label=gettext_lazy("Time control"))
    kind = forms.ChoiceField(
        label=gettext_lazy("Opponents"),
        widget=forms.RadioSelect,
        initial=Proposal.Kind.OPEN,
        choices=[
            (Proposal.Kind.OPEN, gettext_lazy("Anyone in the lobby")),
            (Proposal.Kind.LINK, gettext_lazy("Players who have my link")),
            (Proposal.Kind.BOTS, gettext_lazy("Bots only")),
        ],
    )
    counts = forms.ChoiceField(
        label=gettext_lazy("Mode"),
        widget=forms.RadioSelect,
        initial=CASUAL,
        choices=MODES,
    )

    def __init__(
        self, ladders: Sequence[Ladder], bots: Iterable[Bot], *args: Any, wanted: str | None = None, **kwargs: Any
    ) -> None:
        """``wanted`` is the slug of the ladder to preselect. An unknown one is ignored."""
        super().__init__(*args, **kwargs)
        self.ladders = {ladder.slug: ladder for ladder in ladders}
        field: Any = self.fields["ladder"]
        field.choices = formats(ladders)
        field.widget.seats = {ladder.slug: ladder.seats for ladder in ladders}
        self._begin_with(wanted)
        clock: Any = self.fields["clock"]
        clock.choices = [(name, time_control(name)) for name in CLOCKS]
        self.initial.setdefault("clock", "usual")
        self.bots = {bot.slug: bot for bot in bots}
        named = [_NONE, *((bot.slug, bot.name) for bot in self.bots.values())]
        for place in range(1, MOST_OTHERS + 1):
            label = gettext("Bot %(number)s") % {"number": place}
            self.fields[f"opponent_{place}"] = forms.ChoiceField(label=label, choices=named, required=False)

    def _begin_with(self, wanted: str | None) -> None:
        picked = self.ladders.get(wanted or "")
        if picked is None:
            return
        people = next((ladder for ladder in self.ladders.values() if _for_bots(picked, ladder)), None)
        self.initial["ladder"] = (people or picked).slug
        if picked.players == Ladder.Players.OPEN:
            self.initial["kind"] = Proposal.Kind.BOTS

    @property
    def opponents(self) -> list[forms.BoundField]:
        return [self[f"opponent_{place}"] for place in range(1, MOST_OTHERS + 1)]

    @property
    def chosen(self) -> Ladder:
        """The ladder of the selected format: the one that is open to bots if some are to play."""
        picked = self.ladders[self.cleaned_data["ladder"]]
        with_bots = self.against_bots or any(self._named(picked.seats))
        if with_bots and picked.players == Ladder.Players.PEOPLE:
            return next((ladder for ladder in self.ladders.values() if _for_bots(ladder, picked)), picked)
        return picked

    @property
    def named(self) -> list[Bot | None]:
        """The selected bots, up to the number of seats. In games against bots, ``None`` is any house bot."""
        named = self._named(self.chosen.seats)
        return list(named) if self.against_bots else [bot for bot in named if bot is not None]

    @property
    def against_bots(self) -> bool:
        return bool(self.cleaned_data["kind"] == Proposal.Kind.BOTS)

    def _named(self, seats: int) -> list[Bot | None]:
        slugs = [self.cleaned_data.get(f"opponent_{place}") or "" for place in range(1, seats)]
        return [self.bots.get(slug) for slug in slugs]


def add_refusal(form: forms.Form, refusal: Refused) -> None:
    """Add ``refusal`` to the errors of ``form``: to its name, or to the whole form."""
    of_name = isinstance(refusal, NameRefused) and "name" in form.fields
    form.add_error("name" if of_name else None, ValidationError(str(refusal), code=refusal.code))


class GuestName(LobbyForm):
    """The name that a guest uses in a game."""

    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=MAX_GUEST_NAME,
        widget=forms.TextInput({"autocomplete": "nickname"}),
    )

    def clean_name(self) -> str:
        try:
            return guest_name(self.cleaned_data["name"])
        except NameRefused as refused:
            raise ValidationError(str(refused), code=refused.code) from refused


class GuestGameForm(GuestName, GameForm):
    """Create a casual game by link as a guest."""

    field_order = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["kind"], self.fields["counts"]

    @property
    def against_bots(self) -> bool:
        return False


def formats(ladders: Sequence[Ladder]) -> list[tuple[str, Any]]:
    """The choices by game. A ladder for people also represents the open ladder of its format."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for ladder in ladders:
        if ladder.players == Ladder.Players.OPEN and any(_for_bots(ladder, other) for other in ladders):
            continue
        text = ladder.name if ladder.by_invitation else _format(ladder)
        groups.setdefault(GAMES[ladder.game].name, []).append((ladder.slug, text))
    return list(groups.items())


def _format(ladder: Ladder) -> str:
    """``Edel, Stein & Reich, 4 players``. The game is repeated since browsers hide the group of a selected option."""
    return gettext("%(game)s, %(seats)s") % {"game": GAMES[ladder.game].name, "seats": seats(ladder.seats)}


def _for_bots(ladder: Ladder, people: Ladder) -> bool:
    """Whether ``ladder`` is open to bots and has the same format as ``people``, which is for people only."""
    return (
        ladder.players == Ladder.Players.OPEN
        and people.players == Ladder.Players.PEOPLE
        and (ladder.game, ladder.seats, ladder.by_invitation) == (people.game, people.seats, people.by_invitation)
        and not ladder.by_invitation
    )
