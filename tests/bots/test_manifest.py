from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bots.manifest import MAX_BYTES, Manifest, ManifestError, every_table, parse, read_folder


def test_a_manifest_says_the_name_the_command_and_the_tables() -> None:
    manifest = parse(
        b'name = "Ruby"\nlanguage = "executable"\ncommand = ["bin/ruby", "--fast"]\n'
        b"[games]\nedel-stein-reich = [4, 3]\n"
    )
    assert (manifest.name, manifest.language) == ("Ruby", "executable")
    assert (manifest.entry, manifest.args) == ("bin/ruby", ("--fast",))
    assert manifest.tables == (("edel-stein-reich", 3), ("edel-stein-reich", 4))


def test_everything_may_be_left_out() -> None:
    assert parse(b"", "mybot") == Manifest("mybot", "python", ("bot.py",), every_table())


def test_an_entry_is_written_in_one_way() -> None:
    assert parse(b'command = ["./src//bot.py"]').entry == "src/bot.py"


REFUSED = {
    b'nmae = "x"': "bot.toml has the key 'nmae', which means nothing: name was probably meant.",
    b"colour = 1": "bot.toml has the key 'colour', which means nothing: there are name, language, command, games.",
    b"name = 7": "The name in bot.toml is a text of 1 to 40 printable characters, not 7.",
    b'name = " "': "The name in bot.toml is a text of 1 to 40 printable characters, not ' '.",
    b'name = "a\\u202eb"': "The name in bot.toml is a text of 1 to 40 printable characters, not 'a\\u202eb'.",
    b'language = "cobol"': "The language in bot.toml is 'python' or 'executable', not 'cobol'.",
    b"language = []": "The language in bot.toml is 'python' or 'executable', not [].",
    b'command = "bot.py"': "The command in bot.toml is a list of texts such as [\"bot.py\"], not 'bot.py'.",
    b"command = []": 'The command in bot.toml is a list of texts such as ["bot.py"], not [].',
    b'command = ["../bot.py"]': "The command in bot.toml starts with a file in the bot's folder, not with '../bot.py'.",
    b'command = ["/bin/sh"]': "The command in bot.toml starts with a file in the bot's folder, not with '/bin/sh'.",
    b'command = ["C:bot.py"]': "The command in bot.toml starts with a file in the bot's folder, not with 'C:bot.py'.",
    b'command = ["-c.py"]': "The command in bot.toml starts with a file in the bot's folder, not with '-c.py'.",
    b'command = ["mybot"]': 'bot.toml starts \'mybot\': that is language = "executable", not "python".',
    b'language = "executable"': 'bot.toml starts \'bot.py\': that is language = "python", not "executable".',
    b"games = []": "games in bot.toml names at least one game with its seats, such as edel-stein-reich = [3, 4, 5].",
    b"[games]\nedel-stein-riech = [3]": (
        "bot.toml names the game 'edel-stein-riech', which is not there: edel-stein-reich was probably meant."
    ),
    b"[games]\nedel-stein-reich = [2]": (
        "edel-stein-reich in bot.toml has the seats [3, 4, 5] or some of these, not [2]."
    ),
    b"[games]\nedel-stein-reich = [3, 3]": (
        "edel-stein-reich in bot.toml has the seats [3, 4, 5] or some of these, not [3, 3]."
    ),
    b"[games]\nedel-stein-reich = [true]": (
        "edel-stein-reich in bot.toml has the seats [3, 4, 5] or some of these, not [True]."
    ),
    b"name = ": "bot.toml is not TOML: Invalid value (at end of document).",
    b'name = "a"\nname = "b"': "bot.toml is not TOML: Cannot overwrite a value (at end of document).",
    b"name = 0x"
    + b"f" * 4000: "The name in bot.toml is a text of 1 to 40 printable characters, not what stands there.",
    b"name" + b".a" * 2000 + b"=1": (
        "The name in bot.toml is a text of 1 to 40 printable characters, not what stands there."
    ),
    b"name = " + b"[" * 4000: "bot.toml is nested too deeply.",
    b"\xff": "bot.toml is not UTF-8: invalid start byte at byte 0.",
    b"#" * (MAX_BYTES + 1): "bot.toml is longer than 4 KiB.",
}


@pytest.mark.parametrize(("data", "sentence"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_cannot_be_used_is_refused_with_what_to_write_instead(data: bytes, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse(data)
    assert str(caught.value) == sentence


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@example(b"x = " + b"1" * 4090)
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    with suppress(ManifestError):
        assert parse(data).command


@pytest.mark.parametrize("data", [b".".join([b"a"] * (MAX_BYTES // 2)), b"[[a]]\n" * (MAX_BYTES // 6)])
def test_the_longest_manifest_is_read_in_no_time(data: bytes) -> None:
    began = time.process_time()
    with pytest.raises(ManifestError):
        parse(data)
    assert time.process_time() - began < 2


def test_a_folder_without_a_manifest_has_a_bot_py_and_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "emerald"
    folder.mkdir()
    with pytest.raises(ManifestError, match=r"has no bot\.py"):
        read_folder(folder)
    (folder / "bot.py").write_text("pass")
    assert read_folder(folder) == Manifest("emerald")


def test_a_folder_is_read_with_its_manifest(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("pass")
    (tmp_path / "bot.toml").write_text('name = "Emerald"\ncommand = ["main.py"]')
    assert read_folder(tmp_path) == Manifest("Emerald", command=("main.py",))
