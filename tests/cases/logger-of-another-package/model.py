import lightning as L
import torch
from aim.pytorch_lightning import AimLogger
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).sum()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    L.Trainer(max_epochs=1, logger=AimLogger(experiment="x")).fit(Net(), DataLoader(torch.ones(4, 2)))
