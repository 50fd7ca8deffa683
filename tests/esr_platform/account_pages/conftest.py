from __future__ import annotations

from tests.esr_platform.accounts.conftest import _quick_passwords, miriam, sandbox_launcher

__all__ = ["_quick_passwords", "miriam", "sandbox_launcher"]
