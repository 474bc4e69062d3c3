import torch
from pytorch_lightning import LightningModule
from torch.utils.data import DataLoader, TensorDataset


class LogisticRegression(LightningModule):
    """A list of one optimizer with two parameter groups; clipping by value."""

    def __init__(self, features: int = 7, lr: float = 0.5):
        super().__init__()
        self.lr = lr
        self.weight = torch.nn.Parameter(torch.zeros(features))
        self.bias = torch.nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x @ self.weight + self.bias

    def training_step(self, batch, batch_nb):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(self(batch["x"]), batch["y"])
        self.log("bce", loss)
        return loss

    def configure_optimizers(self):
        groups = [{"params": [self.weight], "weight_decay": 1e-2}, {"params": [self.bias], "lr": self.lr * 2}]
        return [torch.optim.Adagrad(groups, lr=self.lr)]

    def train_dataloader(self):
        g = torch.Generator().manual_seed(0)
        x = torch.randn(45, 7, generator=g)
        rows = [{"x": row, "y": (row[0] > row[1]).float()} for row in x]
        return DataLoader(rows, batch_size=6)
