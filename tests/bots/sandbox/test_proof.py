from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import PlatformFailure, StoredProgram
from bots.sandbox import SandboxLauncher, library
from bots.sandbox.interpreter import environment
from bots.sandbox.leases import SandboxSeat
from bots.sandbox.limits import as_user, limit_values
from bots.sandbox.observation import CODE, LIMITS, Outside, look_as_a_bot, look_from_outside, look_without_a_filter
from bots.sandbox.proof import PropertyCheck, hidden_places, judge_from_outside, judge_walls, judge_world, prove
from bots.sandbox.root import bots_library, root_folder
from bots.sandbox.runtime import is_in_memory, runtime_folder
from bots.sandbox.sandbox_launcher import find_bubblewrap
from tests.bots.sandbox.programs import folder_of
from tests.services.ports import wait_until

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts bots as somebody else")
DOES_NOTHING = "#!/bin/sh\nexit 0\n"
PRETENDS = """#!/usr/bin/python3
import os, sys
descriptor = int(sys.argv[sys.argv.index("--args") + 1])
words = os.read(descriptor, 65536).decode().split("\\0")
status = int(words[words.index("--json-status-fd") + 1])
child = os.fork()
if child == 0:
    os.chdir(words[words.index("/bot") - 1])
    command = sys.argv[sys.argv.index("--") + 1:]
    os.execv(command[0], command)
os.write(status, b'{"child-pid": %d}\\n' % child)
os.waitpid(child, 0)
os.write(status, b'{"exit-code": 0}\\n')
"""
ANSWERS_ITSELF = """#!/usr/bin/python3
import os, sys
descriptor = int(sys.argv[sys.argv.index("--args") + 1])
words = os.read(descriptor, 65536).decode().split("\\0")
os.write(int(words[words.index("--json-status-fd") + 1]), b'{"child-pid": %d}\\n' % os.getpid())
print('{"type": "begun"}\\n{"type": "ready", "findings": {}}', flush=True)
sys.stdin.read()
"""
OTHERWISE = """#!/usr/bin/python3
import os, sys

def pipe(data):
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    os.write(writing, data)
    os.close(writing)
    return str(reading)

descriptor = int(sys.argv[sys.argv.index("--args") + 1])
words = os.read(descriptor, 65536).decode().split("\\0")
os.close(descriptor)
{change}
os.execv("{real}", ["bwrap", "--args", pipe("\\0".join(words).encode()), *sys.argv[sys.argv.index("--"):]])
"""
DROPPED = {
    "--unshare-ipc": "the namespaces ipc are shared",
    "--unshare-net": "the namespaces net are shared",
    "--unshare-cgroup": "the namespaces cgroup are shared",
    "--unshare-user": "could not start",
    "--unshare-pid": "could not start",
    "--unshare-uts": "could not start",
    "--disable-userns": "user namespaces can be created",
    "--uid 65534": "another user or group",
    "--gid 65534": "another user or group",
    "--hostname bot": "the name of the host",
    "--die-with-parent": "outlives its parent",
    "--new-session": "shares a session",
    "--as-pid-1": "not alone in its process namespace",
    "--clearenv": "the environment has other variables",
    "--ro-bind ROOT /": "did not answer",
    "--dev-bind /dev/null /dev/null": "/dev has other devices",
    "--chdir /bot": "did not answer",
    "--setenv HOME /bot": "the environment has other variables",
    "--json-status-fd *": "could not start",
    "--block-fd *": "started before its limits were set",
    "--seccomp *": "no seccomp filter is active",
}
ADDED = {
    "--bind /usr /usr": "these mounts are writable: /usr",
    "--ro-bind /etc /etc": "/etc has other files",
    "--dev-bind /dev /dev": "/dev has other devices",
    "--tmpfs /tmp": "files can be created in /tmp",
    "--tmpfs /": "did not answer",
    "--setenv SECRET 1": "the environment has other variables",
}


@contextmanager
def bubblewrap_that(change: str) -> Iterator[SandboxLauncher]:
    """A launcher whose bubblewrap is asked for something else: ``change`` is Python that edits ``words``."""
    with folder_of({"bwrap": OTHERWISE.format(change=change, real=find_bubblewrap())}) as folder:
        yield SandboxLauncher(bwrap=folder / "bwrap")


def without(option: str) -> str:
    """Python that takes an option away, and closes the descriptor that it may have named."""
    name, *arguments = option.replace("ROOT", str(root_folder(runtime_folder()))).split()
    if arguments == ["*"]:
        return f"at = words.index({name!r})\nos.close(int(words[at + 1]))\ndel words[at:at + 2]"
    wanted = [name, *arguments]
    return (
        f"wanted = {wanted!r}\n"
        "at = next(at for at in range(len(words)) if words[at:at + len(wanted)] == wanted)\n"
        "del words[at:at + len(wanted)]"
    )


