"""What a model and a data module inherit, held against Lightning's own classes."""

from __future__ import annotations

import copy
import inspect
import pickle
from argparse import Namespace
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightning as L
import pytest
import torch
from ddpgen.strategies.loop.module import DataModule, HParams, Trainer, TrainModule, as_mapping, drop_ignored
from ddpgen.strategies.metrics.logs import Logs
from lightning.fabric.utilities.data import AttributeDict
from lightning.pytorch.plugins.precision import Precision
from lightning.pytorch.utilities import GradClipAlgorithmType
from torch import Tensor, nn
from torch.optim import SGD, Optimizer

CPU, META = torch.device("cpu"), torch.device("meta")

# ---- HParams ---------------------------------------------------------------------------------------------

KINDS = [HParams, AttributeDict]


@pytest.mark.parametrize("entries", [{}, {"width": 3}, {"b": [1.0], "longer_name": "x", "a": None}])
def test_they_are_shown_as_lightnings_are(entries: dict[str, Any]) -> None:
    ours, theirs = (kind(entries) for kind in KINDS)
    assert (str(ours), repr(ours)) == (str(theirs), repr(theirs))


@pytest.mark.parametrize("kind", KINDS)
def test_entries_by_key_and_by_attribute(kind: Any) -> None:
    values = kind(width=3, name="x")
    assert (values.width, values["name"]) == (3, "x")
    values.width = 5
    values["depth"] = 2
    assert (values["width"], values.depth) == (5, 2)
    assert dict(values) == {"width": 5, "name": "x", "depth": 2}


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_that_is_missing(kind: Any) -> None:
    values = kind(width=3)
    assert hasattr(values, "width")
    assert not hasattr(values, "depth")
    assert getattr(values, "depth", 7) == values.get("depth", 7) == 7
    with pytest.raises(AttributeError, match="depth"):
        values.depth  # noqa: B018
    with pytest.raises(KeyError, match="depth"):
        values["depth"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_mapping_as_any_other(kind: Any) -> None:
    values = kind(a=1, b=[2])
    assert {**values, "c": 3} == {"a": 1, "b": [2], "c": 3}
    assert (lambda **options: options)(**values) == {"a": 1, "b": [2]}
    assert list(values) == ["a", "b"]
    assert "a" in values
    assert len(values) == 2
    assert values == {"a": 1, "b": [2]}
    values.update(a=4)
    assert values.a == 4
    assert kind({"x": 1}).x == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda values: pickle.loads(pickle.dumps(values))]
)
def test_copies(kind: Any, clone: Any) -> None:
    values = kind(a=1, b=[2])
    cloned = clone(values)
    assert type(cloned) is kind
    assert cloned == values
    assert cloned.b == [2]
    cloned.a = 5
    assert values.a == 1


def test_a_deep_copy_is_deep_and_a_copy_is_not() -> None:
    values = HParams(b=[2])
    assert copy.deepcopy(values).b is not values.b
    assert copy.copy(values).b is values.b


def test_a_model_with_hyperparameters_can_be_copied() -> None:
    model = TrainModule()
    model.hparams = HParams(width=3)
    assert copy.deepcopy(model).hparams.width == 3


@dataclass
class Options:
    a: int = 1
    b: str = "x"


@pytest.mark.parametrize(
    "arguments",
    [Namespace(a=1, b="x"), Options(), {"a": 1, "b": "x"}, HParams(a=1, b="x"), OrderedDict(a=1, b="x")],
    ids=lambda arguments: type(arguments).__name__,
)
def test_as_mapping(arguments: Any) -> None:
    entries = as_mapping(arguments)
    assert entries == {"a": 1, "b": "x"}
    assert type(entries) is dict
    entries["a"] = 2
    assert as_mapping(arguments)["a"] == 1


