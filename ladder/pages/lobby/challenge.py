"""A game with somebody in particular: a person or a remote bot is asked, a bot that runs here sits down at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db import transaction
from django.db.models.functions import Now
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bots.models import Bot
from bots.persons import is_guest, known_player, player_of
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.access import bot_seen_by
from ladder.matchmaking import challenges, seeks
from ladder.matchmaking.begin import quick_bots
from ladder.matchmaking.presence import here_among
from ladder.members.membership import kind_sits
from ladder.models import Challenge, Entry, Ladder, Seek
from ladder.pages.lobby.forms import CASUAL, RATED
from ladder.pages.lobby.showing import ladders_for_people, why_not_rated
from ladder.pages.words import players_word, seats


@dataclass(frozen=True)
class Opponent:
    """Who is challenged: a ``bot``, or a ``person``, whose row is there only once they have played."""

    name: str
    href: str
    bot: Bot | None = None
    person: User | None = None

    @property
    def is_person(self) -> bool:
        return self.person is not None

    @property
    def is_remote(self) -> bool:
        return self.bot is not None and self.bot.kind == Bot.Kind.REMOTE


@dataclass(frozen=True)
class ChallengePage:
    """What there is to choose: the tables at which both can sit, and whether it may count.

    ``away`` says that a person has no page of the lobby or of a table open, so that they would not hear of it.
    """

    opponent: Opponent
    ladders: Sequence[Ladder]
    why_not_rated: str
    away: bool


class ChallengeForm(forms.Form):
    """Which table, and whether it counts."""

    ladder = forms.ChoiceField(label=_("Table"))
    counts = forms.ChoiceField(
        label=_("Counts"),
        widget=forms.RadioSelect,
        initial=CASUAL,
        choices=[(CASUAL, _("casual: for nothing")), (RATED, _("rated: for the ladder"))],
    )

    def __init__(self, page: ChallengePage, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ladders = {ladder.slug: ladder for ladder in page.ladders}
        field: Any = self.fields["ladder"]
        field.choices = [(ladder.slug, _said(ladder)) for ladder in page.ladders]

    @property
    def chosen(self) -> Ladder:
        return self.ladders[self.cleaned_data["ladder"]]

    @property
    def rated(self) -> bool:
        return bool(self.cleaned_data["counts"] == RATED)


def opponent_at(viewer: Any, slug: str) -> Opponent:
    """The bot, or the person whose row it is, at an address. Raises ``Http404``."""
    bot = bot_seen_by(viewer, slug)
    if bot.kind != Bot.Kind.PERSON:
        return Opponent(bot.name, reverse("pages:bot", args=[bot.slug]), bot=bot)
    if is_guest(bot) or bot.owner is None:
        raise Http404(gettext("Guests come and go: nobody can be asked."))
    return person_opponent(bot.owner)


def person_opponent(person: User) -> Opponent:
    """Somebody who plays themselves."""
    return Opponent(person.username, reverse("pages:person", args=[person.username]), person=person)


def challenge_page(by: User, opponent: Opponent) -> ChallengePage:
    """The tables at which ``by`` and ``opponent`` can meet; four queries. Raises ``Http404`` for oneself."""
    if opponent.person is not None and opponent.person.pk == by.pk:
        raise Http404(gettext("Nobody plays against themselves. Challenge somebody else."))
    ladders = ladders_for_people(by)
    away = opponent.person is not None and not here_among([opponent.person.pk])
    return ChallengePage(opponent, _met(ladders, opponent), why_not_rated(by), away)


def proposed(by: User, page: ChallengePage, form: ChallengeForm) -> Challenge | Seek:
    """Ask them, or begin at once with a bot that runs here. Raises ``Refused``.

    The seats that are left are the house's: they are drawn once, however often the same is sent.
    """
    ladder, other = form.chosen, page.opponent
    if other.bot is not None and not other.is_remote:
        return seeks.seek(by, ladder, rated=form.rated, kind=Seek.Kind.BOTS, bots=[other.bot])
    if page.away:  # nobody gets a row, by which they are found, for somebody else's click
        raise Refused(gettext("%(name)s cannot play at the moment.") % {"name": other.name})
    asked = player_of(other.person).bot if other.person is not None else other.bot
    assert asked is not None
    with transaction.atomic():
        own = player_of(by).bot  # whose row is held from here on: what is sent twice at once is sent twice
        waiting = Challenge.objects.filter(by=by, ladder=ladder, rated=form.rated, state=Challenge.State.OPEN)
        known = waiting.filter(expires__gt=Now(), again=None, players__bot=asked).first()
        if known is not None:
            return known
        filled = quick_bots(ladder, ladder.seats - 2) if ladder.seats > 2 else []
        return challenges.challenge(by, ladder, [own, asked, *filled], rated=form.rated)


def _met(ladders: Sequence[Ladder], opponent: Opponent) -> list[Ladder]:
    """Tables for two people alone, and with bots for whoever else there is."""
    if opponent.person is not None:
        player = known_player(opponent.person)
        return [one for one in ladders if _for_two(one) and (player is None or kind_sits(player.bot, one))]
    standing = set(Entry.objects.filter(bot=opponent.bot, active=True).values_list("ladder", flat=True))
    return [one for one in ladders if one.pk in standing and one.players == Ladder.Players.OPEN]


def _for_two(ladder: Ladder) -> bool:
    """Whether two people fill it, with the house's bots where these may sit."""
    return ladder.seats == 2 or ladder.players == Ladder.Players.OPEN


def _said(ladder: Ladder) -> str:
    """``Edel, Stein & Reich, four seats, filled with house bots``."""
    if ladder.by_invitation:
        return ladder.name
    its = {"game": GAMES[ladder.game].name, "seats": seats(ladder.seats)}
    if ladder.seats > 2:
        return gettext("%(game)s, %(seats)s, filled with house bots") % its
    return gettext("%(game)s, %(players)s") % {**its, "players": players_word(ladder.players)}
