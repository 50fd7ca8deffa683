"""Views of the lobby: create, join and leave games, send challenges, and find an opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.models import Bot
from bots.owners import is_guest, known_player, player_of
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.limits import address
from esr_platform.accounts.models import User
from esr_platform.page_cache import cached
from games.registry import GAMES
from ladder.access import bot_seen_by, challenges_seen_by, found, person_seen_by
from ladder.live.start import Guest
from ladder.matchmaking import guests, proposals, quick_pairing
from ladder.matchmaking.game_start import quick_bots
from ladder.matchmaking.presence import here_among, lobby_version
from ladder.members.memberships import kind_sits
from ladder.models import Ladder, Match, Membership, Proposal
from ladder.pages.components.people import (
    hash_of,
    keep_secret,
    name_of,
    person_of,
    secret_for_form,
    secret_from_form,
    secret_of,
)
from ladder.pages.components.responses import form_status, limit_actions
from ladder.pages.components.words import players_word, seats
from ladder.pages.lobby import (
    LinkPage,
    LobbyPage,
    house_bots,
    ladders_for_people,
    link_page,
    lobby_page,
    parts_for_strangers,
    why_not_rated,
)
from ladder.pages.lobby_forms import CASUAL, MODES, RATED, GameForm, GuestGameForm, GuestName, add_refusal
from ladder.pages.play_now import PlayNowForm, play_now_form, remember

# --- Challenges ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opponent:
    """The player who is challenged: a ``bot``, or a ``person``, who has a bot row only after a first game."""

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
    """The choices for a challenge. ``away``: the person has no lobby or table open, so they cannot be asked."""

    opponent: Opponent
    ladders: Sequence[Ladder]
    why_not_rated: str
    away: bool


class NewChallengeForm(forms.Form):
    """The game and its mode."""

    ladder = forms.ChoiceField(label=gettext_lazy("Game"))
    counts = forms.ChoiceField(label=gettext_lazy("Mode"), widget=forms.RadioSelect, initial=CASUAL, choices=MODES)

    def __init__(self, page: ChallengePage, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ladders = {ladder.slug: ladder for ladder in page.ladders}
        field: Any = self.fields["ladder"]
        field.choices = [(ladder.slug, _format(ladder)) for ladder in page.ladders]

    @property
    def chosen(self) -> Ladder:
        return self.ladders[self.cleaned_data["ladder"]]

    @property
    def rated(self) -> bool:
        return bool(self.cleaned_data["counts"] == RATED)


def opponent_at(viewer: Any, slug: str) -> Opponent:
    """The bot with this slug, or the person whose player it is. Raises ``Http404``."""
    bot = bot_seen_by(viewer, slug)
    if bot.kind != Bot.Kind.PERSON:
        return Opponent(bot.name, reverse("pages:bot", args=[bot.slug]), bot=bot)
    if is_guest(bot) or bot.owner is None:
        raise Http404(gettext("Guests cannot be challenged."))
    return person_opponent(bot.owner)


def person_opponent(person: User) -> Opponent:
    """A human player as an opponent."""
    return Opponent(person.username, reverse("pages:person", args=[person.username]), person=person)


def challenge_page(by: User, opponent: Opponent) -> ChallengePage:
    """The games that ``by`` and ``opponent`` can play; four queries. Raises ``Http404`` for the same person."""
    if opponent.person is not None and opponent.person.pk == by.pk:
        raise Http404(gettext("You cannot challenge yourself."))
    ladders = ladders_for_people(by)
    away = opponent.person is not None and not here_among([opponent.person.pk])
    return ChallengePage(opponent, _met(ladders, opponent), why_not_rated(by), away)


def proposed(by: User, page: ChallengePage, form: NewChallengeForm) -> Proposal:
    """Send the challenge, or start the game with a hosted bot. Raises ``Refused``.

    House bots take the other seats. They are drawn once: sending the same form again returns the same challenge.
    """
    ladder, other = form.chosen, page.opponent
    if other.bot is not None and not other.is_remote:
        return proposals.create_game(by, ladder, rated=form.rated, kind=Proposal.Kind.BOTS, bots=[other.bot])
    if page.away:  # do not create a player for a person, which search would find, because of another user's click
        text = gettext("%(name)s is offline. Send the challenge again later.") % {"name": other.name}
        raise Refused(text, code="offline")
    asked = player_of(other.person).bot if other.person is not None else other.bot
    assert asked is not None
    with transaction.atomic():
        own = player_of(by).bot  # locked from here on, so that two identical requests do not both pass
        waiting = Proposal.objects.challenges().waiting().filter(by=by, ladder=ladder, rated=form.rated)
        known = waiting.filter(again=None, players__bot=asked).first()
        if known is not None:
            return known
        filled = quick_bots(ladder, ladder.seats - 2) if ladder.seats > 2 else []
        return proposals.challenge(by, ladder, [own, asked, *filled], rated=form.rated)


def _met(ladders: Sequence[Ladder], opponent: Opponent) -> list[Ladder]:
    """The ladders on which a person or a bot can be challenged."""
    if opponent.person is not None:
        player = known_player(opponent.person)
        return [ladder for ladder in ladders if _for_two(ladder) and (player is None or kind_sits(player.bot, ladder))]
    joined = set(Membership.objects.filter(bot=opponent.bot, active=True).values_list("ladder", flat=True))
    return [ladder for ladder in ladders if ladder.pk in joined and ladder.players == Ladder.Players.OPEN]


def _for_two(ladder: Ladder) -> bool:
    """Whether two people can play on it, with house bots at the other seats if necessary."""
    return ladder.seats == 2 or ladder.players == Ladder.Players.OPEN


def _format(ladder: Ladder) -> str:
    """``Edel, Stein & Reich, 4 players (with house bots)``."""
    if ladder.by_invitation:
        return ladder.name
    words = {"game": GAMES[ladder.game].name, "seats": seats(ladder.seats)}
    if ladder.seats > 2:
        return gettext("%(game)s, %(seats)s (with house bots)") % words
    return gettext("%(game)s, %(players)s") % {**words, "players": players_word(ladder.players)}


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
def lobby(request: HttpRequest) -> HttpResponse:
    """The lobby, or a redirect to a game that has begun in the meantime."""
    person = person_of(request)
    if person is not None:
        quick_pairing.seen([person.pk])
    return _lobby(request, _game_form(request, None))


PARTS_KEPT_S: Final = 10


@require_safe
@never_cache
def lobby_parts(request: HttpRequest) -> HttpResponse:
    """The parts of the lobby that change, or a redirect to a game that has begun.

    Visitors without an account and without a game all see the same. For them the parts are rendered once per change
    of the lobby and language. ``?open=`` is the number of open games in the event that led here: when one expires,
    only this number changes. Usually the stream brings them their parts.
    """
    person = person_of(request)
    if person is not None:
        quick_pairing.seen([person.pk])
    elif secret_of(request) is None:
        return HttpResponse(_parts_for_strangers(request.GET.get("open", "")[:4]))
    page = _page(request, None, wanted=_wanted(request))
    if page.begun is not None:
        return redirect("pages:live_table", page.begun.pk)
    return render(request, "pages/play/_parts.html", {"page": page})


def _parts_for_strangers(number: str) -> bytes:
    key = f"lobby/{lobby_version()}/{number if number.isascii() and number.isdigit() else ''}/{get_language()}"
    return cached(key, PARTS_KEPT_S, lambda: parts_for_strangers().encode())


@require_POST
@never_cache
@limit_actions
def create_game(request: HttpRequest) -> HttpResponse:
    """Create an open game or a game by link, or start a game against bots. Guests create casual games by link."""
    form = _game_form(request, request.POST)
    if form.is_valid():
        try:
            return _to(_created(request, form))
        except Refused as refusal:
            add_refusal(form, refusal)
    return _lobby(request, form)


@require_POST
@never_cache
@login_required
@limit_actions
def join_game(request: HttpRequest, game_id: int) -> HttpResponse:
    game, person = _game(request, game_id), _signed_in(request)
    return _try(request, lambda: _to(proposals.join(game, person)))


@require_POST
@never_cache
@login_required
@limit_actions
def leave_game(request: HttpRequest, game_id: int) -> HttpResponse:
    game, person = _game(request, game_id), _signed_in(request)
    return _act(request, lambda: proposals.leave(game, person), _("You left the game."))


@require_POST
@never_cache
@login_required
@limit_actions
def withdraw_game(request: HttpRequest, game_id: int) -> HttpResponse:
    game, person = _game(request, game_id), _signed_in(request)
    return _act(request, lambda: proposals.withdraw(game, person), _("You withdrew the game."))


def _created(request: HttpRequest, form: GameForm) -> Proposal:
    """Create the game of a valid form. Raises ``Refused``."""
    person, asked = person_of(request), form.cleaned_data
    if person is None:
        secret, guest = _guest(request, asked["name"])
        bots = [bot for bot in form.named if bot is not None]
        made = proposals.create_guest_game(guest, form.chosen, clock=asked["clock"], bots=bots)
        keep_secret(request, secret, guest.name)
        return made
    return proposals.create_game(
        person, form.chosen, rated=asked["counts"] == RATED, clock=asked["clock"], kind=asked["kind"], bots=form.named
    )


def _guest(request: HttpRequest, name: str = "") -> tuple[str, Guest]:
    """The secret of the guest who has submitted a form, and the guest. Counts the attempt. Raises ``TooMany``."""
    where = address(request.META)
    guests.require_pace(where)
    secret = secret_from_form(request)
    return secret, guests.guest_of(secret, where, name)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@limit_actions
def game_link(request: HttpRequest, token: str) -> HttpResponse:
    """A game by link: a form to join it, and the page on which its players wait for the others."""
    posted = request.POST if request.method == "POST" else None
    form = GuestName(posted, initial={"name": name_of(request)})
    page = link_page(request.user, token, hash_of(request), _site(request), form, secret_for_form(request))
    if page is None:
        raise Http404(_("This link is not valid. Ask for a new one."))
    if page.sits and page.match_id:
        return redirect("pages:live_table", page.match_id)
    try:
        if posted is not None and posted.get("do") == "leave":
            _leave(request, page)
            return redirect("pages:lobby")
        if posted is not None and (person_of(request) is not None or form.is_valid()):
            return _to(_joined(request, page, form))
    except Refused as refusal:
        if person_of(request) is not None:
            messages.error(request, str(refusal))
            return redirect("pages:game_link", token)
        add_refusal(form, refusal)
    status = HTTPStatus.OK if posted is None else form_status(form)
    return render(request, "pages/play/link.html", {"page": page}, status=status)


def _joined(request: HttpRequest, page: LinkPage, form: GuestName) -> Proposal:
    """Join the game of a link. Raises ``Refused``."""
    token, person = page.game.proposal.token, person_of(request)
    if person is not None:
        return proposals.join(token, person)
    secret, guest = _guest(request, form.cleaned_data["name"])
    made = proposals.join(token, guest)
    keep_secret(request, secret, guest.name)
    return made


def _leave(request: HttpRequest, page: LinkPage) -> None:
    """Leave the game of a link, or withdraw an own one. Raises ``Refused``."""
    person, secret = person_of(request), secret_of(request)
    if person is not None:
        proposals.leave(page.game.proposal, person)
    elif secret is not None:
        proposals.leave(page.game.proposal, guests.guest_of(secret, address(request.META)))


@require_POST
@never_cache
@login_required
@limit_actions
def find_opponent(request: HttpRequest) -> HttpResponse:
    """Search for a rated game."""
    ladder, person = _ladder(request), _signed_in(request)
    return _act(request, lambda: quick_pairing.look_for(person, ladder))


@require_POST
@never_cache
@login_required
@limit_actions
def cancel_search(request: HttpRequest) -> HttpResponse:
    person = _signed_in(request)
    return _act(request, lambda: quick_pairing.stop(person))


@require_POST
@never_cache
@limit_actions
def play_now(request: HttpRequest) -> HttpResponse:
    """Start a game against a level or another house bot, signed in or as a guest."""
    now, person = play_now_form(request, ladders_for_people(request.user), request.POST.dict()), person_of(request)
    if now.is_valid():
        try:
            if person is not None:
                match = guests.play_house(person, now.ladder, now.bot)
            else:
                match, secret = guests.play_now(now.ladder, now.bot, secret_of(request), address(request.META))
                keep_secret(request, secret)
        except Refused as refusal:
            add_refusal(now, refusal)
        else:
            remember(request, now)
            return redirect("pages:live_table", match.pk)
    return _lobby(request, _game_form(request, None), now)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@limit_actions
def challenge_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Challenge a bot, or a person by the slug of their player. A hosted bot plays immediately."""
    return _challenge(request, opponent_at(request.user, slug))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@limit_actions
