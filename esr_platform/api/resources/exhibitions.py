"""Match requests: test matches and version comparisons."""

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
from esr_platform.api.http import refusals
from esr_platform.api.resources.views import HEADERS, ReadByEverybody, Writing, person_of
from ladder.access import exhibition_seen_by, ladder_seen_by, may_cancel
from ladder.exhibitions import requests
from ladder.exhibitions.choices import versions_named
from ladder.exhibitions.progress import VersionResult, listed_players, rows, scores
from ladder.models import Block, Exhibition, ExhibitionPlayer, Ladder, Match

# --- Documents -------------------------------------------------------------------------------------------------------

_LADDER: Final = "edel-stein-reich-4"
_MOST_OPPONENTS: Final = 60
_MOST_BLOCKS: Final = 1_000_000

Player = Annotated[str, Meta(pattern=r"^[-a-zA-Z0-9_]{1,60}(/[1-9][0-9]{0,8})?$")]
"""``citrine`` is the active version of the bot, ``citrine/3`` is version 3."""

Key = Annotated[
    UUID | None,
    about(
        "Idempotency key of your choice. A second request with the same key returns the first match request.",
        "4c0f8f3e-6d0e-4b7b-9a55-0d8f0f3c7a11",
    ),
]


class TestForm(Form):
    """A test match: unrated blocks with the same bots. With bots of other users it is a challenge."""

    kind: Annotated[Literal["test"], about("Always `test`.")]
    ladder: Annotated[Slug, about("Slug of the ladder.", _LADDER)]
    blocks: Annotated[
        int, about("Number of blocks. In each block, one deal is played in every seating.", 20, ge=1, le=_MOST_BLOCKS)
    ]
    players: Annotated[
        list[Player],
        about(
            "Bots by seat. `citrine` is the active version, `citrine/3` is version 3.",
            ["citrine", "house-greedy"],
            min_length=2,
            max_length=5,
        ),
    ]
    key: Key = None


class ComparisonForm(Form):
    """A comparison of two versions of your bot. It ends when the result is clear, or after `blocks` blocks."""

    kind: Annotated[Literal["comparison"], about("Always `comparison`.")]
    ladder: Annotated[Slug, about("Slug of the ladder.", _LADDER)]
    blocks: Annotated[int, about("Maximum number of blocks.", 200, ge=1, le=_MOST_BLOCKS)]
    candidate: Annotated[Player, about("Version to test.", "citrine/4")]
    baseline: Annotated[Player, about("Version to compare with.", "citrine/3")]
    opponents: Annotated[
        list[Player],
        about("Bots at the other seats.", ["house-greedy"], min_length=1, max_length=_MOST_OPPONENTS),
    ]
    margin: Annotated[
        Literal[20, 50, 100], about("Smallest difference to detect, in 1/1000 of the share of opponents beaten.", 50)
    ] = 50
    key: Key = None


class MeanDocument(Document):
    """A mean with its 95% confidence interval."""

    value: Annotated[float, about("Mean.", 0.61)]
    low: Annotated[float | None, about("Lower bound of the interval.", 0.52)]
    high: Annotated[float | None, about("Upper bound of the interval.", 0.7)]


class ExhibitionPlayerDocument(Document):
    """A bot in requested matches."""

    part: Annotated[str, choice(ExhibitionPlayer.Part.values, "Role of the bot.")]
    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    version: Annotated[int, about("Number of the version.", 3)]
    score: Annotated[
        MeanDocument | None, about("Share of opponents beaten, from 0 to 1; null before the first block has ended.")
    ]


