import lightning as L
import torch
from lightning.pytorch.cli import LightningCLI
from torch.utils.data import DataLoader, TensorDataset


class Own(L.Trainer):
    def reindex(self, model, datamodule=None):
        print(model)


class Net(L.LightningModule):
    def __init__(self, width: int = 3, lr: float = 0.1):
        super().__init__()
        self.lr = lr
        self.layer = torch.nn.Linear(2, width)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Data(L.LightningDataModule):
    def __init__(self, size: int = 2):
        super().__init__()
        self.size = size

    def train_dataloader(self):
        points = torch.linspace(-1, 1, 32).view(16, 2)
        return DataLoader(TensorDataset(points), batch_size=self.size, shuffle=True)


class NetCLI(LightningCLI):
    @staticmethod
    def subcommands():
        return {**LightningCLI.subcommands(), "reindex": {"model", "datamodule"}}

    def instantiate_trainer(self, **kwargs):
        if torch.get_num_threads() > 4:
            kwargs["max_epochs"] = 2
        return super().instantiate_trainer(**kwargs)


if __name__ == "__main__":
    NetCLI(Net, Data, trainer_class=Own)
