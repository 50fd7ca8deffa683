from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bots.manifest import MAX_BYTES, Manifest, ManifestError, every_format, parse, read_folder


def test_a_manifest_says_the_name_the_command_and_the_tables() -> None:
    manifest = parse(
        b'name = "Ruby"\nlanguage = "executable"\ncommand = ["bin/ruby", "--fast"]\n'
        b"[games]\nedel-stein-reich = [4, 3]\n"
    )
    assert (manifest.name, manifest.language) == ("Ruby", "executable")
    assert (manifest.entry, manifest.args) == ("bin/ruby", ("--fast",))
    assert manifest.formats == (("edel-stein-reich", 3), ("edel-stein-reich", 4))


def test_all_keys_of_a_manifest_are_optional() -> None:
    assert parse(b"", "mybot") == Manifest("mybot", "python", ("bot.py",), every_format())


def test_an_entry_is_written_in_one_way() -> None:
    assert parse(b'command = ["./src//bot.py"]').entry == "src/bot.py"


@pytest.mark.parametrize(
    ("language", "entry"),
    [
        ("executable", "bot"),
        ("javascript", "bot.js"),
        ("java", "bot.jar"),
        ("wasm", "bot.wasm"),
        ("python", "bot.py"),
    ],
)
def test_a_language_has_a_default_command(language: str, entry: str) -> None:
    assert parse(f'language = "{language}"'.encode()).command == (entry,)


REFUSED = {
    b'nmae = "x"': "unknown_key",
    b"colour = 1": "unknown_key",
    b"name = 7": "name",
    b'name = " "': "name",
    b'name = "a\\u202eb"': "name",
    b'language = "cobol"': "language",
    b"language = []": "language",
    b'command = "bot.py"': "command",
    b"command = []": "command",
    b'command = ["../bot.py"]': "command_file",
    b'command = ["/bin/sh"]': "command_file",
    b'command = ["C:bot.py"]': "command_file",
    b'command = ["-c.py"]': "command_file",
    b'command = ["mybot"]': "command_language",
    b'language = "java"\ncommand = ["bot.js"]': "command_language",
    b"games = []": "games",
    b"[games]\nedel-stein-riech = [3]": ("unknown_game"),
    b"[games]\nedel-stein-reich = [2]": ("seats"),
    b"[games]\nedel-stein-reich = [3, 3]": ("seats"),
    b"[games]\nedel-stein-reich = [true]": ("seats"),
    b"name = ": "not_toml",
    b'name = "a"\nname = "b"': "not_toml",
    b"name = 0x" + b"f" * 4000: "name",
    b"name" + b".a" * 2000 + b"=1": ("name"),
    b"name = " + b"[" * 4000: "nested",
    b"\xff": "not_utf8",
    b"#" * (MAX_BYTES + 1): "too_large",
}


@pytest.mark.parametrize(("data", "code"), REFUSED.items(), ids=range(len(REFUSED)))
def test_an_invalid_manifest_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse(data)
    assert caught.value.code == code


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


def test_a_folder_without_a_manifest_starts_bot_py_and_has_the_folder_name(tmp_path: Path) -> None:
    folder = tmp_path / "emerald"
    folder.mkdir()
    with pytest.raises(ManifestError) as caught:
        read_folder(folder)
    assert caught.value.code == "entry_missing"
    (folder / "bot.py").write_text("pass")
    assert read_folder(folder) == Manifest("emerald")


def test_a_folder_is_read_with_its_manifest(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("pass")
    (tmp_path / "bot.toml").write_text('name = "Emerald"\ncommand = ["main.py"]')
    assert read_folder(tmp_path) == Manifest("Emerald", command=("main.py",))
