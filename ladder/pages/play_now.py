"""*Play now*: one form that starts a casual game against a level or another house bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from bots.house.catalogue import HOUSE, LEVELS
from bots.models import Bot
from games.game import Game
from games.registry import GAMES
from ladder.matchmaking.levels import FIRST, recommended_levels
from ladder.models import Ladder
from ladder.pages.components.people import hash_of, person_of
from ladder.pages.components.words import seats as seats_word
from ladder.pages.lobby import house_bots
from ladder.pages.lobby_forms import LobbyForm, symbols

PREFERRED: Final = 4
"""The preferred number of seats of a first game: it allows alliances and does not take too long."""

_LAST: Final = "play_now"
"""The session key of the last choice, of users and guests: a dictionary of the fields of the form."""

_LEVELS: Final = {name: number for number, name in LEVELS.items()}


@dataclass(frozen=True)
class Choice:
    """A radio button. ``drawings`` are symbols with their class and sheet.

    ``fits`` are what it can be combined with, separated by spaces: the games of a number of seats, and the formats of
    an opponent (``edel-stein-reich/4``). ``recommended`` are the games for which this opponent is recommended, and
    ``star`` tells whether the chosen game is one of them.
    """

    value: str
    label: str
    checked: bool
    fits: str = ""
    about: str = ""
    drawings: Sequence[tuple[str, str, str]] = ()
    recommended: str = ""
    star: bool = False


class PlayNowForm(LobbyForm):
    """The game, the number of seats and the opponent. A field that is not sent has the value that is preselected.

    That is the last choice of the player, else the recommended level. ``own`` selects the seats of the player among
    ``LiveSeat`` rows, if there can be any.
    """

    game = forms.ChoiceField(
        label=gettext_lazy("Game"),
        error_messages={
            "required": gettext_lazy("Choose a game."),
            "invalid_choice": gettext_lazy("This game cannot be played now. Choose one of these games."),
        },
    )
    seats = forms.ChoiceField(
        label=gettext_lazy("Players"),
        error_messages={
            "required": gettext_lazy("Choose a number of players."),
            "invalid_choice": gettext_lazy("No game has this number of players. Choose one of these numbers."),
        },
    )
    opponent = forms.ChoiceField(
        label=gettext_lazy("Opponents"),
        error_messages={
            "required": gettext_lazy("Choose a level or another opponent."),
            "invalid_choice": gettext_lazy(
                "This bot is not a house bot that plays now. Choose one of these opponents."
            ),
        },
    )

    def __init__(
        self,
        ladders: Mapping[tuple[str, int], Ladder],
        bots: Iterable[Bot],
        own: Q | None,
        last: Mapping[str, str],
        data: Mapping[str, str] | None = None,
    ) -> None:
        """``ladders`` are those of the formats that can be played, see :func:`open_formats`."""
        self.ladders, self.own = ladders, own
        self.bots = {bot.slug: bot for bot in bots if bot.house_name in HOUSE}
        self.initial = self._with_defaults(data or {}, last)
        super().__init__(None if data is None else self.initial, initial=self.initial)
        for name, values in (
            ("game", [game for game, _ in ladders]),
            ("seats", [str(seats) for _, seats in ladders]),
            ("opponent", list(self.bots)),
        ):
            field: Any = self.fields[name]
            field.choices = [(value, value) for value in dict.fromkeys(values)]

    def clean(self) -> dict[str, Any]:
        chosen: dict[str, Any] = self.cleaned_data
        game, seats, opponent = (chosen.get(name) for name in ("game", "seats", "opponent"))
        if not game or not seats:
            return chosen
        counts = self._seat_counts(game)
        if int(seats) not in counts:
            words = {"game": GAMES[game].name, "seats": ", ".join(map(str, counts))}
            text = gettext("%(game)s cannot be played with this number. Choose one of these: %(seats)s.") % words
            self.add_error("seats", ValidationError(text, code="wrong_seats"))
        elif opponent and not self._plays(opponent, game, int(seats)):
            words = {"bot": self.bots[opponent].name, "game": GAMES[game].name, "seats": seats_word(int(seats))}
            text = gettext("%(bot)s does not play %(game)s, %(seats)s. Choose another opponent.") % words
            self.add_error("opponent", ValidationError(text, code="cannot_play"))
        return chosen

    @property
    def ladder(self) -> Ladder:
        """The ladder of the chosen format."""
        return self.ladders[self.cleaned_data["game"], int(self.cleaned_data["seats"])]

    @property
    def bot(self) -> Bot:
        """The chosen opponent."""
        return self.bots[self.cleaned_data["opponent"]]

    @cached_property
    def recommended(self) -> Mapping[str, int]:
        """The recommended level by game, of games with results; at most one query."""
        return {} if self.own is None else recommended_levels(self.own)

    def _with_defaults(self, asked: Mapping[str, str], last: Mapping[str, str]) -> dict[str, str]:
        games = [game for game, _ in self.ladders]
        game = asked.get("game") or _first([last.get("game"), *games], games)
        counts = [str(seats) for seats in self._seat_counts(game)]
        seats = asked.get("seats") or _first(
            [last.get("seats"), *sorted(counts, key=lambda count: abs(int(count) - PREFERRED))], counts
        )
        opponent = asked.get("opponent") or ""
        if not opponent and seats in counts:
            level = LEVELS[self.recommended.get(game, FIRST)]
            playing = [slug for slug in self.bots if self._plays(slug, game, int(seats))]
            of_level = [slug for slug in playing if self.bots[slug].house_name == level]
            opponent = _first([last.get("opponent"), *of_level, *playing], playing)
        return {"game": game, "seats": seats, "opponent": opponent}

    def _seat_counts(self, game: str) -> list[int]:
        return sorted(seats for other, seats in self.ladders if other == game)

    def _plays(self, slug: str, game: str, seats: int) -> bool:
        return HOUSE[self.bots[slug].house_name].plays(game, seats)

    # What the template shows

    @property
    def games(self) -> list[Choice]:
        """The games, with some of their tokens."""
        chosen = self["game"].value()
        return [
            Choice(
                game.slug, game.name, game.slug == chosen, drawings=[_drawing(game, name) for name, _ in symbols(game)]
            )
            for game in self.learning
        ]

    @property
    def learning(self) -> list[Game]:
        """The games, with their tutorials and rules."""
        return [GAMES[slug] for slug in dict.fromkeys(game for game, _ in self.ladders)]

    @property
    def seat_choices(self) -> list[Choice]:
        """All numbers of seats."""
        chosen = self["seats"].value()
        return [
            Choice(
                str(seats), str(seats), str(seats) == chosen, " ".join(game for game, n in self.ladders if n == seats)
            )
            for seats in sorted({seats for _, seats in self.ladders})
        ]

    @property
    def recommendations(self) -> list[tuple[str, str]]:
        """The recommended level of each game with results, as a sentence after the slug of the game."""
        text = gettext("Recommended for %(game)s: %(level)s")
        return [
            (game, text % {"game": GAMES[game].name, "level": HOUSE[LEVELS[level]].title})
            for game, level in self.recommended.items()
            if self._seat_counts(game) and LEVELS[level] in HOUSE
        ]

    @property
    def levels(self) -> list[Choice]:
        """The levels, from the weakest to the strongest."""
        named = [bot for bot in self.bots.values() if bot.house_name in _LEVELS]
        return [self._opponent(bot) for bot in sorted(named, key=lambda bot: _LEVELS[bot.house_name])]

    @property
    def others(self) -> list[Choice]:
        """The other house bots by name."""
        drawn: Counter[str] = Counter()
        choices = []
        for bot in self.bots.values():
            if bot.house_name not in _LEVELS:
                game = GAMES[next(iter(HOUSE[bot.house_name].games))]
                tokens = list(game.presentation.tokens) if game.presentation.drawing else []
                drawings = [_drawing(game, tokens[drawn[game.slug] % len(tokens)])] if tokens else []
                drawn[game.slug] += 1
                choices.append(self._opponent(bot, drawings))
        return choices

    @property
    def shows_others(self) -> bool:
        """Whether another house bot is chosen."""
        return any(choice.checked for choice in self.others)

    def _opponent(self, bot: Bot, drawings: Sequence[tuple[str, str, str]] = ()) -> Choice:
        entry, level = HOUSE[bot.house_name], _LEVELS.get(bot.house_name)
        recommended = [game for game, number in self.recommended.items() if number == level]
        return Choice(
            value=bot.slug,
            label=bot.name,
            checked=bot.slug == self["opponent"].value(),
            fits=" ".join(f"{game}/{seats}" for game, seats in self.ladders if entry.plays(game, seats)),
            about=entry.description,
            drawings=drawings if level is None else [(f"level-{level}", "level", "sprite")],
            recommended=" ".join(recommended),
            star=self["game"].value() in recommended,
        )


def open_formats(ladders: Iterable[Ladder]) -> dict[tuple[str, int], Ladder]:
    """By game and number of seats, the first ladder that is open to all; in the order of games."""
    formats: dict[tuple[str, int], Ladder] = {}
    for ladder in ladders:
        if ladder.players == Ladder.Players.OPEN and ladder.open and not ladder.by_invitation:
            formats.setdefault((ladder.game, ladder.seats), ladder)
    order = list(GAMES)
    return dict(sorted(formats.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))


def play_now_form(
    request: HttpRequest, ladders: Iterable[Ladder], data: Mapping[str, str] | None = None
) -> PlayNowForm:
    """The form for the visitor, with their last choice preselected; two queries."""
    person, guest, last = person_of(request), hash_of(request), request.session.get(_LAST)
    own = Q(seat__version__bot__owner=person) if person else Q(guest=guest) if guest else None
    return PlayNowForm(open_formats(ladders), house_bots(), own, last if isinstance(last, dict) else {}, data)


def remember(request: HttpRequest, form: PlayNowForm) -> None:
    """Store the choice of a valid form for the next one."""
    request.session[_LAST] = {name: form.cleaned_data[name] for name in ("game", "seats", "opponent")}


def _first(wanted: Sequence[str | None], possible: Sequence[str]) -> str:
    """The first of ``wanted`` that is possible, or empty."""
    return next((value for value in wanted if value in possible and value is not None), "")


def _drawing(game: Game, token: str) -> tuple[str, str, str]:
    drawing = game.presentation.drawing
    return token, drawing, f"drawings/{drawing}"