@pytest.mark.parametrize("ignored", [None, "a", ["a", "none"], ("a", "b"), {"b"}, ["b", ["unhashable"]], []])
def test_drop_ignored(ignored: Any) -> None:
    class Theirs(L.LightningModule):
        def __init__(self, a: int = 1, b: int = 2) -> None:
            super().__init__()
            self.save_hyperparameters(ignore=ignored)

    ours = HParams(a=1, b=2)
    drop_ignored(ours, ignored)
    assert ours == dict(Theirs().hparams)


# ---- Trainer ---------------------------------------------------------------------------------------------


def test_a_trainers_defaults_are_lightnings() -> None:
    """Semantics 1.1; without a limit, Lightning's `max_epochs` is filled in when it runs (1.2)."""
    ours = Trainer()
    theirs = L.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    names = (
        "max_steps accumulate_grad_batches log_every_n_steps gradient_clip_val gradient_clip_algorithm world_size "
        "global_rank current_epoch global_step sanity_checking is_global_zero num_training_batches"
    )
    assert {name: getattr(ours, name) for name in names.split()} == {
        name: getattr(theirs, name) for name in names.split()
    }


def test_rank_zero_alone_is_global_zero() -> None:
    assert [Trainer(global_rank=rank).is_global_zero for rank in (0, 1)] == [True, False]


def test_callback_metrics_are_those_of_what_logs_at_the_time() -> None:
    """Semantics 9.4: of training, or of validation while that runs."""
    model = a_model()
    model.trainer = trainer = Trainer(model=model)
    model.current_logs("loss", 2.0)
    assert trainer.callback_metrics == {"loss": torch.tensor(2.0)}
    model.current_logs = Logs(training=False, device=CPU)
    model.current_logs("val_loss", 3.0)
    assert trainer.callback_metrics == {"val_loss": torch.tensor(3.0)}


# ---- TrainModule: what it hands on -----------------------------------------------------------------------


class Model(TrainModule):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)


def a_model() -> Model:
    model = Model()
    model.trainer = Trainer(current_epoch=3, global_step=70)
    model.current_logs = Logs(training=True, device=CPU)
    model.current_logs.batch_size = 2
    return model


def test_counters_are_the_trainers() -> None:
    model = a_model()
    assert (model.current_epoch, model.global_step) == (3, 70)
    model.trainer.global_step += 1
    assert model.global_step == 71


def test_log_and_log_dict() -> None:
    model = a_model()
    model.log("a", 1.0, True, on_epoch=True)
    model.log_dict({"b": 2.0, "c": torch.tensor(3.0)}, prog_bar=True)
    shown = model.current_logs.step_values
    assert {name: value.item() for name, value in shown.items()} == {"a_step": 1, "b": 2, "c": 3}
    assert set(model.current_logs.bar_values(shown)) == {"a_step", "b", "c"}


def test_logs_arguments_have_lightnings_names_order_and_defaults() -> None:
    ours = list(inspect.signature(Logs.__call__).parameters.values())
    theirs = list(inspect.signature(L.LightningModule.log).parameters.values())
    assert [(item.name, item.default) for item in ours] == [(item.name, item.default) for item in theirs]


def test_print_is_for_rank_zero_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = a_model()
    model.print("one", 2, sep="-", end=".")
    monkeypatch.setattr(TrainModule, "global_rank", 1)
    model.print("unheard")
    assert capsys.readouterr().out == "one-2."


def test_ranks_without_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    assert (a_model().global_rank, a_model().local_rank) == (0, 0)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert a_model().local_rank == 3


# ---- TrainModule: hooks ----------------------------------------------------------------------------------

PAIRS = [(TrainModule, L.LightningModule), (DataModule, L.LightningDataModule)]
NO_HOOKS = ("log", "log_dict", "print")


def hooks_of(cls: type) -> list[str]:
    return [
        name
        for name, member in vars(cls).items()
        if inspect.isfunction(member) and not name.startswith("_") and name not in NO_HOOKS
    ]


