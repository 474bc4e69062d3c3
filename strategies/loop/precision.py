"""The types that a model computes in."""

import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Have new tensors be of this type meanwhile."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


class Unfilled(TorchFunctionMode):
    """Meanwhile `torch.nn.init` leaves tensors as their memory is."""

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = kwargs or {}
        if getattr(func, "__module__", None) == "torch.nn.init":
            return given["tensor"] if "tensor" in given else args[0]
        return func(*args, **given)


@contextmanager
def made_unfilled(context: AbstractContextManager[Any]) -> Iterator[None]:
    """Meanwhile layers are made without initial values, which are to be loaded."""
    with context, Unfilled():
        yield


@contextmanager
def made_of_dtype(
    context: AbstractContextManager[Any], dtype: torch.dtype
) -> Iterator[None]:
    """Meanwhile layers are made of this type."""
    with context, default_dtype(dtype):
        yield


def to_dtype(batch: Any, dtype: torch.dtype) -> Any:
    """The batch with its floating-point tensors of this type."""
    if isinstance(batch, Tensor):
        return batch.to(dtype) if batch.is_floating_point() else batch
    kind: Any = type(batch)
    if isinstance(batch, Mapping):
        items = {key: to_dtype(item, dtype) for key, item in batch.items()}
        if isinstance(batch, defaultdict):
            return kind(batch.default_factory, items)
        return kind(items)
    if isinstance(batch, Sequence) and not isinstance(batch, str | bytes):
        parts = [to_dtype(item, dtype) for item in batch]
        return kind(*parts) if hasattr(batch, "_fields") else kind(parts)
    if is_dataclass(kind):
        return dataclass_to_dtype(batch, dtype)
    return batch


def dataclass_to_dtype(batch: Any, dtype: torch.dtype) -> Any:
    """A copy with the fields' tensors of this type."""
    converted = copy(batch)
    for part in fields(batch):
        if part.init:
            setattr(converted, part.name, to_dtype(getattr(batch, part.name), dtype))
    return converted


def half_autocast(device: torch.device) -> torch.autocast:
    """Half precision for operations that bear it; a CPU has bfloat16 in its place."""
    if device.type == "cpu":
        warnings.warn("16-mixed is bf16-mixed on a CPU", stacklevel=2)
    dtype = torch.bfloat16 if device.type == "cpu" else torch.float16
    return torch.autocast(device.type, dtype, cache_enabled=False)


def unscale(scaler: torch.amp.GradScaler, optimizer: Any) -> None:
    """Divide the gradients by the loss's scale, unless the optimizer does so in its step, as fused ones do."""
    if not getattr(optimizer, "_step_supports_amp_scaling", False):
        scaler.unscale_(optimizer)


def require_unscaled(scaler: torch.amp.GradScaler, optimizer: Any) -> None:
    """Gradients that the optimizer unscales in its step cannot be clipped before."""
    if scaler.is_enabled() and getattr(optimizer, "_step_supports_amp_scaling", False):
        raise RuntimeError(
            "gradients of a fused optimizer cannot be clipped in 16-mixed"
        )


def scaler_state(scaler: torch.amp.GradScaler) -> dict[str, Any]:
    """What a checkpoint holds of the scaler; nothing where it does not scale."""
    return {"MixedPrecision": scaler.state_dict()} if scaler.is_enabled() else {}


def precision_named(value: str | int | None, device: torch.device) -> "Precision":
    """The precision of that name, or of a short form of it."""
    short = {"16": "16-mixed", "bf16": "bf16-mixed", "32": "32-true", "64": "64-true"}
    name = "32-true" if value is None else short.get(str(value), str(value))
    names = *short.values(), "16-true", "bf16-true"
    if name not in names:
        raise SystemExit(f"precision is one of {', '.join(names)}, not {value}")
    if name == "16-mixed" and device.type == "cpu":
        warnings.warn("16-mixed is bf16-mixed on a CPU", stacklevel=2)
        name = "bf16-mixed"
    return Precision(name, device)


@dataclass(frozen=True)
class Precision:
    """The types that a run computes in."""

    name: str
    device: torch.device

    @property
    def dtype(self) -> torch.dtype:
        types = {"bf16": torch.bfloat16, "16": torch.float16, "64": torch.float64}
        return types[self.name.partition("-")[0]]

    @property
    def converts(self) -> bool:
        """Whether parameters and inputs are of that type, not the operations of steps alone."""
        return self.name in ("16-true", "bf16-true", "64-true")

    @property
    def scales(self) -> bool:
        """Whether gradients would vanish without a larger loss."""
        return self.name == "16-mixed"

    def steps(self) -> AbstractContextManager[Any]:
        """The context of the model's steps."""
        if self.name.endswith("-mixed"):
            return torch.autocast(self.device.type, self.dtype, cache_enabled=False)
        return self.creation()

    def creation(self) -> AbstractContextManager[Any]:
        """The context in which the model makes layers late."""
        return default_dtype(self.dtype) if self.converts else nullcontext()

    def convert(self, model: nn.Module) -> None:
        if self.name == "64-true":
            model.double()  # unlike `to`, it leaves complex numbers complex
        elif self.converts:
            model.to(self.dtype)

    def inputs(self, batch: Any) -> Any:
        return to_dtype(batch, self.dtype) if self.converts else batch