class ExhibitionDocument(Document):
    """A match request with its matches and the results so far."""

    id: Annotated[int, about("Id of the match request.", 93)]
    kind: Annotated[str, choice(Exhibition.Kind.values, "Kind of the match request.", Exhibition.Kind.TEST)]
    ladder: Annotated[str, about("Slug of the ladder.", _LADDER)]
    state: Annotated[str, choice(Exhibition.State.values, "State of the match request.", Exhibition.State.RUNNING)]
    reason: Annotated[str, about("Reason for canceling the match or ending it early; otherwise empty.", "")]
    blocks: Annotated[int, about("Number of requested blocks; the maximum for version comparisons.", 20)]
    blocks_ended: Annotated[int, about("Number of finished blocks.", 3)]
    margin: Annotated[
        int | None, about("Smallest difference that a version comparison detects, in 1/1000; else null.", None)
    ]
    verdict: Annotated[str, about("Result of a version comparison; empty until it is clear.", "")]
    due_at: Annotated[Moment | None, about("Scheduled start, or null.", None)]
    created: Annotated[Moment, about("Time of the request.")]
    ended: Annotated[Moment | None, about("Time at which the request was finished or canceled, or null.", None)]
    players: Annotated[list[ExhibitionPlayerDocument], about("Bots in the matches.")]
    matches: Annotated[list[int], about("Ids of the matches so far.", [51007, 51008])]


# --- Views -----------------------------------------------------------------------------------------------------------


class Exhibitions(Writing):
    """At ``/api/v1/exhibitions``."""

    @operation(
        "exhibition", "Request matches", ExhibitionDocument, body=(TestForm, ComparisonForm), statuses=(201, 200)
    )
    def post(self, request: Request) -> Response:
        """Requests unrated blocks on a ladder: a test match, or a comparison of two versions of your bot."""
        form = _read(request.data)
        person, key = person_of(request), form.key or uuid4()
        ladder = ladder_seen_by(person, form.ladder)
        known = Exhibition.objects.filter(token=key).exists()
        with refusals():
            exhibition = _request(person, ladder, form, key)
        headers = {"Location": reverse("api:exhibition", args=(exhibition.pk,))}
        return Response(_document(exhibition), 200 if known else 201, headers=headers)


class OneExhibition(Writing):
    """At ``/api/v1/exhibitions/{exhibition_id}``."""

    permission_classes = [ReadByEverybody]

    @operation("exhibition_state", "Get a match request", ExhibitionDocument, public=True)
    def get(self, request: Request, exhibition_id: int) -> Response:
        """Returns the match request with its matches and the results so far."""
        return Response(_document(exhibition_seen_by(viewer(request), exhibition_id)), headers=HEADERS)

    @operation("cancel_exhibition", "Cancel a match request", ExhibitionDocument)
    def delete(self, request: Request, exhibition_id: int) -> Response:
        """Cancels the queued matches of the request. Running matches are played to the end."""
        person = person_of(request)
        exhibition = exhibition_seen_by(person, exhibition_id)
        if not may_cancel(exhibition, person):
            raise PermissionDenied("Only the user who requested the matches can cancel them. Use a token of this user.")
        with refusals():
            requests.cancel(exhibition, person)
        return Response(_document(exhibition_seen_by(person, exhibition_id)))


def _read(sent: Any) -> TestForm | ComparisonForm:
    """Return the validated body of a match request. Raises ``ValidationError``."""
    kind = sent.get("kind") if isinstance(sent, Mapping) else None
    if kind == "test":
        return read_body(sent, TestForm)
    if kind == "comparison":
        return read_body(sent, ComparisonForm)
    raise ValidationError({"kind": ["Must be one of: test, comparison."]})


def _request(person: User, ladder: Ladder, form: TestForm | ComparisonForm, key: UUID) -> Exhibition:
    if isinstance(form, TestForm):
        return requests.request_test(person, ladder, versions_named(person, ladder, form.players), form.blocks, key)
    named = [form.candidate, form.baseline, *form.opponents]
    candidate, baseline, *others = versions_named(person, ladder, named)
    pair = candidate, baseline
    return requests.request_comparison(person, ladder, pair, others, form.blocks, form.margin, key)


def _document(exhibition: Exhibition) -> ExhibitionDocument:
    """Return the document of a match request. Makes six queries."""
    lines = rows(exhibition, scores(exhibition), list(listed_players().filter(exhibition=exhibition)))
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


def _player(line: VersionResult) -> ExhibitionPlayerDocument:
    mean = line.score
    score = None if mean is None else MeanDocument(value=mean.value, low=mean.low, high=mean.high)
    return ExhibitionPlayerDocument(part=line.part, bot=line.version.bot.slug, version=line.version.number, score=score)
