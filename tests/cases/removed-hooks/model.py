import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return {"loss": self.layer(batch[0]).mean()}

    def training_step_end(self, outputs):
        return outputs

    def validation_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def training_epoch_end(self, outputs):
        self.log("loss", torch.stack([output["loss"] for output in outputs]).mean())

    def validation_epoch_end(self, outputs):
        self.log("val_loss", torch.stack(outputs).mean())

    def on_epoch_end(self):
        self.training_epoch_end([])

    def on_pretrain_routine_start(self):
        pass

    def val_dataloader(self):
        return self.train_dataloader()
