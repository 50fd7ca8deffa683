from __future__ import annotations

from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import PlatformFailure, StoredProgram
from bots.sandbox import SandboxLauncher, proving
from bots.sandbox.proving import judge, prove
from bots.sandbox.sandboxed import find_bubblewrap
from tests.bots.sandbox.programs import folder_of

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
print('{"type": "ready", "findings": {}}', flush=True)
sys.stdin.read()
"""
LEAVES_OUT = """#!/usr/bin/python3
import os, sys
descriptor = int(sys.argv[sys.argv.index("--args") + 1])
words = os.read(descriptor, 65536).split(b"\\0")
os.close(descriptor)
words.remove(b"%s")
reading, writing = os.pipe()
os.set_inheritable(reading, True)
os.write(writing, b"\\0".join(words))
os.close(writing)
os.execv("%s", ["bwrap", "--args", str(reading), *sys.argv[sys.argv.index("--"):]])
"""


def test_the_sandbox_of_this_machine_holds(sandbox_launcher: SandboxLauncher) -> None:
    test = prove(sandbox_launcher)
    assert test.ok, test.problem
    assert test.python_version.startswith("3.")
    assert sandbox_launcher.proved


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (DOES_NOTHING, "could not be started"),
        (PRETENDS, "does not hold: a file of the host can be read"),
        (ANSWERS_ITSELF, "did not answer from inside"),
    ],
    ids=["does nothing", "runs the program as it is", "answers for the probe"],
)
def test_a_bubblewrap_that_is_none_is_found_out(script: str, said: str) -> None:
    with folder_of({"bwrap": script}) as folder:
        launcher = SandboxLauncher(bwrap=folder / "bwrap")
        test = prove(launcher)
        assert not test.ok
        assert said in test.problem
        assert test.remedy
        assert not launcher.proved
        with pytest.raises(PlatformFailure, match="self-test"):
            launcher.start(StoredProgram("0" * 64, folder, "bwrap"), Limits())


@pytest.mark.parametrize("namespace", ["net", "ipc", "cgroup"])
@pytest.mark.usefixtures("sandbox_launcher")
def test_a_namespace_that_is_the_hosts_is_found_out(namespace: str) -> None:
    with folder_of({"bwrap": LEAVES_OUT % (f"--unshare-{namespace}", find_bubblewrap())}) as folder:
        test = prove(SandboxLauncher(bwrap=folder / "bwrap"))
    assert not test.ok
    assert f"the namespaces {namespace} are the host's" in test.problem


def test_a_failure_of_bubblewrap_is_told_with_its_own_words_and_a_remedy() -> None:
    script = "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
    with folder_of({"bwrap": script}) as folder:
        test = prove(SandboxLauncher(bwrap=folder / "bwrap"))
    assert "setting up uid map: Permission denied" in test.problem
    assert "namespaces" in test.remedy


def test_no_bubblewrap_at_all_says_how_to_install_it() -> None:
    with pytest.raises(PlatformFailure, match="not installed"):
        find_bubblewrap(("/nonexistent",))


@pytest.fixture(scope="module")
def seen(sandbox_launcher: SandboxLauncher) -> dict[str, Any]:
    findings, said = proving._probe(sandbox_launcher)
    assert findings is not None, said
    return findings


CHANGED: dict[str, dict[str, Any]] = {
    "the file of the host": {"host_file": "done"},
    "another process": {"ids": [2, 65534, 65534, 65534, 65534, []]},
    "root": {"ids": [1, 0, 0, 65534, 65534, []]},
    "a group": {"ids": [1, 65534, 65534, 65534, 65534, [65534, 27]]},
    "the host's name": {"host": "server"},
    "more in the root": {"root": ["bin", "bot", "home", "usr"]},
    "proc": {"proc": True},
    "passwd": {"etc": ["ld.so.cache", "passwd"]},
    "a device": {"dev": ["null", "shm"]},
    "the environment": {"environment": ["PATH", "SECRET_KEY"]},
    "a writable folder": {"writable": ["/tmp"]},
    "a descriptor": {"descriptors": [0, 1, 2, 7]},
    "the internet": {"internet": "done"},
    "netlink": {"netlink": "done"},
    "a fork": {"fork": "done"},
    "no limits": {"limits": {}},
    "system calls": {"calls": {"unshare": "done"}},
    "no filter": {"calls": {"seccomp_mode": 0}},
    "privileges": {"calls": {"no_new_privileges": 0}},
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_each_thing_that_should_not_be_there_is_named(seen: dict[str, Any], change: dict[str, Any]) -> None:
    assert judge(seen) == []
    changed = {**seen, **change}
    if "calls" in change:
        changed["calls"] = {**seen["calls"], **change["calls"]}
    assert len(judge(changed)) == 1
