from __future__ import annotations

import subprocess
import sys
from time import monotonic

import orjson
import pytest

from bots.sandbox import SandboxLauncher, proof
from bots.sandbox.proof import RETRY_S, SelfTest, sandbox, self_test
from bots.sandbox.runtime import VARIABLE
from bots.sandbox.status import document, status


def test_the_status_of_a_working_sandbox_lists_its_versions(sandbox_launcher: SandboxLauncher) -> None:
    assert sandbox_launcher.proved
    report = status()
    assert report["ok"]
    assert (report["problem"], report["remedy"]) == ("", "")
    assert report["python"] == self_test().python_version
    assert report["kernel"]
    assert report["bubblewrap"][0].isdigit()
    assert {"name": "/proc does not exist.", "problem": ""} in report["checks"]
    assert {"libc.so.6", "libm.so.6", "libstdc++.so.6"} <= set(report["libraries"])
    assert not any("cpython" in name or "cache" in name for name in report["libraries"])
    assert orjson.loads(orjson.dumps(report)) == report


def test_a_sandbox_that_fails_says_what_to_do() -> None:
    report = document(SelfTest(ok=False, problem="It does not hold.", remedy="Mend it."))
    assert not report["ok"]
    assert (report["problem"], report["remedy"], report["python"]) == ("It does not hold.", "Mend it.", "")


REPAIRED = """
from bots.runner import PlatformFailure
from bots.sandbox import launcher_for_ladder, offers, proof, self_test

def broken():
    raise PlatformFailure("bubblewrap is not installed")

whole, proof.SandboxLauncher = proof.SandboxLauncher, broken
told = []
for repaired, retry_s in ((False, 0), (True, 3600), (True, 0), (False, 0)):
    proof.SandboxLauncher = whole if repaired else broken
    proof.RETRY_S = retry_s
    told.append((self_test().ok, type(launcher_for_ladder()).__name__, bool(offers()[0].version)))
print(told)
"""


@pytest.mark.usefixtures("sandbox_launcher")
def test_a_sandbox_that_was_repaired_is_noticed_and_one_that_has_passed_is_not_tested_again() -> None:
    output = subprocess.run([sys.executable, "-c", REPAIRED], capture_output=True, text=True, check=True).stdout
    broken, whole = (False, "HouseOnlyLauncher", False), (True, "SandboxLauncher", True)
    assert output.strip() == str([broken, broken, whole, whole])


def test_a_runtime_folder_that_cannot_be_made_any_longer_repairs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tested = proof._Tested(None, SelfTest(ok=True), monotonic() - 2 * RETRY_S)
    monkeypatch.setattr(proof, "_sandbox", lambda: tested)
    monkeypatch.setenv(VARIABLE, "/proc/nowhere")
    assert sandbox() == (None, tested.test)