def challenge_person(request: HttpRequest, username: str) -> HttpResponse:
    """Challenge a person, who may never have played before."""
    return _challenge(request, person_opponent(person_seen_by(request.user, username)))


def _challenge(request: HttpRequest, opponent: Opponent) -> HttpResponse:
    person = _signed_in(request)
    page = challenge_page(person, opponent)
    form = NewChallengeForm(page, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _to(proposed(person, page, form))
        except Refused as refusal:
            form.add_error(None, str(refusal))
    return render(request, "pages/play/challenge.html", {"page": page, "form": form}, status=form_status(form))


@require_POST
@never_cache
@login_required
@limit_actions
def answer_challenge(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """Accept or decline a challenge, or withdraw an own one."""
    person, chosen = _signed_in(request), request.POST.get("answer", "")
    not_found = _("Challenge not found.")
    made: Proposal = found(challenges_seen_by(person), not_found, pk=challenge_id)
    if chosen == "withdraw":
        return _act(request, lambda: proposals.withdraw(made, person), _("You withdrew the challenge."))
    own = made.players.select_related("bot__owner").filter(bot__owner=person, bot__kind="person").first()
    if own is None or chosen not in ("yes", "no"):
        raise Http404(not_found)
    return _try(request, lambda: _to(proposals.answer(made, own.bot, chosen == "yes")))


# --- Shared by the views ---------------------------------------------------------------------------------------------


def _lobby(request: HttpRequest, form: GameForm, now: PlayNowForm | None = None) -> HttpResponse:
    """The lobby with two forms; at most one has errors. Without errors, a redirect to a game that has begun."""
    page = _page(request, form, wanted=_wanted(request))
    now = now or play_now_form(request, ladders_for_people(request.user))
    status = max(form_status(form), form_status(now))
    if page.begun is not None and status == HTTPStatus.OK:
        return redirect("pages:live_table", page.begun.pk)
    context = {"page": page, "now": now, "secret": secret_for_form(request)}
    return render(request, "pages/play/lobby.html", context, status=status)


def _page(request: HttpRequest, form: GameForm | None, *, wanted: str | None) -> LobbyPage:
    """The lobby, with the ladder ``wanted`` first in quick pairing."""
    return lobby_page(request.user, person_of(request), hash_of(request), form, _site(request), wanted)


def _site(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _wanted(request: HttpRequest) -> str | None:
    return request.GET.get("ladder")


def _game_form(request: HttpRequest, data: Any) -> GameForm:
    ladders, wanted = ladders_for_people(request.user), _wanted(request)
    if person_of(request) is not None:
        return GameForm(ladders, house_bots(), data, wanted=wanted)
    return GuestGameForm(ladders, house_bots(), data, wanted=wanted, initial={"name": name_of(request)})


def _signed_in(request: HttpRequest) -> User:
    return cast("User", request.user)


def _ladder(request: HttpRequest) -> Ladder:
    """The ladder of the button that was pressed. Raises ``Http404``."""
    return found(Ladder.objects.visible_to(request.user), _("Ladder not found."), slug=request.POST.get("ladder", ""))


def _game(request: HttpRequest, game_id: int) -> Proposal:
    """An open game on a ladder that is visible to the visitor. Raises ``Http404``."""
    seen = Proposal.objects.games().filter(ladder__in=Ladder.objects.visible_to(request.user)).select_related("ladder")
    return found(seen, _("This game is no longer open."), pk=game_id)


def _to(made: object) -> HttpResponse:
    """Redirect to the game if it has begun, else to the page of its link or to the lobby."""
    match = made.pk if isinstance(made, Match) else getattr(made, "match_id", None)
    if match:
        return redirect("pages:live_table", match)
    token = getattr(made, "token", "")
    return redirect("pages:game_link", token) if token else redirect("pages:lobby")


def _try(request: HttpRequest, does: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return does()
    except Refused as refusal:
        return _refuse(request, refusal)


def _act(request: HttpRequest, does: Callable[[], object], success: str = "") -> HttpResponse:
    try:
        does()
    except Refused as refusal:
        return _refuse(request, refusal)
    if success:
        messages.success(request, success)
    return redirect("pages:lobby")


def _refuse(request: HttpRequest, refusal: Refused) -> HttpResponse:
    """Redirect to the lobby with an error message, and ``Retry-After`` if a limit was reached."""
    messages.error(request, str(refusal))
    response = redirect("pages:lobby")
    if isinstance(refusal, TooMany) and refusal.retry_after_s:
        response["Retry-After"] = str(refusal.retry_after_s)
    return response
