"""What an epoch has logged so far, for a run that goes on within it."""

import warnings
from typing import Any

import torch
from torch import Tensor

from ..checkpoints.checkpoint import is_plain
from ..data.data import first_tensor, to_device
from .logs import EpochReduction


def logged_so_far(logs: Any) -> dict[str, Any]:
    """An epoch's values in their parts, and what else is known of them; but for metrics."""
    kept: dict[str, Any] = {}
    for name, values in vars(logs).items():
        if isinstance(values, set):
            kept[name] = sorted(values)
        elif isinstance(values, dict) and name != "batch":
            told = {key: told_value(value) for key, value in values.items()}
            kept[name] = {key: each for key, each in told.items() if is_plain(each)}
    return kept


def told_value(value: Any) -> Any:
    """What reduces an epoch's values, but not to a mean, as a dict."""
    return dict(vars(value)) if isinstance(value, EpochReduction) else value


def log_on(logs: Any, kept: dict[str, Any]) -> None:
    """Go on from what `logged_so_far` has told."""
    for name, values in kept.items():
        if isinstance(values, dict):
            values = {
                key: kept_value(each, logs.device) for key, each in values.items()
            }
        getattr(logs, name).update(values)


def kept_value(told: Any, device: Any, reduces: bool = True) -> Any:
    """The opposite of `told_value`."""
    if reduces and isinstance(told, dict):
        parts = {name: kept_value(part, device) for name, part in told.items()}
        return EpochReduction(**parts)
    if isinstance(told, tuple):
        return tuple(kept_value(part, device) for part in told)
    return told.to(device) if isinstance(told, Tensor) else told


def counted_so_far(logs: Any, model: Any) -> dict[str, Any]:
    """What the model's metrics have counted, and under which names they are logged."""
    for part in model.modules():
        if hasattr(part, "compute_groups"):
            part.values()  # of a collection some count for others: these get that now
    metrics = {
        name: part
        for name, part in model.named_modules()
        if hasattr(part, "_update_count")
    }
    names = {id(metric): name for name, metric in metrics.items()}
    if strange := [
        name for name, each in logs.metrics.items() if id(each) not in names
    ]:
        raise ValueError(f"{strange[0]} is no metric of the model's, which keeps it")
    return {
        "states": {name: dict(each.metric_state) for name, each in metrics.items()},
        "counts": {name: each._update_count for name, each in metrics.items()},
        "logged": {name: names[id(each)] for name, each in logs.metrics.items()},
        "of_epoch": {
            name: names.get(id(each), "") for name, each in logs.epoch_values.items()
        },
    }


def count_on(logs: Any, model: Any, kept: dict[str, Any]) -> None:
    """Go on from what `counted_so_far` has told."""
    for name, state in kept["states"].items():
        metric: Any = model.get_submodule(name)
        for part, value in state.items():
            if isinstance(value, list):
                value = [each.to(metric.device) for each in value]
            elif isinstance(value, Tensor):
                value = value.to(metric.device)
            setattr(metric, part, value)
        metric._update_count, metric._computed = kept["counts"][name], None
    for name, metric_name in kept["logged"].items():
        logs.metrics[name] = model.get_submodule(metric_name)
    values = dict(logs.epoch_values)
    logs.epoch_values.clear()
    for name, metric_name in kept["of_epoch"].items():  # in the same order
        metric = model.get_submodule(metric_name) if metric_name else values[name]
        logs.epoch_values[name] = metric


def changed_so_far(model: Any, names: list[str]) -> dict[str, Any]:
    """Those of the model's attributes that its steps change, but for modules and tensors that it saves itself."""
    kept = {
        name: without_graph(vars(model)[name]) for name in names if name in vars(model)
    }
    for name, value in kept.items():
        if not is_plain(value):
            raise SystemExit(
                f"the model's {name} changes within epochs, and a checkpoint cannot hold it, a "
                f"{type(value).__name__}: nothing would go on with it"
            )
    tensors = {name: first_tensor(value) for name, value in kept.items()}
    of_cpu = [
        name for name, each in tensors.items() if each is not None and each.is_cpu
    ]
    return {"values": kept, "of_cpu": of_cpu}


def can_hold_changes(model: Any, names: list[str]) -> bool:
    """Whether a checkpoint can hold those of the model's attributes that its steps change."""
    held = vars(model)
    kinds = {
        name: type(held[name]).__name__
        for name in names
        if name in held and not is_plain(without_graph(held[name]))
    }
    for name, kind in kinds.items():
        warnings.warn(
            f"the model's {name} changes within epochs, and a checkpoint cannot hold it, a "
            f"{kind}: no run goes on from one that is saved within an epoch",
            stacklevel=2,
        )
    return not kinds


def can_hold_metrics(logs: Any, model: Any) -> bool:
    """Whether all metrics that are logged are the model's, which keeps them."""
    parts = {id(part) for part in model.modules()}
    strange = [name for name, each in logs.metrics.items() if id(each) not in parts]
    for name in strange:
        warnings.warn(
            f"{name} is no metric of the model's, which keeps it: no run goes on from a "
            "checkpoint that is saved within an epoch",
            stacklevel=2,
        )
    return not strange


def gradients_so_far(model: Any) -> dict[str, Tensor]:
    """What a window's batches add up to before its last."""
    gradients = {name: each.grad for name, each in model.named_parameters()}
    return {name: each for name, each in gradients.items() if each is not None}


def accumulate_on(model: Any, kept: dict[str, Tensor] | None) -> None:
    """Go on from what `gradients_so_far` has told."""
    for name, gradient in (kept or {}).items():
        parameter = model.get_parameter(name)
        parameter.grad = gradient.to(parameter.device)


def without_graph(value: Any) -> Any:
    """Tensors by themselves, alone or in lists and dicts."""
    if isinstance(value, Tensor):
        return value.detach()
    if type(value) in (list, tuple):
        return type(value)(map(without_graph, value))
    if isinstance(value, dict):
        return {key: without_graph(each) for key, each in value.items()}
    return value


def change_on(model: Any, kept: dict[str, Any], device: torch.device) -> None:
    """Go on from what `changed_so_far` has told."""
    for name, value in kept["values"].items():
        if name not in kept["of_cpu"]:
            value = to_device(value, device)
        now = getattr(model, name, None)
        if isinstance(now, dict):  # of a kind of its own, such as a defaultdict
            now.clear()
            now.update(value)
        else:
            setattr(model, name, value)
