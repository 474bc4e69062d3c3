import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width=3):
        super().__init__()
        self.layer = torch.nn.Linear(4, width)
        note(self, {"width": width})

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def __init__(self, args):
        super().__init__()
        self.save_hyperparameters(args)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(8, 4)), batch_size=4)


def note(model, arguments):
    model.save_hyperparameters(arguments)


if __name__ == "__main__":
    net = Net(5)
    net.save_hyperparameters({"width": 5, "note": "of the main"})
    net.save_hyperparameters({"width": 6}, logger=False)
    net.save_hyperparameters()
    net.save_hyperparameters("width")
    trainer = L.Trainer(max_epochs=1)
    data = Data({"rows": 8})
    data.save_hyperparameters({"more": 8})
    trainer.fit(net, datamodule=data)
