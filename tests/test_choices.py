"""Every choice that a template makes, in many scripts: each is built, checked, linted and type-checked.

The models are put together from parts, one of each kind; a fixed seed picks parts so that nearly every two of
different kinds meet. What the scripts do is tested elsewhere: here none of them is run.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
import yaml
from ddpgen import build
from ddpgen import compile as compiler
from ddpgen.lightning.api import HOOKS
from pyflakes.checker import Checker

SCRIPTS = 134

Choice = Mapping[str, str]
"""One option for each kind of part."""


# ---- parts -----------------------------------------------------------------------------------------------

# How the optimizer is made …
OPTIMIZERS = {
    "plain": "torch.optim.SGD(self.parameters(), lr=0.1)",
    "imported": "AdamW(self.parameters(), lr=1e-3)",
    "groups": "torch.optim.SGD([{'params': [self.layer.weight]}, {'params': [self.layer.bias]}], lr=0.1)",
    "of a part": "torch.optim.Adam(self.layer.parameters())",
    "lbfgs": "torch.optim.LBFGS(self.parameters())",
    "by a method": "self.make_optimizer()",
    "by an attribute": "self.factory(self.parameters(), lr=0.1)",
}

# … and how it is returned, with or without a scheduler.
FORMS = {
    "nothing": "",
    "alone": "return optimizer",
    "list": "return [optimizer]",
    "dict": "return {'optimizer': optimizer}",
    "dict, scheduler": "return {'optimizer': optimizer, 'lr_scheduler': StepLR(optimizer, 2)}",
    "dict, by step": """\
    scheduler = StepLR(optimizer, 2)
    return {'optimizer': optimizer, 'lr_scheduler': {'scheduler': scheduler, 'interval': 'step', 'frequency': 3}}
    """,
    "dict, by epochs": """\
    schedule = {'scheduler': StepLR(optimizer, 2), 'interval': 'epoch', 'frequency': 2, 'name': 'rate'}
    return {'optimizer': optimizer, 'lr_scheduler': schedule}
    """,
    "dict, plateau": "return {'optimizer': optimizer, 'lr_scheduler': ReduceLROnPlateau(optimizer), 'monitor': 'loss'}",
    "dict, plateau by step": """\
    plateau = {'scheduler': ReduceLROnPlateau(optimizer), 'monitor': 'loss', 'interval': 'step', 'strict': False}
    return {'optimizer': optimizer, 'lr_scheduler': plateau}
    """,
    "lists": "return [optimizer], [StepLR(optimizer, 2)]",
    "lists, no scheduler": "return [optimizer], []",
    "lists, dict": "return [optimizer], [{'scheduler': StepLR(optimizer, 2), 'interval': 'step'}]",
    "lists, plateau": "return [optimizer], [{'scheduler': ReduceLROnPlateau(optimizer), 'monitor': 'loss'}]",
    "lists, two": "return [optimizer], [StepLR(optimizer, 2), StepLR(optimizer, 5)]",
    "list of a dict": "return [{'optimizer': optimizer, 'lr_scheduler': StepLR(optimizer, 2)}]",
    "this or that": """\
    if self.slow:
        return {'optimizer': optimizer, 'lr_scheduler': {'scheduler': StepLR(optimizer, 2), 'monitor': None}}
    return optimizer
    """,
    "by a variable": """\
    configured = {'optimizer': optimizer}
    if self.slow:
        configured['lr_scheduler'] = StepLR(optimizer, 2)
    return configured
    """,
}

# The training step; LOSS is replaced by how the loss comes about, LOG by what is logged.
STEPS = {
    "tensor": "def training_step(self, batch, batch_idx):\n    LOSS\n    LOG\n    return loss",
    "dict": "def training_step(self, batch, batch_idx):\n    LOSS\n    LOG\n    return {'loss': loss}",
    "dict with more": (
        "def training_step(self, batch, batch_idx):\n    LOSS\n    LOG\n    return {'loss': loss, 'size': len(x)}"
    ),
    "dict by a variable": (
        "def training_step(self, batch, batch_idx):\n    LOSS\n    LOG\n    out = {'loss': loss}\n    return out"
    ),
    "none at times": (
        "def training_step(self, batch, batch_idx):\n    LOSS\n    LOG\n"
        "    if batch_idx == 1:\n        return None\n    return loss"
    ),
    "falls off its end": (
        "def training_step(self, batch, batch_idx):\n    LOSS\n    LOG\n    if len(x) > 1:\n        return loss"
    ),
    "stars": (
        "def training_step(self, *args):\n    batch, batch_idx = args\n    LOSS\n    LOG\n    return loss * batch_idx"
    ),
    "batch alone": "def training_step(self, batch):\n    LOSS\n    LOG\n    return loss",
    "other names": (
        "def training_step(self, rows, number):\n    batch = rows\n    LOSS\n    LOG\n    return loss + number"
    ),
    "by a helper": (
        "def training_step(self, batch, batch_idx):\n    return self.shared(batch)\n\n"
        "def shared(self, batch):\n    LOSS\n    LOG\n    return loss"
    ),
}

# What is logged in the training step …
LOGS = {
    "nothing": "",
    "plain": "self.log('loss', loss)",
    "in the bar": "self.log('loss', loss, prog_bar=True)",
    "both ways": "self.log('loss', loss, on_step=True, on_epoch=True, prog_bar=True)",
    "by epoch": "self.log('loss', loss, on_step=False, on_epoch=True)",
    "by epoch, synced": "self.log('loss', loss, on_step=False, on_epoch=True, sync_dist=True)",
    "reduced": "self.log('loss', loss, on_epoch=True, reduce_fx='max')\nself.log('least', loss, reduce_fx=torch.min)",
    "weighed": "self.log('loss', loss, on_epoch=True, batch_size=len(x))",
    "hidden": "self.log('loss', loss, logger=False, prog_bar=True)",
    "with all the rest": (
        "self.log('loss', loss, enable_graph=False, sync_dist=True, sync_dist_group=None, add_dataloader_idx=False, "
        "metric_attribute=None, rank_zero_only=True)"
    ),
    "a dict": "self.log_dict({'loss': loss, 'size': len(x)}, prog_bar=True)",
    "a dict, made": "self.log_dict({f'{name}/loss': loss for name in ('a', 'b')}, on_epoch=True)",
    "by other names": "self.log(f'{self.kind}_loss', loss)\nself.log(self.kind, 0.5, on_epoch=True)",
    "options unpacked": "self.log('loss', loss, **self.options)",
    "by position": "self.log('loss', loss, True)",
    "numbers": "self.log('size', len(x))\nself.log('loss', loss.item(), on_step=self.slow)",
    "at times": "if len(x) > 1:\n    self.log('loss', loss)",
    "a metric": "self.metric(loss)\nself.log('loss', self.metric, on_step=True, on_epoch=True)",
    "a collection": "self.log_dict(self.collection(x, x), on_step=False, on_epoch=True)",
}

# … and what in validation.
VALIDATION_LOGS = {
    "nothing": "",
    "plain": "self.log('val_loss', loss)",
    "synced": "self.log('val_loss', loss, sync_dist=True, prog_bar=True)",
    "by step": "self.log('val_loss', loss, on_step=True)",
    "a dict": "self.log_dict({'val_loss': loss, 'val_size': len(x)}, sync_dist=True)",
    "a metric": "self.metric.update(loss)\nself.log('val_loss', self.metric)",
    "reduced": "self.log('val_loss', loss, reduce_fx='sum', batch_size=1)",
}

# Where the rows come from: statements for the loader, which stand in a loader hook.
DATA = {
    "tensors": "return DataLoader(TensorDataset(torch.ones(16, 4)), batch_size=2)",
    "shuffled": "return DataLoader(TensorDataset(torch.ones(16, 4)), batch_size=2, shuffle=True, drop_last=True)",
    "shuffled at times": "return DataLoader(TensorDataset(torch.ones(16, 4)), batch_size=2, shuffle=self.slow)",
    "an attribute": "return DataLoader(self.dataset, 2)",
    "by a method": "return self.loader(2)",
    "by a function": "return make_loader(2)",
    "workers": "return DataLoader(Rows(16), batch_size=2, num_workers=1, persistent_workers=True)",
    "a generator": "return DataLoader(Rows(16), batch_size=2, shuffle=True, generator=torch.Generator())",
    "a sampler": "return DataLoader(Rows(16), batch_size=2, sampler=RandomSampler(Rows(16)))",
    "a batch sampler": "return DataLoader(Rows(16), batch_sampler=BatchSampler(SequentialSampler(Rows(16)), 2, False))",
    "collated": "return DataLoader(Rows(16), batch_size=2, collate_fn=torch.stack)",
    "options unpacked": "return DataLoader(Rows(16), **self.options)",
    "a stream": "return DataLoader(Stream(), batch_size=2)",
    "a stream with a length": "return DataLoader(SizedStream(), batch_size=2, num_workers=0)",
    "a loader of its own": "return Loader()",
    "a subset": "return DataLoader(Subset(TensorDataset(torch.ones(16, 4)), range(8)), batch_size=2)",
}

CLASSES = {
    "Rows": """\
    class Rows(Dataset):
        def __init__(self, size):
            self.size = size

        def __len__(self):
            return self.size

        def __getitem__(self, index):
            return torch.ones(4)
    """,
    "Stream": """\
    class Stream(IterableDataset):
        def __iter__(self):
            yield from torch.ones(16, 4)
    """,
    "SizedStream": """\
    class SizedStream(IterableDataset):
        def __iter__(self):
            yield from torch.ones(16, 4)

        def __len__(self):
            return 16
    """,
    "Loader": """\
    class Loader:
        def __iter__(self):
            return iter(torch.ones(8, 2, 4))

        def __len__(self):
            return 8
    """,
    "make_loader": """\
    def make_loader(size):
        return DataLoader(TensorDataset(torch.ones(16, 4)), batch_size=size)
    """,
}

# The constructor's arguments, and how it saves them.
HPARAMS = {
    "none": ("", ""),
    "not saved": ("width: int = 4, name: str = 'net'", "self.width = width\nself.name = name"),
    "all": ("width: int = 4, *, rate: float = 0.1, on: bool = True", "self.save_hyperparameters()"),
    "all but one": (
        "width: int = 4, net=None, **others",
        "self.save_hyperparameters(ignore=['net'], logger=False)\nself.net = net",
    ),
    "by name": ("width: int = 4, rate: float = 1", "self.save_hyperparameters('width')\nself.rate = rate"),
    "an object": ("config: dict | None = None", "self.save_hyperparameters(config or {})"),
    "written to": (
        "width: int = 4",
        "self.save_hyperparameters()\nself.hparams.more = self.hparams['width']",
    ),
    "a list": ("sizes: tuple = (1, 2), _hidden: int = 3", "self.save_hyperparameters()"),
}

# Hooks of the module; with what they log, where they may.
MODULE_HOOKS = {
    "setup": "def setup(self, stage):\n    self.stage = stage",
    "configure_model": "def configure_model(self):\n    self.configured = True",
    "prepare_data": "def prepare_data(self):\n    self.print('prepared')",
    "teardown": "def teardown(self, stage):\n    self.stage = None",
    "on_fit_start": "def on_fit_start(self):\n    self.started = self.global_step",
    "on_fit_end": "def on_fit_end(self):\n    self.print('end', self.current_epoch)",
    "on_train_start": "def on_train_start(self):\n    self.log('start', 1.0)",
    "on_train_end": "def on_train_end(self):\n    super().on_train_end()\n    self.ended = True",
    "on_train_epoch_start": "def on_train_epoch_start(self):\n    super().on_train_epoch_start()",
    "on_train_epoch_end": "def on_train_epoch_end(self):\n    self.log('epoch', float(self.current_epoch))",
    "backward": "def backward(self, loss):\n    super().backward(loss)",
    "on_validation_model_eval": "def on_validation_model_eval(self):\n    super().on_validation_model_eval()",
    "on_validation_model_train": "def on_validation_model_train(self):\n    super().on_validation_model_train()",
    "on_validation_model_zero_grad": "def on_validation_model_zero_grad(self):\n    self.zero_grad()",
    "on_validation_start": "def on_validation_start(self):\n    self.checked = self.training",
    "on_validation_end": "def on_validation_end(self):\n    super().on_validation_end()",
    "on_validation_epoch_start": "def on_validation_epoch_start(self):\n    self.seen = 0",
    "on_validation_epoch_end": "def on_validation_epoch_end(self):\n    self.log('val_end', 1.0, prog_bar=True)",
    "on_train_batch_start": "def on_train_batch_start(self, batch, batch_idx):\n    self.index = batch_idx",
    "on_train_batch_end": "def on_train_batch_end(self, outputs, batch, batch_idx):\n    self.last = outputs['loss']",
    "on_validation_batch_start": (
        "def on_validation_batch_start(self, batch, batch_idx, dataloader_idx=0):\n    self.index = batch_idx"
    ),
    "on_validation_batch_end": (
        "def on_validation_batch_end(self, outputs, batch, batch_idx):\n    self.last = outputs"
    ),
    "on_before_zero_grad": "def on_before_zero_grad(self, optimizer):\n    self.zeroed = optimizer",
    "on_before_backward": "def on_before_backward(self, loss):\n    self.log('before', loss.detach())",
    "on_after_backward": "def on_after_backward(self):\n    self.backwards = True",
    "on_before_optimizer_step": "def on_before_optimizer_step(self, optimizer):\n    self.log('norm', 1.0)",
    "optimizer_step": (
        "def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):\n"
        "    super().optimizer_step(epoch, batch_idx, optimizer, optimizer_closure)"
    ),
    "optimizer_zero_grad": (
        "def optimizer_zero_grad(self, epoch, batch_idx, optimizer):\n    optimizer.zero_grad(set_to_none=False)"
    ),
    "lr_scheduler_step": (
        "def lr_scheduler_step(self, scheduler, metric):\n    super().lr_scheduler_step(scheduler, metric)"
    ),
    "on_save_checkpoint": "def on_save_checkpoint(self, checkpoint):\n    checkpoint['more'] = 1",
    "on_load_checkpoint": "def on_load_checkpoint(self, checkpoint):\n    self.more = checkpoint['more']",
    "on_before_batch_transfer": "def on_before_batch_transfer(self, batch, dataloader_idx):\n    return batch",
    "transfer_batch_to_device": (
        "def transfer_batch_to_device(self, batch, device, dataloader_idx):\n"
        "    return super().transfer_batch_to_device(batch, device, dataloader_idx)"
    ),
    "on_after_batch_transfer": "def on_after_batch_transfer(self, batch, dataloader_idx):\n    return batch",
}

DATA_HOOKS = {
    "prepare_data": "def prepare_data(self):\n    print('prepared')",
    "teardown": "def teardown(self, stage):\n    super().teardown(stage)",
    "on_before_batch_transfer": "def on_before_batch_transfer(self, batch, dataloader_idx):\n    return batch",
    "transfer_batch_to_device": (
        "def transfer_batch_to_device(self, batch, device, dataloader_idx):\n"
        "    return super().transfer_batch_to_device(batch, device, dataloader_idx)"
    ),
    "on_after_batch_transfer": "def on_after_batch_transfer(self, batch, dataloader_idx):\n    return batch",
}

TRAINER_MEMBERS = (
    "max_epochs max_steps global_step current_epoch world_size is_global_zero global_rank num_training_batches "
    "estimated_stepping_batches log_every_n_steps accumulate_grad_batches callback_metrics sanity_checking datamodule"
).split()
MODULE_MEMBERS = "device current_epoch global_step global_rank local_rank".split()

Settings = dict[str, Any]

# Settings of the spec, and of its trainer section, by kind.
SPECS: dict[str, dict[str, Settings]] = {
    "strategy": {"ddp": {"strategy": "ddp"}, "single": {"strategy": "single"}},
    "sync": {mode: {"sync": mode} for mode in ("single_auto_sync", "multi_auto_sync", "forced_sync")},
    "ddp": {
        "defaults": {},
        "unused": {"ddp": {"find_unused_parameters": True, "gradient_as_bucket_view": False}},
        "buffers": {"ddp": {"broadcast_buffers": False, "bucket_cap_mb": 10}},
    },
    "group": {
        "defaults": {},
        "given": {"process_group": {"backend": "gloo", "timeout": "90s"}},
        "hours": {"process_group": {"timeout": "2h"}},
    },
    "seed": {"given": {"seed_everything": 1}, "none": {}},
    "logger": {
        "jsonl": {"logger": "jsonl"},
        "tensorboard": {"logger": "tensorboard"},
        "both": {"logger": ["jsonl", "tensorboard"]},
        "none": {"logger": False},
    },
    "checkpoint": {
        "always": {},
        "at times": {"checkpoint": {"every_n_epochs": 2, "dir": "runs/here"}},
        "several": {"checkpoint": {"keep": 2}},
        "by steps": {"checkpoint": {"every_n_steps": 9}},
        "by time": {"checkpoint": {"every": "10m"}},
        "at a url": {"checkpoint": {"keep": 2, "dir": "memory://runs"}},
        "never": {"checkpoint": False},
    },
    "fused": {"no": {}, "yes": {"optimizer": {"fused": True}}},
}
TRAINERS: dict[str, dict[str, Settings]] = {
    "accumulation": {"none": {}, "four": {"accumulate_grad_batches": 4}},
    "clipping": {
        "none": {},
        "norm": {"gradient_clip_val": 1.0},
        "value": {"gradient_clip_val": 0.5, "gradient_clip_algorithm": "value"},
        "overridden": {"gradient_clip_val": 1},
    },
    "length": {
        "epochs": {"max_epochs": 3},
        "steps": {"max_steps": 10},
        "both": {"max_epochs": 3, "max_steps": 10},
        "default": {},
        "endless": {"max_epochs": -1},
        "least": {"max_epochs": 5, "min_epochs": 2},
    },
    "train limit": {"none": {}, "count": {"limit_train_batches": 3}, "share": {"limit_train_batches": 0.5}},
    "validation limit": {
        "none": {},
        "count": {"limit_val_batches": 1},
        "share": {"limit_val_batches": 0.5},
        "zero": {"limit_val_batches": 0},
    },
    "validation interval": {
        "epoch": {},
        "epochs": {"check_val_every_n_epoch": 2},
        "share": {"val_check_interval": 0.5},
        "count": {"val_check_interval": 2, "check_val_every_n_epoch": 2},
        "time": {"val_check_interval": "00:00:00:10"},
        "over epochs": {"val_check_interval": 5, "check_val_every_n_epoch": None},
    },
    "sanity": {"two": {}, "none": {"num_sanity_val_steps": 0}, "all": {"num_sanity_val_steps": -1}},
    "deterministic": {"no": {}, "yes": {"deterministic": True}, "warn": {"deterministic": "warn"}},
    "benchmark": {"unset": {}, "yes": {"benchmark": True}, "no": {"benchmark": False}},
    "anomalies": {"no": {}, "yes": {"detect_anomaly": True}},
    "batch norm": {"of each rank": {}, "of all": {"sync_batchnorm": True}},
    "bar": {"yes": {}, "no": {"enable_progress_bar": False}},
    "log interval": {"default": {}, "five": {"log_every_n_steps": 5}, "never": {"log_every_n_steps": 0}},
    "own sampler": {"no": {}, "yes": {"use_distributed_sampler": False}},
}

KINDS: dict[str, list[str]] = {
    **{kind: list(options) for kind, options in (*SPECS.items(), *TRAINERS.items())},
    "optimizer": list(OPTIMIZERS),
    "form": list(FORMS),
    "step": list(STEPS),
    "log": list(LOGS),
    "validation": ["none", "step alone", "loader alone", "yes"],
    "validation log": list(VALIDATION_LOGS),
    "data": list(DATA),
    "validation data": list(DATA),
    "data owner": ["module", "data module", "data module with setup"],
    "hparams": list(HPARAMS),
    "data hparams": list(HPARAMS),
    "base": ["plain", "pl", "renamed", "hierarchy", "mixin"],
    "members": ["none", "some", "all"],
    "module hooks": ["none", "one", "some", "all"],
    "data hooks": ["none", "some", "all"],
    "annotations": ["none", "future"],
}


# ---- choosing --------------------------------------------------------------------------------------------


def possible(choice: dict[str, str]) -> dict[str, str]:
    """The choice, without what cannot be asked for at once."""
    if choice["strategy"] == "single":
        choice |= {"sync": "single_auto_sync", "ddp": "defaults", "group": "defaults", "own sampler": "no"}
    if choice["form"] in ("no method", "nothing"):
        choice |= {"optimizer": "plain", "fused": "no"}
    if choice["validation"] != "yes":
        choice |= {"validation log": "nothing"}
    if choice["checkpoint"] == "at a url" and choice["logger"] in ("tensorboard", "both"):
        choice |= {"logger": "jsonl"}
    if choice["data owner"] == "module":
        choice |= {"data hooks": "none", "data hparams": "none"}
    if "a stream" in (choice["data"], choice["validation data"]):  # whose length nobody knows
        shares = ("train limit", "validation limit", "validation interval")
        choice |= {kind: KINDS[kind][0] for kind in shares if choice[kind] == "share"}
    return choice


@cache
def choices(count: int) -> list[Choice]:
    """As many choices; in each, more options meet for the first time than with any one of them changed."""
    source = random.Random(20)
    met: Met = {(kind, option): set() for kind, options in KINDS.items() for option in options}
    chosen: list[Choice] = []
    while len(chosen) < count:
        choice = possible({kind: source.choice(options) for kind, options in KINDS.items()})
        for kind in source.sample(list(KINDS), len(KINDS)) * 3:
            options = source.sample(KINDS[kind], len(KINDS[kind]))
            choice[kind] = max(options, key=lambda option: newly_met(choice, kind, option, met))
        for item, other in itertools.permutations(choice.items(), 2):
            met[item].add(other)
        chosen.append(choice)
    return chosen


Met = dict[tuple[str, str], set[tuple[str, str]]]
"""Each option, of its kind, with those of other kinds that it has met."""


def newly_met(choice: Choice, kind: str, option: str, met: Met) -> int:
    """How many options of a choice, with this one put in, it meets for the first time."""
    changed = {**choice, kind: option}
    if possible({**changed}) != changed:
        return -1
    return sum(item not in met[kind, option] for item in choice.items() if item[0] != kind)


def pairs(choice: Choice) -> set[tuple[tuple[str, str], ...]]:
    return set(itertools.combinations(choice.items(), 2))


# ---- putting a model together ----------------------------------------------------------------------------


@dataclass
class Written:
    """A model's file and its spec."""

    number: int
    choice: Choice
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.number)

    @property
    def name(self) -> str:
        return f"choice_{self.number:03}"

    @cached_property
    def spec(self) -> str:
        settings: Settings = {}
        trainer: Settings = {}
        for kind, options in SPECS.items():
            if self.choice["strategy"] == "ddp" or kind not in ("sync", "ddp", "group"):
                settings |= options[self.choice[kind]]
        for kind, options in TRAINERS.items():
            trainer |= options[self.choice[kind]]
        return yaml.safe_dump({**settings, "trainer": trainer}, sort_keys=False)

    @cached_property
    def module_hooks(self) -> list[str]:
        return self._some(
            MODULE_HOOKS, {"none": 0, "one": 1, "some": 6, "all": 99}[self.choice["module hooks"]]
        )

    @property
    def hooks(self) -> list[str]:
        return [*self.module_hooks, *(f"data.{name}" for name in self.data_hooks)]

    @cached_property
    def data_hooks(self) -> list[str]:
        return self._some(DATA_HOOKS, {"none": 0, "some": 2, "all": 99}[self.choice["data hooks"]])

    def _some(self, names: Iterable[str], count: int) -> list[str]:
        names = list(names)
        return sorted(self.random.sample(names, min(count, len(names))))

    @cached_property
    def source(self) -> str:
        future = "from __future__ import annotations\n\n" if self.choice["annotations"] == "future" else ""
        code = "\n\n\n".join(filter(None, (self._data(), self._module())))
        needed = [dedent(text) for name, text in CLASSES.items() if re.search(rf"\b{name}\(", code)]
        body = "\n\n".join([*needed, code])
        text = f"{future}{HEADER[self.choice['base']]}\n{IMPORTS}\n\n{body}\n"
        return without_unused_imports(text)

    # ---- the module

    def _module(self) -> str:
        arguments, save = HPARAMS[self.choice["hparams"]]
        members = [
            "kind = 'train'",
            "slow = False",
            f"def __init__(self{', ' + arguments if arguments else ''}):\n    super().__init__()\n"
            + indent(f"{save}\n" if save else "", "    ")
            + "    self.layer = nn.Linear(4, 1)\n    self.factory = torch.optim.SGD\n"
            "    self.options = {'batch_size': 2}\n"
            "    self.dataset = TensorDataset(torch.ones(16, 4))\n"
            "    self.metric = MeanMetric()\n    self.collection = MetricCollection([MeanSquaredError()])",
            "def forward(self, x):\n    return self.layer(x)",
            self._training_step(),
            self._validation_step(),
            self._configure_optimizers(),
            *(MODULE_HOOKS[name] for name in self.module_hooks),
            self._clipping(),
        ]
        if self.choice["data owner"] == "module":
            members += self._loaders()
        base = "LightningModule" if self.choice["base"] == "renamed" else "L.LightningModule"
        before = ""
        if self.choice["base"] == "hierarchy":
            before = f"class Base({base}):\n    def describe(self):\n        return self.current_epoch\n\n\n"
            base = "Base"
        elif self.choice["base"] == "mixin":
            before = "class Mixin:\n    def describe(self):\n        return type(self)\n\n\n"
            base = f"Mixin, {base}"
        return before + class_of("Model", base, members)

    def _training_step(self) -> str:
        loss = "x = batch[0]\nloss = self(x).square().mean()"
        seen = self._looks()
        log = LOGS[self.choice["log"]]
        return filled(STEPS[self.choice["step"]], LOSS=loss, LOG="\n".join(filter(None, [seen, log])))

    def _looks(self) -> str:
        """Statements that read attributes of the module and of the trainer."""
        count = {"none": 0, "some": 3, "all": 99}[self.choice["members"]]
        read = [f"self.{name}" for name in self._some(MODULE_MEMBERS, count)]
        read += [f"self.trainer.{name}" for name in self._some(TRAINER_MEMBERS, count)]
        return f"self.looked = [{', '.join(read)}]" if read else ""

    def _validation_step(self) -> str:
        if self.choice["validation"] not in ("yes", "step alone"):
            return ""
        loss = "x = batch[0]\nloss = self(x).square().mean()"
        text = "def validation_step(self, batch, batch_idx):\n    LOSS\n    LOG\n    return loss"
        return filled(text, LOSS=loss, LOG=VALIDATION_LOGS[self.choice["validation log"]])

    def _configure_optimizers(self) -> str:
        form = FORMS[self.choice["form"]]
        if not form:
            return "def configure_optimizers(self):\n    return None"
        made = OPTIMIZERS[self.choice["optimizer"]]
        body = f"optimizer = {made}\n{dedent(form)}"
        method = "def configure_optimizers(self):\n" + indent(body, "    ")
        if "make_optimizer" in made:
            method += "\n\ndef make_optimizer(self):\n    return AdamW(self.parameters(), lr=1e-3)"
        return method

    def _clipping(self) -> str:
        if self.choice["clipping"] != "overridden":
            return ""
        return (
            "def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):\n"
            "    self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)"
        )

    # ---- the data

    def _loaders(self) -> list[str]:
        train, val = DATA[self.choice["data"]], DATA[self.choice["validation data"]]
        loaders = [f"def train_dataloader(self):\n    {train}"]
        if self.choice["validation"] in ("yes", "loader alone"):
            loaders.append(f"def val_dataloader(self):\n    {val}")
        if "self.loader" in "".join(loaders):
            loaders.append("def loader(self, size):\n    return DataLoader(self.dataset, batch_size=size)")
        return loaders

    def _data(self) -> str:
        owner = self.choice["data owner"]
        if owner == "module":
            return ""
        arguments, save = HPARAMS[self.choice["data hparams"]]
        arguments = arguments.replace("width", "size").replace("name", "title")
        save = save.replace("width", "size").replace("name", "title")
        dataset = "self.dataset = TensorDataset(torch.ones(16, 4))"
        init = f"def __init__(self{', ' + arguments if arguments else ''}):\n    super().__init__()\n"
        members = [
            "slow = False",
            init
            + indent(f"{save}\n" if save else "", "    ")
            + "    self.options = {'batch_size': 2}\n"
            + (f"    {dataset}" if owner == "data module" else ""),
            f"def setup(self, stage):\n    {dataset}" if owner == "data module with setup" else "",
            *self._loaders(),
            *(DATA_HOOKS[name] for name in self.data_hooks),
        ]
        base = "LightningDataModule" if self.choice["base"] == "renamed" else "L.LightningDataModule"
        return class_of("Data", base, members)


