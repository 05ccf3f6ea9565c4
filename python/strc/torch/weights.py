"""The stored values of a model: which name each of them has in the .safetensors file."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch


@dataclass(frozen=True, eq=False)
class Known:
    """A tensor that is known when the model is imported: a parameter, a buffer, or what is computed of those."""

    name: str
    tensor: torch.Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def dtype(self) -> torch.dtype:
        return self.tensor.dtype

    @property
    def rank(self) -> int:
        return len(self.tensor.shape)

    def dim(self, number: int) -> int:
        """A dimension counted from the front."""
        return number % self.rank if self.rank else 0


def same_signs(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Zeros that are equal may have different signs."""
    return bool(torch.equal(torch.signbit(one), torch.signbit(other)))


@dataclass
class Weights:
    """Tensors by name."""

    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def accepts(self, name: str, tensor: torch.Tensor) -> bool:
        old = self.tensors.get(name)
        return old is None or old is tensor or (old.dtype == tensor.dtype and torch.equal(old, tensor) and same_signs(old, tensor))

    def store(self, name: str, tensor: torch.Tensor) -> str:
        """Stores a tensor under a name, or under one like it if something else has that; the name."""
        wanted, count = name, 1
        while not self.accepts(name, tensor):
            count += 1
            name = f"{wanted}_{count}"
        self.tensors.setdefault(name, tensor)
        return name

    def prefix(self, parts: dict[str, Known]) -> str:
        """Stores a module's tensors as PREFIX.weight, PREFIX.bias, ...; their own prefix if they have one in common."""
        base = wanted = self.common_prefix(parts)
        count = 1
        while not all(self.accepts(f"{base}.{role}", known.tensor) for role, known in parts.items()):
            count += 1
            base = f"{wanted}_{count}"
        for role, known in parts.items():
            self.tensors.setdefault(f"{base}.{role}", known.tensor)
        return base

    @staticmethod
    def common_prefix(parts: dict[str, Known]) -> str:
        for role, known in parts.items():
            if known.name.endswith("." + role):
                return known.name[: -len(role) - 1]
        role, known = next(iter(parts.items()))
        name = known.name.removesuffix(role).rstrip("._")
        return name or "model"
