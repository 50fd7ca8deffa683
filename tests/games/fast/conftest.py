from __future__ import annotations

from tests.accelerator import accelerator

__all__ = ["accelerator"]
