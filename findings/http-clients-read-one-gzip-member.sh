#!/bin/sh
# A gzip stream may have several members (RFC 1952, section 2.2), for example if a server compresses every chunk by
# itself. With Content-Encoding: gzip, httpx 0.28.1 silently returns the first member only, without an error.
# requests 2.34.2 with urllib3 2.8.0, and `gunzip`, return all members.
# Seen: {"httpx": "one", "requests": "one two", "gunzip": "one two"}
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --target "$folder" httpx==0.28.1 requests==2.34.2 urllib3==2.8.0 2>/dev/null
PYTHONPATH=$folder python3 - <<'PY'
import gzip, json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx, requests

BODY = gzip.compress(b"one") + gzip.compress(b" two")


class Members(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Members)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"
found = {"httpx": httpx.get(url).text, "requests": requests.get(url).text, "gunzip": gzip.decompress(BODY).decode()}
print(json.dumps(found))
assert found == {"httpx": "one", "requests": "one two", "gunzip": "one two"}
PY
