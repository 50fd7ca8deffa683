"""Sparse symmetric equations between versions that have met, solved for many right sides at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Integers = NDArray[np.int64]
Numbers = NDArray[Any]
"""Floating-point numbers of single or double precision."""


@dataclass(frozen=True)
class System:
    """The positive definite matrix diag(``diagonal``) − ``links``: the Laplacian of a network plus a diagonal."""

    diagonal: Numbers
    links: csr_array

    def solve(self, right: Numbers, tolerance: float = 1e-10) -> Numbers:
        """Return the solution of matrix · x = ``right`` with shape (versions, columns), in the precision of ``right``.

        It uses conjugate gradients with the diagonal as preconditioner (M. R. Hestenes, E. Stiefel, 1952), until the
        residual of every column is below ``tolerance`` of its right side, in the norm of the preconditioner.
        """
        diagonal = self.diagonal.astype(right.dtype)[:, None]
        links = self.links.astype(right.dtype)
        solution = np.zeros_like(right)
        residual = right.copy()
        direction = right / diagonal
        size = (residual * direction).sum(axis=0)
        enough = tolerance**2 * size
        for _ in range(10 * len(right)):
            if (size <= enough).all():
                break
            image = diagonal * direction - links @ direction
            length = _ratio(size, (direction * image).sum(axis=0))
            solution += length * direction
            residual -= length * image
            closer = residual / diagonal
            before, size = size, (residual * closer).sum(axis=0)
            direction = closer + _ratio(size, before) * direction
        return solution


class Network:
    """The pairs of versions that have met. Their matrix positions are found once, so a new matrix is only one sum."""

    def __init__(self, versions: int, meetings: Sequence[Integers]) -> None:
        """Take one array of pairs for each part of the values, with the shape (games, 2, pairs)."""
        self._versions = versions
        pairs = np.concatenate([np.sort(part, axis=1).swapaxes(1, 2).reshape(-1, 2) for part in meetings] or [_NONE])
        keys, self._pair = np.unique(pairs[:, 0] * versions + pairs[:, 1], return_inverse=True)
        first, second = np.divmod(keys, max(versions, 1))
        rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
        order = np.lexsort((columns, rows))
        self._columns = columns[order]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=versions))])
        self._slots = np.tile(np.arange(len(keys)), 2)[order]
        self._count = len(keys)

    def system(self, values: Sequence[Numbers], more: float) -> System:
        """Return the equations with the sums of ``values`` as links, in the order of the meetings.

        The diagonal is the sum of a row's links plus ``more``.
        """
        every = np.concatenate([part.ravel() for part in values]) if values else np.zeros(0)
        sums = np.bincount(self._pair, every, minlength=self._count)
        shape = (self._versions, self._versions)
        links = csr_array((sums[self._slots], self._columns, self._starts), shape=shape)
        return System(links.sum(axis=1) + more, links)


_NONE: Integers = np.zeros((0, 2), dtype=np.int64)


def _ratio(above: Numbers, below: Numbers) -> Numbers:
    """Return ``above`` / ``below``, or 0 if nothing is left to do."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
