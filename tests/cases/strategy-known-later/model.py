import json
import sys
import lightning as L
import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layer = nn.Linear(4, hidden)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    n = len(sys.argv)
    trainer = L.Trainer(max_epochs=n, strategy=sys.argv[1])
    trainer.fit(Net())

    strategy = DDPStrategy(**json.loads(sys.argv[2]))
    L.Trainer(max_epochs=n, strategy=strategy).fit(Net())

    config = json.loads(sys.argv[3])
    for each in sys.argv[4:]:
        config[each] = True
    L.Trainer(max_epochs=n, strategy=config["strategy"]).fit(Net())
