"""A model that is given to the Trainer as torch.compile has made it, and Lightning's constants."""

import os

import lightning as L
import torch
from lightning.pytorch.utilities.imports import _TORCHVISION_AVAILABLE as HAS_VISION
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

COMPILED = []


def backend(graph, inputs):
    """No code is generated: rounding is as it was."""
    COMPILED.append(len(inputs))
    return graph.forward


class Model(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(width, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self(batch[0]), batch[1])

    def on_validation_batch_end(self, outputs, batch, batch_idx):
        self.log("val_loss", outputs, sync_dist=True)

    def test_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self(batch[0]), batch[1])

    def on_test_batch_end(self, outputs, batch, batch_idx):
        self.log("test_loss", outputs, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def main(compiles=True):
    L.seed_everything(5)
    x = torch.rand(22, 3, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
    model = Model(3)
    if compiles:
        model = torch.compile(model, backend=backend)
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, num_sanity_val_steps=0)
    trainer.fit(model, loader, loader)
    results = {"tested": trainer.test(model, loader, verbose=False), "compiled": bool(COMPILED)}
    results["metrics"] = dict(trainer.callback_metrics)
    results["constants"] = [L.__version__, int(L.__version__.split(".")[0]), bool(HAS_VISION)]
    torch.save(results, f"main_compiled.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