HEADER = {
    "plain": "import lightning as L",
    "pl": "import pytorch_lightning as L",
    "renamed": "from lightning.pytorch import LightningDataModule, LightningModule",
    "hierarchy": "import lightning.pytorch as L",
    "mixin": "from lightning import pytorch as L",
}

IMPORTS = """\
import torch
from torch import nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    TensorDataset,
)
from torchmetrics import MeanMetric, MeanSquaredError, MetricCollection
"""


def class_of(name: str, base: str, members: Iterable[str]) -> str:
    body = "\n\n".join(dedent(member).strip("\n") for member in members if member.strip())
    return f"class {name}({base}):\n" + indent(body, "    ")


def filled(text: str, **parts: str) -> str:
    """The text with code for the names that stand on lines of their own."""
    for name, code in parts.items():
        lines = re.findall(rf"^( *){name}\n", text, re.MULTILINE)
        for margin in lines:
            text = text.replace(f"{margin}{name}\n", indent(code, margin) + "\n" if code else "", 1)
    return text


def without_unused_imports(text: str) -> str:
    """Whole lines of imports, and names in them, that the rest does not mention."""
    tree = ast.parse(text)
    lines = text.split("\n")
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in reversed(imports):
        kept = [ast.unparse(alias) for alias in node.names if (alias.asname or alias.name) in names]
        assert node.end_lineno
        lines[node.lineno - 1 : node.end_lineno] = (
            [f"from {node.module} import {', '.join(kept)}"] if kept else []
        )
    return "\n".join(lines)


