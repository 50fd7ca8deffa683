"""Exhibition matches on request: tests and version comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal
from uuid import UUID, uuid4

from django.core.exceptions import PermissionDenied
from django.urls import reverse
from msgspec import Meta
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.accounts.models import User
from esr_platform.api.authentication import viewer
from esr_platform.api.documents import Document, Form, Moment, Slug, about, choice, operation, read_body
from esr_platform.api.resources.views import HEADERS, ReadByEverybody, Writing, person_of, refusals
from ladder.access import exhibition_seen_by, ladder_seen_by, may_cancel
from ladder.exhibitions import requests
from ladder.exhibitions.choices import versions_named
from ladder.exhibitions.progress import Row, rows, scores
from ladder.models import Block, Exhibition, ExhibitionPlayer, Ladder, Match
from ladder.pages.exhibitions import players_of

# --- Documents -------------------------------------------------------------------------------------------------------

_LADDER: Final = "edel-stein-reich-4"
_MOST_OPPONENTS: Final = 60
_MOST_BLOCKS: Final = 1_000_000

Player = Annotated[str, Meta(pattern=r"^[-a-zA-Z0-9_]{1,60}(/[1-9][0-9]{0,8})?$")]
"""``citrine`` is the active version of Citrine, ``citrine/3`` its third version."""

Key = Annotated[
    UUID | None,
    about(
        "A key that you choose. The same key again returns the same exhibition match.",
        "4c0f8f3e-6d0e-4b7b-9a55-0d8f0f3c7a11",
    ),
]


class TestForm(Form):
    """A test: unrated blocks with the same bots. Other users' bots make it a challenge."""

    kind: Literal["test"]
    ladder: Annotated[Slug, about("Slug of the ladder.", _LADDER)]
    blocks: Annotated[int, about("Number of deals. Each is played in every seating.", 20, ge=1, le=_MOST_BLOCKS)]
    players: Annotated[
        list[Player],
        about(
            "The bots by seat: `citrine` is the active version, `citrine/3` the third version.",
            ["citrine", "house-greedy"],
            min_length=2,
            max_length=5,
        ),
    ]
    key: Key = None


class ComparisonForm(Form):
    """A comparison of two versions of your bot. It ends when the result is clear, at the latest after `blocks`."""

    kind: Literal["comparison"]
    ladder: Annotated[Slug, about("Slug of the ladder.", _LADDER)]
    blocks: Annotated[int, about("The maximum number of deals.", 200, ge=1, le=_MOST_BLOCKS)]
    candidate: Annotated[Player, about("The version that may be better.", "citrine/4")]
    baseline: Annotated[Player, about("The version that it is compared with.", "citrine/3")]
    opponents: Annotated[
        list[Player],
        about("The bots at the other seats.", ["house-greedy"], min_length=1, max_length=_MOST_OPPONENTS),
    ]
    margin: Annotated[Literal[20, 50, 100], about("The difference to detect, in 1/1000 of a score.", 50)] = 50
    key: Key = None


class MeanDocument(Document):
    """A mean with its 95% confidence interval."""

    value: Annotated[float, about("The mean.", 0.61)]
    low: Annotated[float | None, about("Lower end of the interval.", 0.52)]
    high: Annotated[float | None, about("Upper end of the interval.", 0.7)]


class ExhibitionPlayerDocument(Document):
    """A player of an exhibition match."""

    part: Annotated[str, choice(ExhibitionPlayer.Part.values, "The role of the player.")]
    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    version: Annotated[int, about("Number of the version.", 3)]
    score: Annotated[
        MeanDocument | None, about("Share of beaten opponents, from 0 to 1; null before the end of the first block.")
    ]


class ExhibitionDocument(Document):
    """Requested matches with the result so far."""

    id: Annotated[int, about("Id of the request.", 93)]
    kind: Annotated[str, choice(Exhibition.Kind.values, "Kind of the matches.", Exhibition.Kind.TEST)]
    ladder: Annotated[str, about("Slug of the ladder.", _LADDER)]
    state: Annotated[str, choice(Exhibition.State.values, "State of the request.", Exhibition.State.RUNNING)]
    reason: Annotated[str, about("Why it was canceled or ended early; else empty.", "")]
    blocks: Annotated[int, about("Number of deals; in a comparison the maximum.", 20)]
    blocks_ended: Annotated[int, about("Number of deals that are finished.", 3)]
    margin: Annotated[int | None, about("The difference that a comparison detects, in 1/1000 of a score.", None)]
    verdict: Annotated[str, about("Result of a comparison; empty until it is clear.", "")]
    due_at: Annotated[Moment | None, about("When the matches are scheduled.", None)]
    created: Annotated[Moment, about("When it was requested.")]
    ended: Annotated[Moment | None, about("When it ended.", None)]
    players: Annotated[list[ExhibitionPlayerDocument], about("The players.")]
    matches: Annotated[list[int], about("Ids of the matches that have been scheduled.", [51007, 51008])]


