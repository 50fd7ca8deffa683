"""The network of ``games.network`` in PyTorch."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

import torch
from torch import nn
from torch.nn import functional

from bots.environments.vector import Numbers

NEVER: Final = -1e9
"""The logit of an action that is not legal."""


class PolicyValue(nn.Module):
    """The network of ``games.network``, with outputs for the leads, which only the training needs."""

    def __init__(self, inputs: int, actions: int, seats: int, hidden: int) -> None:
        super().__init__()
        self.mean: Any
        self.scale: Any
        self.register_buffer("mean", torch.zeros(inputs))
        self.register_buffer("scale", torch.ones(inputs))
        self.first, self.second = nn.Linear(inputs, hidden), nn.Linear(hidden, hidden)
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, seats)
        self.leads = nn.Linear(hidden, seats)
        for layer in (self.first, self.second):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
        for layer in (self.policy, self.value, self.leads):
            nn.init.normal_(layer.weight, 0, 0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, inputs: Any) -> tuple[Any, Any, Any]:
        """Return the logits of actions and of the win by relative seat, and the leads, each with shape (rows, …)."""
        hidden = functional.relu(self.first((inputs - self.mean) * self.scale))
        hidden = functional.relu(self.second(hidden))
        return self.policy(hidden), self.value(hidden), self.leads(hidden)

    def sharpened(self, factor: float) -> PolicyValue:
        """Return a copy that draws from its policy to the power of ``factor``."""
        copy = deepcopy(self)
        for array in (copy.policy.weight, copy.policy.bias):
            array.data.mul_(factor)
        return copy

    def set_scale(self, mean: Any, square: Any) -> None:
        """Scale the inputs, given their mean and the mean of their squares, each with shape (inputs,)."""
        self.mean.copy_(mean)
        self.scale.copy_(1 / ((square - mean**2).clamp(min=0).sqrt() + 0.05))

    def measure_inputs(self, inputs: Any) -> None:
        """Scale the inputs like those given, of shape (rows, inputs)."""
        self.set_scale(inputs.mean(0), (inputs**2).mean(0))

    def tensors(self) -> dict[str, Numbers]:
        """Return the tensors of a file (``games.network.TENSORS``), for observations as they are."""
        weight = (self.first.weight * self.scale).detach().numpy()
        tensors = {"first": weight.T, "first_bias": self.first.bias.detach().numpy() - weight @ self.mean.numpy()}
        for name in ("second", "policy", "value"):
            layer = getattr(self, name)
            tensors |= {name: layer.weight.detach().numpy(), f"{name}_bias": layer.bias.detach().numpy()}
        return tensors