# ---- what must hold of each script -----------------------------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """A model and its script, taken apart."""

    choice: Choice
    hooks: list[str]
    script: str
    before: ast.Module
    after: ast.Module

    @cached_property
    def users(self) -> set[str]:
        """The names of the user's own classes and functions."""
        return {node.name for node in self.before.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}

    @cached_property
    def own(self) -> list[ast.stmt]:
        """What of the script is not the user's."""
        return [node for node in self.after.body if getattr(node, "name", None) not in self.users]


def check_names(subject: Subject) -> Iterator[str]:
    """No name is undefined, none is bound in vain."""
    for message in Checker(subject.after).messages:
        yield re.sub(r"from line \d+", "from line n", message.message % message.message_args)


def check_imports(subject: Subject) -> Iterator[str]:
    """Nothing of Lightning's or ddpgen's is imported, nor mentioned in code."""
    for node in ast.walk(subject.after):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [node.id] if isinstance(node, ast.Name) else []
        yield from (f"{name} is left" for name in names if re.search("ightning|ddpgen|^L$", name))


def check_methods(subject: Subject) -> Iterator[str]:
    """Every method of the user's is there, word for word but for hyperparameters that are saved."""
    after = {name: ast.dump(node) for name, node in methods(subject.after)}
    for name, node in methods(subject.before):
        if name not in after:
            yield f"{name} is lost"
        elif "save_hyperparameters" not in ast.unparse(node) and ast.dump(node) != after[name]:
            yield f"{name} is changed"


