"""What an object of the spec's would get of the default in whose place it stands, as LightningCLI has it."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ddpgen import CompileError, build
from ddpgen.spec.init_args.kept_defaults import kept_silently
from ddpgen.spec.init_args.object_defaults import DescribedDefault
from ddpgen.spec.init_args.signature import Signature
from torch import nn, optim

TABLE = Path(__file__).parent.parent / "codegen" / "spec" / "init_args" / "torch_signatures.json"

FAMILIES = ((nn, nn.Module), (optim, optim.Optimizer), (optim.lr_scheduler, optim.lr_scheduler.LRScheduler))

OPEN = "Container GRU LSTM Module NLLLoss2d RNN".split()
"""Those that hand on to a base what their constructors do not name."""

PLATEAUS = [f"{package}.cli.ReduceLROnPlateau" for package in ("lightning.pytorch", "pytorch_lightning")]


def classes() -> Iterator[tuple[str, Any]]:
    for module, base in FAMILIES:
        for name, cls in sorted(vars(module).items()):
            if inspect.isclass(cls) and issubclass(cls, base) and name not in OPEN and name[0] != "_":
                yield f"{module.__name__}.{name}", cls
    from lightning.pytorch.cli import ReduceLROnPlateau

    yield from ((path, ReduceLROnPlateau) for path in PLATEAUS)


def code_of(default: Any) -> str:
    if default is inspect.Parameter.empty:
        return ""
    return str(getattr(default, "__name__", None) or repr(default))


def taken(cls: Any) -> dict[str, str]:
    found = inspect.signature(cls).parameters.values()
    return {
        each.name: code_of(each.default)
        for each in found
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def test_the_table_is_torchs() -> None:
    lines = (f"  {json.dumps(path)}: {json.dumps(taken(cls))}" for path, cls in classes())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if os.environ.get("DDPGEN_UPDATE"):
        TABLE.write_text(text)
    assert TABLE.read_text() == text


def unknown(path: str) -> Signature | None:
    return None


MODULES = (
    "Identity ReLU CELU ELU Softplus SmoothL1Loss CosineSimilarity GLU Softmax PairwiseDistance TripletMarginLoss "
    "CrossEntropyLoss NLLLoss CosineEmbeddingLoss MultiMarginLoss Dropout AlphaDropout Upsample"
)
OPTIMIZERS = (
    "ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam RAdam RMSprop Rprop SGD SparseAdam"
)
SCHEDULERS = (
    "ConstantLR LinearLR PolynomialLR ReduceLROnPlateau CyclicLR OneCycleLR StepLR MultiStepLR CosineAnnealingLR "
    "CosineAnnealingWarmRestarts ExponentialLR"
)
REQUIRED: dict[str, dict[str, Any]] = {
    "CyclicLR": {"base_lr": 0.1, "max_lr": 1.0},
    "OneCycleLR": {"max_lr": 1.0},
    "StepLR": {"step_size": 1},
    "MultiStepLR": {"milestones": [1]},
    "CosineAnnealingLR": {"T_max": 2},
    "CosineAnnealingWarmRestarts": {"T_0": 2},
    "ExponentialLR": {"gamma": 0.5},
}


@pytest.mark.parametrize(
    ("family", "names"), list(zip(FAMILIES, (MODULES, OPTIMIZERS, SCHEDULERS), strict=True))
)
def test_whatever_jsonargparse_keeps_is_told(family: tuple[Any, Any], names: str) -> None:
    module, base = family
    kept, told = set(), set()
    for default, name in itertools.product(names.split(), repeat=2):
        path, given, own = f"{module.__name__}.{name}", REQUIRED.get(name, {}), taken(getattr(module, name))
        values = read_by_jsonargparse(base, getattr(module, default), path, given)
        kept |= {
            (default, name, each)
            for each, value in values.items()
            if each not in given and value != ast.literal_eval(own[each])
        }
        found = kept_silently(DescribedDefault(f"{module.__name__}.{default}", {}), path, given, unknown)
        told |= {(default, name, each) for each in found or ()}
    assert kept
    assert kept <= told
    # jsonargparse drops what is of no type that the other class takes; the types are not known here
    assert {argument for _, _, argument in told - kept} <= {"eps", "mode", "dim", "p"}


def read_by_jsonargparse(base: Any, default: Any, path: str, given: dict[str, Any]) -> dict[str, Any]:
    """What an object of the class at a path is made with, where the default makes another."""
    from jsonargparse import ArgumentParser

    parser = ArgumentParser(exit_on_error=False)
    makes = Callable[[], base] if base is nn.Module else Callable[[Any], base]
    parser.add_class_arguments(owner_of(makes, default), "model")
    read = parser.parse_object({"model": {"made": {"class_path": path, "init_args": given}}})
    return dict(read.model.made.init_args.items()) if "init_args" in read.model.made else {}


def owner_of(annotation: Any, default: Any) -> type:
    class Owner:
        def __init__(self, made: Any = default) -> None: ...

    Owner.__init__.__annotations__["made"] = annotation
    return Owner


MAIN = """
import lightning as L
import torch
from lightning.pytorch.cli import LightningCLI, LRSchedulerCallable, OptimizerCallable
from torch import nn, optim