# --- Views -----------------------------------------------------------------------------------------------------------


class Exhibitions(Writing):
    """At ``/api/v1/exhibitions``."""

    @operation(
        "exhibition", "Request matches", ExhibitionDocument, body=(TestForm, ComparisonForm), statuses=(201, 200)
    )
    def post(self, request: Request) -> Response:
        """Play unrated blocks on a ladder: a test, or a comparison of two versions of your bot."""
        form = _read(request.data)
        person, key = person_of(request), form.key or uuid4()
        ladder = ladder_seen_by(person, form.ladder)
        known = Exhibition.objects.filter(token=key).exists()
        with refusals():
            exhibition = _request(person, ladder, form, key)
        address = {"Location": reverse("api:exhibition", args=(exhibition.pk,))}
        return Response(_document(exhibition), 200 if known else 201, headers=address)


class OneExhibition(Writing):
    """At ``/api/v1/exhibitions/{exhibition_id}``."""

    permission_classes = [ReadByEverybody]

    @operation("exhibition_state", "Get a request for matches", ExhibitionDocument, public=True)
    def get(self, request: Request, exhibition_id: int) -> Response:
        """The requested matches with the result so far."""
        return Response(_document(exhibition_seen_by(viewer(request), exhibition_id)), headers=HEADERS)

    @operation("cancel_exhibition", "Cancel a request for matches", ExhibitionDocument)
    def delete(self, request: Request, exhibition_id: int) -> Response:
        """Running games are finished. Queued games are canceled."""
        person = person_of(request)
        exhibition = exhibition_seen_by(person, exhibition_id)
        if not may_cancel(exhibition, person):
            raise PermissionDenied("Only who requested it can cancel it.")
        with refusals():
            requests.cancel(exhibition, person)
        return Response(_document(exhibition_seen_by(person, exhibition_id)))


def _read(sent: Any) -> TestForm | ComparisonForm:
    """The body of a request for matches. Raises ``ValidationError``."""
    kind = sent.get("kind") if isinstance(sent, Mapping) else None
    if kind == "test":
        return read_body(sent, TestForm)
    if kind == "comparison":
        return read_body(sent, ComparisonForm)
    raise ValidationError({"kind": ["Send one of: test, comparison."]})


def _request(person: User, ladder: Ladder, form: TestForm | ComparisonForm, key: UUID) -> Exhibition:
    if isinstance(form, TestForm):
        return requests.request_test(person, ladder, versions_named(person, ladder, form.players), form.blocks, key)
    named = [form.candidate, form.baseline, *form.opponents]
    candidate, baseline, *others = versions_named(person, ladder, named)
    pair = candidate, baseline
    return requests.request_comparison(person, ladder, pair, others, form.blocks, form.margin, key)


def _document(exhibition: Exhibition) -> ExhibitionDocument:
    """The document of an exhibition match; six queries."""
    lines = rows(exhibition, scores(exhibition), list(players_of(exhibition)))
    return ExhibitionDocument(
        id=exhibition.pk,
        kind=exhibition.kind,
        ladder=exhibition.ladder.slug,
        state=exhibition.state,
        reason=exhibition.reason,
        blocks=exhibition.blocks_wanted,
        blocks_ended=Block.objects.filter(exhibition=exhibition, ended__isnull=False).count(),
        margin=exhibition.margin,
        verdict=exhibition.verdict,
        due_at=exhibition.due_at,
        created=exhibition.created,
        ended=exhibition.ended,
        players=[_player(line) for line in lines],
        matches=list(Match.objects.filter(block__exhibition=exhibition).order_by("pk").values_list("pk", flat=True)),
    )


def _player(line: Row) -> ExhibitionPlayerDocument:
    mean = line.score
    score = None if mean is None else MeanDocument(value=mean.value, low=mean.low, high=mean.high)
    return ExhibitionPlayerDocument(part=line.part, bot=line.version.bot.slug, version=line.version.number, score=score)
