"""Does the sandbox hold here? A probe is started as every bot is, and only what it sees from inside is believed."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from bots.protocol import Limits
from bots.runner.failures import PlatformFailure
from bots.runner.polled import PolledChannel
from bots.sandbox import bubblewrap
from bots.sandbox.code import Code
from bots.sandbox.interpreter import bots_interpreter, environment
from bots.sandbox.limits import limit_values
from bots.sandbox.remedies import remedy
from bots.sandbox.sandboxed import SandboxLauncher

PROBE: Final = Path(__file__).resolve().parent / "probe"
_CODE: Final = Code(PROBE, "bot.py", (), "")
_LIMITS: Final = Limits()
_PATIENCE_NS: Final = 10_000_000_000
_SET_BY_BUBBLEWRAP: Final = {"PWD"}
_ROOT: Final = {"bin", "bot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "sbin", "tmp", "usr"}


@dataclass(frozen=True)
class SelfTest:
    """Whether uploaded code may run here; if not, ``problem`` and ``remedy`` are sentences for the site's operator."""

    ok: bool
    python_version: str = ""
    problem: str = ""
    remedy: str = ""


@cache
def sandbox() -> tuple[SandboxLauncher | None, SelfTest]:
    """The sandbox of this process and its self-test, done once; ``None`` where it did not pass."""
    try:
        launcher = SandboxLauncher()
    except PlatformFailure as failure:
        return None, SelfTest(ok=False, problem=f"{failure}.", remedy=remedy(str(failure)))
    test = prove(launcher)
    return (launcher if test.ok else None), test


def self_test() -> SelfTest:
    """The result of this process's self-test."""
    return sandbox()[1]


def prove(launcher: SandboxLauncher) -> SelfTest:
    """Start the probe through ``launcher`` and judge what it sees; only this makes the launcher take uploaded code."""
    launcher.proved = False
    try:
        findings, said = _probe(launcher)
    except PlatformFailure as failure:
        return SelfTest(ok=False, problem=f"The probe could not be started: {failure}.", remedy=remedy(str(failure)))
    if findings is None:
        problem = f"The probe did not answer from inside the sandbox: {said or 'no word from it'}."
        return SelfTest(ok=False, problem=problem, remedy=remedy(said))
    leaks = judge(findings)
    if leaks:
        problem = "The sandbox does not hold: " + "; ".join(leaks) + "."
        return SelfTest(ok=False, problem=problem, remedy=remedy(problem))
    launcher.proved = True
    return SelfTest(ok=True, python_version=str(findings["python"]))


def judge(findings: Mapping[str, Any]) -> list[str]:
    """What the probe saw or could do and should not; empty for a sandbox that holds."""
    return [*_judge_world(findings), *_judge_powers(findings)]


def _judge_world(seen: Mapping[str, Any]) -> list[str]:
    pid, *ids, groups = seen["ids"]
    stray = sorted(set(seen["root"]) - _ROOT - _prefix())
    checks = {
        "a file of the host can be read": seen["host_file"] != "ENOENT",
        "the probe is not alone in its process namespace": pid != 1,
        "the probe has another user or group": ids != [65534] * 4 or set(groups) - {65534},
        "the probe knows the name of the host": seen["host"] != "bot",
        f"the namespaces {', '.join(seen['shared_namespaces'])} are the host's": seen["shared_namespaces"],
        f"the root holds {', '.join(stray)}": stray,
        "/proc is there": seen["proc"],
        "/etc holds more than the linker's cache": set(seen["etc"]) - {"ld.so.cache"},
        "/dev holds other devices": set(seen["dev"]) - {"null", "random", "urandom"},
        "the environment is not the bots'": set(seen["environment"]) - _environment(),
        f"files can be made in {', '.join(seen['writable'])}": seen["writable"],
        "descriptors of the platform are open": seen["descriptors"] != [0, 1, 2],
    }
    return [sentence for sentence, wrong in checks.items() if wrong]


def _environment() -> set[str]:
    """The names that stand in the probe's environment."""
    return {*bubblewrap.ENVIRONMENT, *environment(_CODE), *_SET_BY_BUBBLEWRAP}


def _prefix() -> set[str]:
    """The one more name in the root that an interpreter outside ``/usr`` needs."""
    prefix = bots_interpreter().prefix
    return set() if prefix is None else {prefix.parts[1]}


def _judge_powers(seen: Mapping[str, Any]) -> list[str]:
    calls = seen["calls"]
    wanted = limit_values(_LIMITS)
    loose = [name for name, value in wanted.items() if seen["limits"].get(name) != [value, value]]
    refused = [name for name in ("unshare", "ptrace", "memfd_create", "die_with_parent_off") if calls[name] == "done"]
    checks = {
        "there is a way to the network": seen["internet"] == "done" or seen["netlink"] == "done",
        "other processes can be made": seen["fork"] == "done",
        f"the limits {', '.join(loose)} do not hold": loose,
        f"the calls {', '.join(refused)} are allowed": refused,
        "there is no seccomp filter": calls["seccomp_mode"] != 2,
        "new privileges can be had": calls["no_new_privileges"] != 1,
    }
    return [sentence for sentence, wrong in checks.items() if wrong]


def _probe(launcher: SandboxLauncher) -> tuple[dict[str, Any] | None, str]:
    """What the probe found, and what was said on stderr. Raises ``PlatformFailure`` if it was never begun."""
    seed = secrets.token_hex(32)
    with tempfile.NamedTemporaryFile(prefix="esr-host-file-") as host_file:
        os.fchmod(host_file.fileno(), 0o644)
        process = launcher.start_code(_CODE, _LIMITS)
        channel = PolledChannel(process)
        failed = ""
        channel.send(orjson.dumps({"seed": seed, "host_file": host_file.name}, option=orjson.OPT_APPEND_NEWLINE))
        line = first_line(channel)
        shared = _shared_namespaces(process.pid)
        try:
            process.stop()
        except PlatformFailure as failure:
            line, failed = None, f"{failure}: "
        finally:
            channel.close()
    findings = _findings(line, seed)
    if findings is not None:
        findings["shared_namespaces"] = shared
    return findings, failed + channel.stderr_tail()[-500:].strip()


def _shared_namespaces(pid: int) -> list[str]:
    """The namespaces that ``pid`` has in common with us: the one thing no probe can see from inside.

    Where a container keeps us from looking, there is nothing to say.
    """
    shared = []
    for name in ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"):
        with suppress(OSError):
            if os.readlink(f"/proc/{pid}/ns/{name}") == os.readlink(f"/proc/self/ns/{name}"):
                shared.append(name)
    return shared


def _findings(line: bytes | None, seed: str) -> dict[str, Any] | None:
    """The probe's findings, if the line is the probe's and answers this very start."""
    try:
        document = orjson.loads(line or b"")
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict) or document.get("seed") != seed:
        return None
    findings = document.get("findings")
    return findings if isinstance(findings, dict) else None


def first_line(channel: PolledChannel) -> bytes | None:
    """The first line that comes from a probe, ``None`` if none does in time."""
    deadline_ns = time.perf_counter_ns() + _PATIENCE_NS
    while not channel.lines and not channel.ended:
        left_ns = deadline_ns - time.perf_counter_ns()
        if left_ns <= 0:
            return None
        channel.take(channel.wait(left_ns))
    return channel.lines[0] if channel.lines else None
