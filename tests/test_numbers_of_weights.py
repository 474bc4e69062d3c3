"""Numbers that code takes of parameters, which ranks have shares of with `strategy: fsdp`, and other numbers."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.layer = torch.nn.Linear(1, 1)
        self.norms = []

    def training_step(self, batch, batch_idx):
        return (self.layer(batch[0]) - batch[1]).square().mean()

    def on_train_epoch_end(self):
{there}

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=float(self.settings["lr"]))
        best = float("inf")

        def rate(step):
            return min(best, float(step) / float(max(1, 10))) * torch.tensor(0.5).cos().item()

        return [optimizer], [torch.optim.lr_scheduler.LambdaLR(optimizer, rate)]


if __name__ == "__main__":
    rows = torch.arange(8.0).reshape(8, 1)
    loader = DataLoader(TensorDataset(rows, rows), 2)
    L.Trainer(max_epochs=1).fit(Net({"lr": "0.1"}), loader)
"""

OF_WEIGHTS = {
    "at once": "print(self.layer.weight.norm().item())",
    "in a loop": "for name, each in self.named_parameters():\n    print(name, float(each.norm()))",
    "by a variable": "norm = self.layer.weight.norm()\ntwice = 2 * norm\nprint(twice.item())",
    "added up": "total = 0\nfor each in self.parameters():\n    total += each.norm()\nprint(total.item())",
    "in a list": "found = []\nfor each in self.parameters():\n    found.append(each.norm())\nprint(sum(found).item())",
    "in a mapping": "found = {}\nfound['w'] = self.layer.weight.norm()\nprint(found['w'].tolist())",
    "in a comprehension": "print(max(float(each.max()) for each in self.parameters()))",
    "by a function inside": ("def norm():\n    return self.layer.weight.norm()\n\nprint(norm().item())"),
    "in a with": "with torch.no_grad(), torch.enable_grad():\n    print(self.layer.weight.sum().item())",
    "in an attribute": (
        "self.norms.append(self.layer.bias.norm())\nself.last = self.norms[-1]\nprint(float(self.last))"
    ),
}
OTHERS = {
    "counts": "count = sum(1 for _ in self.parameters())\nprint(float(self.current_epoch))",
    "settings": "print(len([*self.parameters()]), float(self.settings['lr']))",
    "logged": "self.log('norm', self.layer.weight.norm())\nprint(float(self.settings['lr']))",
}


def said(folder: Path, there: str) -> str:
    (folder / "model.py").write_text(MODEL.replace("{there}", indent(there, " " * 8)))
    command = ["build", str(folder / "model.py"), "--strategy", "fsdp"]
    return CliRunner().invoke(main, command, catch_exceptions=False).output


@pytest.mark.parametrize("form", OF_WEIGHTS)
def test_a_number_of_weights_stops_the_build(form: str, tmp_path: Path) -> None:
    assert said(tmp_path, OF_WEIGHTS[form]).count("error[number-with-fsdp]") == 1


@pytest.mark.parametrize("form", OTHERS)
def test_other_numbers_do_not(form: str, tmp_path: Path) -> None:
    found = said(tmp_path, OTHERS[form])
    assert "number-with-fsdp" not in found
    assert "wrote" in found
