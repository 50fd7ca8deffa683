"""Archives that somebody could upload, by what is special about them: those refused, and those taken."""

from __future__ import annotations

import struct
from typing import Final

from bots.archives import ArchiveLimits
from tests.bots.archives.zips import FOLDER, STORED, Member, deflated, extra, zip_of

SMALL: Final = ArchiveLimits(archive_bytes=20_000, unpacked_bytes=50_000, file_bytes=40_000, files=10)
"""Limits that are reached with little work."""

BOT: Final = Member("bot.py", b"print('hello')\n")
OTHER: Final = Member("other.py", b"x = 1\n")
PACKED_WITH: Final = "not with Deflate as usual: make it again with your system's own zip program."
AGAIN: Final = "make it again with your system's own zip program."
TWICE: Final = f"is described in two ways in the archive: {AGAIN}"
BROKEN: Final = f"The archive is cut off or damaged: upload it again, or {AGAIN}"
APPENDED: Final = f"The archive has something after its end, which only some programs would see: {AGAIN}"
INSERTED: Final = f"The archive has something before its beginning or within it that is no file: {AGAIN}"
ZIP64: Final = f"is in the format zip64, made for files above 4 GiB: {AGAIN}"
LIES: Final = "holds more than it says, as in an archive that is meant to do harm."
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


NAMES: Final[dict[str, tuple[bytes, str]]] = {
    "up": (
        name("../bot.py"),
        '../bot.py has "." or ".." in its path: put the files into the archive from within their folder.',
    ),
    "up from within": (name("lib/../../x"), 'lib/../../x has "." or ".." in its path'),
    "here": (name("./x"), './x has "." or ".." in its path'),
    "absolute": (name("/etc/passwd"), "/etc/passwd has an absolute path"),
    "a share of Windows": (name("//host/share"), "//host/share has an absolute path"),
    "a drive": (name("C:/x"), "“C:/x” has a colon in its name, as in a drive letter: rename it."),
    "a drive without a folder": (name("C:x"), "“C:x” has a colon"),
    "a stream of NTFS": (name("bot.py:x"), "“bot.py:x” has a colon"),
    "a backslash": (name("lib\\x.py"), "“lib\\x.py” has a backslash in its name"),
    "up with backslashes": (name("..\\x"), "“..\\x” has a backslash in its name"),
    "NUL": (name("bot.py\0.txt"), "“bot.py\\x00.txt” has control characters or other invisible ones in its name"),
    "a line feed": (name("a\nb"), "“a\\nb” has control characters"),
    "an escape sequence": (name("\x1b[2Jx"), "“\\x1b[2Jx” has control characters"),
    "a direction mark": (name("x\u202eyp.txt"), "“x\\u202eyp.txt” has control characters or other invisible ones"),
    "a space without width": (name("a\u200bb"), "“a\\u200bb” has control characters"),
    "no name": (name(""), "“” is a file without a name"),
    "an empty folder's name": (name("a//b"), "a//b has an empty name in its path"),
    "only a slash": (name("/"), "/ has an absolute path"),
    "a dot at the end": (name("bot.py."), "“bot.py.” has a name that begins or ends with a space or ends with a dot"),
    "a space at the end": (name("bot.py "), "“bot.py ” has a name that begins or ends with a space"),
    "a folder with a space at its end": (name("lib /x"), "“lib /x” has a name that begins or ends with a space"),
    "a device of Windows": (name("aux.py"), "aux.py has the name of a device of Windows: rename it."),
    "a device in a folder": (name("lib/COM1.txt"), "lib/COM1.txt has the name of a device of Windows"),
    "an option": (name("-c.py"), "-c.py has a name that begins with -, which looks like an option: rename it."),
    "a star": (name("*.py"), '“*.py” has one of " * < > ? | in its name, which Windows does not allow: rename it.'),
    "a wide slash": (name("a／..／b"), '“a／..／b” has "." or ".." in its path'),
    "two dots in one character": (name("‥/x"), '“‥/x” has "." or ".." in its path'),
    "a path that is too long": (name("x" * 201), f"“{'x' * 80}…” has a path of more than 200 bytes"),
    "a path that is too deep": (name("a/b/c/d/e/f/g/h/i"), "a/b/c/d/e/f/g/h/i lies more than 7 folders deep"),
    "letters in no encoding": (name("löwe.py".encode("latin-1")), "“l\\xf6we.py” has letters that are not in ASCII"),
    "UTF-8 that does not say so": (
        name("löwe.py".encode()),
        "“löwe.py” has letters that are not in ASCII and does not",
    ),
    "no UTF-8": (
        zip_of(BOT, Member(b"l\xf6we.py", b"", flags=0x800)),
        "“l\\xf6we.py” has a name that is not UTF-8: rename it with a-z.",
    ),
    "overlong UTF-8": (
        zip_of(BOT, Member(b"..\xc0\xafx", b"", flags=0x800)),
        "“..\\xc0\\xafx” has a name that is not UTF-8",
    ),
    "twice": (zip_of(BOT, BOT), "bot.py is in the archive twice: leave one of them out."),
    "twice, but for capitals": (
        zip_of(BOT, Member("Bot.py", b"pass")),
        "Bot.py and bot.py would be the same on some systems: rename one of them.",
    ),
    "folders twice, but for capitals": (
        zip_of(BOT, Member("lib/a"), Member("Lib/b")),
        "Lib and lib would be the same on some systems",
    ),
    "twice, but for how ö is written": (
        zip_of(BOT, Member("l\u00f6we"), Member("lo\u0308we")),
        "“lo\u0308we” and “l\u00f6we” would be the same on some systems",
    ),
    "twice, but for wide letters": (
        zip_of(BOT, Member("ｂｏｔ.py")),
        "“ｂｏｔ.py” and bot.py would be the same on some systems",
    ),
    "twice, but for ß": (zip_of(BOT, Member("straße"), Member("STRASSE")), "STRASSE and “straße” would be the same"),
    "a file that is a folder": (
        zip_of(BOT, Member("bot.py/x")),
        "bot.py is a file and a folder at once: rename one of them.",
    ),
    "a folder that is a file": (zip_of(BOT, Member("lib/x"), Member("LIB")), "LIB is a file and a folder at once"),
}

