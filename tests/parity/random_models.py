"""Makes random models with random settings, of parts that go together; each leaves a note of every hook."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cached_property
from textwrap import indent
from typing import Any

import yaml

HEAD = """\
import json
import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, GradientAccumulationScheduler, LearningRateMonitor
from torch import nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, LinearLR, ReduceLROnPlateau, SequentialLR, StepLR
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset
from torch.utils.data import WeightedRandomSampler
from torchmetrics import MeanMetric, MeanSquaredError

NOTES = []


def note(hook, module):
    drawn = torch.get_rng_state().sum().item()
    NOTES.append([hook, drawn, module.current_epoch, module.global_step, module.training, torch.is_grad_enabled()])


def rows(count, start=0):
    x = torch.arange(start * 4.0, (start + count) * 4).reshape(count, 4).sin()
    return TensorDataset(x, x.sum(1, keepdim=True) + x.prod(1, keepdim=True))


class Noisy(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        x = torch.arange(index, index + 4.0).cos() + torch.rand(4) / 10
        return x, x.sum(0, keepdim=True)


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return (Noisy(self.count)[index] for index in range(self.count))


class SizedStream(Stream):
    def __len__(self):
        return self.count
"""

# ---- data ------------------------------------------------------------------------------------------------

TRAIN_LOADERS = (
    "rows(COUNT), SIZE, shuffle=True",
    "rows(COUNT), SIZE, drop_last=True",
    "Noisy(COUNT), SIZE, shuffle=True",
    "Noisy(COUNT), SIZE, shuffle=True, num_workers=1",
    "Noisy(COUNT), SIZE, shuffle=True, generator=torch.Generator().manual_seed(4)",
    "Subset(rows(COUNT), range(9)), SIZE",
    "ConcatDataset([rows(COUNT), Noisy(5)]), SIZE",
    "rows(COUNT), SIZE, sampler=WeightedRandomSampler(torch.arange(1.0, COUNT + 1), COUNT)",
    "Stream(COUNT), SIZE",
    "SizedStream(COUNT), SIZE",
)
VAL_LOADERS = (
    "rows(12, 50), SIZE",
    "Noisy(12), SIZE",
    "Subset(rows(20, 50), range(13)), SIZE",
    "SizedStream(9), SIZE",
)

# ---- the model -------------------------------------------------------------------------------------------

LOSSES = (
    "F.mse_loss(self(x), y)",
    "self.alpha * F.mse_loss(self(x), y)",
    "F.l1_loss(self(x), y) + 0.1 * self.head.weight.square().sum()",
)
AT_TIMES = ("self.mean(loss)\nself.log('mean', self.mean)", "if batch_idx % 2:\n    self.log('odd', loss)")
RETURNS = ("loss", "{'loss': loss, 'count': len(x)}", "{'loss': loss, 'x': x.detach()}")
OPTIMIZERS = (
    "torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)",
    "torch.optim.AdamW(self.parameters(), lr=0.01)",
    "torch.optim.Adam([{'params': self.net.parameters()}, {'params': self.head.parameters(), 'lr': 0.02}], lr=0.01)",
)
SCHEDULERS = (
    "StepLR(optimizer, 2, 0.5)",
    "CosineAnnealingLR(optimizer, 5)",
    "LambdaLR(optimizer, lambda step: 1 / (step + 1))",
    "SequentialLR(optimizer, [LinearLR(optimizer, 0.1, total_iters=3), CosineAnnealingLR(optimizer, 7)], [3])",
)
CONFIGURED = (
    "optimizer",
    "{'optimizer': optimizer, 'lr_scheduler': SCHEDULER}",
    "([optimizer], [{'scheduler': SCHEDULER, 'interval': 'step', 'frequency': 2, 'name': 'rate'}])",
    "([optimizer], [StepLR(optimizer, 3), {'scheduler': SCHEDULER, 'interval': 'step'}])",
    "{'optimizer': optimizer, 'lr_scheduler': ReduceLROnPlateau(optimizer, patience=0), 'monitor': 'loss'}",
)
CALLBACKS = (
    "EarlyStopping('loss', patience=1, min_delta=0.05)",
    "EarlyStopping('loss', patience=1, check_on_train_epoch_end=True, stopping_threshold=0.2)",
    "LearningRateMonitor()",
    "LearningRateMonitor('step', log_momentum=True)",
)

EPOCH = "LOG BETWEEN BATCHES"
BATCH = "LOG WITHIN A BATCH"
HOOKS = {
    "on_fit_start": ("", ()),
    "on_train_start": ("", ("torch.rand(1)", EPOCH)),
    "on_train_end": ("", ()),
    "on_train_epoch_start": (
        "",
        (
            *("torch.rand(1)", EPOCH, "self.alpha = 1.0 + self.current_epoch / 3"),
            "if self.current_epoch == 1:\n    self.trainer.should_stop = True",
        ),
    ),
    "on_train_epoch_end": ("", (EPOCH, EPOCH, "self.alpha = self.alpha * 0.9")),
    "on_train_batch_start": (
        "batch, batch_idx",
        ("if batch_idx == 3 and self.current_epoch == 1:\n    return -1", BATCH),
    ),
    "on_train_batch_end": (
        "outputs, batch, batch_idx",
        ("if self.global_step == 7:\n    self.trainer.should_stop = True", BATCH),
    ),
    "on_validation_start": ("", ("torch.rand(1)",)),
    "on_validation_epoch_start": ("", ("torch.rand(1)", EPOCH)),
    "on_validation_batch_end": ("outputs, batch, batch_idx, dataloader_idx=0", (BATCH,)),
    "on_validation_epoch_end": ("", (EPOCH,)),
    "on_validation_end": ("", ("torch.rand(1)", "self.trainer.should_stop = self.current_epoch > 0")),
    "on_before_zero_grad": ("optimizer", (BATCH,)),
    "on_before_backward": ("loss", ("self.log('before', loss.detach())",)),
    "on_after_backward": ("", ("for each in self.parameters():\n    each.grad.mul_(0.5)", BATCH)),
    "on_before_optimizer_step": ("optimizer", ("self.log('norm', self.head.weight.grad.norm())",)),
    "on_after_batch_transfer": ("batch, dataloader_idx", ("batch = [batch[0] + 1, batch[1]]",)),
}
OF_CALLBACKS = (
    "on_sanity_check_start on_sanity_check_end on_train_start on_train_epoch_start on_train_epoch_end "
    "on_validation_start on_validation_epoch_end on_validation_end"
).split()

# ---- settings --------------------------------------------------------------------------------------------

Settings = dict[str, Any]

SETTINGS: tuple[tuple[Settings, ...], ...] = (
    (
        {"max_epochs": 2},
        {"max_epochs": 3},
        {"max_epochs": 4, "max_steps": 9},
        {"max_epochs": 4, "min_epochs": 2},
    ),
    ({}, {"accumulate_grad_batches": 2}, {"accumulate_grad_batches": 3}),
    ({}, {"gradient_clip_val": 0.5}, {"gradient_clip_val": 0.1, "gradient_clip_algorithm": "value"}),
    ({}, {}, {"limit_train_batches": 2}, {"overfit_batches": 3}),
    ({}, {}, {"limit_val_batches": 1}, {"limit_val_batches": 0}),
    ({}, {"check_val_every_n_epoch": 2}, {"val_check_interval": 2}),
    ({}, {"num_sanity_val_steps": 0}, {"num_sanity_val_steps": -1}),
    ({"log_every_n_steps": 1}, {"log_every_n_steps": 2}, {"log_every_n_steps": 50}),
    ({}, {}, {"reload_dataloaders_every_n_epochs": 1}),
    ({}, {}, {"precision": "bf16-mixed"}, {"precision": "64-true"}),
)


class RandomModel:
    """One model and its settings: the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.logged = 0  # names

    def some(self, options: Iterator[str] | tuple[str, ...] | list[str], most: int) -> list[str]:
        options = list(options)
        return self.random.sample(options, self.random.randint(0, min(most, len(options))))

    @cached_property
    def spec(self) -> str:
        chosen: Settings = {}
        for settings in SETTINGS:
            chosen |= self.random.choice(settings)
        return yaml.safe_dump({"seed_everything": self.random.randint(1, 99), "trainer": chosen})

    @cached_property
    def source(self) -> str:
        return f"{HEAD}\n\n{self.callback()}\n\n\n{of_class('Model', 'L.LightningModule', self.members())}\n"

    def callback(self) -> str:
        methods = [
            method(hook, "trainer, pl_module", [f"note('callback {hook}', pl_module)"])
            for hook in self.some(OF_CALLBACKS, 4)
        ]
        return of_class("Noting", "Callback", methods or ["pass"])

    def members(self) -> Iterator[str]:
        yield self.constructor()
        yield method("forward", "x", ["return self.head(self.net(x))"])
        yield self.training_step()
        yield from self.validation()
        yield self.configure_optimizers()
        callbacks = ["Noting()", *self.some(CALLBACKS, 2)]
        yield method("configure_callbacks", "", [f"return [{', '.join(callbacks)}]"])
        yield from map(self.hook, self.some(list(HOOKS), 7))
        notes = "open(f\"{os.environ['DDPGEN_HOOK_LOG']}.{self.global_rank}.json\", 'w')"
        yield method("on_fit_end", "", [f"with {notes} as file:\n    json.dump([*NOTES, self.alpha], file)"])

    def constructor(self) -> str:
        dropout = self.random.choice(["", "nn.Dropout(0.3), "])
        return method(
            "__init__",
            "",
            [
                "super().__init__()",
                f"self.net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), {dropout}nn.Linear(6, 1))",
                "self.head, self.alpha = nn.Linear(1, 1), 1.0",
                "self.mean, self.errors = MeanMetric(), MeanSquaredError()",
            ],
        )

    def training_step(self) -> str:
        values = ["loss", "loss.item()", "len(x)", "self.alpha", "x.mean().double()", "float(batch_idx)"]
        body = ["note('training_step', self)", "x, y = batch", f"loss = {self.random.choice(LOSSES)}"]
        body += [self.log(values) for _ in range(self.random.randint(0, 3))]
        body += self.some(AT_TIMES, 2)
        body += ["self.log('loss', loss, on_epoch=True, sync_dist=True)"]
        return method("training_step", "batch, batch_idx", [*body, f"return {self.random.choice(RETURNS)}"])

    def validation(self) -> Iterator[str]:
        train = self.random.choice(TRAIN_LOADERS)
        yield method("train_dataloader", "", [f"return {self.loader(train, self.random.randint(9, 20))}"])
        count = self.random.choice([0, 1, 1, 2])
        loaders = ", ".join(self.loader(self.random.choice(VAL_LOADERS), 0) for _ in range(count))
        if not loaders:
            return
        yield method("val_dataloader", "", [f"return [{loaders}]" if count > 1 else f"return {loaders}"])
        body = ["x, y = batch", "loss = F.mse_loss(self(x), y)", self.log(["loss", "len(x)", "self.alpha"])]
        body += self.some(["self.errors(self(x), y)\nself.log('errors', self.errors)"], 1)
        arguments = "batch, batch_idx, dataloader_idx=0"
        yield method("validation_step", arguments, [*body, "self.log('val_loss', loss, sync_dist=True)"])

    def loader(self, text: str, count: int) -> str:
        return f"DataLoader({text.replace('COUNT', str(count)).replace('SIZE', self.random.choice('234'))})"

    def configure_optimizers(self) -> str:
        configured = self.random.choice(CONFIGURED).replace("SCHEDULER", self.random.choice(SCHEDULERS))
        made = f"optimizer = {self.random.choice(OPTIMIZERS)}"
        return method("configure_optimizers", "", [made, f"return {configured}"])

    def hook(self, name: str) -> str:
        arguments, statements = HOOKS[name]
        body = [f"note('{name}', self)"]
        for statement in self.some(statements, 3):
            if statement in (EPOCH, BATCH):
                values = ["self.alpha", "float(self.global_step)", "torch.tensor(2.0)"]
                statement = self.log(values, between_batches=statement == EPOCH)
            body.append(statement)
        body += ["return batch"] if "transfer" in name else []
        return method(name, arguments, body)

    def log(self, values: list[str], between_batches: bool = False) -> str:
        self.logged += 1
        options = ["sync_dist=True", "prog_bar=True", "logger=False", "batch_size=3", "reduce_fx='max'"]
        times = (
            [""] if between_batches else ["", "on_step=True", "on_epoch=True", "on_step=True, on_epoch=True"]
        )
        given = [self.random.choice(times), *self.some(options, 2)]
        options = ", ".join([self.random.choice(values), *filter(None, given)])
        return f"self.log('value_{self.logged}', {options})"


def of_class(name: str, base: str, members: Any) -> str:
    body = "\n\n".join(members)
    return f"class {name}({base}):\n{indent(body, '    ')}"


def method(name: str, arguments: str, body: list[str]) -> str:
    taken = f"self, {arguments}" if arguments else "self"
    text = "\n".join(body)
    return f"def {name}({taken}):\n{indent(text, '    ')}"
