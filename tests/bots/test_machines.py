from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace

import pytest
from celery import current_app
from celery.signals import worker_process_init
from django.utils import timezone

from bots import machines
from bots.executables import LIBRARIES
from bots.machines import (
    Sandbox,
    installed_languages,
    offered_languages,
    offered_libraries,
    sandbox_state,
    tell,
    write_down,
)
from bots.models import Machine
from bots.sandbox import SelfTest
from bots.sandbox.proof import RETRY_S
from bots.sandbox.status import document
from esr_platform.supervisor import processes
from esr_platform.supervisor.processes import ProcessCommand

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("sandbox_launcher")
def test_a_machine_stores_its_self_test_and_the_time() -> None:
    assert sandbox_state() == Sandbox.UNKNOWN
    tell()
    machine = Machine.objects.get()
    assert machine.host == socket.gethostname()
    assert machine.sandbox["ok"]
    assert machine.sandbox["python"].startswith("3.")
    assert abs(machine.told - timezone.now()) < timedelta(minutes=1)
    assert sandbox_state() == Sandbox.HOLDS


def test_a_machine_stores_the_problem_of_its_sandbox() -> None:
    write_down(document(SelfTest(ok=False, problem="bubblewrap is not installed.", remedy="Install it.")))
    machine = Machine.objects.get()
    assert not machine.sandbox["ok"]
    assert (machine.sandbox["problem"], machine.sandbox["remedy"]) == ("bubblewrap is not installed.", "Install it.")
    assert sandbox_state() == Sandbox.FAILS


def test_a_repair_is_stored_when_it_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_known", SimpleNamespace(test=None, told_s=0.0))
    broken = SelfTest(ok=False, problem="bubblewrap is not installed.", remedy="Install it.")
    repaired = SelfTest(ok=True, rated=True)
    for test, state in ((broken, Sandbox.FAILS), (broken, Sandbox.FAILS), (repaired, Sandbox.HOLDS)):
        monkeypatch.setattr(machines, "self_test", lambda test=test: test)
        assert machines.current_test() == test
        assert sandbox_state() == state


def test_a_repeated_failure_of_the_self_test_is_stored_after_the_retry_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = SelfTest(ok=False, problem="bubblewrap is not installed.", remedy="Install it.")
    monkeypatch.setattr(machines, "self_test", lambda: broken)
    tell()
    assert not machines.one_may_be_repaired(), "it was tested just now"
    long_ago = timezone.now() - timedelta(minutes=5)
    Machine.objects.update(told=long_ago)
    assert machines.one_may_be_repaired()
    machines.current_test()
    assert Machine.objects.get().told == long_ago
    monkeypatch.setattr(machines._known, "told_s", machines._known.told_s - RETRY_S)
    machines.current_test()
    assert not machines.one_may_be_repaired()


@pytest.mark.parametrize(
    ("sandbox", "days", "may"),
    [
        ({"ok": False}, 0, True),
        ({"ok": True, "rated": False}, 0, True),
        ({"ok": True, "rated": True}, 0, False),
        ({"ok": False}, 2, False),
    ],
)
def test_only_a_machine_with_workers_can_be_repaired(sandbox: dict[str, bool], days: int, may: bool) -> None:
    reported = timezone.now() - timedelta(days=days, minutes=1)
    Machine.objects.create(host="a", sandbox=sandbox, told=reported)
    assert machines.one_may_be_repaired() == may


def test_a_machine_has_one_row_with_its_last_report() -> None:
    Machine.objects.create(host=socket.gethostname(), sandbox={"ok": False}, told=timezone.now() - timedelta(days=1))
    tell()
    assert Machine.objects.count() == 1
    assert abs(Machine.objects.get().told - timezone.now()) < timedelta(minutes=1)


def test_one_machine_with_a_sandbox_is_enough() -> None:
    Machine.objects.create(host="a", sandbox={"ok": False})
    Machine.objects.create(host="b", sandbox={"ok": True, "rated": True})
    assert sandbox_state() == Sandbox.HOLDS


def test_a_machine_that_is_gone_does_not_speak_for_those_that_are_left() -> None:
    long_ago = timezone.now() - timedelta(days=2)
    Machine.objects.create(host="gone", sandbox={"ok": True, "rated": True}, told=long_ago)
    assert sandbox_state() == Sandbox.HOLDS, "on an idle site no machine reports"
    Machine.objects.create(host="left", sandbox={"ok": True, "rated": False})
    assert sandbox_state() == Sandbox.UNRATED


def test_reports_of_older_versions_can_be_read() -> None:
    Machine.objects.create(host="a", sandbox={"ok": True})
    assert sandbox_state() == Sandbox.UNRATED


def test_a_machine_whose_bots_have_files_on_a_disk_plays_no_rated_games() -> None:
    Machine.objects.create(host="a", sandbox={"ok": False})
    write_down(document(SelfTest(ok=True, rated=False, problem="Files lie on a disk.", remedy="Use a tmpfs.")))
    assert sandbox_state() == Sandbox.UNRATED


@pytest.mark.parametrize(
    ("process", "tests"), [(processes.bots, 1), (processes.default, 0)], ids=["starts-bots", "starts-none"]
)
def test_processes_of_a_worker_test_their_sandbox_when_they_start_if_the_worker_starts_bots(
    monkeypatch: pytest.MonkeyPatch, process: Callable[[dict[str, str]], ProcessCommand], tests: int
) -> None:
    arguments = list(process({}).arguments)
    queues = arguments[arguments.index("--queues") + 1].split(",")
    told: list[object] = []
    monkeypatch.setattr(machines, "tell_beside", lambda: told.append(None))
    monkeypatch.setattr(current_app.amqp.queues, "_consume_from", dict.fromkeys(queues))
    worker_process_init.send(sender=None)
    assert len(told) == tests


def test_a_library_is_offered_where_every_machine_with_a_working_sandbox_has_it() -> None:
    assert offered_libraries() == set(LIBRARIES)
    Machine.objects.create(host="a", sandbox={"ok": True, "libraries": ["libc.so.6", "libgmp.so.10"]})
    Machine.objects.create(host="b", sandbox={"ok": True, "libraries": ["libc.so.6", "libm.so.6"]})
    Machine.objects.create(host="broken", sandbox={"ok": False, "libraries": []})
    Machine.objects.create(host="older", sandbox={"ok": True})
    assert offered_libraries() == {"libc.so.6"}


def test_a_language_is_offered_where_every_machine_with_a_working_sandbox_has_its_runtime() -> None:
    assert offered_languages() == {"python", "executable"}
    all_four = {"python": "3.11.2", "executable": "", "javascript": "20.19.0", "java": "17.0.15"}
    Machine.objects.create(host="a", sandbox={"ok": True, "python": "3.11.2", "numpy": "", "languages": all_four})
    assert offered_languages() == set(all_four)
    newer = {**all_four, "javascript": "22.1.0"}
    newer.pop("java")
    Machine.objects.create(host="b", sandbox={"ok": True, "python": "3.11.2", "numpy": "2.1", "languages": newer})
    Machine.objects.create(host="broken", sandbox={"ok": False, "languages": {}})
    assert [(each.language.name, each.version, each.numpy) for each in installed_languages()] == [
        ("python", "3.11.2", "2.1"), ("executable", "", ""), ("javascript", "20.19.0, 22.1.0", ""),
    ]  # fmt: skip
