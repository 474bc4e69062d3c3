"""Nothing of what the user's code does is lost without a word: what a phase forgets, the check before writing tells."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from ddpgen.accounting import left_over
from ddpgen.analysis import Analysis
from ddpgen.compile import analyzed
from ddpgen.ir.project import Project
from ddpgen.link.link import link
from ddpgen.render.check import undefined_names
from ddpgen.spec.load import load_spec

MODEL = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(epochs):
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=epochs, callbacks=[L.pytorch.callbacks.ModelCheckpoint()])
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4))), ckpt_path=None)


epochs = int(torch.randint(3, ()))
if __name__ == "__main__":
    main(epochs)
"""


@pytest.fixture
def analysis(tmp_path: Path) -> tuple[Project, Analysis]:
    """Of a main of the user's own."""
    path = tmp_path / "model.py"
    path.write_text(MODEL.lstrip())
    project = link(path, tmp_path)
    return project, analyzed(project, undefined_names(ast.parse(project.source.text)), load_spec("ddp"))


def said(project: Project, found: Analysis) -> list[tuple[str, str]]:
    return [(each.code, each.source_line.strip()) for each in left_over(project, found)]


def test_all_is_accounted_for(analysis: tuple[Project, Analysis]) -> None:
    assert not said(*analysis)


def test_statements_that_are_forgotten(analysis: tuple[Project, Analysis]) -> None:
    project, found = analysis
    forgetful = replace(found, statements=found.statements[:0], own_main=found.own_main[:0])
    assert said(project, forgetful) == [
        ("statement-left-out", "epochs = int(torch.randint(3, ()))"),
        ("guard-left-out", 'if __name__ == "__main__":'),
    ]


def test_arguments_that_are_forgotten(analysis: tuple[Project, Analysis]) -> None:
    project, found = analysis
    calls = tuple(replace(each, arguments=(), beside=()) for each in found.rewrites.calls)
    forgetful = replace(found, rewrites=replace(found.rewrites, calls=calls))
    lines = [line for code, line in said(project, forgetful) if code == "argument-lost"]
    trainer, seed, fit = (
        next(line.strip() for line in MODEL.splitlines() if word in line)
        for word in ("Trainer(", "seed_everything", "fit(")
    )
    expected = [trainer, trainer, seed, fit, fit]  # all but the checkpoint, which is None
    assert sorted(lines) == sorted(expected)
