"""The language of a page: the one that its reader chose at the foot of any page, English until then."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

View = Callable[[HttpRequest], HttpResponse]


def chosen(request: HttpRequest) -> str:
    """The code of the language that the reader has chosen, or the site's own."""
    code = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def spoken(get_response: View) -> View:
    """Middleware that has a page speak the chosen language, and says which one it was."""

    def respond(request: HttpRequest) -> HttpResponse:
        with translation.override(chosen(request)):
            response = get_response(request)
            if response.headers.get("Content-Type", "").startswith("text/html"):
                response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
                patch_vary_headers(response, ("Cookie",))
        return response

    return respond


@csrf_exempt  # it decides only how pages read, and its form stands on every page, cached ones too
@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Keep the chosen ``language`` in a cookie and go back to where the reader was."""
    return set_language(request)
