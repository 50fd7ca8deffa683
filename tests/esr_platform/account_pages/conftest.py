from __future__ import annotations

from tests.esr_platform.accounts.conftest import miriam, quick_passwords, sandbox_launcher

__all__ = ["miriam", "quick_passwords", "sandbox_launcher"]
