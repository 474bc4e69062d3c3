import lightning as L
import torch
from lightning.pytorch.callbacks import OnExceptionCheckpoint
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, exact: bool = False):
        super().__init__()
        self.exact = exact
        self.layer = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        if self.exact:
            return torch.optim.LBFGS(self.parameters(), lr=0.1)
        return ZeroRedundancyOptimizer(self.parameters(), optimizer_class=torch.optim.Adam, lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=2, callbacks=[OnExceptionCheckpoint("runs")])
    trainer.fit(Net())
