"""A line that is fitted to four points, by a trainer with a setting that Lightning does not have."""

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Line(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return ((self.layer(x) - y) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    x = torch.arange(4.0).unsqueeze(1)
    trainer = L.Trainer(max_epochs=1, gradient_noise=0.5, logger=False)
    model = Line()
    trainer.fit(model, DataLoader(TensorDataset(x, 2 * x)))
    print("steps:", trainer.global_step)
