"""The types that a model computes in, held against Lightning's plugins (19)."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from ddpgen.strategies.loop.precision import (
    Precision,
    default_dtype,
    half_autocast,
    precision_named,
    require_unscaled,
    scaler_state,
    to_dtype,
    unscale,
)
from lightning.pytorch import Trainer
from lightning.pytorch.plugins import DoublePrecision, HalfPrecision
from torch import nn

CPU = torch.device("cpu")
NAMES = ["16-mixed", "bf16-mixed", "16-true", "bf16-true", "32-true", "64-true", "16", "bf16", "32", "64"]
GIVEN: list[Any] = [*NAMES, 16, 32, 64, None]


@dataclass
class Part:
    x: torch.Tensor
    name: str


Pair = namedtuple("Pair", "x y")

X = torch.ones(2)
BATCHES: list[Any] = [
    X,
    X.double(),
    X.int(),
    X > 0,
    X.to(torch.complex64),
    [X, X.half()],
    (X, "text", 3, None),
    {"x": X, "more": [X.int(), {"y": X}]},
    OrderedDict(x=X),
    defaultdict(list, x=X),
    Pair(X, X.int()),
    Part(X, "name"),
    {"part": Part(X, "name")},
    b"bytes",
]


def described(value: Any) -> Any:
    """What a value is made of, with the types of its tensors."""
    if isinstance(value, torch.Tensor):
        return value.dtype, value.tolist()
    if isinstance(value, Part):
        return Part, described(value.x), value.name
    if isinstance(value, dict):
        return type(value), {key: described(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [described(item) for item in value]
    return value


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: type(batch).__name__)
@pytest.mark.parametrize("plugin", [HalfPrecision("16-true"), HalfPrecision("bf16-true"), DoublePrecision()])
def test_batches_are_converted_as_lightning_does(batch: Any, plugin: Any) -> None:
    precision = Precision(plugin.precision, CPU)
    expected = described(plugin.convert_input(batch))
    assert described(to_dtype(batch, precision.dtype)) == expected
    assert described(precision.inputs(batch)) == expected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", GIVEN)
def test_a_precision_known_at_run(value: Any) -> None:
    """Its name, its contexts and its conversions are those of the plugin that Lightning's Trainer makes."""
    plugin: Any = Trainer(precision=value, accelerator="cpu", logger=False).precision_plugin
    precision = precision_named(value, CPU)
    assert precision.name == plugin.precision
    assert not precision.scales  # on the CPU
    assert seen_in(precision.steps) == seen_in(plugin.forward_context)
    assert seen_in(precision.creation) == seen_in(plugin.module_init_context)
    ours, theirs = nn.Linear(2, 2), nn.Linear(2, 2)
    precision.convert(ours)
    assert ours.weight.dtype == plugin.convert_module(theirs).weight.dtype
    assert described(precision.inputs([X, X.int()])) == described(plugin.convert_input([X, X.int()]))
    assert torch.get_default_dtype() == torch.float32


def seen_in(context: Callable[[], Any]) -> tuple[Any, ...]:
    """What torch says of types within a context."""
    with context():
        is_on = torch.is_autocast_enabled("cpu")
        type_of_it = torch.get_autocast_dtype("cpu") if is_on else None
        return torch.get_default_dtype(), is_on, type_of_it, is_on and torch.is_autocast_cache_enabled()


@pytest.mark.parametrize("value", ["8", "32-mixed", 32.0, True, "transformer-engine"])
def test_a_precision_that_there_is_not(value: Any) -> None:
    with pytest.raises(SystemExit, match=str(value)):
        precision_named(value, CPU)


def test_half_precision_on_other_devices() -> None:
    """16-mixed scales there, and is bfloat16 on a CPU alone."""
    precision = precision_named(16, torch.device("cuda"))
    assert (precision.name, precision.scales, precision.dtype) == ("16-mixed", True, torch.float16)
    with pytest.warns(UserWarning, match="bf16-mixed"):
        assert precision_named(16, CPU).name == "bf16-mixed"
    with pytest.warns(UserWarning, match="bf16-mixed"), half_autocast(CPU):
        assert torch.get_autocast_dtype("cpu") == torch.bfloat16


def test_double_precision_leaves_complex_numbers_complex() -> None:
    model = nn.ParameterList([nn.Parameter(X.to(torch.complex64)), nn.Parameter(X)])
    Precision("64-true", CPU).convert(model)
    assert [each.dtype for each in model] == [torch.complex64, torch.float64]


def test_new_tensors_have_the_old_type_after_an_error() -> None:
    with pytest.raises(ValueError, match="within"), default_dtype(torch.float64):
        raise ValueError("within")
    assert torch.get_default_dtype() == torch.float32


# ---- scaled losses ---------------------------------------------------------------------------------------


def scaled(enabled: bool = True, fused: bool = False) -> tuple[torch.amp.GradScaler, torch.optim.Optimizer]:
    """A scaler, and an optimizer with scaled gradients."""
    parameter = nn.Parameter(X.clone())
    optimizer = torch.optim.SGD([parameter], lr=0.1, fused=fused)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, enabled=enabled)
    scaler.scale(parameter.sum()).backward()
    return scaler, optimizer


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fused", [True, False])
def test_gradients_are_unscaled_once(enabled: bool, fused: bool) -> None:
    """19.3: by the optimizer itself, where it does so in its step."""
    scaler, optimizer = scaled(enabled, fused)
    unscale(scaler, optimizer)
    (parameter,) = optimizer.param_groups[0]["params"]
    assert parameter.grad.tolist() == ([8.0, 8.0] if enabled and fused else [1.0, 1.0])
    scaler.step(optimizer)
    assert parameter.tolist() == pytest.approx([0.9, 0.9])


def test_gradients_that_a_step_unscales_are_not_clipped() -> None:
    require_unscaled(*scaled())
    require_unscaled(*scaled(enabled=False, fused=True))
    with pytest.raises(RuntimeError, match="fused"):
        require_unscaled(*scaled(fused=True))


def test_what_a_checkpoint_holds() -> None:
    scaler, _ = scaled()
    assert scaler_state(scaler) == {"MixedPrecision": scaler.state_dict()}
    assert scaler_state(torch.amp.GradScaler("cpu", enabled=False)) == {}
