"""What can be said at every table, rated ones too: by name, so that everybody reads it in their own language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

PRESETS: Final[Mapping[str, Promise | str]] = MappingProxyType(
    {
        "hello": _("Hello"),
        "good-luck": _("Good luck"),
        "well-played": _("Well played"),
        "thanks": _("Thanks"),
        "moment": _("One moment, please"),
        "sorry": _("Sorry"),
        "good-game": _("Good game"),
    }
)
