"""Run the examples of the README and the documentation.

Python blocks run by doctest. ``sh`` blocks that begin with ``esr`` run in the order of the page. ``shellsession``
blocks also contain the output of each ``$ esr`` command; their other commands do not run.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.cli.esr import main
from tests.accelerator import accelerator
from tests.examples import failures, pages

ROOT = Path(__file__).parents[1]
PAGES = pages(ROOT)
WITH_PYTHON = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]
TIMES = re.compile(r"\d+\.\d+(?= ms\b|$)")
"""Times in outputs: ``4.9 ms``, and the last column of the table of ``esr play``. They differ in every run."""


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands(text: str) -> Iterator[tuple[str, list[str] | None]]:
    """Yield each ``esr`` command of a page with the lines of its output, or ``None`` if the page does not show them."""
    for kind, block in re.findall(r"^```(sh|shellsession)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        if kind == "sh" and block.startswith("esr "):
            yield from ((line, None) for line in block.splitlines())
        for session in block.split("$ ")[1:] if kind == "shellsession" else ():
            command, *output = session.splitlines()
            if command.startswith("esr "):
                yield command, without_times(output)


def without_times(lines: list[str]) -> list[str]:
    """The lines without empty ones, times and the widths of columns."""
    plain = (re.sub(r"─+", "─", re.sub(r"\s+", " ", line)).strip() for line in lines)
    return [TIMES.sub("TIME", line) for line in plain if line]


__all__ = ["accelerator"]

WITH_COMMANDS = [page for page in PAGES if list(commands(page.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=named)
def test_the_python_examples_of_a_page_have_the_shown_results(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not failures(page)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=named)
def test_the_commands_of_a_page_succeed_in_their_order_with_the_shown_output(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for line, output in commands(page.read_text(encoding="utf-8")):
        words = shlex.split(line, comments=True)
        assert main(words[1:]) == 0, line
        printed = capsys.readouterr()
        assert printed.err == "", line
        assert output is None or without_times(printed.out.splitlines()) == output, line


@pytest.mark.slow
def test_the_change_of_the_first_bot_has_the_shown_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page replaces one method and plays again: its blocks are the method and the second ``esr play``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    page = (ROOT / "docs" / "start" / "bot-in-10-minutes.md").read_text(encoding="utf-8")
    (method,) = re.findall(r"^```python\n( +def answer_offer.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    (session,) = re.findall(r"^```console\n\$ (esr play.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    command, *output = session.splitlines()
    main(["new-bot", "mybot", "--game", "edel-stein-reich"])
    strategy = tmp_path / "mybot" / "strategy.py"
    old = r"    def answer_offer\b.*?(?=^    #|^    def |^\S)"
    text, count = re.subn(
        old, lambda _: f"{method}\n", strategy.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    assert count == 1
    strategy.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(shlex.split(command)[1:]) == 0
    assert without_times(capsys.readouterr().out.splitlines()) == without_times(output)


def test_the_copy_of_a_bot_has_the_shown_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page copies a bot, changes a number and plays with the copy, first alone and then against the original."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    page = (ROOT / "docs" / "guides" / "compare-versions.md").read_text(encoding="utf-8")
    ((copy, number),) = re.findall(r"`(v2)`, a copy of `v1` in which `strategy.py` sets `(EVENT = [\d.]+)`", page)
    alone, together = re.findall(r"^```console\n\$ (esr play.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    main(["new-bot", "v1", "--game", "edel-stein-reich"])
    shutil.copytree("v1", copy)
    strategy = Path(copy, "strategy.py")
    text, count = re.subn(r"^EVENT = .*$", number, strategy.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert count == 1
    strategy.write_text(text, encoding="utf-8")
    capsys.readouterr()
    command, *output = alone.splitlines()
    assert main(shlex.split(command)[1:]) == 0
    assert without_times(capsys.readouterr().out.splitlines()) == without_times(output)
    command, *output = together.splitlines()
    assert main([*shlex.split(command)[1:], "--games", "1"]) == 0
    shown, printed = (
        {line.split()[0] for line in without_times(lines)[2:]}
        for lines in (output, capsys.readouterr().out.splitlines())
    )
    assert shown == printed


def test_an_output_that_differs_in_more_than_times_is_found() -> None:
    shown = ["bot  3 seats: passed (143 decisions, slowest 4.3 ms)", "────", "mybot   20  1.00 ± 0.00   0.16 "]
    assert without_times(shown) == without_times(
        [shown[0].replace("4.3", "12.1"), "──", shown[2].replace("0.16", "1.2")]
    )
    assert without_times(shown) != without_times([*shown[:2], shown[2].replace("1.00", "1.05")])
    session = "```shellsession\n$ pip install .\n$ esr check mybot\nmybot passed.\n```\n"
    assert list(commands(session)) == [("esr check mybot", ["mybot passed."])]


def test_the_pages_that_have_to_have_examples_have_some() -> None:
    names = {named(page) for page in WITH_PYTHON}
    modules = {"games", "records", "chance", "client", "protocol", "runner", "owner-log", "environments"}
    assert names >= {
        "README.md",
        "docs/reference/house-bots.md",
        *(f"docs/reference/python/{module}.md" for module in modules),
    }
    assert {named(page) for page in WITH_COMMANDS} >= {
        "README.md",
        "docs/start/bot-in-10-minutes.md",
        "docs/reference/cli.md",
    }


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