class Act(nn.Module):
    def __init__(self, slope: float = 0.5, shift: float = 1.0):
        super().__init__()


class Steep(Act):
    def __init__(self, slope: float = 9.0, inner: nn.Module = nn.ELU(alpha=2.0)):
        super().__init__(slope)


class Loose(nn.Module):
    def __init__(self, slope: float = 9.0, **others):
        super().__init__()


def made(parameters):
    return optim.SGD(parameters, 0.1)


class Net(L.LightningModule):
    def __init__(
        self,
        optimizer: OptimizerCallable = {optimizer},
        act: nn.Module = {act},
        kind: type[nn.Module] = nn.ELU,
    ):
        super().__init__()
        self.layer, self.act, self.optimizer = nn.Linear(2, 1), act, optimizer

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return self.optimizer(self.parameters())

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))


if __name__ == "__main__":
    LightningCLI(Net)
"""

SGD = "optimizer: {class_path: torch.optim.SGD, init_args: {lr: 0.1}}"


def build_with(folder: Path, described: str, optimizer: str = "optim.AdamW", act: str = "Act()") -> str:
    code = MAIN.replace("{optimizer}", optimizer).replace("{act}", act)
    (folder / "main.py").write_text(code)
    (folder / "ddp.yaml").write_text(
        f"strategy: single\ntrainer: {{max_epochs: 1}}\nmodel:\n  init_args:\n    {described}\n"
    )
    return build(folder / "main.py", folder / "ddp.yaml")


@pytest.mark.parametrize(
    ("described", "defaults"),
    [
        ("optimizer: {class_path: torch.optim.SGD, init_args: {lr: 0.1, weight_decay: 0.0}}", {}),
        ("optimizer: {class_path: torch.optim.AdamW, init_args: {lr: 0.1}}", {}),
        (SGD, {"optimizer": "optim.Adagrad"}),
        (SGD, {"optimizer": "made"}),  # a function is no description
        (SGD, {"optimizer": "lambda p: optim.AdamW(p, 0.1)"}),  # nor is this, jsonargparse finds
        ("optimizer: torch.optim.RAdam", {"optimizer": "optim.Adam"}),
        ("act: {class_path: main.Steep, init_args: {slope: 1.0}}", {}),
        ("act: {class_path: main.Act}", {}),
        ("act: {class_path: torch.nn.GELU}", {"act": "nn.ReLU()"}),
        ("act: {class_path: sklearn.Other, init_args: {slope: 1.0, shift: 1.0}}", {}),
        ("kind: torch.nn.Softplus", {}),
    ],
)
def test_nothing_is_kept(described: str, defaults: dict[str, str], tmp_path: Path) -> None:
    assert build_with(tmp_path, described, **defaults)


@pytest.mark.parametrize(
    ("described", "defaults", "told"),
    [
        (SGD, {}, "keeps `weight_decay: 0.01` for `SGD`. Write `weight_decay` into"),
        (SGD, {"optimizer": "lambda p: optim.AdamW(p, weight_decay=0.2)"}, "`weight_decay: 0.2`"),
        (
            "optimizer: {class_path: torch.optim.SGD}",
            {"optimizer": "lambda p: optim.SGD(p, momentum=0.9)"},
            "`momentum: 0.9`",
        ),
        ("optimizer: torch.optim.NAdam", {"optimizer": "optim.Adam"}, "`lr: 0.001`"),
        ("act: {class_path: main.Steep}", {}, "`slope: 0.5`"),
        ("act: {class_path: main.Loose}", {}, "Remove the default"),
        ("act: {class_path: sklearn.Other}", {}, "Remove the default"),
        ("act: {class_path: main.Act}", {"act": "Loose()"}, "Remove the default"),
        (
            "act: {class_path: main.Steep, init_args: {slope: 1.0, inner: {class_path: torch.nn.CELU}}}",
            {},
            "`alpha: 2.0`",
        ),
    ],
)
def test_what_is_kept_stops_the_build(
    described: str, defaults: dict[str, str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(CompileError) as caught:
        build_with(tmp_path, described, **defaults)
    (problem,) = caught.value.diagnostics
    assert told in problem.message
    print(problem)
