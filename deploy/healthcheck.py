"""Health checks of the containers in compose.yaml. Usage: healthcheck.py web|streams|CHECK …

``web`` asks the web server of this container, and ``streams`` the stream processes in ``VAR_DIR``. Every other word is
a check of ``/readyz``. The exit code is 1 if something does not answer or fails.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

PATIENCE_S = 5


def problem(what: str) -> str:
    """Return why ``what`` is not healthy, or an empty string. Raises ``OSError`` if it does not answer."""
    if what == "web":
        with urlopen("http://127.0.0.1:8000/livez", timeout=PATIENCE_S):
            return ""
    if what == "streams":
        sockets = list(Path(os.environ["VAR_DIR"]).glob("streams-*.sock"))
        for path in sockets:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
                connection.settimeout(PATIENCE_S)
                connection.connect(str(path))
        return "" if sockets else "There is no socket of a stream process."
    try:
        with urlopen(f"{os.environ.get('WEB_URL', 'http://web:8000')}/readyz", timeout=PATIENCE_S) as response:
            state = json.load(response)
    except HTTPError as error:  # status 503: some check fails
        state = json.load(error)
    found = {check["name"]: check["state"] for check in state["checks"]}
    return "" if found[what] == "ok" else f"The state of {what} is {found[what]}."


if __name__ == "__main__":
    for word in sys.argv[1:]:
        try:
            found = problem(word)
        except OSError as error:
            found = f"{word} does not answer: {error}"
        if found:
            sys.exit(found)
