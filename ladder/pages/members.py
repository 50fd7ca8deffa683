"""Create ladders, invite members, and download the standings."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.house.catalogue import HOUSE
from bots.models import Bot
from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder import creation
from ladder.access import found, ladder_seen_by
from ladder.creation import Plan
from ladder.matches.candidates import playing_versions
from ladder.members.standings import table
from ladder.models import Invitation, Ladder
from ladder.pages.components import responses
from ladder.pages.components.responses import for_staff
from ladder.pages.components.words import points, seats

# --- Forms -----------------------------------------------------------------------------------------------------------

LIMITS: Final = {
    "startup_ms": gettext_lazy("Start of a bot, ms"),
    "move_ms": gettext_lazy("A move, ms"),
    "bank_ms": gettext_lazy("Bank of a game, ms"),
    "game_ms": gettext_lazy("A whole game, ms"),
    "memory_mb": gettext_lazy("Memory of a seat, MiB"),
}
PLAYERS: Final = {
    "hosted": gettext_lazy("Uploaded and house bots: every deal in all seatings, played by our workers"),
    "remote": gettext_lazy("Remote bots: live games, each with a deal of its own"),
    "open": gettext_lazy("People, remote, uploaded and house bots together: live games, each with a deal of its own"),
    "people": gettext_lazy("People by hand: live games, each with a deal of its own, and time to think"),
}
ACCESS: Final = {
    "everybody": gettext_lazy("Everybody: every bot that claims the table is entered"),
    "members": gettext_lazy("By invitation: everybody sees it, members enter their bots"),
    "class": gettext_lazy("A class: by invitation, and only members and staff see it"),
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

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=80, help_text=gettext_lazy("Its address is made from it, and stays.")
    )
    table = forms.ChoiceField(label=gettext_lazy("Game and seats"), choices=table_choices)
    players = forms.ChoiceField(
        label=gettext_lazy("Who plays"), required=False, choices=list(PLAYERS.items()), widget=forms.RadioSelect
    )
    access = forms.ChoiceField(
        label=gettext_lazy("Who may enter"), choices=list(ACCESS.items()), widget=forms.RadioSelect
    )
    freezes_at = forms.DateTimeField(
        label=gettext_lazy("Deadline (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "data-local-time": ""}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy(
            "From then on nobody enters, and every bot goes on with the version that plays then. Empty: none."
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
        help_text=gettext_lazy("Its share of the workers beside the others'."),
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

    names = forms.CharField(
        label=gettext_lazy("User names"), widget=forms.Textarea(attrs={"rows": 3}), max_length=20_000
    )

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


# --- Standings as a file ---------------------------------------------------------------------------------------------

COLUMNS: Final = (
    *("rank", "bot", "address", "owner", "version", "plays"),
    *("rating", "games", "first_places", "provisional"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def table_file(ladder: Ladder) -> str:
    """The whole table of ``ladder`` as CSV (RFC 4180), the best first; ``first_places`` is a share of 0 to 1.

    ``version`` is the one that plays, or the frozen one. What a spreadsheet would take for a formula begins with an
    apostrophe.
    """
    standings = table(ladder)
    versions = playing_versions([standing.membership for standing in standings])
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for standing in standings:
        membership, version = standing.membership, versions.get(standing.membership.bot_id)
        writer.writerow(
            [
                standing.rank,
                _text(membership.bot.name),
                membership.bot.slug,
                _text(membership.bot.owner.username) if membership.bot.owner else "",
                version.number if version and membership.bot.kind != Bot.Kind.PERSON else "",
                "yes" if membership.active else "no",
                points(membership.rating, 3),
                membership.games,
                "" if membership.win_share is None else f"{membership.win_share:.4f}",
                "yes" if standing.provisional else "no",
            ]
        )
    return buffer.getvalue()


def _text(words: str) -> str:
    """Words of a stranger that no spreadsheet computes."""
    return f"'{words}" if words.startswith(_FORMULA) else words


# --- Views -----------------------------------------------------------------------------------------------------------

_REFUSED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def new_ladder(request: HttpRequest) -> HttpResponse:
    form = LadderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            ladder = creation.found_ladder(form.plan, cast("User", request.user))
            messages.success(request, _("%(ladder)s is open.") % {"ladder": ladder})
            return redirect("pages:ladder_members" if ladder.by_invitation else "pages:ladder", ladder.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    return render(request, "pages/new_ladder.html", {"form": form}, status=_REFUSED if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is a member of a ladder by invitation, its link, and others to invite."""
    ladder = _by_invitation(slug)
    form = InviteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        number = creation.invite(ladder, form.cleaned_data["names"])
        said = ngettext("%(number)s person is new here.", "%(number)s people are new here.", number)
        messages.success(request, said % {"number": number})
        return redirect("pages:ladder_members", slug)
    context = {
        "ladder": ladder,
        "form": form,
        "link": settings.SITE_URL + reverse("pages:accept_invitation", args=[ladder.invitation]),
        "members": Invitation.objects.filter(ladder=ladder).select_related("person").order_by("person__username"),
    }
    return render(request, "pages/members.html", context, status=_REFUSED if form.errors else 200)


@require_POST
@for_staff
def new_link(request: HttpRequest, slug: str) -> HttpResponse:
    creation.new_link(_by_invitation(slug))
    messages.success(request, _("The link is another one now. Whoever is a member stays one."))
    return redirect("pages:ladder_members", slug)


@require_POST
@for_staff
def remove_member(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    ladder = _by_invitation(slug)
    gone = _("There is no such member.")
    member = found(Invitation.objects.filter(ladder=ladder).select_related("person"), gone, person=person_id)
    creation.remove(ladder, member.person)
    said = _("%(person)s is no member any more. Make another link, if they should not come back.")
    messages.success(request, said % {"person": member.person.username})
    return redirect("pages:ladder_members", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whoever comes by the link, and make them a member."""
    otherwise = _("This invitation is not valid (any more). Ask for another link.")
    ladder = found(Ladder.objects.filter(by_invitation=True), otherwise, invitation=token)
    if request.method == "POST":
        if creation.member_by_link(token, cast("User", request.user)) is None:
            raise Http404(otherwise)
        said = _("Welcome to %(ladder)s. Tick it on a bot's page to enter that bot.")
        messages.success(request, said % {"ladder": ladder})
        return redirect("pages:ladder", ladder.slug)
    return render(request, "pages/invitation.html", {"ladder": ladder})


@require_safe
@responses.of_long_files
def download_table(request: HttpRequest, slug: str) -> HttpResponse:
    """The table of a ladder as CSV, for whoever may see it."""
    ladder = ladder_seen_by(request.user, slug)
    headers = {"Content-Disposition": f'attachment; filename="{ladder.slug}.csv"'}
    return HttpResponse(table_file(ladder), content_type="text/csv; charset=utf-8", headers=headers)


def _by_invitation(slug: str) -> Ladder:
    ladder = found(Ladder.objects.all(), _("No ladder is called %(slug)s.") % {"slug": slug}, slug=slug)
    if not ladder.by_invitation:
        raise Http404(_("%(ladder)s is for everybody: it has no members.") % {"ladder": ladder})
    return ladder