def test_the_sandbox_of_this_machine_passes_its_self_test(sandbox_launcher: SandboxLauncher) -> None:
    test = prove(sandbox_launcher)
    assert test.ok, test.problem
    assert test.python_version.startswith("3.")
    assert sandbox_launcher.proved
    assert len(test.checks) > 30
    assert all(check.ok for check in test.checks)


def probe_files() -> set[Path]:
    """The files that probes of this host have made and not removed."""
    return {path for place in ("/tmp", "/var/tmp", "/dev/shm") for path in Path(place).glob("esr-probe-*")}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (DOES_NOTHING, "could not start"),
        (PRETENDS, "is not secure: a host file is readable"),
        (ANSWERS_ITSELF, "did not answer from inside"),
    ],
    ids=["does nothing", "runs the program as it is", "answers for the probe"],
)
def test_a_fake_bubblewrap_is_detected(script: str, message: str) -> None:
    there = probe_files()
    with folder_of({"bwrap": script}) as folder:
        launcher = SandboxLauncher(bwrap=folder / "bwrap")
        test = prove(launcher)
        assert not test.ok
        assert message in test.problem
        assert test.remedy
        assert not launcher.proved
        wait_until(lambda: not probe_files() - there, "no file is left")
        with pytest.raises(PlatformFailure, match="self-test"):
            launcher.start(StoredProgram("0" * 64, folder, "bwrap"), Limits())


@pytest.mark.parametrize(("option", "message"), DROPPED.items())
@pytest.mark.usefixtures("sandbox_launcher")
def test_a_bubblewrap_that_silently_drops_an_option_is_detected(option: str, message: str) -> None:
    with bubblewrap_that(without(option)) as launcher:
        test = prove(launcher)
    assert not test.ok
    assert message in test.problem
    assert test.remedy


@pytest.mark.parametrize(("option", "message"), ADDED.items())
@pytest.mark.usefixtures("sandbox_launcher")
def test_a_bubblewrap_that_permits_more_is_detected(option: str, message: str) -> None:
    with bubblewrap_that(f"at = words.index('--chdir')\nwords[at:at] = {option.split()!r}") as launcher:
        test = prove(launcher)
    assert not test.ok
    assert message in test.problem


@pytest.mark.usefixtures("sandbox_launcher")
def test_capabilities_are_gone_even_where_bubblewrap_forgets_to_drop_them() -> None:
    with bubblewrap_that(without("--cap-drop ALL")) as launcher:
        assert prove(launcher).ok


@pytest.mark.usefixtures("sandbox_launcher")
def test_a_filter_that_lets_everything_through_is_found_out() -> None:
    allow = r"at = words.index('--seccomp')\nos.close(int(words[at + 1]))\n".replace("\\n", "\n")
    allow += r"words[at + 1] = pipe(b'\x06\0\0\0\0\0\xff\x7f')".replace("\\\\", "\\")
    with bubblewrap_that(allow) as launcher:
        test = prove(launcher)
    assert "processes can be created" in test.problem
    assert "memfd_create" in test.problem


class Unlimited(SandboxLauncher):
    """Changes the user and sets no limits."""

    def _command(self, lease: SandboxSeat, limits: Limits) -> list[str]:
        assert lease.uid is not None
        words = as_user(lease.uid, Limits())
        return [*words[words.index("--") + 1 :], str(self._bwrap)]


class SameUser(SandboxLauncher):
    """Sets the limits and does not change the user."""

    def _command(self, lease: SandboxSeat, limits: Limits) -> list[str]:
        assert lease.uid is not None
        words = as_user(lease.uid, limits)
        return [*words[: words.index("--") + 1], str(self._bwrap)]


@root_only
@pytest.mark.usefixtures("sandbox_launcher")
def test_limits_that_are_not_set_are_found_out() -> None:
    test = prove(Unlimited())
    assert "the limits " in test.problem
    assert "FSIZE" in test.problem


@root_only
@pytest.mark.usefixtures("sandbox_launcher")
def test_a_user_that_is_root_outside_is_found_out() -> None:
    test = prove(SameUser())
    assert "the probe is root outside" in test.problem
    assert "threads can be created" in test.problem


@pytest.mark.usefixtures("sandbox_launcher")
def test_a_platform_that_bots_could_read_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    library = bots_library() / "json"
    monkeypatch.setenv("VAR_DIR", str(library))
    test = prove(SandboxLauncher())
    assert f"bots can look into {library}" in test.problem
    assert "VAR_DIR" in test.remedy


def test_a_failure_of_bubblewrap_has_its_message_and_a_remedy() -> None:
    script = "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
    with folder_of({"bwrap": script}) as folder:
        test = prove(SandboxLauncher(bwrap=folder / "bwrap"))
    assert "setting up uid map: Permission denied" in test.problem
    assert "namespaces" in test.remedy


