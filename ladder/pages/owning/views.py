"""The pages of owners. Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bots.models import Bot, BotVersion
from bots.starting_kits import NAME, starting_kit
from bots.stored import Lost, OutOfReach
from bots.uploading import NotStored, upload_new_bot, upload_version
from esr_platform.accounts.errors import NameRefused, Refused, TooMany
from games.registry import GAMES
from ladder import access
from ladder.access import found, match_seen_by
from ladder.models import Seat
from ladder.pages.owning import seat_log, source
from ladder.pages.owning.bringing import bringing
from ladder.pages.owning.forms import UploadForm, VersionForm
from ladder.pages.owning.mine import my_bots
from ladder.pages.owning.version import VersionPage
from ladder.pages.pacing import too_many

_REFUSED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def upload(request: HttpRequest) -> HttpResponse:
    """Bring a new bot; who has not signed in sees what is wanted, and where to sign in."""
    if not request.user.is_authenticated:
        return render(request, "pages/upload.html", {"page": bringing()})
    form = UploadForm(*_sent(request))
    if request.method == "POST" and form.is_valid():
        try:
            version = upload_new_bot(request.user, form.cleaned_data["name"], form.filename, form.content, form.games)
            return redirect("pages:bot", version.bot.slug)
        except (Refused, NotStored) as refusal:
            _say(form, refusal)
    status = _REFUSED if form.errors else 200
    return render(request, "pages/upload.html", {"page": bringing(), "form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new_version(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring other code for a bot."""
    bot = access.bot_changed_by(request.user, slug)
    form = VersionForm(*_sent(request))
    if request.method == "POST" and form.is_valid():
        try:
            upload_version(bot, form.filename, form.content, form.games)
            return redirect("pages:bot", bot.slug)
        except (Refused, NotStored) as refusal:
            _say(form, refusal)
    status = _REFUSED if form.errors else 200
    return render(request, "pages/upload.html", {"page": bringing(), "form": form, "bot": bot}, status=status)


def _sent(request: HttpRequest) -> tuple[Any, Any]:
    """What was sent with a form, also if that is nothing; ``None`` before it was sent."""
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def _say(form: VersionForm, refusal: Exception) -> None:
    """Put a refusal beside what would have to change."""
    if isinstance(refusal, TooMany | NotStored):
        form.add_error(None, str(refusal))
    elif isinstance(refusal, NameRefused) and form.data.get("name"):
        form.add_error("name", str(refusal))
    else:
        form.add_error("file", str(refusal))


@require_safe
def starter(_request: HttpRequest, slug: str) -> HttpResponse:
    """A first bot for a game, as a zip."""
    if slug not in GAMES:
        raise Http404(_("No game is called %(name)s.") % {"name": slug})
    return _download(f"{NAME}-{slug}.zip", starting_kit(slug), "application/zip")


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/my_bots.html", {"bots": my_bots(request.user), "games": GAMES.values()})


@require_safe
@never_cache
@login_required
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What the check of a version has found, for its owner and staff."""
    bot = access.bot_read_by(request.user, slug)
    page = VersionPage(_version(bot, number), access.owns(request.user, bot))
    return render(request, "pages/version.html", {"page": page})


@require_safe
@cache_control(private=True, no_cache=True)
def read_source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The code of a version, file by file."""
    found_version = _readable_source(request, slug, number)

    def page() -> HttpResponse:
        shown = {"page": source.source_page(found_version), "public": found_version.bot.public_source}
        return render(request, "pages/source.html", shown)

    return _once(request, source.page_etag(found_version, request.user), page)


@require_safe
@cache_control(private=True, no_cache=True)
def download_source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The code of a version, as it was uploaded."""
    found_version = _readable_source(request, slug, number)
    return _once(
        request,
        source.download_etag(found_version),
        lambda: _download(*source.download(found_version), "application/octet-stream"),
    )


def _once(request: HttpRequest, etag: str, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """What takes long to read, unless the visitor has it already, and so many times a minute for one address."""
    response = get_conditional_response(request, etag)
    if response is None:
        refusal = too_many(request, "source")
        if refusal is not None:
            return refusal
        try:
            response = answer()
        except (Lost, OutOfReach) as failure:
            raise Http404(_("The code cannot be read at the moment.")) from failure
    response["ETag"] = etag
    return response


@require_safe
@never_cache
@login_required
def log(request: HttpRequest, match_id: int, index: int) -> HttpResponse:
    """What happened at a seat, for the owner of its bot and staff."""
    seat = _seat(request, match_id, index)
    page = seat_log.seat_log_page(seat.match, seat, request.user, request.GET.get("page"))
    if page is None:
        raise Http404(_no_log(match_id))
    return render(request, "pages/seat_log.html", {"page": page})


@require_safe
@never_cache
@login_required
def download_log(request: HttpRequest, match_id: int, index: int) -> HttpResponse:
    seat = _seat(request, match_id, index)
    document = seat_log.download(seat.match, index, request.user)
    if document is None:
        raise Http404(_no_log(match_id))
    name, text = document
    return _download(name, text.encode(), "application/json")


def _no_log(match_id: int) -> str:
    return _("No log of this seat of match %(number)s is kept (any more).") % {"number": match_id}


def _seat(request: HttpRequest, match_id: int, index: int) -> Seat:
    """The seat that an address names, for the owner of its bot and staff."""
    match = match_seen_by(request.user, match_id)
    seats = match.seats.select_related("version__bot__owner", "match__ladder", "match__block")
    seat = found(seats, _("Match %(number)s has no seat %(seat)s.") % {"number": match_id, "seat": index}, index=index)
    if not access.may_read(request.user, seat.version.bot):
        raise PermissionDenied(_("This is for the owner of %(name)s alone.") % {"name": seat.version.bot.name})
    return seat


def _version(bot: Bot, number: int) -> BotVersion:
    versions = bot.versions.select_related("bot__owner").exclude(archive="")
    otherwise = _("%(name)s has no version %(number)s that was uploaded.") % {"name": bot.name, "number": number}
    return found(versions, otherwise, number=number)


def _readable_source(request: HttpRequest, slug: str, number: int) -> BotVersion:
    bot = access.code_seen_by(request.user, slug)
    if not access.may_read(request.user, bot) and not bot.public_source:
        raise PermissionDenied(_("The source of %(name)s is private.") % {"name": bot.name})
    found_version = _version(bot, number)
    if not access.may_read_source(request.user, found_version):
        text = _("%(name)s has no version %(number)s whose source is public.")
        raise Http404(text % {"name": bot.name, "number": number})
    return found_version


def _download(name: str, data: bytes, content_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(data, content_type=content_type, headers=headers)
