"""Training of policy-value networks by self-play. It needs PyTorch and Matplotlib, which nothing else imports."""

from __future__ import annotations
