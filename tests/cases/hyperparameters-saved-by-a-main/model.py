import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width=3):
        super().__init__()
        self.layer = torch.nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(8, 4)), batch_size=4)


if __name__ == "__main__":
    net = Net(5)
    net.save_hyperparameters({"width": 5, "note": "of the main"})
    trainer = L.Trainer(max_epochs=1)
    data = Data()
    data.save_hyperparameters({"rows": 8})
    trainer.fit(net, datamodule=data)
