"""What `training_step` returns, by reading alone: a plain script is one where that is surely the loss."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from ddpgen.facts.model.steps import training_output
from ddpgen.link.project import read_project
from ddpgen.source.source import Source

FILE = """\
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from elsewhere import Network, distance

criterion = nn.MSELoss()

def ratio(a, b):
    return 1 - (a * b).sum() / b.sum()

def run(network, batch):
    return network(batch)

class Focal(nn.Module):
    def forward(self, x, y):
        weight = (x - y).abs()
        return (weight * x).mean()

class Base(L.LightningModule):
    smooth = nn.HuberLoss()

    def __init__(self, given, network):
        super().__init__()
        self.given, self.net = given, Network()
        self.loss_fn = nn.CrossEntropyLoss()
        self.function = F.mse_loss
        self.focal = Focal()
        self.either = nn.MSELoss() if given else network
        criterion = network
        self.criterion = criterion

    def forward(self, x):
        return self.net(x)

    def both(self, batch):
        x, y = batch
        out = self(x)
        return self.loss_fn(out, y), out

    def training_step(self, batch, batch_idx):
        return self.loss_fn(self(batch), batch)

class M(Base):
    def training_step(self, batch, batch_idx):
"""

SURELY = {
    "a function of torch's": "return F.cross_entropy(self(batch), batch)",
    "a variable": "loss = F.mse_loss(self(batch), batch)\nreturn loss",
    "an annotated one": "loss: torch.Tensor = F.mse_loss(self(batch), batch)\nreturn loss",
    "on both ways": "if batch_idx:\n    return torch.mean(batch)\nelse:\n    return torch.sum(batch)",
    "arithmetic": "return self.net(batch) * 2",
    "a negative": "return -self.net(batch).log_prob(batch)",
    "a mean": "return self.net(batch).mean()",
    "methods of a tensor": "return self.net(batch).mean().sqrt().clamp(max=1)",
    "a loss of torch's": "return self.loss_fn(self(batch), batch)",
    "a loss in the class": "return self.smooth(self(batch), batch)",
    "a loss made there": "return nn.L1Loss()(self(batch), batch)",
    "a local loss": "criterion = nn.L1Loss()\nreturn criterion(self(batch), batch)",
    "a loss of the file's": "return criterion(self(batch), batch)",
    "a function in an attribute": "return self.function(self(batch), batch)",
    "a module of the file's": "return self.focal(self(batch), batch)",
    "a function of the file's": "return ratio(self(batch), batch)",
    "a part of a tuple": "loss, _ = self.both(batch)\nreturn loss",
    "a sum": "total = 0\nfor x in batch:\n    total += self.net(x)\nreturn total",
    "the builtin's": "return sum(self.net(x) for x in batch)",
    "a method of the base's": "return super().training_step(batch, batch_idx)",
    "an entry": "return self.net(batch)['loss']",
    "an attribute": "outputs = self.net(**batch)\nreturn outputs.loss",
}
"""Surely the loss."""

DICTS = {
    "a dict": "return {'loss': self.net(batch)}",
    "of keywords": "return dict(loss=self.net(batch))",
    "in a variable": "out = {}\nout['loss'] = self.net(batch)\nreturn out",
}
"""Surely a dict."""

OPEN = {
    "what a network returns": "return self.net(batch)",
    "what the model returns": "return self(batch)",
    "what a function returns": "return run(self.net, batch)",
    "what another file's function returns": "return distance(self(batch), batch)",
    "what an argument returns": "return self.given(self(batch), batch)",
    "one of two": "return self.either(self(batch), batch)",
    "a constructor's variable of another's name": "return self.criterion(self(batch), batch)",
    "None at first": "loss = None\nif batch_idx:\n    loss = batch.mean()\nreturn loss",
    "None, annotated": "loss: torch.Tensor | None = None\nif batch_idx:\n    loss = batch.mean()\nreturn loss",
    "nothing, on one way": "if batch_idx:\n    return batch.mean()",
    "another's part": "_, loss = self.net(batch)\nreturn loss",
    "the other part": "_, out = self.both(batch)\nreturn out",
    "a loop's": "for loss in self.net(batch):\n    pass\nreturn loss",
    "an argument": "return batch",
    "dicts put together": "return self.net(batch) | {'x': 1}",
    "a loaded file": "return torch.load('x')",
    "itself": "return self.training_step(batch, batch_idx)",
}
"""Known only when the script runs."""


def output_of(body: str) -> str:
    project = read_project(Source.parse("model.py", FILE + indent(dedent(body), " " * 8)))
    return training_output(project, project.classes["M"])


@pytest.mark.parametrize("body", SURELY.values(), ids=SURELY)
def test_what_is_surely_the_loss(body: str) -> None:
    assert output_of(body) == "loss"


@pytest.mark.parametrize("body", DICTS.values(), ids=DICTS)
def test_what_is_surely_a_dict(body: str) -> None:
    assert output_of(body) == "dict"


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN)
def test_what_is_read_when_the_script_runs(body: str) -> None:
    assert output_of(body) == "any"
