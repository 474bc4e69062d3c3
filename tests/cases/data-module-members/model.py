import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def setup(self, stage):
        print(self.trainer.model, self.trainer.world_size)
        hand_over(self.trainer)
        print(self.hparams_initial, Data.from_datasets([1]))
        print(getattr(self, "hparams_initial", {}))

    def on_exception(self, exception):
        print(exception)

    def state_dict(self):
        return {"seen": 1}

    def predict_dataloader(self):
        return self.train_dataloader()
