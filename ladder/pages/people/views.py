"""The page of a person. Parse, one call, answer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from ladder.pages.people.showing import person_at, person_page


@require_safe
def person(request: HttpRequest, username: str) -> HttpResponse:
    found = person_at(username, request.user)
    if found.username != username:
        return redirect("pages:person", found.username, permanent=False)
    return render(request, "pages/person.html", {"page": person_page(found, request.GET.get, request.user)})
