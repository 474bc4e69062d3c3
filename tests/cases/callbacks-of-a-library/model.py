from rich.progress import make_callbacks
from lightning.pytorch.callbacks import ModelCheckpoint
from ray.tune.integration.pytorch_lightning import TuneReportCallback
from rich.callbacks import PrintTableMetricsCallback
import lightning as L
import torch
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


def build_callbacks():
    callbacks = [Own()]
    callbacks.append(ModelCheckpoint())
    callbacks.append(PrintTableMetricsCallback(3))
    callbacks.append(TuneReportCallback(on="validation_end"))
    return callbacks


class Own(L.Callback):
    pass


others = make_callbacks()

if __name__ == "__main__":
    callbacks = build_callbacks()
    if torch.cuda.is_available():
        callbacks += [PrintTableMetricsCallback(), *others]
    trainer = L.Trainer(max_epochs=2, callbacks=callbacks or None)
    trainer.fit(Net())
