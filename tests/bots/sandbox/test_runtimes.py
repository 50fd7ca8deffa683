"""Bots in JavaScript, Java and WebAssembly, as real processes in the sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import time_ns

import pytest

from bots.languages import LANGUAGES
from bots.protocol import Limits
from bots.runner import LocalProgram, MatchSpec, SeatSpec, Transcript, play_match
from bots.sandbox import SandboxLauncher, offers
from bots.sandbox.interpreter import LANGUAGES_VARIABLE
from bots.sandbox.root import root_folder
from bots.sandbox.runtime import runtime_folder
from bots.sandbox.status import version_inside
from bots.starter_kits import bot_files
from games.registry import GAMES
from tests.bots import wasm
from tests.bots.sandbox.programs import HONEST, duel, folder_of, program, stop
from tests.services.tools import missing

GREEDY = {
    "javascript": "const kept = []; while (true) kept.push(new Array(100000).fill(1));",
    "java": """
        public class Bot {
            public static void main(String[] arguments) {
                java.util.List<int[]> kept = new java.util.ArrayList<>();
                while (true) kept.add(new int[100000]);
            }
        }
    """,
}
THREADS = """
    public class Bot {
        public static void main(String[] arguments) {
            int count = 0;
            try {
                for (; count < 100; count++) new Thread(() -> { while (true) Thread.onSpinWait(); }).start();
            } catch (OutOfMemoryError full) {
                System.out.println(count);
                System.out.flush();
            }
            Runtime.getRuntime().halt(0);
        }
    }