KINDS: Final[dict[str, tuple[bytes, str]]] = {
    "a link": (kind(0o120777), "x is a link: put the file itself into the archive."),
    "a link to the root": (zip_of(BOT, Member("etc", b"/etc", mode=0o120777)), "etc is a link"),
    "the bot is a link": (zip_of(Member("bot.py", b"/etc/passwd", mode=0o120777)), "bot.py is a link"),
    "a link of Windows": (kind(0, dos=0x420), "x is a link"),
    "a named pipe": (kind(0o010644), "x is a named pipe: leave it out."),
    "a socket": (kind(0o140644), "x is a socket: leave it out."),
    "a disk": (kind(0o060644), "x is a device: leave it out."),
    "a terminal": (kind(0o020644), "x is a device: leave it out."),
    "no kind that there is": (kind(0o170000), "x is neither a file nor a folder: leave it out."),
    "a volume's label": (kind(0, dos=0x08), "x is neither a file nor a folder"),
    "a file that is called a folder": (kind(0o040755), "x is a file by its name and a folder by its kind"),
    "a folder that is called a file": (kind(0o100644, path="x/"), "x/ is a file by its name and a folder by its kind"),
    "a folder with contents": (kind(FOLDER, path="x/"), "x/ is a folder and has contents of its own"),
    "a hard link": (
        zip_of(BOT, Member("x", extra=extra(0x000D, bytes(12) + b"bot.py"))),
        "x is a link or a device, or says so: put the file itself into the archive.",
    ),
    "a link in an extra field": (zip_of(BOT, Member("x", extra=extra(0x756E, bytes(14)))), "x is a link or a device"),
    "a link only before the contents": (says(extra=extra(0x756E, bytes(14))), "bot.py is a link or a device"),
}

