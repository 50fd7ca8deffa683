"""What a worker host asks for: work, more time, the code of a bot, and to bring a result.

Each host authenticates with its own token. ``ladder.worker_hosts.work`` decides what it gets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated, Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from bots import drains, worker_hosts
from bots.models import WorkerHost, WorkerScope
from bots.uploads.storage import OutOfReach
from bots.worker_hosts import Abilities
from esr_platform.api.authentication import HasWorkerScope, WorkerAuthentication, identity
from esr_platform.api.documents import NO_NUL, Form, read_body
from esr_platform.api.endpoint import Endpoint
from esr_platform.api.http import JsonParser, Refusal
from esr_platform.api.streams import threads
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.subscriptions import WORK, Subscription
from esr_platform.api.streams.threads import Coalescer, wait_for
from esr_platform.api.streams.view import LiveView
from games.rules import Document
from ladder.matches.results import WrongRecord
from ladder.worker_hosts import work
from ladder.worker_hosts.kinds import GIVEN_UP, LeaseGone, NoSuchCode, TooManyLeases
from ladder.worker_hosts.reports import MOST_PACKED_BYTES, BadReport

LONGEST_S: Final = 25
"""Maximum seconds of a long poll. Many proxies close a request after 30 s."""

LOOK_S: Final = 0.5
"""Seconds between two looks at the queues, one for all hosts that wait in this process."""

NO_WORK_S: Final = 60
TOO_MANY_S: Final = 5

Name = Annotated[str, Meta(max_length=40, pattern=NO_NUL)]


class WorkRequest(Form):
    """What a host says when it asks for work of some ``kinds``.

    ``wait`` is in seconds, ``clock`` in seconds since 1970.
    """

    release: Name
    protocol: int
    clock: float
    slot: Annotated[int, Meta(ge=0, le=9999)]
    wait: Annotated[int, Meta(ge=0, le=LONGEST_S)]
    kinds: Annotated[list[Name], Meta(max_length=10)]
    uploads: bool
    rated: bool
    languages: Annotated[list[Name], Meta(max_length=50)]
    libraries: Annotated[list[Annotated[str, Meta(max_length=100, pattern=NO_NUL)]], Meta(max_length=500)]
    problem: Annotated[str, Meta(max_length=1000, pattern=NO_NUL)]

    @property
    def abilities(self) -> Abilities:
        """What the host can play."""
        languages, libraries = frozenset(self.languages), frozenset(self.libraries)
        return Abilities(self.uploads, self.rated, languages, libraries, self.problem)


class CodeRequest(Form):
    """Which code a host asks for: of a bot that plays by its lease, by digest."""

    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class GiveUpRequest(Form):
    """Why a host gives work back. The ``reason`` is only for the log of the site."""

    code: str
    reason: Annotated[str, Meta(max_length=1000)]


class _OfHosts(Endpoint):
    authentication_classes = [WorkerAuthentication]
    permission_classes = [HasWorkerScope]
    parser_classes = [JsonParser]
    throttle_scope = "worker"
    http_method_names = ["post"]

    @property
    def scopes(self) -> Collection[WorkerScope]:
        """The scopes of which a host needs one."""
        kind = self.kwargs.get("kind")
        return tuple(WorkerScope) if kind is None else (work.KINDS[kind].scope,)


class _LiveOfHosts(_OfHosts, LiveView):
    http_method_names = ["post"]

    def _authenticated(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Handle a request, which is no answer of a player."""
        self.initial(request, *args, **kwargs)
        answer: HttpResponseBase = self._handler(request)(request, *args, **kwargs)
        return answer


# --- Work ------------------------------------------------------------------------------------------------------------


def _looked(_: int, asks: list[None]) -> list[frozenset[str]]:
    return [work.waits()] * len(asks)


_QUEUE: Final = Coalescer(_looked, apart_s=LOOK_S)


_NO_WORK: Final = {WorkerHost.State.OTHER_RELEASE: "other_release", WorkerHost.State.DRAINED: "host_drained"}
"""The states in which a host gets no work, with the codes of the refusal."""


