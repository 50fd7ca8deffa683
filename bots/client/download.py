"""Download a public file of a site in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import httpx2

from bots.client.calls import ANSWER_S, ClientError, Problem, Unreachable

MOST_REDIRECTS: Final = 5


def download(url: str, most_bytes: int) -> Iterator[bytes]:
    """Yield the body at ``url``, without a token. Raises ``ClientError``, also for more than ``most_bytes``."""
    read = 0
    try:
        with (
            httpx2.Client(follow_redirects=True, max_redirects=MOST_REDIRECTS, timeout=ANSWER_S) as http,
            http.stream("GET", url) as response,
        ):
            if not response.is_success:
                detail = f"The site returned {response.status_code} {response.reason_phrase} for {url}."
                if response.status_code == HTTPStatus.NOT_FOUND:
                    detail += " If the page is private, download the file in your browser and name it instead."
                raise Problem(response.status_code, "error", detail, {})
            for piece in response.iter_bytes():
                read += len(piece)
                if read > most_bytes:
                    raise ClientError(f"The file at {url} is longer than {most_bytes // 2**20:,} MiB.")
                yield piece
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Unreachable(f"Cannot download {url}: {str(error) or type(error).__name__}.") from error
