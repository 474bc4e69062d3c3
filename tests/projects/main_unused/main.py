"""A model that leaves one layer or the other unused, in the strategy that looks for such."""

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)])

    def training_step(self, batch, batch_idx):
        return self.layers[batch_idx % 2](batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(6)
    trainer = L.Trainer(max_epochs=2, strategy="ddp_find_unused_parameters_true", enable_progress_bar=False)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.arange(72.0).reshape(24, 3) / 72), batch_size=3))


if __name__ == "__main__":
    main()
