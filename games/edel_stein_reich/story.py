from __future__ import annotations


def tell(log, names):
    return []
