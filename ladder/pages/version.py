"""The page of a version for its owner: its state, its validation and its source code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, gettext, gettext_noop, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from bots import reports
from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from bots.uploads.storage import ArchiveLost, OutOfReach, archive_of, bytes_of
from bots.validation import MOST_TRIES, SEED
from esr_platform.downloads import attachment
from games.registry import GAMES
from ladder import access
from ladder.access import found
from ladder.models import Season
from ladder.models.ladders import Viewer
from ladder.pages.components.responses import too_many
from ladder.pages.components.words import PROBLEMS, enumerated, grouped, sentence, size, thinking, time_taken, visible

# --- Validation, step by step ----------------------------------------------------------------------------------------

_State = BotVersion.State

HEADINGS: Final = {
    _State.RECEIVED: gettext_noop("v%(number)s is queued for validation"),
    _State.VALIDATING: gettext_noop("v%(number)s is being validated"),
    _State.READY: gettext_noop("v%(number)s passed validation"),
    _State.UNDECIDED: gettext_noop("v%(number)s is not validated yet"),
    _State.REJECTED: gettext_noop("v%(number)s was rejected"),
}


LIVE_MS: Final = {"queued": 1500, "undecided": 30_000}
"""How often pages ask for the progress of a validation, in milliseconds."""

NEAR: Final = {
    "startup_ms": gettext_noop("The start needed %(percent)s%% of the time allowed."),
    "move_ms": gettext_noop("One decision needed %(percent)s%% of the time allowed, including the time bank."),
    "bank_ms": gettext_noop("One seat used %(percent)s%% of its time bank in one game."),
    "game_ms": gettext_noop("One seat used %(percent)s%% of its time for the whole game."),
}
"""Warnings about limits, by the keys of ``bots.validation.LIMITS``."""


@dataclass(frozen=True)
class Step:
    """One step of a validation; ``mark`` is ``done``, ``now``, ``todo`` or ``failed``, each a symbol of the sprite."""

    mark: str
    text: str
    note: str = ""


@dataclass(frozen=True)
class ValidationProgress:
    """The progress of a version's validation."""

    version: BotVersion

    @property
    def heading(self) -> str:
        """``v2 is being validated``."""
        return gettext(HEADINGS[_State(self.version.state)]) % {"number": self.version.number}

    @property
    def over(self) -> bool:
        """Whether the validation has ended."""
        return self.version.state in (_State.READY, _State.REJECTED)

    @property
    def live_ms(self) -> int:
        """How often the page asks for the progress, in milliseconds; 0 if nothing changes any more."""
        return 0 if self.over else LIVE_MS["undecided" if self.undecided else "queued"]

    @property
    def refused(self) -> bool:
        return self.version.state == _State.REJECTED

    @property
    def undecided(self) -> bool:
        return self.version.state == _State.UNDECIDED

    @property
    def retry_at(self) -> datetime | None:
        """When an undecided version is tried again; ``None`` if a newer version has replaced it."""
        newer = self.version.bot.versions.filter(number__gt=self.version.number)
        return self.version.retry_at if self.undecided and not newer.exists() else None

    @property
    def place(self) -> str:
        """``Format 2 of 7, attempt 1 of 3`` while a game is being played, else empty."""
        report = self._report
        if self.over or not report["now"]:
            return ""
        done = len(report["formats"])
        figures = {
            "place": done + 1,
            "all": done + len(report["untried"]),
            "try": report["now"]["try"],
            "tries": MOST_TRIES,
        }
        return gettext("Format %(place)s of %(all)s, attempt %(try)s of %(tries)s") % figures

    @property
    def warnings(self) -> Sequence[str]:
        """Notices about the upload, and sentences on limits of which the bot needed a large share."""
        return [
            *(notice["text"] for notice in self.version.notices),
            *(
                gettext(NEAR[limit]) % {"percent": round(100 * share)}
                for limit, share in reports.warnings(self._report).items()
            ),
        ]

    @property
    def said(self) -> str:
        """The state in one sentence for screen readers; it changes only with each step."""
        if self.refused or self.undecided:
            return f"{self.heading}. {sentence(self.version.reason)}"
        now = next((step for step in self.steps if step.mark == "now"), None)
        return f"{self.heading}." if now is None else f"{self.heading}: {now.text}."

    @cached_property
    def steps(self) -> Sequence[Step]:
        """Finished, current and future steps."""
        return list(self._steps())

    @property
    def _report(self) -> Mapping[str, Any]:
        return self.version.validation_report or reports.begun(self.version.formats)

    def _steps(self) -> Iterator[Step]:
        report = self._report
        yield Step("done", gettext("Upload accepted"), size(self.version.size))
        yield self._start(report)
        for result in report["formats"]:
            note = time_taken(result["wall_ms"] / 1000) if result["ok"] else _trouble(result)
            yield Step("done" if result["ok"] else "failed", format_words(result), note)
        for place, result in enumerate(report["untried"]):
            if report["now"] and not place and not self.over:
                yield Step("now", format_words(result), _decisions(report["now"]["decisions"]))
            else:
                yield Step("todo", format_words(result))
        yield self._end()

    def _start(self, report: Mapping[str, Any]) -> Step:
        text = gettext("Starts in the sandbox and answers hello")
        if report["now"] and report["now"]["started"] and not self.over:
            return Step("done", text)
        if report["formats"]:
            ready_us = report["formats"][0]["ready_us"]
            return Step("failed", text) if ready_us is None else Step("done", text, thinking(ready_us))
        if self.over:
            return Step("failed" if self.refused else "done", text)
        return Step("now" if report["now"] else "todo", text)

    def _end(self) -> Step:
        if self.refused:
            return Step("failed", gettext("Rejected"))
        return Step("done" if self.over else "todo", gettext("Ready to play"))


def format_words(result: Mapping[str, Any]) -> str:
    """Return ``Edel, Stein & Reich, 4 players`` for a format in a report."""
    game = GAMES.get(result["game"])
    name = game.name if game else result["game"]
    return gettext("%(game)s, %(count)s players") % {"game": name, "count": result["seats"]}


def _decisions(number: int) -> str:
    if not number:
        return ""
    return ngettext("%(number)s decision", "%(number)s decisions", number) % {"number": grouped(number)}


def _trouble(result: Mapping[str, Any]) -> str:
    number = len(result["problems"])
    return ngettext("%(problems)s problem", "%(problems)s problems", number) % {"problems": number}


# --- The page --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ValidationFinding:
    """A strike or forfeit during validation; ``answer`` is already escaped, ``asked`` is JSON."""

    where: str
    what: str
    detail: str
    asked: str
    answer: str
    stderr: str


@dataclass(frozen=True)
class FormatRow:
    """A self-play game of the validation; ``last`` are the decisions before the first problem, as JSON."""

    words: str
    ok: bool
    ready: str
    decisions: int
    slowest: str
    took: str
    stderr: str
    problems: Sequence[ValidationFinding]
    last: Sequence[Mapping[str, Any]]
    again: str
    lag: str
    warnings: Sequence[str]


@dataclass(frozen=True)
class VainAttempt:
    """An attempt at a format that decided nothing, and why."""

    words: str
    why: str


@dataclass(frozen=True)
class VersionPage:
    """A version with its validation report; ``yours`` is false if the viewer is staff."""

    version: BotVersion
    yours: bool

    @cached_property
    def trial(self) -> ValidationProgress:
        return ValidationProgress(self.version)

    @property
    def language(self) -> str:
        """The title of the programming language."""
        known = LANGUAGES.get(self.version.language)
        return known.title if known else self.version.language

    @property
    def command(self) -> str:
        """The file to start and its arguments."""
        return visible(" ".join(self.version.command))

    @property
    def formats(self) -> str:
        """The supported formats."""
        supported = {
            GAMES[slug].name if slug in GAMES else slug: counts for slug, counts in self.version.formats.items()
        }
        text = gettext("%(game)s (%(counts)s players)")
        named = [(name, enumerated([str(count) for count in counts])) for name, counts in supported.items()]
        return "; ".join(text % {"game": name, "counts": counts} for name, counts in named)

    @cached_property
    def rows(self) -> Sequence[FormatRow]:
        """The formats that were validated."""
        return [_row(result) for result in (self.version.validation_report or {}).get("formats", ())]

    @property
    def attempts(self) -> Sequence[VainAttempt]:
        """The attempts that server lag or a failure of the site has spoiled."""
        return [_attempt(attempt) for attempt in (self.version.validation_report or {}).get("attempts", ())]

    @property
    def untried(self) -> Sequence[str]:
        """The formats that were not validated."""
        return [format_words(result) for result in (self.version.validation_report or {}).get("untried", ())]

    @property
    def reruns(self) -> int:
        """Number of re-runs after server lag in seasons that are not closed."""
        return self.version.reruns.filter(block__series__season__closed=None).count()

    @property
    def past_reruns(self) -> Sequence[tuple[str, int]]:
        """Re-runs by closed season with any, newest first, labeled with ladder and season."""
        closed = Season.objects.filter(closed__isnull=False, series__blocks__reruns__version=self.version)
        closed = closed.select_related("ladder").order_by("-closed")
        counted: QuerySet[Any] = closed.annotate(count=Count("series__blocks__reruns"))
        text = gettext("Season %(number)s")
        return [(f"{season.ladder.name}, {text % {'number': season.number}}", season.count) for season in counted]

    @property
    def can_activate(self) -> bool:
        """Whether the viewer may activate the version."""
        version = self.version
        return self.yours and version.state == BotVersion.State.READY and not version.active


def _row(result: Mapping[str, Any]) -> FormatRow:
    ready_us, slowest_us = result["ready_us"], result["slowest_us"]
    return FormatRow(
        words=format_words(result),
        ok=result["ok"],
        ready=_ready(ready_us),
        decisions=result["decisions"],
        slowest="–" if slowest_us is None else thinking(slowest_us),
        took=time_taken(result["wall_ms"] / 1000),
        stderr=visible(result["stderr"]),
        problems=[_found(problem) for problem in result["problems"]],
        last=[_decision(decision) for decision in result["last_decisions"]],
        again=f"esr play {result['game']} {' '.join(['DIR'] * result['seats'])} --seed {SEED} --logs logs",
        lag=thinking(result["lag_us"]) if result["lag_us"] >= SHOWN_LAG_US else "",
        warnings=[
            gettext(NEAR[limit]) % {"percent": round(100 * result["shares"][limit])} for limit in result["warnings"]
        ],
    )


SHOWN_LAG_US: Final = 1000
"""Server lag of a game that is too short to show."""


def _attempt(attempt: Mapping[str, Any]) -> VainAttempt:
    words = format_words(attempt) if attempt["game"] else ""
    if "failure" in attempt:
        return VainAttempt(
            words, gettext("Problem of the site: %(problem)s") % {"problem": visible(attempt["failure"])}
        )
    delay = attempt["delay"]
    figures = {
        "where": _where(delay["seat"], delay["decision"]),
        "wall": thinking(delay["wall_us"]),
        "allowed": thinking(delay["allowed_us"]),
        "lag": thinking(delay["machine_delay_us"]),
    }
    text = gettext("%(where)s: %(wall)s of %(allowed)s allowed, server lag %(lag)s")
    return VainAttempt(words, text % figures)


def _ready(us: int | None) -> str:
    if us is None:
        return gettext("Never ready")
    return gettext("Ready after %(time)s") % {"time": thinking(us)}


def _found(problem: Mapping[str, Any]) -> ValidationFinding:
    decision = problem["decision"]
    question = problem["question"]
    return ValidationFinding(
        where=_where(problem["seat"], decision),
        what=sentence(gettext(PROBLEMS.get(problem["reason"], problem["reason"]))),
        detail=sentence(visible(problem["detail"])),
        asked="" if question is None else in_json(question if decision is None else question["decision"]),
        answer=visible(problem["answer"]),
        stderr=visible(problem["stderr_tail"]),
    )


def _where(seat: int, decision: int | None) -> str:
    if decision is None:
        return gettext("Seat %(seat)s, before its first decision") % {"seat": seat}
    return gettext("Seat %(seat)s, decision %(number)s") % {"seat": seat, "number": decision}


def _decision(decision: Mapping[str, Any]) -> Mapping[str, Any]:
    answer = decision["answer"]
    asked = in_json(decision["decision"])
    return {**decision, "asked": asked, "answer": None if answer is None else visible(answer)}


def in_json(document: Any) -> str:
    """Format a document as one line of JSON without invisible characters."""
    return visible(json.dumps(document, ensure_ascii=False))


# --- Source code -----------------------------------------------------------------------------------------------------

SHOWN_BYTES: Final = 256 * 1024
"""Maximum size of the source shown on a page, in all; the download is complete."""


@dataclass(frozen=True)
class SourceFile:
    """One file; if ``text`` is ``None``, ``why`` contains the reason."""

    path: str
    size: str
    text: str | None
    why: str = ""


@dataclass(frozen=True)
class SourcePage:
    """All files of a version, the entry file first."""

    version: BotVersion
    files: Sequence[SourceFile]


def source_page(version: BotVersion) -> SourcePage:
    """Read the files of ``version`` from the storage. Raises ``ArchiveLost`` and ``OutOfReach``."""
    entry = (version.command or ["bot.py"])[0]
    files = sorted(archive_of(version).files.items(), key=lambda file: (file[0] != entry, "/" in file[0], file[0]))
    left, shown = SHOWN_BYTES, []
    for path, data in files:
        source_file = _file(path, data, left)
        left -= len(data) if source_file.text is not None else 0
        shown.append(source_file)
    return SourcePage(version, shown)


def download(version: BotVersion) -> tuple[str, bytes]:
    """Return a file name and the uploaded bytes. Raises ``ArchiveLost`` and ``OutOfReach``."""
    suffix = "py" if (version.archive).endswith(".py") else "zip"
    return f"{version.bot.slug}-v{version.number}.{suffix}", bytes_of(version)


def page_etag(version: BotVersion, user: Viewer) -> str:
    """Return the ETag of the source page for ``user``. It changes daily because the layout can change."""
    bot, seen = version.bot, (timezone.now().date(), get_language(), user.pk)
    return _etag("page", *seen, version.digest, version.number, bot.name, bot.public_source)


def download_etag(version: BotVersion) -> str:
    """Return the ETag of the archive's bytes; the same files can be packed in several ways."""
    return _etag("file", version.digest, version.archive)


def _etag(*parts: object) -> str:
    return f'"{sha256(repr(parts).encode()).hexdigest()}"'


def _file(path: str, data: bytes, left: int) -> SourceFile:
    named, length = visible(path), size(len(data))
    if len(data) > left:
        return SourceFile(
            named, length, None, _("The page is too long to show this file. Download the upload to read it.")
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return SourceFile(named, length, None, _("Not a text file."))
    return SourceFile(named, length, visible(text.replace("\r\n", "\n")))


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
@login_required
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the validation report of a version to its owner and staff."""
    bot = access.bot_read_by(request.user, slug)
    page = VersionPage(_version(bot, number), access.owns(request.user, bot))
    return render(request, "pages/version.html", {"page": page})


@require_safe
@cache_control(private=True, no_cache=True)
def read_source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the source code of a version, file by file."""
    found_version = _readable_source(request, slug, number)

    def page() -> HttpResponse:
        shown = {"page": source_page(found_version), "public": found_version.bot.public_source}
        return render(request, "pages/source.html", shown)

    return _once(request, page_etag(found_version, request.user), page)


@require_safe
@cache_control(private=True, no_cache=True)
def download_source(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Download the source code of a version as it was uploaded."""
    found_version = _readable_source(request, slug, number)
    return _once(
        request,
        download_etag(found_version),
        lambda: attachment(*download(found_version), "application/octet-stream"),
    )


def _once(request: HttpRequest, etag: str, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer conditionally and within a rate limit per client, because reading the source is slow."""
    response = get_conditional_response(request, etag)
    if response is None:
        refusal = too_many(request, "source")
        if refusal is not None:
            return refusal
        try:
            response = answer()
        except (ArchiveLost, OutOfReach) as failure:
            raise Http404(_("The source code is not available at the moment. Try again later.")) from failure
    response["ETag"] = etag
    return response


def _version(bot: Bot, number: int) -> BotVersion:
    versions = bot.versions.select_related("bot__owner").exclude(archive="")
    otherwise = _("%(name)s does not have an uploaded version %(number)s.") % {"name": bot.name, "number": number}
    return found(versions, otherwise, number=number)


def _readable_source(request: HttpRequest, slug: str, number: int) -> BotVersion:
    bot = access.code_seen_by(request.user, slug)
    if not access.may_read(request.user, bot) and not bot.public_source:
        raise PermissionDenied(
            _("The source code of %(name)s is private. Only its owner can read it.") % {"name": bot.name}
        )
    found_version = _version(bot, number)
    if not access.may_read_source(request.user, found_version):
        text = _("%(name)s does not have a version %(number)s with public source code.")
        raise Http404(text % {"name": bot.name, "number": number})
    return found_version
