from __future__ import annotations

from tests.esr_platform.accounts.conftest import miriam, sandbox_launcher

__all__ = ["miriam", "sandbox_launcher"]
