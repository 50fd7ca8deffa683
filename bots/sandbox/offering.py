"""What a bot finds on this machine, language by language: versions as the sandboxed interpreter itself says them."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

import orjson

from bots.languages import LANGUAGES
from bots.protocol import Limits
from bots.runner.channel import PolledChannel
from bots.runner.failures import PlatformFailure
from bots.sandbox.code import Code
from bots.sandbox.interpreter import packages
from bots.sandbox.probing import PROBE, first_line
from bots.sandbox.proving import sandbox
from bots.sandbox.sandboxed import SandboxLauncher

logger = logging.getLogger(__name__)

_NUMERIC: Final = Code(PROBE, "numeric.py", (), "")


@dataclass(frozen=True)
class Offer:
    """A language and what there is of it here. ``memory_mb`` is the address space that is enforced, MiB.

    ``version`` is the interpreter's, empty for a language without one; ``numpy`` is empty where there is none. Both are
    empty, too, where there is no sandbox to ask in.
    """

    name: str
    title: str
    about: str
    version: str
    numpy: str
    memory_mb: int

    def document(self) -> dict[str, Any]:
        """The offer as JSON values."""
        return asdict(self)


def offers() -> tuple[Offer, ...]:
    """Every language that bots may be written in, as this machine has it. Asked once, in a sandbox that works."""
    launcher, test = sandbox()
    numpy = numpy_inside(launcher) if launcher is not None else ""
    memory_mb = Limits().memory_mb
    return tuple(
        Offer(
            each.name,
            each.title,
            each.about,
            test.python_version if each.is_interpreted else "",
            numpy if each.is_interpreted else "",
            memory_mb,
        )
        for each in LANGUAGES.values()
    )


@cache
def numpy_inside(launcher: SandboxLauncher) -> str:
    """The version of numpy that works inside the sandbox and its memory limit; empty where none does."""
    if not packages():
        return ""
    try:
        process = launcher.start_code(_NUMERIC, Limits())
    except PlatformFailure as failure:
        logger.warning("nobody knows whether bots have numpy: %s", failure)
        return ""
    channel = PolledChannel(process)
    try:
        channel.send(b"{}\n")
        found = _version(first_line(channel))
        process.stop()
    except PlatformFailure as failure:
        logger.warning("nobody knows whether bots have numpy: %s", failure)
        return ""
    finally:
        channel.close()
    if not found:
        logger.warning("bots have a numpy in %s that does not work: %s", packages(), channel.stderr_tail()[-500:])
    return found


def _version(line: bytes | None) -> str:
    try:
        document = orjson.loads(line or b"")
    except orjson.JSONDecodeError:
        return ""
    return str(document.get("numpy", "")) if isinstance(document, dict) else ""