"""


@pytest.fixture(autouse=True)
def _runtimes(sandbox_launcher: SandboxLauncher) -> None:
    """These tests need the sandbox and the runtimes."""
    offered = {offer.name for offer in offers()}
    for name, language in LANGUAGES.items():
        if name not in offered:
            assert language.runtime is not None
            missing(f"no runtime for {language.title}: install {language.runtime.package}")
    if shutil.which("javac") is None:
        missing("no compiler for Java: install default-jdk-headless")


def built(folder: Path) -> None:
    """Build the jar in a folder with sources."""
    sources = [path.name for path in folder.glob("*.java") if path.name != "BotTest.java"]
    for command in (
        ["javac", "--release", "17", "-d", "classes", *sources],
        ["jar", "--create", "--file", "bot.jar", "--main-class", "Bot", "-C", "classes", "."],
    ):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture(params=["javascript", "java"])
def language(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def kit(language: str) -> Iterator[LocalProgram]:
    """The starter kit of the duel, built."""
    files = bot_files("kit", GAMES["edel-stein-reich-duel"], language)
    with folder_of({}) as folder:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        if language == "java":
            built(folder)
        yield LocalProgram(folder, entry=LANGUAGES[language].entry)


def test_a_starter_kit_plays_without_a_fault(sandbox_launcher: SandboxLauncher, kit: LocalProgram) -> None:
    with program(HONEST) as python:
        report = duel(sandbox_launcher, kit, python)
    assert not report.forfeits
    assert not report.seats[0].strikes


def test_a_bot_is_told_the_start_limit_of_its_language(sandbox_launcher: SandboxLauncher, kit: LocalProgram) -> None:
    transcript = Transcript(2)
    with program(HONEST) as python:
        seats = SeatSpec("kit", kit), SeatSpec("python", python)
        play_match(MatchSpec("edel-stein-reich-duel", seats, bytes(32), Limits()), sandbox_launcher, transcript)
    factor = LANGUAGES["java"].start_factor if kit.entry.endswith(".jar") else 1
    told = [json.loads(seat.hellos[0])["limits"]["startup_ms"] for seat in transcript.seats]
    assert told == [3000 * factor, 3000]


def test_a_bot_that_fills_its_heap_ends_with_the_message_of_its_runtime(
    sandbox_launcher: SandboxLauncher, language: str
) -> None:
    entry = LANGUAGES[language].entry
    with folder_of({entry.replace("bot.jar", "Bot.java"): GREEDY[language]}) as folder:
        if language == "java":
            built(folder)
        status, stderr = stop(sandbox_launcher.start(LocalProgram(folder, entry=entry), Limits(memory_mb=256)), 20_000)
    assert status not in (0, -9)
    assert "memory" in stderr.lower()


def test_a_java_bot_gets_an_error_for_too_many_threads(sandbox_launcher: SandboxLauncher) -> None:
    with folder_of({"Bot.java": THREADS}) as folder:
        built(folder)
        status, stderr = stop(sandbox_launcher.start(LocalProgram(folder, entry="bot.jar"), Limits()), 20_000)
    assert status == 0
    assert "Failed to start" in stderr


@contextmanager
def wasm_program(module: bytes) -> Iterator[LocalProgram]:
    """A bot that is this module in WebAssembly."""
    with folder_of({}) as folder:
        (folder / "bot.wasm").write_bytes(module)
        yield LocalProgram(folder, entry="bot.wasm")


@pytest.mark.parametrize("text", [wasm.HONEST, wasm.UNBLOCKED], ids=["usual", "unblocked"])
def test_a_module_in_webassembly_plays_without_a_fault(sandbox_launcher: SandboxLauncher, text: str) -> None:
    with wasm_program(wasm.module(text)) as bot, program(HONEST) as python:
        report = duel(sandbox_launcher, bot, python)
    assert not report.forfeits
    assert not report.seats[0].strikes
    assert len(report.seats[0].decisions) > 5


def test_a_module_can_call_wasi_while_its_memory_grows(sandbox_launcher: SandboxLauncher) -> None:
    with wasm_program(wasm.module(wasm.CHATTY)) as bot:
        assert stop(sandbox_launcher.start(bot, Limits()), 60_000) == (0, "")


def test_a_module_has_clocks_random_bytes_and_an_exit_status(sandbox_launcher: SandboxLauncher) -> None:
    random = set()
    for _ in range(2):
        with wasm_program(wasm.module(wasm.CLOCKS_AND_RANDOM)) as bot:
            process = sandbox_launcher.start(bot, Limits())
            os.set_blocking(process.stdout, True)
            said = os.read(process.stdout, 100)
            assert stop(process, 20_000) == (7, "")
        now, monotonic, bits = (said[at : at + 8] for at in (0, 8, 16))
        assert abs(int.from_bytes(now, "little") - time_ns()) < 60 * 10**9
        assert int.from_bytes(monotonic, "little") > 0
        random.add(bits)
    assert len(random) == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (wasm.opening("bot.wasm"), 0),
        (wasm.opening("new", create=True), 69),  # read-only file system
        (wasm.opening("../usr/bin/node"), 44),  # not found, because the folder is the root
        (wasm.opening("/bot/bot.wasm"), 76),  # absolute
    ],
)
def test_a_module_can_only_read_the_folder_of_the_bot(sandbox_launcher: SandboxLauncher, text: str, error: int) -> None:
    with wasm_program(wasm.module(text)) as bot:
        assert stop(sandbox_launcher.start(bot, Limits()), 20_000) == (error, "")


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (wasm.module(wasm.GREEDY), "has 320 MiB"),
        (wasm.module("", memory_mb=321), "memory"),
        (wasm.module("(unreachable)"), "wasm-function"),
        (wasm.module("", start="_initialize"), "_start"),
        (wasm.module("")[:-1], "CompileError"),
    ],
    ids=["full", "large", "trap", "library", "damaged"],
)
def test_a_module_that_fails_ends_with_a_reason(sandbox_launcher: SandboxLauncher, module: bytes, text: str) -> None:
    with wasm_program(module) as bot:
        status, stderr = stop(sandbox_launcher.start(bot, Limits(memory_mb=512)), 20_000)
    assert status == 1
    assert text in stderr


def test_languages_with_the_same_program_share_its_root() -> None:
    roots = {root_folder(runtime_folder(), LANGUAGES[name]) for name in ("javascript", "wasm")}
    assert len(roots) == 1


def test_the_root_of_a_runtime_contains_no_other_programs(language: str) -> None:
    root = root_folder(runtime_folder(), LANGUAGES[language])
    programs = {path.name for path in root.rglob("*") if path.is_file() and path.stat().st_mode & 0o100}
    runtime = LANGUAGES[language].runtime
    assert runtime is not None
    assert runtime.program in programs
    assert not programs & {"sh", "bash", "env", "python3", "npm", "javac", "jar", "keytool"}
    assert not any(path.is_symlink() for path in root.rglob("*") if path.parent != root)


def test_only_the_languages_of_the_setting_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LANGUAGES_VARIABLE, "python, java")
    assert [offer.name for offer in offers()] == ["python", "java"]


def test_a_runtime_that_does_not_start_has_no_version() -> None:
    launcher = SandboxLauncher(runtime=runtime_folder())
    runtime = LANGUAGES["javascript"].runtime
    assert runtime is not None
    broken = replace(LANGUAGES["javascript"], runtime=replace(runtime, version=("--nonsense",)))
    assert version_inside(launcher, broken) == ""
