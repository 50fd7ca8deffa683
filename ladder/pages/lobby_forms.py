"""Forms and words of the lobby, and the games against house bots that it offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext

from bots.models import Bot
from bots.protocol import Limits
from games.game import Game
from games.registry import GAMES
from ladder.matchmaking.begin import CLOCKS
from ladder.models import Ladder, Proposal
from ladder.pages.components.words import number, seats, span

# --- Words -----------------------------------------------------------------------------------------------------------


def clock_said(name: str) -> str:
    """``45 s a decision, 3 min bank``, of a clock by its name; empty for a name that is none any more."""
    its = CLOCKS.get(name)
    return "" if its is None else limits_said(its)


def limits_said(limits: Limits) -> str:
    """``45 s a decision, 3 min bank``."""
    said = {"move": span(limits.move_ms / 1000), "bank": span(limits.bank_ms / 1000)}
    return gettext("%(move)s a decision, %(bank)s bank") % said


def free_said(count: int) -> str:
    """``two seats free``."""
    return ngettext("%(number)s seat free", "%(number)s seats free", count) % {"number": number(count)}


def looking_said(count: int) -> str:
    """``two look``."""
    if not count:
        return gettext("nobody looks")
    return ngettext("%(number)s looks", "%(number)s look", count) % {"number": number(count)}


def others_said(count: int) -> str:
    """Who else looks, as a sentence."""
    if not count:
        return gettext("Nobody else looks at the moment; stay on this page.")
    said = ngettext("%(number)s other looks, too.", "%(number)s others look, too.", count) % {"number": number(count)}
    return said[:1].upper() + said[1:]


def left_said(until: datetime) -> str:
    """``45 s left``."""
    return gettext("%(span)s left") % {"span": span((until - timezone.now()).total_seconds())}


# --- Games against house bots ----------------------------------------------------------------------------------------

PREFERRED: Final = 4
"""Seats of a first table where a game can be played by so many: it has room for alliances and is over in time."""

_SYMBOLS: Final = 4


@dataclass(frozen=True)
class Start:
    """A game, some of its drawings, and the open ladder whose table somebody would sit down at; empty for none."""

    game: Game
    slug: str
    seats: int
    symbols: Sequence[tuple[str, str]]

    @property
    def sheet(self) -> str:
        return f"drawings/{self.game.presentation.drawing}"

    @property
    def against(self) -> str:
        """``against three bots``."""
        others = self.seats - 1
        if others == 1:
            return gettext("against one bot")
        return ngettext("against %(number)s bot", "against %(number)s bots", others) % {"number": number(others)}


def starts(ladders: Iterable[Ladder]) -> list[Start]:
    """A start for each game that one of the open ladders among ``ladders`` is for, in the order of games."""
    by_game: dict[str, Ladder] = {}
    for ladder in ladders:
        if ladder.players == Ladder.Players.OPEN and ladder.open and not ladder.by_invitation:
            known = by_game.get(ladder.game)
            if known is None or abs(ladder.seats - PREFERRED) < abs(known.seats - PREFERRED):
                by_game[ladder.game] = ladder
    found = [(game, by_game[slug]) for slug, game in GAMES.items() if slug in by_game]
    return [Start(game, ladder.slug, ladder.seats, symbols(game)) for game, ladder in found]


def symbols(game: Game) -> list[tuple[str, str]]:
    """A few of the game's tokens, spread over all of them, with their words."""
    if not game.presentation.drawing:
        return []
    tokens = list(game.presentation.tokens.items())
    return tokens[:: max(1, len(tokens) // _SYMBOLS)][:_SYMBOLS]


# --- Forms -----------------------------------------------------------------------------------------------------------

MOST_OTHERS: Final = 4
_ANY: Final = ("", gettext_lazy("not named"))

CASUAL, RATED = "casual", "rated"


class _Tables(forms.Select):
    """Tables to choose from; each option says how many seats it has, for scripts."""

    seats: Mapping[str, int] = {}

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(*args, **kwargs)
        option["attrs"]["data-seats"] = self.seats.get(str(option["value"]), 0)
        return option


class OfferForm(forms.Form):
    """Seats at a table; what stands in it is looked up among what the person was offered."""

    table = forms.ChoiceField(label=gettext_lazy("Game and seats"), widget=_Tables)
    clock = forms.ChoiceField(label=gettext_lazy("Clock"))
    kind = forms.ChoiceField(
        label=gettext_lazy("Who may come"),
        widget=forms.RadioSelect,
        initial=Proposal.Kind.OPEN,
        choices=[
            (Proposal.Kind.OPEN, gettext_lazy("everybody in the lobby")),
            (Proposal.Kind.LINK, gettext_lazy("whom I send a link to")),
            (Proposal.Kind.BOTS, gettext_lazy("nobody: I play against bots")),
        ],
    )
    counts = forms.ChoiceField(
        label=gettext_lazy("Counts"),
        widget=forms.RadioSelect,
        initial=CASUAL,
        choices=[(CASUAL, gettext_lazy("casual: for nothing")), (RATED, gettext_lazy("rated: for the ladder"))],
    )

    def __init__(
        self, ladders: Sequence[Ladder], bots: Iterable[Bot], *args: Any, wanted: str | None = None, **kwargs: Any
    ) -> None:
        """``wanted`` is the ladder that an address names; one that is not there is not looked at."""
        super().__init__(*args, **kwargs)
        self.ladders = {ladder.slug: ladder for ladder in ladders}
        table: Any = self.fields["table"]
        table.choices = tables(ladders)
        table.widget.seats = {ladder.slug: ladder.seats for ladder in ladders}
        self._begin_with(wanted)
        clock: Any = self.fields["clock"]
        clock.choices = [(name, clock_said(name)) for name in CLOCKS]
        self.initial.setdefault("clock", "usual")
        self.bots = {bot.slug: bot for bot in bots}
        named = [_ANY, *((bot.slug, bot.name) for bot in self.bots.values())]
        for place in range(1, MOST_OTHERS + 1):
            label = gettext("Opponent %(number)s") % {"number": place}
            self.fields[f"opponent_{place}"] = forms.ChoiceField(label=label, choices=named, required=False)

    def _begin_with(self, wanted: str | None) -> None:
        picked = self.ladders.get(wanted or "")
        if picked is None:
            return
        people = next((one for one in self.ladders.values() if _for_bots(picked, one)), None)
        self.initial["table"] = (people or picked).slug
        if picked.players == Ladder.Players.OPEN:
            self.initial["kind"] = Proposal.Kind.BOTS

    @property
    def opponents(self) -> list[forms.BoundField]:
        return [self[f"opponent_{place}"] for place in range(1, MOST_OTHERS + 1)]

    @property
    def chosen(self) -> Ladder:
        """The ladder of the table that was chosen: where bots sit, too, if some are to."""
        picked = self.ladders[self.cleaned_data["table"]]
        with_bots = self.against_bots or any(self._named(picked.seats))
        if with_bots and picked.players == Ladder.Players.PEOPLE:
            return next((one for one in self.ladders.values() if _for_bots(one, picked)), picked)
        return picked

    @property
    def named(self) -> list[Bot | None]:
        """The bots that sit at the chosen table, as many as it has seats for; ``None`` for any, against bots alone."""
        named = self._named(self.chosen.seats)
        return list(named) if self.against_bots else [bot for bot in named if bot is not None]

    @property
    def against_bots(self) -> bool:
        return bool(self.cleaned_data["kind"] == Proposal.Kind.BOTS)

    def _named(self, seats: int) -> list[Bot | None]:
        slugs = [self.cleaned_data.get(f"opponent_{place}") or "" for place in range(1, seats)]
        return [self.bots.get(slug) for slug in slugs]


def tables(ladders: Sequence[Ladder]) -> list[tuple[str, Any]]:
    """The tables to choose from, by game; where people and bots have a ladder each, that of people stands for both."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for ladder in ladders:
        if ladder.players == Ladder.Players.OPEN and any(_for_bots(ladder, one) for one in ladders):
            continue
        text = ladder.name if ladder.by_invitation else _said(ladder)
        groups.setdefault(GAMES[ladder.game].name, []).append((ladder.slug, text))
    return list(groups.items())


def _said(ladder: Ladder) -> str:
    """The game once more: browsers show no group once one of its options is chosen."""
    return gettext("%(game)s, %(seats)s") % {"game": GAMES[ladder.game].name, "seats": seats(ladder.seats)}


def _for_bots(ladder: Ladder, people: Ladder) -> bool:
    """Whether ``ladder`` is the one for bots and people of the table that ``people`` is for people alone."""
    return (
        ladder.players == Ladder.Players.OPEN
        and people.players == Ladder.Players.PEOPLE
        and (ladder.game, ladder.seats, ladder.by_invitation) == (people.game, people.seats, people.by_invitation)
        and not ladder.by_invitation
    )