PACKING: Final[dict[str, tuple[bytes, str]]] = {
    "a password": (
        zip_of(Member("bot.py", flags=1)),
        "bot.py is encrypted: make the archive again without a password.",
    ),
    "strong encryption": (zip_of(Member("bot.py", flags=0x41)), "bot.py is encrypted"),
    "AES": (zip_of(Member("bot.py", extra=extra(0x9901, bytes(7)))), "bot.py is encrypted"),
    "hidden headers": (zip_of(Member("bot.py", flags=0x2000)), "bot.py is encrypted"),
    "a patch": (zip_of(Member("bot.py", flags=0x20)), "bot.py is packed in an unusual way"),
    "a format of the future": (zip_of(Member("bot.py", b"x", needs=64)), "bot.py is packed in an unusual way"),
    "a format of the future only before the contents": (says(needs=64), f"bot.py {TWICE}"),
    "bzip2": (zip_of(Member("bot.py", b"x", method=12)), f"bot.py is packed with bzip2, {PACKED_WITH}"),
    "LZMA": (zip_of(Member("bot.py", b"x", method=14)), f"bot.py is packed with LZMA, {PACKED_WITH}"),
    "Deflate64": (zip_of(Member("bot.py", b"x", method=9)), f"bot.py is packed with Deflate64, {PACKED_WITH}"),
    "Zstandard": (zip_of(Member("bot.py", b"x", method=93)), f"bot.py is packed with Zstandard, {PACKED_WITH}"),
    "a method that nobody knows": (
        zip_of(Member("bot.py", b"x", method=77)),
        f"bot.py is packed with method 77, {PACKED_WITH}",
    ),
    "a small size and 3 MB": (zip_of(Member("bot.py", bytes(10), packed=ENDLESS)), f"bot.py {LIES}"),
    "no size and 3 MB": (zip_of(Member("bot.py", b"", packed=ENDLESS)), f"bot.py {LIES}"),
    "a folder without size and 3 MB": (
        zip_of(BOT, Member("x/", b"", packed=ENDLESS, mode=FOLDER)),
        f"x/ {LIES}",
    ),
    "what is left out, and 3 MB": (zip_of(BOT, Member("__MACOSX/x", b"", packed=ENDLESS)), f"__MACOSX/x {LIES}"),
    "3 MB as it says": (
        zip_of(Member("bot.py", bytes(3_000_000))),
        "bot.py has 2.861 MiB, and a file has at most 39.06 KiB: make it smaller.",
    ),
    "many files that are large together": (
        zip_of(BOT, *(Member(f"{count}", bytes(30_000)) for count in range(2))),
        "The files have more than 48.83 KiB together: leave out what the bot does not read.",
    ),
    "less than it says": (zip_of(Member("bot.py", b"pass", size=1000)), "bot.py holds less than it says"),
    "less than it says, not packed": (
        zip_of(Member("bot.py", b"pass", method=STORED, size=1000)),
        f"bot.py is not packed and yet has two sizes: {AGAIN}",
    ),
    "another checksum": (
        zip_of(Member("bot.py", b"pass", crc=1)),
        "bot.py is damaged: its checksum is wrong, so upload the archive again.",
    ),
    "bytes that are not packed": (
        zip_of(Member("bot.py", b"pass", packed=b"\xff" * 20)),
        "bot.py is damaged and cannot be unpacked: upload the archive again.",
    ),
    "packed bytes that are cut off": (
        zip_of(Member("bot.py", b"pass" * 100, packed=deflated(b"pass" * 100)[:-3])),
        "bot.py is damaged, its packed bytes do not end where they should: upload the archive again.",
    ),
    "packed bytes and more": (
        zip_of(Member("bot.py", b"pass", packed=deflated(b"pass") + b"evil")),
        "bot.py is damaged, its packed bytes do not end where they should",
    ),
    "eleven files": (
        zip_of(BOT, *(Member(f".venv/{count}") for count in range(10))),
        (
            "The archive has 11 files, and a bot has at most 10: leave out what it does not read; most are in the"
            " folder .venv."
        ),
    ),
    "hundreds of folders": (
        zip_of(BOT, *(Member(f"{count}/", mode=FOLDER) for count in range(100))),
        "The archive lists 101 files and folders, and a bot has at most 10 files: leave out folders such as .venv and",
    ),
}