def test_no_bubblewrap_at_all_says_how_to_install_it() -> None:
    with pytest.raises(PlatformFailure, match="not installed"):
        find_bubblewrap(("/nonexistent",))


@pytest.fixture(scope="module")
def seen(sandbox_launcher: SandboxLauncher) -> tuple[dict[str, Any], Outside]:
    return look_as_a_bot(sandbox_launcher, list(hidden_places()))


@pytest.fixture(scope="module")
def walls(sandbox_launcher: SandboxLauncher) -> dict[str, Any]:
    return look_without_a_filter(sandbox_launcher)


def wrong(checks: Iterator[PropertyCheck]) -> list[str]:
    return [check.problem for check in checks if not check.ok]


WORLD: dict[str, dict[str, Any]] = {
    "the file of the host": {"host_file": "done"},
    "the platform": {"hidden": {"/srv/esr": ["manage.py"]}},
    "another process": {"ids": [2, 65534, 65534, 65534, 65534, []]},
    "root": {"ids": [1, 0, 0, 65534, 65534, []]},
    "a group": {"ids": [1, 65534, 65534, 65534, 65534, [65534, 27]]},
    "a session": {"session": [0, 0, 0]},
    "the host's name": {"host": "server"},
    "another place": {"here": "/"},
    "proc": {"proc": ["1"]},
    "passwd": {"etc": ["ld.so.cache", "passwd"]},
    "a device": {"dev": ["null", "random", "shm", "urandom"]},
    "a file for a time": {"tmp": ["x"]},
    "the environment": {"environment": {"SECRET_KEY": "x"}},
    "a writable folder": {"writable": ["/tmp"]},
    "a descriptor": {"descriptors": [0, 1, 2, 7]},
    "the internet": {"sockets": [2, 10]},
    "a fork": {"fork": "done"},
    "threads": {"threads": 41},
    "no limits": {"limits": {}},
    "system calls": {"calls": {"unshare": "done"}},
    "system calls that are known": {"calls": {"bpf": "EPERM"}},
    "no filter": {"seccomp_mode": 0},
    "privileges": {"no_new_privileges": 0},
}
WALLS: dict[str, dict[str, Any]] = {
    "namespaces": {"new_namespace": "done"},
    "a long life": {"death_signal": 0},
    "capabilities": {"capabilities": 1 << 21},
    "capabilities to come": {"bounding_set": [21]},
    "mounts": {"mount": "done"},
    "higher limits": {"raised": "done"},
    "a root that can be written": {"read_only": ["/usr", "/bot", "/etc/ld.so.cache"]},
    "an interface": {"interfaces": ["lo", "eth0"]},
    "the host's ports": {"host_port": "done"},
    "the host's sockets": {"host_socket": "done"},
    "the host's memory": {"host_memory": "done"},
    "processes": {"processes": 41},
}


@pytest.mark.parametrize("change", WORLD.values(), ids=WORLD.keys())
def test_each_thing_that_a_bot_should_not_see_is_named(
    seen: tuple[dict[str, Any], Outside], change: dict[str, Any]
) -> None:
    world, variables = seen[0], {**seen[0]["environment"], **environment(library.PLACE)}
    variables.pop("PWD")
    root = root_folder(runtime_folder())
    assert wrong(judge_world(world, root, limit_values(LIMITS), variables)) == []
    assert len(wrong(judge_world({**world, **change}, root, limit_values(LIMITS), variables))) == 1


@pytest.mark.parametrize("change", WALLS.values(), ids=WALLS.keys())
def test_each_wall_that_does_not_stand_by_itself_is_named(walls: dict[str, Any], change: dict[str, Any]) -> None:
    assert wrong(judge_walls(walls)) == []
    assert len(wrong(judge_walls({**walls, **change}))) == 1


def test_a_finished_probe_does_not_count_as_isolated() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        assert look_from_outside(process.pid, held=True) is None


def test_faults_that_only_the_host_sees_are_named(seen: tuple[dict[str, Any], Outside]) -> None:
    assert seen[1] == Outside([], is_root=False, held=True, on_disk=[])
    folders = (root_folder(runtime_folder()),)
    for change in ({"shared_namespaces": ["net"]}, {"is_root": True}, {"held": False}, {"on_disk": ["/usr"]}):
        outside = replace(seen[1], **change)  # type: ignore[arg-type]
        assert len(wrong(judge_from_outside(outside, folders))) == 1


@pytest.mark.skipif(not is_in_memory(Path("/dev/shm")), reason="this machine has no tmpfs for programs")
@pytest.mark.usefixtures("sandbox_launcher")
def test_holes_in_the_copy_of_a_bot_are_found_out() -> None:
    with folder_of({}, parent="/dev/shm") as folder:
        launcher = SandboxLauncher(runtime=folder / "runtime")
        with (launcher.copy_of(CODE) / "data").open("w") as file:
            file.truncate(1 << 20)
        test = prove(launcher)
    assert not test.ok
    assert "sparse" in test.problem
