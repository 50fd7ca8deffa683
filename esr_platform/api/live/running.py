"""What remote bots play just now, in as few questions as there can be, and whose stream is the newest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from django.db.models import Case, F, IntegerField, Value, When
from django.db.models.functions import Now

from bots.models import RemoteBot
from bots.remote import note_seen
from ladder.live.notify import seat_soon, tell
from ladder.models import Chair, Match

REMOTE = Chair.objects.filter(kind=Chair.Kind.REMOTE)


def claim_stream(bot: int, stream: UUID) -> None:
    """Make ``stream`` the one that counts, note that the bot is here, and let the others know."""
    RemoteBot.objects.filter(pk=bot).update(stream=stream)
    come(bot)
    tell(None, "stream", [bot])


def come(bot: int) -> None:
    """Note that the bot is here, and let it be seated at once."""
    note_seen([bot])
    seat_soon()


def games_of(bot: int) -> list[int]:
    """The live games that the bot plays now, the first begun first."""
    return sorted(asked_of([bot]).get(bot, {}))


def asked_of(bots: Collection[int]) -> dict[int, dict[int, int]]:
    """By bot and running match, the number of the decision that is open for it and told by now, 0 for none."""
    now = When(owes=True, due_at__lte=Now(), then=F("asked"))
    chairs = REMOTE.filter(table__match__status=Match.Status.RUNNING, seat__version__bot__in=bots)
    rows = chairs.annotate(open=Case(now, default=Value(0), output_field=IntegerField())).order_by()
    found: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for bot, match, decision in rows.values_list("seat__version__bot", "table", "open"):
        found[bot][match] = decision
    return dict(found)
