"""What changes from one JSON value to the next, small enough to send for every step.

A patch is ``[value]``, which takes the place of the old value; or an object that goes into an object or a list, with a
patch for each key or place that changes; in one for a list, ``"+"`` has what is appended and ``"-"`` the new length.
No patch at all (``None``) means that nothing changes.
"""

from __future__ import annotations

from typing import Any

Patch = list[Any] | dict[str, Any] | None


def patch(old: Any, new: Any) -> Patch:
    """What makes ``new`` of ``old``."""
    if type(old) is type(new) is dict and old.keys() == new.keys():
        return _within({key: patch(old[key], new[key]) for key in old})
    if type(old) is type(new) is list and old and new:
        return _of_list(old, new)
    return None if type(old) is type(new) and old == new else [new]


def _of_list(old: list[Any], new: list[Any]) -> Patch:
    """A list is patched in place unless nothing of it stays."""
    common = min(len(old), len(new))
    changes = {str(place): patch(old[place], new[place]) for place in range(common)}
    if common and all(type(change) is list for change in changes.values()):
        return [new]
    inside = _within(changes) or {}
    if len(new) > common:
        inside["+"] = new[common:]
    elif len(old) > common:
        inside["-"] = common
    return inside or None


def _within(changes: dict[str, Patch]) -> dict[str, Any] | None:
    return {key: change for key, change in changes.items() if change is not None} or None


def patched(old: Any, change: Patch) -> Any:
    """``old`` as ``change`` makes it; what does not change is shared, and nothing is written to."""
    if change is None:
        return old
    if isinstance(change, list):
        return change[0]
    if isinstance(old, dict):
        return {**old, **{key: patched(old[key], inside) for key, inside in change.items()}}
    new = old[: change["-"]] if "-" in change else list(old)
    for place, inside in change.items():
        if place not in ("+", "-"):
            new[int(place)] = patched(new[int(place)], inside)
    return new + change.get("+", [])
