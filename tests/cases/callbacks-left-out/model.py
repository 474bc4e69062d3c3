import lightning as L
import torch
from lightning.pytorch.callbacks import ModelSummary, TQDMProgressBar
from torch import nn
from torch.utils.data import DataLoader


class Plain(TQDMProgressBar):
    def get_metrics(self, trainer, pl_module):
        return {**super().get_metrics(trainer, pl_module), "epoch": trainer.current_epoch}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.ones(8, 4), batch_size=2)


if __name__ == "__main__":
    bar = Plain()
    trainer = L.Trainer(max_epochs=3, callbacks=[bar, ModelSummary(2)])
    trainer.fit(Net())
