"""Programs in languages that are compiled, built here and uploaded like anybody's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bots.languages import LANGUAGES
from bots.sandbox import SandboxLauncher
from bots.uploads.upload import upload_new_bot
from esr_platform.accounts.models import User
from games.registry import GAMES
from tests.bots.uploads.brought import check, zipped
from tests.services.tools import compiler_fault

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SOURCES = Path(__file__).parent / "compiled"
BUILDS = {
    "C": ["gcc", "-O2", "-o", "{out}", "bot.c"],
    "C, linked statically": ["gcc", "-O2", "-static", "-o", "{out}", "bot.c"],
    "Rust": ["rustc", "--edition", "2021", "-o", "{out}", "bot.rs"],
}
SMALLEST = {".c": "int main(void) { return 0; }\n", ".rs": "fn main() {}\n"}
MANIFEST = 'language = "executable"\ncommand = ["bot", "--level", "3"]\n'


@pytest.mark.parametrize("language", BUILDS)
def test_a_compiled_program_is_ready_at_every_table(
    ada: User, sandbox_launcher: SandboxLauncher, tmp_path: Path, language: str
) -> None:
    source = Path(BUILDS[language][-1])
    fault = compiler_fault(tuple(BUILDS[language]), source.name, SMALLEST[source.suffix])
    if fault is not None:
        pytest.skip(f"{BUILDS[language][0]} cannot build a program on this machine: {fault}")
    out = tmp_path / "bot"
    build = [word.format(out=out) for word in BUILDS[language]]
    built = subprocess.run(build, cwd=SOURCES, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    version = upload_new_bot(ada, language, "bot.zip", zipped(bot=out.read_bytes(), bot__toml=MANIFEST))
    assert (version.language, version.command) == (LANGUAGES["executable"].name, ["bot", "--level", "3"])
    done = check(version.pk, sandbox_launcher)
    assert done is not None
    assert (done.state, done.reason) == ("ready", "")
    assert len((done.validation_report or {})["formats"]) == sum(len(game.seat_counts) for game in GAMES.values())
