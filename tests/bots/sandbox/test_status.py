from __future__ import annotations

import orjson

from bots.sandbox import SandboxLauncher
from bots.sandbox.proving import SelfTest, self_test
from bots.sandbox.status import document, status


def test_a_sandbox_that_holds_says_what_it_is_made_of(sandbox_launcher: SandboxLauncher) -> None:
    assert sandbox_launcher.proved
    found = status()
    assert found["ok"]
    assert (found["problem"], found["remedy"]) == ("", "")
    assert found["python"] == self_test().python_version
    assert found["kernel"]
    assert found["bubblewrap"][0].isdigit()
    assert {"name": "There is no /proc.", "problem": ""} in found["checks"]
    assert orjson.loads(orjson.dumps(found)) == found


def test_a_sandbox_that_fails_says_what_to_do() -> None:
    found = document(SelfTest(ok=False, problem="It does not hold.", remedy="Mend it."))
    assert not found["ok"]
    assert (found["problem"], found["remedy"], found["python"]) == ("It does not hold.", "Mend it.", "")
