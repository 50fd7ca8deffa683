"""Archives that somebody could upload, by what is special about them: those refused, and those taken."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from bots.archives import ArchiveLimits
from tests.bots.archives.zips import FOLDER, STORED, Member, deflated, extra, zip_of
from tests.bots.elf import program

SMALL: Final = ArchiveLimits(
    archive_bytes=20_000, unpacked_bytes=50_000, file_bytes=40_000, files=10,
    executable_archive_bytes=20_000, executable_unpacked_bytes=50_000,
)  # fmt: skip
"""Limits that are reached with little work."""

BOT: Final = Member("bot.py", b"print('hello')\n")
OTHER: Final = Member("other.py", b"x = 1\n")
ENDLESS: Final = deflated(bytes(3_000_000))
HONEST: Final = zip_of(BOT)
END: Final = HONEST[-22:]


def name(text: str | bytes) -> bytes:
    """A bot with one more file of this name."""
    return zip_of(BOT, Member(text, b"x"))


def kind(mode: int, dos: int = 0, path: str = "x") -> bytes:
    """A bot with one more file whose attributes say this."""
    return zip_of(BOT, Member(path, b"bot.py", mode=mode, dos=dos))


def says(**local: object) -> bytes:
    """A bot whose header before its contents says something else than the table of contents."""
    return zip_of(Member("bot.py", b"pass", local=local))


MASKED: Final = 0xFFFFFFFF


def piped(descriptor: bytes | bool) -> Member:
    """A bot.py as from a program that writes to a pipe and reserves 8 bytes for sizes that it does not know yet."""
    local = {"packed_size": MASKED, "size": MASKED, "extra": extra(1, bytes(16))}
    return Member("bot.py", b"pass", descriptor=descriptor, local=local)


NAMES: Final[dict[str, tuple[bytes, str]]] = {
    "up": (
        name("../bot.py"),
        "name_dots",
    ),
    "up from within": (name("lib/../../x"), "name_dots"),
    "here from within": (name("lib/./x"), "name_dots"),
    "here twice": (name("././x"), "name_dots"),
    "absolute after here": (name(".//x"), "name_absolute"),
    "up after here": (name("./../x"), "name_dots"),
    "twice, but for here": (zip_of(BOT, Member("./bot.py", b"pass")), "duplicate"),
    "absolute": (name("/etc/passwd"), "name_absolute"),
    "a share of Windows": (name("//host/share"), "name_absolute"),
    "a drive": (name("C:/x"), "name_colon"),
    "a drive without a folder": (name("C:x"), "name_colon"),
    "a stream of NTFS": (name("bot.py:x"), "name_colon"),
    "a backslash": (name("lib\\x.py"), "name_backslash"),
    "up with backslashes": (name("..\\x"), "name_backslash"),
    "NUL": (name("bot.py\0.txt"), "name_invisible"),
    "a line feed": (name("a\nb"), "name_invisible"),
    "an escape sequence": (name("\x1b[2Jx"), "name_invisible"),
    "a direction mark": (name("x\u202eyp.txt"), "name_invisible"),
    "a space without width": (name("a\u200bb"), "name_invisible"),
    "no name": (name(""), "name_empty"),
    "an empty folder's name": (name("a//b"), "name_empty"),
    "only a slash": (name("/"), "name_absolute"),
    "a dot at the end": (name("bot.py."), "name_spaces"),
    "a space at the end": (name("bot.py "), "name_spaces"),
    "a folder with a space at its end": (name("lib /x"), "name_spaces"),
    "a device of Windows": (name("aux.py"), "name_device"),
    "a device in a folder": (name("lib/COM1.txt"), "name_device"),
    "an option": (name("-c.py"), "name_hyphen"),
    "the content of a pipe, as Info-ZIP names it": (
        zip_of(Member("-", b"pass", mode=0o010600)),
        "name_hyphen",
    ),
    "a star": (name("*.py"), "name_windows"),
    "a wide slash": (name("a／..／b"), "name_dots"),
    "two dots in one character": (name("‥/x"), "name_dots"),
    "a path that is too long": (name("x" * 201), "path_too_long"),
    "a path that is too deep": (name("a/b/c/d/e/f/g/h/i"), "path_too_deep"),
    "letters in no encoding": (name("löwe.py".encode("latin-1")), "name_encoding"),
    "UTF-8 that does not say so": (
        name("löwe.py".encode()),
        "name_encoding",
    ),
    "no UTF-8": (
        zip_of(BOT, Member(b"l\xf6we.py", b"", flags=0x800)),
        "name_encoding",
    ),
    "overlong UTF-8": (
        zip_of(BOT, Member(b"..\xc0\xafx", b"", flags=0x800)),
        "name_encoding",
    ),
    "twice": (zip_of(BOT, BOT), "duplicate"),
    "twice, but for capitals": (
        zip_of(BOT, Member("Bot.py", b"pass")),
        "name_collision",
    ),
    "folders twice, but for capitals": (
        zip_of(BOT, Member("lib/a"), Member("Lib/b")),
        "name_collision",
    ),
    "twice, but for how ö is written": (
        zip_of(BOT, Member("l\u00f6we"), Member("lo\u0308we")),
        "name_collision",
    ),
    "twice, but for wide letters": (
        zip_of(BOT, Member("ｂｏｔ.py")),
        "name_collision",
    ),
    "twice, but for ß": (zip_of(BOT, Member("straße"), Member("STRASSE")), "name_collision"),
    "a file that is a folder": (
        zip_of(BOT, Member("bot.py/x")),
        "file_and_folder",
    ),
    "a folder that is a file": (zip_of(BOT, Member("lib/x"), Member("LIB")), "file_and_folder"),
}

KINDS: Final[dict[str, tuple[bytes, str]]] = {
    "a link": (kind(0o120777), "link"),
    "a link to the root": (zip_of(BOT, Member("etc", b"/etc", mode=0o120777)), "link"),
    "the bot is a link": (zip_of(Member("bot.py", b"/etc/passwd", mode=0o120777)), "link"),
    "a link of Windows": (kind(0, dos=0x420), "link"),
    "a named pipe": (kind(0o010644), "special_file"),
    "a socket": (kind(0o140644), "special_file"),
    "a disk": (kind(0o060644), "special_file"),
    "a terminal": (kind(0o020644), "special_file"),
    "no kind that there is": (kind(0o170000), "special_file"),
    "a volume's label": (kind(0, dos=0x08), "special_file"),
    "a file that is called a folder": (kind(0o040755), "file_or_folder"),
    "a folder that is called a file": (kind(0o100644, path="x/"), "file_or_folder"),
    "a folder with contents": (kind(FOLDER, path="x/"), "folder_with_content"),
    "a hard link": (
        zip_of(BOT, Member("x", extra=extra(0x000D, bytes(12) + b"bot.py"))),
        "link",
    ),
    "a link in an extra field": (zip_of(BOT, Member("x", extra=extra(0x756E, bytes(14)))), "link"),
    "a link only before the contents": (says(extra=extra(0x756E, bytes(14))), "link"),
}

PACKING: Final[dict[str, tuple[bytes, str]]] = {
    "a password": (
        zip_of(Member("bot.py", flags=1)),
        "encrypted",
    ),
    "strong encryption": (zip_of(Member("bot.py", flags=0x41)), "encrypted"),
    "AES": (zip_of(Member("bot.py", extra=extra(0x9901, bytes(7)))), "encrypted"),
    "hidden headers": (zip_of(Member("bot.py", flags=0x2000)), "encrypted"),
    "a patch": (zip_of(Member("bot.py", flags=0x20)), "unusual"),
    "a format of the future": (zip_of(Member("bot.py", b"x", needs=64)), "unusual"),
    "a format of the future only before the contents": (says(needs=64), "two_headers"),
    "bzip2": (zip_of(Member("bot.py", b"x", method=12)), "method"),
    "LZMA": (zip_of(Member("bot.py", b"x", method=14)), "method"),
    "Deflate64": (zip_of(Member("bot.py", b"x", method=9)), "method"),
    "Zstandard": (zip_of(Member("bot.py", b"x", method=93)), "method"),
    "a method that nobody knows": (
        zip_of(Member("bot.py", b"x", method=77)),
        "method",
    ),
    "a small size and 3 MB": (zip_of(Member("bot.py", bytes(10), packed=ENDLESS)), "wrong_size"),
    "no size and 3 MB": (zip_of(Member("bot.py", b"", packed=ENDLESS)), "wrong_size"),
    "a folder without size and 3 MB": (
        zip_of(BOT, Member("x/", b"", packed=ENDLESS, mode=FOLDER)),
        "wrong_size",
    ),
    "what is left out, and 3 MB": (zip_of(BOT, Member("__MACOSX/x", b"", packed=ENDLESS)), "wrong_size"),
    "3 MB as it says": (
        zip_of(Member("bot.py", bytes(3_000_000))),
        "file_too_large",
    ),
    "many files that are large together": (
        zip_of(BOT, *(Member(f"{count}", bytes(30_000)) for count in range(2))),
        "unpacked_too_large",
    ),
    "less than it says": (zip_of(Member("bot.py", b"pass", size=1000)), "wrong_size"),
    "less than it says, not packed": (
        zip_of(Member("bot.py", b"pass", method=STORED, size=1000)),
        "two_sizes",
    ),
    "another checksum": (
        zip_of(Member("bot.py", b"pass", crc=1)),
        "checksum",
    ),
    "bytes that are not packed": (
        zip_of(Member("bot.py", b"pass", packed=b"\xff" * 20)),
        "damaged",
    ),
    "packed bytes that are cut off": (
        zip_of(Member("bot.py", b"pass" * 100, packed=deflated(b"pass" * 100)[:-3])),
        "damaged",
    ),
    "packed bytes and more": (
        zip_of(Member("bot.py", b"pass", packed=deflated(b"pass") + b"evil")),
        "damaged",
    ),
    "eleven files": (
        zip_of(BOT, *(Member(f"venv/{count}") for count in range(10))),
        ("too_many_files"),
    ),
    "an upload that is too large": (
        zip_of(BOT, Member("x", bytes(20_000), method=STORED)),
        "upload_too_large",
    ),
    "an upload that is too large because of one file": (
        zip_of(BOT, Member("x", bytes(40_001), method=STORED)),
        "file_too_large",
    ),
    "hundreds of folders": (
        zip_of(BOT, *(Member(f"{count}/", mode=FOLDER) for count in range(100))),
        "too_many_entries",
    ),
}

FORM: Final[dict[str, tuple[bytes, str]]] = {
    "no files": (zip_of(), "archive_empty"),
    "only a folder": (
        zip_of(Member("x/", mode=FOLDER)),
        "archive_empty",
    ),
    "only what is left out": (zip_of(Member("__MACOSX/x")), "archive_empty"),
    "something before it": (b"MZ" + HONEST, "unsupported_format"),
    "a picture before it": (b"\x89PNG\r\n\x1a\n" + HONEST, "not_a_zip"),
    "something before it that its end knows of": (
        zip_of(BOT, before=b"PK\x03\x04"),
        "inserted_data",
    ),
    "an archive before it": (HONEST + HONEST, "inserted_data"),
    "an archive before it that its end knows of": (
        zip_of(BOT, before=zip_of(OTHER)),
        "inserted_data",
    ),
    "something after it": (HONEST + b"\n", "appended_data"),
    "padding after it, as from tar in a pipe": (HONEST + bytes(10_240 - len(HONEST)), "appended_data"),
    "an archive in its comment": (zip_of(BOT, comment=zip_of(OTHER)), "inserted_data"),
    "an end in its comment": (zip_of(BOT, comment=END), "inserted_data"),
    "an end in its comment that goes on": (zip_of(BOT, comment=END + b"x"), "appended_data"),
    "two ends": (HONEST + END, "inserted_data"),
    "two ends, the second larger": (
        zip_of(BOT, after_directory=END, size=HONEST.index(END) - HONEST.index(b"PK\x01\x02") + len(END)),
        "damaged_directory",
    ),
    "a comment that is cut off": (zip_of(BOT, comment_size=9), "damaged"),
    "its end cut off": (HONEST[:-5], "damaged"),
    "half of it": (HONEST[: len(HONEST) // 2], "damaged"),
    "its first bytes": (b"PK\x03\x04", "damaged"),
    "bytes between the files": (
        zip_of(BOT, OTHER, between=b"hidden"),
        "inserted_data",
    ),
    "bytes after the files": (
        zip_of(BOT, after_files=b"hidden"),
        "inserted_data",
    ),
    "a file that is not listed": (
        zip_of(BOT, OTHER, after_files=zip_of(Member("evil.py"))[:37]),
        "inserted_data",
    ),
    "bytes after the table of contents": (zip_of(BOT, after_directory=b"hidden"), "inserted_data"),
    "files that overlap": (
        zip_of(BOT, Member("other.py", b"x = 1\n", at=0)),
        "overlap",
    ),
    "one file under a hundred names": (
        zip_of(BOT, *(Member(f"{count}.py", BOT.content, at=0) for count in range(9))),
        "overlap",
    ),
    "a file within another": (
        zip_of(Member("bot.py", zip_of(OTHER)[:50], method=STORED), Member("other.py", b"x = 1\n", at=36)),
        "overlap",
    ),
    "a file over the table of contents": (
        zip_of(Member("bot.py", b"pass", method=STORED, packed_size=40, size=40)),
        "overlap",
    ),
    "a file beyond the end": (
        zip_of(Member("bot.py", b"pass", packed_size=1 << 20)),
        "overlap",
    ),
    "a place beyond the end": (
        zip_of(Member("bot.py", b"pass", at=1 << 30)),
        "inserted_data",
    ),
    "a table of contents beyond the end": (zip_of(BOT, offset=1 << 30), "inserted_data"),
    "a table of contents that is longer": (zip_of(BOT, size=1 << 30), "inserted_data"),
    "more files than it lists": (
        zip_of(BOT, OTHER, here=1, total=1),
        "damaged_directory",
    ),
    "fewer files than it says": (
        zip_of(BOT, here=2, total=2),
        "damaged_directory",
    ),
    "a part of several": (zip_of(BOT, disk=1), "split"),
    "two numbers of files": (zip_of(BOT, here=2), "split"),
    "a file in another part": (zip_of(Member("bot.py", disk=1)), "split"),
    "zip64 by its numbers": (zip_of(BOT, here=0xFFFF, total=0xFFFF), "zip64"),
    "zip64 by its locator": (
        zip_of(BOT, after_directory=b"PK\x06\x07" + struct.pack("<IQI", 0, 0, 1)),
        "zip64",
    ),
    "zip64 by a field": (zip_of(Member("bot.py", extra=extra(1, bytes(16)))), "zip64"),
    "sizes of 8 bytes and of 4 before the contents": (says(extra=extra(1, struct.pack("<2Q", 4, 6))), "damaged"),
    "sizes of 8 bytes twice before the contents": (
        says(packed_size=MASKED, size=MASKED, extra=2 * extra(1, struct.pack("<2Q", 4, 6))),
        "damaged",
    ),
    "sizes of 8 bytes that are cut off": (
        says(packed_size=MASKED, size=MASKED, extra=extra(1, bytes(15))),
        "damaged",
    ),
    "sizes of 8 bytes that lie": (
        says(packed_size=MASKED, size=MASKED, extra=extra(1, struct.pack("<2Q", 4, 7))),
        "two_headers",
    ),
    "sizes of 8 bytes that are not there": (says(packed_size=MASKED, size=MASKED), "two_headers"),
    "sizes of 8 bytes behind the contents that lie": (
        zip_of(piped(struct.pack("<4sI2Q", b"PK\x07\x08", zlib.crc32(b"pass"), 6, 1 << 32 | 4))),
        "two_headers",
    ),
    "sizes of 4 bytes behind the contents where 8 are due": (zip_of(piped(True)), "two_headers"),
    "an extra field that is cut off": (
        zip_of(Member("bot.py", extra=b"UT\xff\xff1234")),
        "damaged_entry",
    ),
    "two names": (says(name=b"evil.py"), "two_headers"),
    "two names of one length": (says(name=b"tob.py"), "two_headers"),
    "two names by a field": (
        zip_of(Member("bot.py", extra=extra(0x7075, bytes(5) + b"evil.py"))),
        "two_names",
    ),
    "two methods": (says(method=STORED), "two_headers"),
    "encrypted only before the contents": (says(flags=1), "two_headers"),
    "UTF-8 only before the contents": (says(flags=0x800), "two_headers"),
    "two sizes": (says(size=5), "two_headers"),
    "two packed sizes": (says(packed_size=5), "two_headers"),
    "two checksums": (says(crc=5), "two_headers"),
    "sizes behind the contents that lie": (
        zip_of(Member("bot.py", b"pass", descriptor=struct.pack("<4s3I", b"PK\x07\x08", 1, 6, 4))),
        "two_headers",
    ),
    "sizes behind the contents that are not there": (
        zip_of(Member("bot.py", b"pass", descriptor=b"", flags=8)),
        "damaged",
    ),
    "contents that do not say where they end": (
        zip_of(Member("bot.py", b"pass", method=STORED, descriptor=True)),
        "size_missing",
    ),
    "no header before the contents": (
        b"PK\x03\x05".join(zip_of(BOT, OTHER).rsplit(b"PK\x03\x04", 1)),
        "damaged",
    ),
}

BOTS: Final[dict[str, tuple[bytes, str]]] = {
    "no bot.py": (
        zip_of(Member("readme.txt", b"hello")),
        ("entry_missing"),
    ),
    "Bot.py": (
        zip_of(Member("Bot.py", b"pass")),
        ("entry_missing"),
    ),
    "two folders deep": (
        zip_of(Member("a/b/bot.py", b"pass")),
        ("entry_missing"),
    ),
    "two bots in folders": (
        zip_of(Member("a/bot.py", b"pass"), Member("b/bot.py", b"pass")),
        "entry_missing",
    ),
    "an archive in an archive": (
        zip_of(Member("mine.zip", HONEST)),
        "entry_missing",
    ),
    "a bot.py that is empty": (zip_of(Member("bot.py", b" \n")), "empty"),
    "a bot.py that is UTF-16": (
        zip_of(Member("bot.py", "pass".encode("utf-16"))),
        "not_utf8",
    ),
    "a bot.py in Latin-1": (
        zip_of(Member("bot.py", "#\n# Löwe".encode("latin-1"))),
        "not_utf8",
    ),
    "a bot.py that is an archive too": (
        zip_of(Member("bot.py", b"pass\n#" + HONEST)),
        "not_utf8",
    ),
    "a bot.toml that is no TOML": (
        zip_of(BOT, Member("bot.toml", b"name =")),
        "manifest_not_toml",
    ),
    "a bot.toml that is UTF-16": (
        zip_of(BOT, Member("bot.toml", 'name = "x"'.encode("utf-16"))),
        "manifest_not_utf8",
    ),
    "a bot.toml that starts something else": (
        zip_of(BOT, Member("bot.toml", b'command = ["main.py"]')),
        "entry_missing",
    ),
    "a bot.toml that starts what lies elsewhere": (
        zip_of(BOT, Member("lib/start.py", b"pass"), Member("bot.toml", b'command = ["start.py"]')),
        ("entry_missing"),
    ),
    "a bot.toml that starts a folder": (
        zip_of(Member("main.py/x"), Member("bot.toml", b'command = ["main.py"]')),
        "entry_missing",
    ),
    "an executable for Windows": (
        zip_of(Member("b", b"MZ\x90"), Member("bot.toml", b'language = "executable"\ncommand = ["b"]')),
        "windows",
    ),
    "an executable that needs a library": (
        zip_of(
            Member("b", program(needed=("libgfortran.so.5",))),
            Member("bot.toml", b'language = "executable"\ncommand = ["b"]'),
        ),
        "library_missing",
    ),
    "an executable that is a script": (
        zip_of(Member("b", b"#!/bin/sh\n"), Member("bot.toml", b'language = "executable"\ncommand = ["b"]')),
        "script",
    ),
    "a component in WebAssembly": (
        zip_of(Member("bot.wasm", b"\0asm\x0d\0\1\0"), Member("bot.toml", b'language = "wasm"')),
        "wasm_version",
    ),
}

UPLOADS: Final[dict[str, tuple[str, bytes, str]]] = {
    "a rar archive": (
        "bot.rar",
        b"Rar!\x1a\x07\x01\x00",
        "unsupported_format",
    ),
    "a rar archive called zip": ("bot.zip", b"Rar!\x1a\x07\x01\x00", "unsupported_format"),
    "a 7z archive": ("bot.7z", b"7z\xbc\xaf\x27\x1c\0\4", "unsupported_format"),
    "a tar archive": ("bot.tar", bytes(257) + b"ustar\x0000" + bytes(300), "unsupported_format"),
    "a tar.gz": ("bot.tar.gz", b"\x1f\x8b\x08\x00", "unsupported_format"),
    "an xz": ("bot.tar.xz", b"\xfd7zXZ\x00", "unsupported_format"),
    "a program": ("bot", b"\x7fELF\2\1\1", "unsupported_format"),
    "a module in WebAssembly": ("bot.wasm", b"\0asm\1\0\0\0", "unsupported_format"),
    "nothing": ("bot.zip", b"", "empty"),
    "Python called text": (
        "bot.txt",
        b"pass",
        "wrong_suffix",
    ),
    "a picture": (
        "bot.png",
        b"\x89PNG\r\n\x1a\n\0\0",
        "unsupported_format",
    ),
    "a zip called py": (
        "bot.py",
        HONEST,
        "zip_named_py",
    ),
    "a Python file that is empty": ("bot.py", b"", "empty"),
    "a Python file with a NUL": ("bot.py", b"pass\0", "nul"),
    "a Python file in Latin-1": ("bot.py", b"# L\xf6we", "not_utf8"),
    "a compiled Python file": ("bot.py", b"\xa7\r\r\n\0\0", "not_utf8"),
    "a Python file that is too large": ("bot.py", b"#" * 20_001, "upload_too_large"),
    "a hostile name": ("<b>\x1b]0;x\x07.zip", b"", "empty"),
}

TAKEN: Final[dict[str, tuple[bytes, set[str]]]] = {
    "one file": (HONEST, {"bot.py"}),
    "files that are not packed": (zip_of(Member("bot.py", b"pass", method=STORED)), {"bot.py"}),
    "sizes behind the contents": (
        zip_of(Member("bot.py", b"pass", descriptor=True), Member("x", b"", descriptor=True, method=STORED)),
        {"bot.py", "x"},
    ),
    "sizes in both places": (
        zip_of(Member("bot.py", b"pass", descriptor=True, local={"size": 4})),
        {"bot.py"},
    ),
    "a comment": (zip_of(BOT, comment=b"made by hand"), {"bot.py"}),
    "times and owners": (
        zip_of(Member("bot.py", b"pass", extra=extra(0x5455, bytes(5)) + extra(0x7875, bytes(11)))),
        {"bot.py"},
    ),
    "extra fields with padding": (
        zip_of(Member("bot.py", b"pass", extra=extra(0x5455, bytes(5)) + b"\0\0")),
        {"bot.py"},
    ),
    "the same name by a field": (
        zip_of(Member("bot.py", b"pass", extra=extra(0x7075, bytes(5) + b"bot.py"))),
        {"bot.py"},
    ),
    "the folder itself and names that begin with it, as from tar": (
        zip_of(Member("./", mode=FOLDER), Member("./bot.py", b"pass"), Member("./lib/a.py", b"x")),
        {"bot.py", "lib/a.py"},
    ),
    "sizes of 8 bytes before the contents": (
        zip_of(
            Member(
                "bot.py",
                b"pass",
                local={"packed_size": MASKED, "size": MASKED, "extra": extra(1, struct.pack("<2Q", 4, 6))},
            )
        ),
        {"bot.py"},
    ),
    "sizes of 8 bytes behind the contents": (
        zip_of(piped(struct.pack("<4sI2Q", b"PK\x07\x08", zlib.crc32(b"pass"), 6, 4)), OTHER),
        {"bot.py", "other.py"},
    ),
    "hidden files": (
        zip_of(BOT, Member(".env", b"KEY=1"), Member(".git/config", b"x"), Member("lib/.cache/x", b"x")),
        {"bot.py"},
    ),
    "ten files and many hidden ones": (
        zip_of(BOT, *(Member(f"{count}") for count in range(9)), *(Member(f".git/{count}") for count in range(9))),
        {"bot.py", *map(str, range(9))},
    ),
    "an executable with its own library": (
        zip_of(
            Member("b", program(needed=("libown.so", "libc.so.6"))),
            Member("lib/libown.so", b"x"),
            Member("bot.toml", b'language = "executable"\ncommand = ["b"]'),
        ),
        {"b", "lib/libown.so", "bot.toml"},
    ),
    "a bot.toml with a byte order mark": (
        zip_of(Member("main.py", b"pass"), Member("bot.toml", b'\xef\xbb\xbfcommand = ["main.py"]\r\n')),
        {"main.py", "bot.toml"},
    ),
    "folders": (zip_of(Member("lib/", mode=FOLDER, dos=0x10), BOT, Member("lib/a.py", b"x")), {"bot.py", "lib/a.py"}),
    "a folder that is packed": (zip_of(Member("lib/", packed=b"\x03\x00", mode=FOLDER), BOT), {"bot.py"}),
    "no attributes, as from Windows": (zip_of(Member("bot.py", b"pass", mode=0, dos=0x20)), {"bot.py"}),
    "a setuid bit": (zip_of(Member("bot.py", b"pass", mode=0o104777)), {"bot.py"}),
    "letters of the world": (zip_of(BOT, Member("größe/宝石.txt", b"x")), {"bot.py", "größe/宝石.txt"}),
    "a folder around it": (zip_of(Member("mybot/", mode=FOLDER), Member("mybot/bot.py", b"pass")), {"bot.py"}),
    "a folder around it and what macOS adds": (
        zip_of(
            Member("mybot/bot.py", b"pass"), Member("__MACOSX/mybot/._bot.py", b"x"), Member("mybot/.DS_Store", b"x")
        ),
        {"bot.py"},
    ),
    "a folder around it with a bot.toml": (
        zip_of(Member("my/main.py", b"pass"), Member("my/bot.toml", b'command = ["main.py"]')),
        {"main.py", "bot.toml"},
    ),
    "what Windows and Python add": (
        zip_of(
            BOT, Member("Thumbs.db", b"x"), Member("lib/__pycache__/a.cpython-311.pyc", b"x"), Member("lib/a.py", b"x")
        ),
        {"bot.py", "lib/a.py"},
    ),
    "a bomb that nobody opens": (zip_of(BOT, Member("weights.zip", ENDLESS)), {"bot.py", "weights.zip"}),
    "an archive that contains itself by name": (zip_of(BOT, Member("a.zip", HONEST)), {"bot.py", "a.zip"}),
    "source that does not compile": (zip_of(Member("bot.py", b"(" * 30_000)), {"bot.py"}),
    "ten files": (zip_of(BOT, *(Member(f"{count}") for count in range(9))), {"bot.py", *map(str, range(9))}),
    "the longest path": (zip_of(BOT, Member("x" * 200)), {"bot.py", "x" * 200}),
    "the deepest path": (zip_of(BOT, Member("a/b/c/d/e/f/g/h")), {"bot.py", "a/b/c/d/e/f/g/h"}),
}