SILENT = [name for name in hooks_of(TrainModule) if name.startswith("on_") and "transfer" not in name]
HOOKS = [
    pytest.param(
        getattr(ours, name),
        getattr(theirs, name),
        id=f"{ours.__name__}.{name}",
    )
    for ours, theirs in PAIRS
    for name in hooks_of(ours)
]


@pytest.mark.parametrize(("ours", "theirs"), HOOKS)
def test_hooks_take_lightnings_arguments(ours: Any, theirs: Any) -> None:
    """Users call `super().on_…(…)`, by position and by name."""
    parameters, expected = (inspect.signature(hook).parameters for hook in (ours, theirs))
    assert list(parameters) == list(expected)
    required = [name for name, item in parameters.items() if item.default is item.empty]
    assert required == [name for name, item in expected.items() if item.default is item.empty]


@pytest.mark.parametrize("owner", [Model, DataModule])
def test_hooks_for_batches(owner: Any) -> None:
    """Semantics 4.9."""
    batch = {"x": torch.ones(2)}
    hooks = owner()
    assert hooks.on_before_batch_transfer(batch, 0) is batch
    assert hooks.on_after_batch_transfer(batch, 0) is batch
    assert hooks.transfer_batch_to_device(batch, META, 0)["x"].device == META


@pytest.mark.parametrize("name", SILENT)
def test_other_hooks_do_nothing(name: str) -> None:
    hook = getattr(a_model(), name)
    count = sum(item.default is item.empty for item in inspect.signature(hook).parameters.values())
    assert hook(*[None] * count) is None


@pytest.mark.parametrize("name", ["prepare_data", "setup", "teardown"])
@pytest.mark.parametrize("owner", [Model, DataModule])
def test_hooks_around_training_do_nothing(owner: Any, name: str) -> None:
    hook = getattr(owner(), name)
    assert hook(*["fit"] * len(inspect.signature(hook).parameters)) is None


def test_optimizer_hooks_are_lightnings() -> None:
    """Semantics 6.2: forward and backward run inside the optimizer's step."""
    model = a_model()
    optimizer = SGD(model.parameters(), lr=0.5)
    before = model.layer.weight.clone()
    calls = []

    def closure() -> Tensor:
        calls.append("closure")
        loss: Tensor = model.layer(torch.ones(1, 2)).sum()
        loss.backward()
        return loss

    model.optimizer_step(0, 1, optimizer, closure)
    assert calls == ["closure"]
    assert torch.equal(model.layer.weight, before - 0.5)
    model.optimizer_zero_grad(0, 1, optimizer)
    assert model.layer.weight.grad is None


def test_lr_scheduler_step() -> None:
    calls: list[Any] = []

    class Noting:
        def step(self, *metrics: Any) -> None:
            calls.append(metrics)

    for metric in (None, 2.0):
        a_model().lr_scheduler_step(Noting(), metric)
    assert calls == [(), (2.0,)]


# ---- clipping --------------------------------------------------------------------------------------------


def with_gradients() -> tuple[Model, Optimizer]:
    """Two groups, and a parameter that the optimizer does not have."""
    torch.manual_seed(0)
    model = a_model()
    model.scales_losses = False
    model.other = nn.Linear(2, 2)
    optimizer = SGD(
        [{"params": [model.layer.weight]}, {"params": [model.layer.bias, model.other.bias]}], lr=1.0
    )
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter) * 3
    return model, optimizer


def gradients(model: nn.Module) -> list[Tensor]:
    return [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]


@pytest.mark.parametrize("value", [None, 0, 0.0, 0.5, 2, 100.0])
@pytest.mark.parametrize("algorithm", ["norm", "value"])
@pytest.mark.parametrize("hook", ["clip_gradients", "configure_gradient_clipping"])
def test_clipping_is_lightnings(hook: str, algorithm: str, value: float | None) -> None:
    """Semantics 6.5: the norm of that optimizer's parameters, in all of its groups."""
    model, optimizer = with_gradients()
    getattr(model, hook)(optimizer, gradient_clip_val=value, gradient_clip_algorithm=algorithm)
    reference, theirs = with_gradients()
    Precision().clip_gradients(theirs, value or 0.0, GradClipAlgorithmType(algorithm))
    assert all(map(torch.equal, gradients(model), gradients(reference)))


