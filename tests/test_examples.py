"""Every example in the readme and the documentation is run: Python by doctest, ``esr`` commands as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bots.cli.esr import main
from tests.examples import failures, pages

ROOT = Path(__file__).parents[1]
PAGES = pages(ROOT)
WITH_PYTHON = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]
WITH_COMMANDS = [page for page in PAGES if "```sh\nesr " in page.read_text(encoding="utf-8")]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", WITH_PYTHON, ids=named)
def test_the_python_on_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not failures(page)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=named)
def test_the_commands_on_a_page_work_in_their_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```sh\n(esr .*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            assert main(words[1:]) == 0, line
            assert capsys.readouterr().err == "", line


def test_the_pages_that_have_to_have_examples_have_some() -> None:
    names = {named(page) for page in WITH_PYTHON}
    modules = {"games", "records", "chance", "client", "protocol", "runner", "house-bots", "owner-log", "environments"}
    assert names >= {
        "README.md",
        *(f"docs/reference/python/{module}.md" for module in modules),
    }
    assert {named(page) for page in WITH_COMMANDS} >= {"README.md", "docs/reference/cli.md"}


@pytest.mark.parametrize(
    "example", [">>> 1 + 1\n3\n", ">>> 1 / 0\n", ">>> print('more')\n", ">>> import no_such_module\n"]
)
def test_an_example_that_is_wrong_is_found(tmp_path: Path, example: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n```python\n>>> right = 1\n{example}\n```\n", encoding="utf-8")
    assert failures(page) == 1
    assert "Failed example" in capsys.readouterr().out


def test_an_example_that_runs_into_the_end_of_its_block_is_found(tmp_path: Path) -> None:
    """Without an empty line before the fence doctest takes the fence for output; that must not pass unnoticed."""
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> print('x')\nx\n```\n", encoding="utf-8")
    assert failures(page) == 1
