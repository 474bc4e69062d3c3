import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, train_loader, val_loader, test_loader):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.train_dataloader = train_loader
        self.val_dataloader = val_loader
        self.test_dataloader = test_loader

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        pass

    def test_step(self, batch, batch_idx):
        pass

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader():
    return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1)
    net = Net(loader(), loader(), loader())
    trainer.fit(net, loader())
    trainer.test(net)
