#!/bin/sh
# httpx-sse 0.4.3 uses the default read timeout of its httpx 0.28.1 client, 5 s, for a stream that stays open. A server
# that sends a comment every 7 s loses this client: its stream breaks with ReadTimeout before
# the first comment. Remedy: httpx.Client(timeout=httpx.Timeout(5, read=30)).
# Seen: "default: hello, then ReadTimeout; read=30: hello, then second"
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --target "$folder" httpx==0.28.1 httpx-sse==0.4.3 2>/dev/null
PYTHONPATH=$folder python3 - <<'PY'
import threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx, httpx_sse


class Stream(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"data: hello\n\n")
        time.sleep(7)
        try:
            self.wfile.write(b": heartbeat\n\ndata: second\n\n")
        except OSError:
            pass

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
threading.Thread(target=server.serve_forever, daemon=True).start()


def heard(client):
    found = []
    try:
        with httpx_sse.connect_sse(client, "GET", f"http://127.0.0.1:{server.server_port}/") as source:
            for event in source.iter_sse():
                found.append(event.data)
    except httpx.ReadTimeout:
        found.append("ReadTimeout")
    return ", then ".join(found)


line = f"default: {heard(httpx.Client())}; read=30: {heard(httpx.Client(timeout=httpx.Timeout(5, read=30)))}"
print(line)
assert line == "default: hello, then ReadTimeout; read=30: hello, then second"
PY
