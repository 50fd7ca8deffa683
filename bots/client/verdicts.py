"""What became of an answer: played, or why not."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from bots.client.documents import Document
from bots.client.responding import document_of


@dataclass(frozen=True)
class Verdict:
    """The site's word on one answer. ``detail`` is a sentence where the move was not played; ``document`` has it all.

    - 200: ``played``, now or when the same answer came before;
    - 409: too late, or the decision was answered otherwise;
    - 422: illegal or malformed, which is the decision's strike;
    - 404: never asked, or not of this seat. Nothing has moved.
    """

    status: int
    detail: str
    document: Document

    @property
    def played(self) -> bool:
        """Whether the move stands in the game."""
        return self.status == httpx.codes.OK


def read_verdict(response: httpx.Response) -> Verdict:
    """The verdict that an answer of the site is."""
    document = document_of(response)
    return Verdict(response.status_code, str(document.get("detail", "")), document)
