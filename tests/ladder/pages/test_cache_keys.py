"""What an older release has kept for pages is a miss."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from typing import Any

import pytest

from ladder.pages import home
from ladder.pages.components.responses import cache_key

KEPT = [
    (home._KEY, "watching", home.Moment),
    (home._LIVE_KEY, "best-table", home.Best),
    (home._CLIMBERS_KEY, "climbing", home._Gain),
]


def test_a_key_changes_with_the_fields_of_what_is_kept() -> None:
    shapes = [[("a", int)], [("a", str)], [("b", int)], [("a", int), ("b", int)], [("b", int), ("a", int)]]
    keys = {cache_key("page", make_dataclass("Kept", shape)) for shape in shapes}
    assert len(keys) == len(shapes)
    assert cache_key("page", make_dataclass("Renamed", shapes[0])) in keys


@pytest.mark.parametrize(("key", "name", "kind"), KEPT)
def test_pages_do_not_find_what_a_release_with_other_fields_has_kept(key: str, name: str, kind: type[Any]) -> None:
    @dataclass(frozen=True)
    class Older(kind):  # type: ignore[misc]
        gone: int = 0

    assert key == cache_key(name, kind) != cache_key(name, Older)
