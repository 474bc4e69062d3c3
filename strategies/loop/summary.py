"""The layers of a model, and how large they are."""

from math import prod
from typing import Any

from torch import nn


class ModelSummary:
    """Layers by their names, with their numbers of parameters."""

    def __init__(self, model: nn.Module, max_depth: int) -> None:
        self.model = model
        modules = [each for each in model.named_modules() if each[0] and max_depth]
        if max_depth > 0:
            modules = [each for each in modules if each[0].count(".") < max_depth]
        self.named_modules: list[tuple[str, nn.Module]] = modules

    @property
    def layer_names(self) -> list[str]:
        return [name for name, _ in self.named_modules]

    @property
    def layer_types(self) -> list[str]:
        return [type(module).__name__ for _, module in self.named_modules]

    @property
    def param_nums(self) -> list[int]:
        return [
            sum(prod(each.shape) for each in module.parameters())
            for _, module in self.named_modules
        ]

    @property
    def total_layer_params(self) -> int:
        return sum(self.param_nums)

    @property
    def total_parameters(self) -> int:
        return sum(each.numel() for each in self.model.parameters())

    @property
    def trainable_parameters(self) -> int:
        trained = (each for each in self.model.parameters() if each.requires_grad)
        return sum(each.numel() for each in trained)

    @property
    def model_size(self) -> float:
        """In megabytes, of single precision."""
        return self.total_parameters * 4e-6

    def __str__(self) -> str:
        rows: list[tuple[Any, Any, Any]] = [("name", "type", "parameters")]
        rows += zip(self.layer_names, self.layer_types, self.param_nums, strict=True)
        rows += [("trainable", "", self.trainable_parameters)]
        rows += [("total", "", self.total_parameters)]
        widths = [max(len(str(row[column])) for row in rows) for column in (0, 1, 2)]
        lines = (
            f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {size:>{widths[2]}}"
            for name, kind, size in rows
        )
        return "\n".join(lines)

    __repr__ = __str__


def summarize(lightning_module: Any, max_depth: int = 1) -> ModelSummary:
    """The model's layers down to a depth; -1: all."""
    return ModelSummary(lightning_module, max_depth)