def methods(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for cls in tree.body:
        if isinstance(cls, ast.ClassDef):
            yield from (
                (f"{cls.name}.{node.name}", node) for node in cls.body if isinstance(node, ast.FunctionDef)
            )


def check_statements(subject: Subject) -> Iterator[str]:
    """All else of the user's is there as well."""
    after = {ast.dump(node) for node in subject.after.body}
    for node in subject.before.body:
        lightnings = isinstance(node, ast.ClassDef) and node.name in ("Model", "Data", "Base")
        if (
            not lightnings
            and not isinstance(node, ast.Import | ast.ImportFrom)
            and ast.dump(node) not in after
        ):
            yield f"lost: {ast.unparse(node)}"


OPTIMIZER_HOOKS = {"on_before_zero_grad", "optimizer_zero_grad", "on_before_optimizer_step", "optimizer_step"}


def check_hooks(subject: Subject) -> Iterator[str]:
    """Every hook that can matter is called."""
    choice = subject.choice
    form = FORMS[choice["form"]]
    validates = choice["validation"] == "yes" and choice["validation limit"] != "zero"
    for hook in subject.hooks:
        owner, name = hook.split(".") if "." in hook else ("model", hook)
        overridden = owner == "model" and f"data.{name}" in subject.hooks and "transfer" in name
        needless = (
            ("validation" in name and not validates)
            or (name in OPTIMIZER_HOOKS and not form)
            or (name == "lr_scheduler_step" and "lr_scheduler" not in form and "LR" not in form)
            or (name.endswith("_checkpoint") and choice["checkpoint"] == "never")
        )
        if not overridden and not needless and f"{owner}.{name}" not in subject.script:
            yield f"{hook} is never called"


def check_uses(subject: Subject) -> Iterator[str]:
    """Each definition, option, method and attribute of the script's own is mentioned somewhere else."""
    words = Counter(re.findall(r"\w+", re.sub("#.*", "", subject.script)))
    for node in subject.own:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and words[node.name] < 2:
            yield f"{node.name} is not used"
        for name in members(node) if isinstance(node, ast.ClassDef) else ():
            assert isinstance(node, ast.ClassDef)
            if words[name] < 2 and not name.startswith("__"):
                yield f"{node.name}.{name} is not used"
            elif node.name == "Config" and not (name.startswith("__") or f"config.{name}" in subject.script):
                yield f"Config.{name} is not used"


def members(node: ast.ClassDef) -> set[str]:
    """Methods, fields, and attributes that are set."""
    found = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    found |= {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    for part in ast.walk(node):
        targets = part.targets if isinstance(part, ast.Assign) else []
        targets = [part.target] if isinstance(part, ast.AnnAssign) else targets
        attributes = [target for target in targets if isinstance(target, ast.Attribute)]
        found |= {target.attr for target in attributes if ast.unparse(target.value) == "self"}
    return found


def check_branches(subject: Subject) -> Iterator[str]:
    """No condition of the script's own is a constant, nor part of one."""
    for top in subject.own:
        for node in ast.walk(top):
            test = node.test if isinstance(node, ast.If | ast.IfExp | ast.Assert) else None
            parts = node.values if isinstance(node, ast.BoolOp) else [test]
            if any(isinstance(part, ast.Constant) for part in parts[:-1] or parts):
                yield f"decided already: {ast.unparse(test or node)}"


CHECKS = (
    check_names,
    check_imports,
    check_methods,
    check_statements,
    check_hooks,
    check_uses,
    check_branches,
)


# ---- building --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Built:
    """A script and what was found, or why there is none."""

    name: str
    choice: Choice
    script: str
    failure: str
    found: Mapping[str, list[str]]


def is_formatted(number: int) -> bool:
    """Black takes a good part of a build: a fifth of the scripts alone is formatted."""
    return number < SCRIPTS / 5  # the first, in which most options meet


def build_one(written: Written, folder: Path) -> Built:
    place = folder / "sources" / written.name
    place.mkdir(parents=True)
    (place / "model.py").write_text(written.source)
    (place / "spec.yaml").write_text(written.spec)
    try:
        script = build(place / "model.py", str(place / "spec.yaml"))
        (folder / "scripts" / f"{written.name}.py").write_text(script)
        compile(script, written.name, "exec")
    except Exception as error:
        failure = "".join(traceback.format_exception(error, limit=-1))
        return Built(written.name, written.choice, "", failure, {})
    subject = Subject(written.choice, written.hooks, script, ast.parse(written.source), ast.parse(script))
    found = {each.__name__: list(each(subject)) for each in CHECKS}
    return Built(written.name, written.choice, script, "", found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the scripts are written. A folder without a pyproject.toml: black formats by its defaults."""
    made = tmp_path_factory.mktemp("choices")
    (made / "scripts").mkdir()
    return made


@pytest.fixture(scope="module")
def built(folder: Path) -> list[Built]:
    """All scripts."""
    built = []
    for number, choice in enumerate(choices(SCRIPTS)):
        with pytest.MonkeyPatch.context() as patch:
            if not is_formatted(number):
                patch.setattr(compiler, "formatted", lambda text, mode: text)
            built.append(build_one(Written(number, choice), folder))
    return built


@pytest.fixture(scope="module")
def scripts(built: list[Built]) -> list[Built]:
    """Those that were built."""
    return [each for each in built if not each.failure]


def complain(found: Iterable[tuple[Built, str]]) -> None:
    """Fail where anything was found, with one example of each kind, and the choices that make it."""
    by_text: dict[str, list[Built]] = {}
    for each, text in found:
        by_text.setdefault(text, []).append(each)
    report = []
    for text, examples in by_text.items():
        common = set(examples[0].choice.items()).intersection(*(each.choice.items() for each in examples))
        shared = ", ".join(f"{kind}: {option}" for kind, option in sorted(common))
        report.append(
            f"{text}\n    {len(examples)} scripts, such as {examples[0].name}, all with {shared or 'nothing'}"
        )
    assert not report, "\n\n".join(report)


# ---- the choices -----------------------------------------------------------------------------------------


def test_nearly_every_two_options_meet() -> None:
    met = set().union(*map(pairs, choices(SCRIPTS)))
    everything = {
        ((kind, option), (other, another))
        for kind, other in itertools.combinations(KINDS, 2)
        for option in KINDS[kind]
        for another in KINDS[other]
        if possible({**{name: options[0] for name, options in KINDS.items()}, kind: option, other: another})[
            kind
        ]
        == option
    }
    assert len(met & everything) > 0.9 * len(everything)
    counted = Counter(item for choice in choices(SCRIPTS) for item in choice.items())
    assert all(counted[kind, option] >= 4 for kind, options in KINDS.items() for option in options)


def test_the_models_are_what_they_should_be() -> None:
    """Each is Python that black and ruff would not complain about, as far as it matters for the script."""
    for number, choice in enumerate(choices(SCRIPTS)):
        written = Written(number, choice)
        problems = Checker(ast.parse(written.source)).messages
        assert not [
            each for each in problems if "unused" in each.message or "undefined" in each.message
        ], written.source


def test_black_sees_every_option() -> None:
    formatted = [choice for number, choice in enumerate(choices(SCRIPTS)) if is_formatted(number)]
    seen = {item for choice in formatted for item in choice.items()}
    assert seen == {(kind, option) for kind, options in KINDS.items() for option in options}


def test_all_supported_hooks_take_part() -> None:
    # clipping has choices of its own; callbacks take no part in the matrix
    assert {*MODULE_HOOKS, "configure_gradient_clipping", "configure_callbacks"} == HOOKS


# ---- the scripts -----------------------------------------------------------------------------------------


def test_each_is_built(built: list[Built]) -> None:
    complain((each, each.failure) for each in built if each.failure)


@pytest.mark.parametrize("name", [each.__name__ for each in CHECKS])
def test_each_holds(scripts: list[Built], name: str) -> None:
    complain((each, text) for each in scripts for text in each.found[name])


def test_ruff_finds_nothing(scripts: list[Built], folder: Path) -> None:
    """By its defaults and what many add.

    A loop over epochs need not ask which it is, nor one over a stream whether a batch is the last (B007). `TrainerFn`
    is no StrEnum, as `str` of Lightning's gives a member's name with that of its class (UP042).
    Those that black left out are formatted before, because ruff looks at imports' lines too.
    """
    ruff = [sys.executable, "-m", "ruff"]
    rest = [f"scripts/{each.name}.py" for each in scripts if not is_formatted(int(each.name[-3:]))]
    subprocess.run([*ruff, "format", "--isolated", "--no-cache", "--quiet", *rest], cwd=folder, check=True)
    more = ["--extend-select", "B,SIM,UP", "--ignore", "UP042"]
    command = [*ruff, "check", "--isolated", "--no-cache", *more, "--output-format", "concise", "scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    by_name = {each.name: each for each in scripts}
    found = re.findall(r"(choice_\d+)\.py:\d+:\d+: (?!B007 .*`(?:epoch|is_last_batch)`)(.*)", done.stdout)
    complain((by_name[name], re.sub(r"line \d+", "line n", text)) for name, text in found)
    assert done.returncode in (0, 1), done.stdout + done.stderr


def test_mypy_finds_nothing(scripts: list[Built], folder: Path, pytestconfig: pytest.Config) -> None:
    # kept from run to run, because torch is large
    cache = pytestconfig.rootpath / ".mypy_cache" / "scripts"
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent"]
    command += ["--config-file=", f"--cache-dir={cache}", "--no-error-summary"]
    done = subprocess.run([*command, "scripts"], cwd=folder, capture_output=True, text=True)
    by_name = {each.name: each for each in scripts}
    found = re.findall(r"(choice_\d+)\.py:\d+: (error: .*)", done.stdout)
    complain((by_name[name], text) for name, text in found)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- the digits ------------------------------------------------------------------------------------------

DIGITS = Path(__file__).parents[1] / "generated_examples" / "digits"
LIMIT = (
    416  # ten titled sections, in the order of reading, where there were six; 31 lines claim the run's folder, and
    # 14 tell that a disk is full, and what was changed since the checkpoint; 2 refuse a URL; 3 tell of weights that
    # are saved and are not finite
)


@pytest.mark.parametrize("width", [88, 110])
def test_the_digits_script_is_short(width: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines beyond the user's classes and the imports that only they use, blank ones not counted."""
    for name in ("model.py", "ddp.yaml"):
        (tmp_path / name).write_text((DIGITS / name).read_text("utf-8"))
    (tmp_path / "pyproject.toml").write_text(f"[tool.black]\nline-length = {width}\n")
    script = build(tmp_path / "model.py", str(tmp_path / "ddp.yaml"))
    count = own_lines(script, {"DigitsClassifier", "DigitsData"})
    with capsys.disabled():
        print(f"\nthe digits script has {count} lines of its own at a width of {width}")
    assert count <= LIMIT


def own_lines(script: str, users: set[str]) -> int:
    tree = ast.parse(script)
    is_users = {node: getattr(node, "name", None) in users for node in tree.body}
    used = {
        name.id
        for node, users_own in is_users.items()
        if not users_own
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }
    lines = script.split("\n")
    for node, users_own in is_users.items():
        bound = [(alias.asname or alias.name).partition(".")[0] for alias in getattr(node, "names", [])]
        only_users = isinstance(node, ast.Import | ast.ImportFrom) and not used & set(bound)
        if users_own or only_users:
            assert node.end_lineno
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return sum(bool(line.strip()) for line in lines)