def test_clipping_is_by_norm_unless_told_otherwise() -> None:
    results = []
    for algorithm in (None, "norm"):
        model, optimizer = with_gradients()
        before = gradients(model)
        model.clip_gradients(optimizer, 0.5, algorithm)
        results.append(gradients(model))
        assert not torch.equal(results[-1][0], before[0])
    assert all(map(torch.equal, *results))


def test_a_users_configure_gradient_clipping_has_the_last_word() -> None:
    class Own(Model):
        def clip_gradients(self, *arguments: Any, **options: Any) -> None:
            self.asked = arguments

    model = Own()
    model.configure_gradient_clipping("optimizer", 0.5, "value")  # type: ignore[arg-type]
    assert model.asked == ("optimizer", 0.5, "value")


def test_clipping_without_arguments_is_the_trainers() -> None:
    """Lightning's `self.clip_gradients(optimizer)` takes the Trainer's `gradient_clip_val`."""
    model, optimizer = with_gradients()
    model.trainer.gradient_clip_val = 0.5
    model.clip_gradients(optimizer)
    reference, theirs = with_gradients()
    Precision().clip_gradients(theirs, 0.5, GradClipAlgorithmType.NORM)
    assert all(map(torch.equal, gradients(model), gradients(reference)))


def test_the_algorithms_case_does_not_matter() -> None:
    model, optimizer = with_gradients()
    model.clip_gradients(optimizer, 0.5, "VALUE")
    reference, theirs = with_gradients()
    Precision().clip_gradients(theirs, 0.5, GradClipAlgorithmType.VALUE)
    assert all(map(torch.equal, gradients(model), gradients(reference)))


def test_a_negative_limit_clips_nothing() -> None:
    model, optimizer = with_gradients()
    before = gradients(model)
    model.clip_gradients(optimizer, -1.0)
    assert all(map(torch.equal, gradients(model), before))


def test_a_model_is_exported_as_it_answers_to_its_example(monkeypatch: pytest.MonkeyPatch) -> None:
    exported: list[Any] = []
    monkeypatch.setattr(torch.onnx, "export", lambda *given, **options: exported.append((given, options)))
    model = TrainModule()
    with pytest.raises(ValueError, match="example_input_array"):
        model.to_onnx("net.onnx")
    model.example_input_array = torch.ones(2)
    model.to_onnx(Path("net.onnx"), opset_version=17)
    ((given, options),) = exported
    assert given[0] is model
    assert given[2:] == ("net.onnx",)
    assert torch.equal(given[1], torch.ones(2))
    assert options == {"opset_version": 17}
    assert model.training


def test_the_epochs_that_a_trainer_has_completed_are_set_to_what_they_are() -> None:
    trainer = Trainer(current_epoch=2)
    trainer.completed_epochs = 2
    with pytest.raises(SystemExit, match="counted as they are trained: 2 are completed"):
        trainer.completed_epochs = 3
    assert trainer.completed_epochs == 2


@pytest.mark.parametrize("strict", [None, True, False])
@pytest.mark.parametrize("is_strict", [True, False])
def test_none_of_a_checkpoints_weights_may_lack_unless_it_is_told(
    strict: bool | None, is_strict: bool, tmp_path: Path
) -> None:
    class Net(TrainModule):
        strict_loading = is_strict

        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 1)

    path = tmp_path / "saved.ckpt"
    torch.save({"state_dict": {"layer.weight": torch.ones(1, 2)}}, path)
    if is_strict and strict is not False:
        with pytest.raises(RuntimeError, match="Missing key"):
            Net.load_from_checkpoint(path, strict=strict)
    else:
        assert Net.load_from_checkpoint(path, strict=strict).layer.weight.sum() == 2
