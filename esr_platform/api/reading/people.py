"""People as everybody may see them."""

from __future__ import annotations

from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot
from esr_platform.api.authentication import viewer
from esr_platform.api.reading.documents import PersonDocument
from esr_platform.api.reading.views import One
from ladder.access import public_among
from ladder.pages.people import person_at

_SLUGS: Final = Bot.objects.order_by("pk").values_list("slug", flat=True)
_OF_CODE: Final = _SLUGS.exclude(kind=Bot.Kind.PERSON)
_PLAYER: Final = _SLUGS.filter(kind=Bot.Kind.PERSON)


class Person(One):
    """Somebody with an account, and the bots of theirs that everybody knows of."""

    document = PersonDocument
    always = ("username",)

    @extend_schema(operation_id="person", summary="A person")
    def get(self, request: Request, username: str) -> Response:
        person = person_at(username, viewer(request))
        bots = public_among(_OF_CODE).filter(owner=person)
        return self.answer(
            {
                "username": person.username,
                "since": person.date_joined,
                "suspended": person.suspended is not None,
                "bots": list(bots),
                "player": _PLAYER.filter(owner=person).first(),
            }
        )
