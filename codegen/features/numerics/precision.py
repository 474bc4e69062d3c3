"""What the model computes in: `precision` (19)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...facts.facts import Facts
from ...facts.members import module_members
from ...facts.trainer.precision import SCALED
from ...ir.plans import ConfigField
from ...spec.precision import is_mixed
from ..feature import Feature

ON_CPU = "bf16-mixed"
"""What 16-mixed is there."""


@dataclass(frozen=True)
class Precision:
    """Another precision than the full one."""

    is_open: bool  # known only when the script runs
    parameter: str  # of functions that run the model, beside `fit`
    argument: str
    conversion: str  # of the model; empty: its parameters stay as they are
    dtype: str  # that the model is told; empty: it does not ask
    inputs: str  # a batch, converted; empty: it stays as it is
    may_be_double: bool  # new tensors, in the model's steps
    scaler: str  # what scales losses; empty: nothing does
    tells_scaler: bool  # the trainer
    step_due: str  # a condition for there to be gradients that were scaled; empty: always
    unscaling: str  # of the gradients


def precision(facts: Facts) -> Precision | None:
    """None: it is the full one."""
    known = facts.precision
    if known.is_full:
        return None
    is_open = known.only is None
    return Precision(
        is_open=is_open,
        parameter="precision: Precision" if is_open else "",
        argument="precision" if is_open else "",
        conversion=_conversion(facts),
        dtype=_dtype(facts),
        inputs=_inputs(facts),
        may_be_double="64-true" in known.names,
        scaler=_scaler(facts) if known.scales else "",
        tells_scaler=known.scales and "loss_scaler" in facts.trainer_fields,
        step_due=_step_due(facts) if facts.output == "any" else "",
        unscaling=_unscaling(facts),
    )


def _conversion(facts: Facts) -> str:
    known = facts.precision
    if not known.converts:
        return ""
    if known.only is None:
        return "precision.convert(model)"
    # unlike `to`, `double` leaves complex numbers complex
    return "model.double()" if known.only == "64-true" else f"model.to({known.dtype})"


def _dtype(facts: Facts) -> str:
    if not facts.precision.converts or "dtype" not in module_members(facts):
        return ""
    return facts.precision.dtype or "precision.dtype"


def _inputs(facts: Facts) -> str:
    known = facts.precision
    if not known.converts:
        return ""
    if known.only is None:
        return "precision.inputs(batch)"
    if facts.has_tensor_batches:
        return f"[each.to({known.dtype}) if each.is_floating_point() else each for each in batch]"
    return f"to_dtype(batch, {known.dtype})"


def _scaler(facts: Facts) -> str:
    if facts.precision.device:
        return f"torch.amp.GradScaler({_device(facts)})"
    is_enabled = 'device.type != "cpu"' if facts.precision.only else "precision.scales"
    return f"torch.amp.GradScaler(device.type, enabled={is_enabled})"


def _step_due(facts: Facts) -> str:
    return "loss is not None" if facts.precision.device else "loss is not None or not scaler.is_enabled()"


def _unscaling(facts: Facts) -> str:
    return "unscale(scaler, optimizer)" if facts.form.may_be_fused else "scaler.unscale_(optimizer)"


def step_context(facts: Facts) -> str:
    """What stands round the model's steps; empty: nothing."""
    known = facts.precision
    if known.only is None:
        return "precision.steps()"
    if known.only == SCALED and known.device is None:
        return "half_autocast(device)"
    if is_mixed(known.only):
        return f"torch.autocast({_device(facts)}, {known.dtype}, cache_enabled=False)"
    return creation_context(facts)


def _device(facts: Facts) -> str:
    """The kind of device whose operations choose their types."""
    return f'"{facts.precision.device}"' if facts.precision.device else "device.type"


def creation_context(facts: Facts) -> str:
    """What stands round where the model makes its layers late; empty: nothing."""
    known = facts.precision
    if not known.converts:
        return ""
    return f"default_dtype({known.dtype})" if known.only else "precision.creation()"


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.precision.only is None:
        yield ConfigField("precision", "str | int | None", "None", of_training=False)


def _trainer(facts: Facts) -> Mapping[str, str]:
    only = facts.precision.only
    name = repr(only) if only else "precision.name"
    if only == SCALED and facts.precision.device is None:
        name = f'"{ON_CPU}" if device.type == "cpu" else "{SCALED}"'
    return {"precision": name.replace("'", '"')}


PRECISION = Feature(
    "precision",
    precision,
    ("The model computes in another precision.", "setting precision"),
    {
        "dtype": ("Your model reads self.dtype.", "read dtype"),
        "scaler": ("Losses are scaled, as small gradients vanish in half precision.", "setting precision"),
    },
    _config,
    _trainer,
)
