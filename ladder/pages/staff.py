"""Pages for the people who look after the site; for everybody else they are not there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from ladder import access

View = Callable[..., HttpResponse]


def for_staff(view: View) -> View:
    """Show ``view`` to staff; who has not signed in may do so first, anybody else finds nothing."""

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not access.is_staff(request.user):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded
