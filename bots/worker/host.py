"""One process of a worker host: it asks the site for work, plays it, and brings the result, again and again."""

from __future__ import annotations

import logging
import os
import re
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final

import orjson

import games
from bots.archives import Archive, ArchiveRefused, read_upload
from bots.client import ClientError, Problem, Unreachable
from bots.client.calls import Backoff
from bots.client.work import TokenRefused, WorkClient
from bots.runner.bot_log import logged
from bots.runner.consultation import Advice
from bots.runner.launcher import Launcher, NoCoreFree, PlatformFailure
from bots.runner.leased import GIVEN_UP_BEFORE_S
from bots.runner.spec import StoredProgram
from bots.sandbox.proof import SelfTest, self_test
from bots.sandbox.status import document as sandbox_document
from bots.unpacked import ANY_SIZE, unpacked_once
from bots.worker.documents import PROTOCOL, SENT_BYTES, UploadedProgram, decision_of, spec_of
from bots.worker.live import LiveDecision, advices
from bots.worker.play import Play, PlayedMatch, played
from esr_platform.heartbeats import Heartbeat, LeaseLost, NotReached, beating
from games.rules import Document

logger = logging.getLogger(__name__)

_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
KINDS: Final = ("live", "validations", "rechecks", "matches")
"""All kinds of work, of which a host gets those that its token allows."""

CODE_S: Final = 120.0
"""How long a host takes at most to fetch the code of a game. Its bots have the time of the game in addition."""

_LEVEL: Final = 1
"""Of zlib: a result is small, and is sent once."""


class Stopping(BaseException):
    """The process was asked to stop. It is raised where the match that it plays can be given back."""


class CodeNotHere(Exception):
    """The code of a seat could not be fetched, or is damaged."""


class HostProcess:
    """Process number ``slot`` of a host, with the unpacked code of bots in ``cache``.

    It asks for work of ``kinds``. ``runner`` replaces the sandbox in games, and ``launcher`` at live tables. ``stop``
    asks it to end; call it from a signal handler.
    """

    def __init__(
        self,
        client: WorkClient,
        site: str,
        cache: Path,
        slot: int = 0,
        kinds: Sequence[str] = KINDS,
        runner: Play | None = None,
        launcher: Launcher[Any] | None = None,
    ) -> None:
        self._client, self._site, self._cache, self._slot, self._kinds = client, site, cache, slot, kinds
        self._runner, self._launcher = runner, launcher
        self._stopping, self._interruptible, self._said = False, False, ""
        self._backoff = Backoff()
        self._sandbox: tuple[SelfTest | None, Document] = None, {}

    def stop(self) -> None:
        """End as soon as the current work is given back or its result is brought. Raises ``Stopping`` in between."""
        self._stopping = True
        if self._interruptible:
            self._interruptible = False
            raise Stopping

    def run(self, most: int) -> int:
        """Do up to ``most`` pieces of work, while the parent process lives; how many. Raises ``TokenRefused``."""
        done, parent = 0, os.getppid()
        while done < most and not self._stopping and os.getppid() == parent:
            try:
                done += self.play_next()
            except Stopping:
                break
        return done

    def play_next(self) -> bool:
        """Ask for work and do it. Returns whether there was some. Raises ``TokenRefused`` and ``Stopping``."""
        assignment = self._asked()
        if assignment is None:
            return False
        lease = str(assignment["lease"])
        try:
            self._play(lease, assignment)
        except Stopping:
            self._give_up(lease, "returned", "the worker stops")
            raise
        except LeaseLost:
            logger.warning("%s: the lease was lost, the bots were ended", _named(lease))
        except CodeNotHere as missing:
            self._give_up(lease, "returned", str(missing))
        except NoCoreFree as failure:
            self._give_up(lease, "busy", str(failure))
        except PlatformFailure as failure:
            self._give_up(lease, "failed", str(failure))
        except TokenRefused:
            raise
        except (Problem, Unreachable) as problem:
            logger.warning("%s: result not stored: %s", _named(lease), problem)
        except Exception as error:  # the border of the worker: whatever it is, it is ours, and others may play
            logger.exception("%s failed", _named(lease))
            self._give_up(lease, "failed", f"internal error ({type(error).__name__}: {error})")
        return True

    # --- Asking --------------------------------------------------------------------------------------------------

    def _asked(self) -> Document | None:
        """The next assignment; ``None`` after a pause, if there is none now or the site refuses to give one."""
        asked = self._said_to_the_site()
        self._interruptible = True
        try:
            response = self._client.ask(asked)
            self._say(str(response.get("notice") or ""))
            self._backoff.reset()
            assignment: Document | None = response.get("assignment")
            return assignment
        except TokenRefused:
            raise
        except ClientError as failure:
            self._say(str(failure))
            time.sleep(self._backoff.next_s(getattr(failure, "retry_after_s", None)))
            return None
        finally:
            self._interruptible = False

    def _say(self, notice: str) -> None:
        """Log what the site says, once."""
        if notice and notice != self._said:
            logger.warning("%s", notice)
        elif self._said and not notice:
            logger.info("The site gives work again.")
        self._said = notice

    def _said_to_the_site(self) -> Document:
        return {
            "release": games.__version__,
            "protocol": PROTOCOL,
            "clock": time.time(),
            "slot": self._slot,
            "kinds": list(self._kinds),
            **self._abilities(),
        }

    def _abilities(self) -> Document:
        """What this host can play, by the last self-test of its sandbox (``bots.sandbox.proof``)."""
        test = self_test()
        if test != self._sandbox[0]:
            report = sandbox_document(test)
            if not report["rated"]:
                logger.warning("not all uploaded bots can play here: %s %s", report["problem"], report["remedy"])
            abilities = {
                "uploads": report["ok"],
                "rated": report["rated"],
                "languages": sorted(report["languages"]),
                "libraries": sorted(report["libraries"]),
                "problem": report["problem"][:1000],
            }
            self._sandbox = test, abilities
        return self._sandbox[1]

    # --- Playing -------------------------------------------------------------------------------------------------

    def _play(self, lease: str, assignment: Document) -> None:
        began_s, read = monotonic(), decision_of if assignment["kind"] == "live" else spec_of
        with self._renewed(lease, assignment)(lambda: None) as heart:  # code can be large
            task: Any = read(assignment, lambda program: self._stored(lease, program, heart))
        if monotonic() > began_s + 1.0 and not self._client.renew(lease):  # the next heartbeats count from now
            raise LeaseLost
        self._interruptible = True
        if isinstance(task, LiveDecision):
            ending = self._asked_bot(lease, assignment, task)
        else:
            renewed = self._renewed(lease, assignment, CODE_S + task.budget_ms / 1000)
            with played(task, renewed, self._site, self._runner) as match:
                self._interruptible = False
                ending = self._client.bring(lease, packed_trial(match) if task.trial else packed(match))
        logger.info("%s: %s after %.1f s", _named(lease), ending, monotonic() - began_s)

    def _asked_bot(self, lease: str, assignment: Document, decision: LiveDecision[Any]) -> str:
        with self._renewed(lease, assignment, inf)(lambda: None) as heart:  # the site limits its time
            results = advices(decision, self._site, self._launcher)
            self._interruptible = False
            if heart.lost:
                raise LeaseLost
            return self._client.bring(lease, packed_advices(results))

    def _renewed(
        self, lease: str, assignment: Document, longest_s: float = CODE_S
    ) -> Callable[[Callable[[], None]], AbstractContextManager[Heartbeat]]:
        """Renew a lease, but not for longer than ``longest_s``."""
        until_s = monotonic() + longest_s

        def beat() -> bool:
            try:
                return monotonic() < until_s and self._client.renew(lease)
            except ClientError as failure:
                raise NotReached(failure) from failure

        every_s, lasts_s = float(assignment["renew_every_s"]), float(assignment["lasts_s"]) - GIVEN_UP_BEFORE_S
        return lambda on_loss: beating(beat, _named(lease), every_s, lasts_s, on_loss)

    def _stored(self, lease: str, program: UploadedProgram, heart: Heartbeat) -> StoredProgram:
        """The program of a seat, whose code is fetched unless it is here. Raises ``CodeNotHere`` and ``LeaseLost``."""

        def fetched() -> Archive:
            try:
                archive = read_upload(program.filename, self._client.code(lease, program.digest), ANY_SIZE)
            except TokenRefused:
                raise
            except (ClientError, ArchiveRefused) as failure:
                raise CodeNotHere(f"the code of a seat was not received: {failure}") from failure
            if archive.digest != program.digest:
                raise CodeNotHere("the code of a seat was damaged on its way")
            return archive

        if not _DIGEST.match(program.digest):
            raise CodeNotHere("the digest of a seat is invalid")
        folder = unpacked_once(self._cache / "unpacked", program.digest, fetched)
        if heart.lost:
            raise LeaseLost
        return StoredProgram(program.digest, folder, program.entry, program.args)

    def _give_up(self, lease: str, code: str, reason: str) -> None:
        self._interruptible = False
        logger.warning("%s given back (%s): %s", _named(lease), code, reason)
        try:
            self._client.give_up(lease, code, reason)
        except TokenRefused:
            raise
        except ClientError as failure:
            logger.warning("%s not given back, its lease runs out: %s", _named(lease), failure)


def _named(lease: str) -> str:
    """The kind and the row of a lease, without its token."""
    return lease.rpartition("/")[0]


# --- Results ---------------------------------------------------------------------------------------------------------


def packed(match: PlayedMatch) -> bytes:
    """The document of a played match: its record, its report, and the logs of uploaded bots."""
    transcript = match.transcript
    logs = {} if transcript is None else {str(seat): logged(transcript.seats[seat]) for seat in transcript.kept}
    return _compressed({"record": match.report.record, "report": match.report.document(), "logs": logs})


def packed_trial(match: PlayedMatch) -> bytes:
    """The document of a game that validates an upload: its record, its report, and the lines of all seats."""
    assert match.transcript is not None
    lines = [
        {
            "hellos": [orjson.loads(hello) for hello in seat.hellos],
            "exchanges": [(orjson.loads(each.question), _start_of(each.answer)) for each in seat.exchanges],
        }
        for seat in match.transcript.seats
    ]
    report, wall_ms = match.report, round(1000 * match.wall_s)
    return _compressed({"record": report.record, "report": report.document(), "lines": lines, "wall_ms": wall_ms})


def packed_advices(results: Sequence[Advice]) -> bytes:
    """The document of a decision at a live table: the results of all processes, the last of which counts."""
    starts = []
    for advice in results:
        fault = None if advice.fault is None else {"reason": advice.fault.reason, "detail": advice.fault.detail}
        starts.append({**vars(advice), "fault": fault, "line": _start_of(advice.line)})
    return _compressed({"starts": starts})


def _start_of(line: bytes | None) -> str | None:
    return None if line is None else line[:SENT_BYTES].decode("latin-1")


def _compressed(document: Document) -> bytes:
    return zlib.compress(orjson.dumps(document), _LEVEL)
