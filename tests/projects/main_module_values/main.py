"""Modules of a package that imports Lightning, handed on as values: what is in them is asked of variables."""

import inspect
import os

import lightning as L
import torch
from tables import first, kinds, second
from torch.utils.data import DataLoader, TensorDataset

SCALES = {name: vars(module)["SCALE"] for name, module in (("first", first), ("second", second))}


def table_for(kind):
    if kind == "first":
        table = first
    elif kind == "second":
        table = second
    else:
        from tables import third

        table = third
    return table


def shown(module):
    own = [name for name in dir(module) if not name.startswith("_")]
    return module.__name__, own, inspect.ismodule(module), module is table_for("first")


class Net(L.LightningModule):
    def __init__(self, kind):
        super().__init__()
        self.table = table_for(kind)
        self.layer = self.table.made(torch.nn.Linear)
        self.rate = getattr(self.table, "RATE", 0.01)

    def training_step(self, batch, batch_idx):
        x, y = batch
        seen = self.table.weighted(x)
        loss = torch.nn.functional.mse_loss(self.layer(seen), y) * SCALES.get(self.table.__name__[7:], 1.0)
        self.table.SEEN.append(float(loss.detach()))
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.rate)


def main():
    L.seed_everything(5)
    rows = TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
    found = []
    for kind in ("first", "second", "third"):
        trainer = L.Trainer(max_epochs=2, enable_progress_bar=False, enable_checkpointing=False, logger=False)
        trainer.fit(Net(kind), DataLoader(rows, 4, shuffle=True))
        found.append((kind, float(trainer.callback_metrics["loss"]), len(table_for(kind).SEEN)))
    modules = {first, second, table_for("third")}
    found.append(sorted(shown(each) for each in modules))
    found.append([first.SEEN, second.first.SEEN is first.SEEN, second.first is first, hasattr(first, "first")])
    found.append([kinds.KIND, sum(each.SCALE for each in modules if "LIMIT" in dir(each))])
    torch.save(found, f"main_module_values.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