class Work(_LiveOfHosts):
    """At ``/api/worker/work``: work for a process of a host, or none after ``wait`` seconds. It keeps no thread."""

    is_long_poll = True

    async def post(self, request: Request) -> Response:
        """Return the assignment, and a notice about the host."""
        host, asked = _host(request), read_body(request.data, WorkRequest)
        reason = await threads.read(drains.reason_of, host.worker)
        if reason is not None:
            state, notice = worker_hosts.drained(reason)
        else:
            state, notice = worker_hosts.state_of(asked.release, asked.protocol, asked.clock, asked.abilities)
        await threads.write(worker_hosts.note, host, state, notice, asked.release, asked.abilities)
        if state in _NO_WORK:
            raise Refusal(HTTPStatus.CONFLICT, _NO_WORK[state], notice, NO_WORK_S)
        who, woken = identity(request._request, host), asyncio.Event()
        hub().require_room(who)
        until = asyncio.get_running_loop().time() + asked.wait
        subscription = Subscription([WORK], lambda _: woken.set())
        with hub().subscribed(subscription, who):
            while (assignment := await _claimed(host, asked)) is None:
                while not (over := subscription.ended or asyncio.get_running_loop().time() >= until):
                    await wait_for(woken, LOOK_S)
                    if not (await _QUEUE.fetch(0, None)).isdisjoint(asked.kinds):
                        break
                if over:
                    break
        if assignment is None and await threads.read(worker_hosts.rests, host):
            state, notice = WorkerHost.State.RESTING, "This host has failed several times. It gets no work for a while."
            await threads.write(worker_hosts.note, host, state, notice, asked.release, asked.abilities)
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "host_rests", notice, worker_hosts.REST_S)
        return Response({"assignment": assignment, "notice": notice})


async def _claimed(host: WorkerHost, asked: WorkRequest) -> Document | None:
    """Work for the host. If the client disconnects meanwhile, the work is given back."""
    job = asyncio.ensure_future(threads.write(work.next_for, host, asked.slot, asked.abilities, asked.kinds))
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        hub().run(_return(host, job))
        raise
    except TooManyLeases as error:
        sentence = "This host has as many leases of one kind as a worker host may have. Run fewer processes."
        raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_leases", sentence, TOO_MANY_S) from error


async def _return(host: WorkerHost, job: asyncio.Future[Document | None]) -> None:
    assignment = await job
    if assignment is not None:
        await threads.write(work.withdraw, host, assignment)


# --- A lease ---------------------------------------------------------------------------------------------------------


class Renewal(_LiveOfHosts):
    """At ``/api/worker/leases/{lease}/renew``."""

    def post(self, request: Request, **lease: Any) -> Response:
        """Extend the lease."""
        with _refusals():
            work.renew(_host(request), **lease)
        return Response({"renewed": True})


class Code(_OfHosts):
    """At ``/api/worker/leases/{lease}/code``."""

    def post(self, request: Request, **lease: Any) -> HttpResponse:
        """Return the uploaded file of a bot that plays by the lease."""
        digest = read_body(request.data, CodeRequest).digest
        with _refusals():
            data = work.code(_host(request), **lease, digest=digest)
        return HttpResponse(data, content_type="application/octet-stream", headers={"Cache-Control": "no-store"})


class BroughtResult(_OfHosts):
    """At ``/api/worker/leases/{lease}/result``."""

    def post(self, request: Request, **lease: Any) -> Response:
        """Store what the host has played, in a document that ``ladder.worker_hosts.reports`` reads."""
        data = request._request.read(MOST_PACKED_BYTES + 1)
        with _refusals():
            ending = work.bring(_host(request), **lease, data=data)
        return Response({"ending": ending})


class GivenUp(_OfHosts):
    """At ``/api/worker/leases/{lease}/give-up``."""

    def post(self, request: Request, **lease: Any) -> Response:
        """End the attempt without a result."""
        asked = read_body(request.data, GiveUpRequest)
        if asked.code not in GIVEN_UP:
            known = ", ".join(GIVEN_UP)
            raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", f"Unknown code. Known codes: {known}.")
        with _refusals():
            work.give_up(_host(request), **lease, because=asked.code, reason=asked.reason)
        return Response({"ended": True})


def _host(request: Request) -> WorkerHost:
    assert isinstance(request.auth, WorkerHost)
    return request.auth


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except LeaseGone as gone:
        raise Refusal(HTTPStatus.CONFLICT, gone.code, str(gone)) from gone
    except NoSuchCode as error:
        sentence = "No bot that plays by this lease has this code."
        raise Refusal(HTTPStatus.NOT_FOUND, "code_unknown", sentence) from error
    except (WrongRecord, BadReport) as wrong:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "wrong_record", f"The attempt has failed: {wrong}.") from wrong
    except OutOfReach as failure:
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "not_stored", str(failure), TOO_MANY_S) from failure