FORM: Final[dict[str, tuple[bytes, str]]] = {
    "no files": (zip_of(), "The archive is empty: put the files of your bot into it."),
    "only a folder": (
        zip_of(Member("x/", mode=FOLDER)),
        "The archive has no files in it: put the files of your bot into it.",
    ),
    "only what is left out": (zip_of(Member("__MACOSX/x")), "The archive has no files in it"),
    "something before it": (b"MZ" + HONEST, "bot.zip is a program for Windows: bots run on Linux."),
    "a picture before it": (b"\x89PNG\r\n\x1a\n" + HONEST, "bot.zip is no zip archive, or something stands before its"),
    "something before it that its end knows of": (
        zip_of(BOT, before=b"PK\x03\x04"),
        f"bot.py has bytes before it in the archive that belong to no file: {AGAIN}",
    ),
    "an archive before it": (HONEST + HONEST, INSERTED),
    "an archive before it that its end knows of": (
        zip_of(BOT, before=zip_of(OTHER)),
        "bot.py has bytes before it in the archive that belong to no file",
    ),
    "something after it": (HONEST + b"\n", APPENDED),
    "an archive in its comment": (zip_of(BOT, comment=zip_of(OTHER)), INSERTED),
    "an end in its comment": (zip_of(BOT, comment=END), INSERTED),
    "an end in its comment that goes on": (zip_of(BOT, comment=END + b"x"), APPENDED),
    "two ends": (HONEST + END, INSERTED),
    "two ends, the second larger": (
        zip_of(BOT, after_directory=END, size=HONEST.index(END) - HONEST.index(b"PK\x01\x02") + len(END)),
        f"The archive's table of contents and its end do not agree: {AGAIN}",
    ),
    "a comment that is cut off": (zip_of(BOT, comment_size=9), BROKEN),
    "its end cut off": (HONEST[:-5], BROKEN),
    "half of it": (HONEST[: len(HONEST) // 2], BROKEN),
    "its first bytes": (b"PK\x03\x04", BROKEN),
    "bytes between the files": (
        zip_of(BOT, OTHER, between=b"hidden"),
        f"other.py has bytes before it in the archive that belong to no file: {AGAIN}",
    ),
    "bytes after the files": (
        zip_of(BOT, after_files=b"hidden"),
        f"The archive has bytes after its last file that belong to none: {AGAIN}",
    ),
    "a file that is not listed": (
        zip_of(BOT, OTHER, after_files=zip_of(Member("evil.py"))[:37]),
        "The archive has bytes after its last file that belong to none",
    ),
    "bytes after the table of contents": (zip_of(BOT, after_directory=b"hidden"), INSERTED),
    "files that overlap": (
        zip_of(BOT, Member("other.py", b"x = 1\n", at=0)),
        f"other.py overlaps another file in the archive: {AGAIN}",
    ),
    "one file under a hundred names": (
        zip_of(BOT, *(Member(f"{count}.py", BOT.content, at=0) for count in range(9))),
        "0.py overlaps another file in the archive",
    ),
    "a file within another": (
        zip_of(Member("bot.py", zip_of(OTHER)[:50], method=STORED), Member("other.py", b"x = 1\n", at=36)),
        "other.py overlaps another file in the archive",
    ),
    "a file over the table of contents": (
        zip_of(Member("bot.py", b"pass", method=STORED, packed_size=40, size=40)),
        f"bot.py overlaps the archive's table of contents: {AGAIN}",
    ),
    "a file beyond the end": (
        zip_of(Member("bot.py", b"pass", packed_size=1 << 20)),
        f"bot.py overlaps the archive's table of contents: {AGAIN}",
    ),
    "a place beyond the end": (
        zip_of(Member("bot.py", b"pass", at=1 << 30)),
        "bot.py has bytes before it in the archive that belong to no file",
    ),
    "a table of contents beyond the end": (zip_of(BOT, offset=1 << 30), INSERTED),
    "a table of contents that is longer": (zip_of(BOT, size=1 << 30), INSERTED),
    "more files than it lists": (
        zip_of(BOT, OTHER, here=1, total=1),
        f"The archive's table of contents and its end do not agree: {AGAIN}",
    ),
    "fewer files than it says": (
        zip_of(BOT, here=2, total=2),
        f"The archive's table of contents is damaged (a record is cut off): {AGAIN}",
    ),
    "a part of several": (zip_of(BOT, disk=1), "The archive is one part of several: make it again as a single file."),
    "two numbers of files": (zip_of(BOT, here=2), "The archive is one part of several"),
    "a file in another part": (zip_of(Member("bot.py", disk=1)), "bot.py lies in another part of a split archive"),
    "zip64 by its numbers": (zip_of(BOT, here=0xFFFF, total=0xFFFF), f"The archive {ZIP64}"),
    "zip64 by its locator": (
        zip_of(BOT, after_directory=b"PK\x06\x07" + struct.pack("<IQI", 0, 0, 1)),
        f"The archive {ZIP64}",
    ),
    "zip64 by a field": (zip_of(Member("bot.py", extra=extra(1, bytes(16)))), f"bot.py {ZIP64}"),
    "zip64 only before the contents": (says(extra=extra(1, bytes(16))), f"bot.py {ZIP64}"),
    "an extra field that is cut off": (
        zip_of(Member("bot.py", extra=b"UT\xff\xff1234")),
        f"bot.py has a damaged entry in the archive: {AGAIN}",
    ),
    "two names": (says(name=b"evil.py"), f"bot.py {TWICE}"),
    "two names of one length": (says(name=b"tob.py"), f"bot.py {TWICE}"),
    "two names by a field": (
        zip_of(Member("bot.py", extra=extra(0x7075, bytes(5) + b"evil.py"))),
        f"bot.py has two names in the archive: {AGAIN}",
    ),
    "two methods": (says(method=STORED), f"bot.py {TWICE}"),
    "encrypted only before the contents": (says(flags=1), f"bot.py {TWICE}"),
    "UTF-8 only before the contents": (says(flags=0x800), f"bot.py {TWICE}"),
    "two sizes": (says(size=5), f"bot.py {TWICE}"),
    "two packed sizes": (says(packed_size=5), f"bot.py {TWICE}"),
    "two checksums": (says(crc=5), f"bot.py {TWICE}"),
    "sizes behind the contents that lie": (
        zip_of(Member("bot.py", b"pass", descriptor=struct.pack("<4s3I", b"PK\x07\x08", 1, 6, 4))),
        f"bot.py {TWICE}",
    ),
    "sizes behind the contents that are not there": (
        zip_of(Member("bot.py", b"pass", descriptor=b"", flags=8)),
        "bot.py is not whole in the archive (a record is not where it should be)",
    ),
    "contents that do not say where they end": (
        zip_of(Member("bot.py", b"pass", method=STORED, descriptor=True)),
        f"bot.py is not packed and does not say first how long it is: {AGAIN}",
    ),
    "no header before the contents": (
        b"PK\x03\x05".join(zip_of(BOT, OTHER).rsplit(b"PK\x03\x04", 1)),
        "other.py is not whole in the archive (a record is not where it should be)",
    ),
}

BOTS: Final[dict[str, tuple[bytes, str]]] = {
    "no bot.py": (
        zip_of(Member("readme.txt", b"hello")),
        (
            "bot.py is what is started, and it is not in the archive; put it at the archive's root, or name another"
            " file in bot.toml."
        ),
    ),
    "Bot.py": (
        zip_of(Member("Bot.py", b"pass")),
        (
            "bot.py is what is started, and it is not in the archive; there is Bot.py: call it bot.py, with the same"
            " small letters and capitals."
        ),
    ),
    "two folders deep": (
        zip_of(Member("a/b/bot.py", b"pass")),
        (
            "bot.py is what is started, and it is not in the archive; there is a/b/bot.py: put into the archive what is"
            " in its folder, not the folder itself."
        ),
    ),
    "two bots in folders": (
        zip_of(Member("a/bot.py", b"pass"), Member("b/bot.py", b"pass")),
        "bot.py is what is started, and it is not in the archive; there is a/bot.py",
    ),
    "an archive in an archive": (
        zip_of(Member("mine.zip", HONEST)),
        "bot.py is what is started, and it is not in the archive; there is only another archive, mine.zip:",
    ),
    "a bot.py that is empty": (zip_of(Member("bot.py", b" \n")), "bot.py is empty: a bot needs a program."),
    "a bot.py that is UTF-16": (
        zip_of(Member("bot.py", "pass".encode("utf-16"))),
        "bot.py is UTF-16 text: save it as UTF-8.",
    ),
    "a bot.py in Latin-1": (
        zip_of(Member("bot.py", "#\n# Löwe".encode("latin-1"))),
        "bot.py is not UTF-8 text (line 2): save it as UTF-8.",
    ),
    "a bot.py that is an archive too": (
        zip_of(Member("bot.py", b"pass\n#" + HONEST)),
        "bot.py is not UTF-8 text",
    ),
    "a bot.toml that is no TOML": (
        zip_of(BOT, Member("bot.toml", b"name =")),
        "bot.toml is not TOML: Invalid value (at end of document).",
    ),
    "a bot.toml that starts something else": (
        zip_of(BOT, Member("bot.toml", b'command = ["main.py"]')),
        "bot.toml starts main.py, which is not in the archive; put it at the archive's root, or name another file",
    ),
    "a bot.toml that starts what lies elsewhere": (
        zip_of(BOT, Member("lib/start.py", b"pass"), Member("bot.toml", b'command = ["start.py"]')),
        (
            "bot.toml starts start.py, which is not in the archive; there is lib/start.py: if that is meant, write it"
            " there in the same way."
        ),
    ),
    "a bot.toml that starts a folder": (
        zip_of(Member("main.py/x"), Member("bot.toml", b'command = ["main.py"]')),
        "bot.toml starts main.py, which is not in the archive",
    ),
    "an executable for Windows": (
        zip_of(Member("b", b"MZ\x90"), Member("bot.toml", b'language = "executable"\ncommand = ["b"]')),
        "b is a program for Windows: build it for Linux on x86-64.",
    ),
    "an executable that is a script": (
        zip_of(Member("b", b"#!/bin/sh\n"), Member("bot.toml", b'language = "executable"\ncommand = ["b"]')),
        "b is a script, and the program that would run it may not be there: upload Python, or a compiled program.",
    ),
}

UPLOADS: Final[dict[str, tuple[str, bytes, str]]] = {
    "a rar archive": (
        "bot.rar",
        b"Rar!\x1a\x07\x01\x00",
        "bot.rar is a RAR archive: put all files of the bot into a .zip.",
    ),
    "a rar archive called zip": ("bot.zip", b"Rar!\x1a\x07\x01\x00", "bot.zip is a RAR archive"),
    "a 7z archive": ("bot.7z", b"7z\xbc\xaf\x27\x1c\0\4", "bot.7z is a 7z archive"),
    "a tar archive": ("bot.tar", bytes(257) + b"ustar\x0000" + bytes(300), "bot.tar is a tar archive"),
    "a tar.gz": ("bot.tar.gz", b"\x1f\x8b\x08\x00", "bot.tar.gz is packed with gzip"),
    "an xz": ("bot.tar.xz", b"\xfd7zXZ\x00", "bot.tar.xz is packed with xz"),
    "a program": ("bot", b"\x7fELF\2\1\1", "bot is a program by itself: put it into a .zip together with a bot.toml"),
    "nothing": ("bot.zip", b"", "bot.zip is empty: upload a .py or a .zip."),
    "Python called text": (
        "bot.txt",
        b"pass",
        "bot.txt is neither a .py nor a .zip: if it is a Python program, give it",
    ),
    "a picture": (
        "bot.png",
        b"\x89PNG\r\n\x1a\n\0\0",
        "bot.png is neither a .py nor a .zip: put all files of the bot into",
    ),
    "a zip called py": (
        "bot.py",
        HONEST,
        "bot.py is a zip archive and not Python: give it a name that ends with .zip.",
    ),
    "a Python file that is empty": ("bot.py", b"", "bot.py is empty: a bot needs a program."),
    "a Python file with a NUL": ("bot.py", b"pass\0", "bot.py has a NUL character in it, so it is no Python source"),
    "a Python file in Latin-1": ("bot.py", b"# L\xf6we", "bot.py is not UTF-8 text (line 1): save it as UTF-8."),
    "a compiled Python file": ("bot.py", b"\xa7\r\r\n\0\0", "bot.py is not UTF-8 text (line 1)"),
    "an upload that is too large": ("b.zip", HONEST + bytes(20_000), "b.zip has 19.66 KiB, and an upload has at most"),
    "a hostile name": ("<b>\x1b]0;x\x07.zip", b"", "“<b>\\x1b]0;x\\x07.zip” is empty"),
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
