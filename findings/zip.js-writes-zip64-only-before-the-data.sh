#!/bin/sh
# ZipWriterStream of @zip.js/zip.js 2.24.0 writes a 9-byte file with a zip64 field in the local header and a descriptor
# of 24 bytes, but a plain 32-bit entry in the central directory.
# A reader that assumes descriptors of 16 bytes, because the directory is plain, loses its place.
# Seen: {"local": "zip64", "descriptor": 24, "directory": "plain"}
set -eu
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
npm install --silent --no-audit --no-fund @zip.js/zip.js@2.24.0 >/dev/null 2>&1
cat >pack.js <<'JS'
const { ZipWriterStream } = require("@zip.js/zip.js"), fs = require("node:fs");
(async () => {
  const zip = new ZipWriterStream(), done = new Response(zip.readable).arrayBuffer();
  await new Blob(["print(1)\n"]).stream().pipeTo(zip.writable("bot.py"));
  await zip.close();
  fs.writeFileSync("out.zip", Buffer.from(await done));
})();
JS
node pack.js
python3 - <<'PY'
import json, struct, zipfile

data = open("out.zip", "rb").read()
archive = zipfile.ZipFile("out.zip")
(entry,) = archive.infolist()
assert archive.read(entry) == b"print(1)\n"
name, extra = struct.unpack_from("<2H", data, entry.header_offset + 26)
local = data[entry.header_offset + 30 + name :][:extra]
end = entry.header_offset + 30 + name + extra + entry.compress_size
found = {
    "local": "zip64" if local[:2] == b"\x01\x00" else "plain",
    "descriptor": archive.start_dir - end,
    "directory": "zip64" if b"\x01\x00" == entry.extra[:2] else "plain",
}
print(json.dumps(found))
assert found == {"local": "zip64", "descriptor": 24, "directory": "plain"}
PY
