import lightning as L
import torch
import torch.nn.functional as F
from blocks import Block
from lightning.pytorch.utilities.types import OptimizerLRSchedulerConfig
from samples import samples
from torch import nn
from torch.utils.data import DataLoader, random_split


class Classifier(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layers = nn.Sequential(Block(6, hidden), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
        options = {"scheduler": schedule, "monitor": "val_loss", "mode": "min"}  # of which Lightning knows no mode
        return OptimizerLRSchedulerConfig(optimizer=optimizer, lr_scheduler=options)


def loaders(batch_size):
    train, val, *more = random_split(samples(48), [24, 8, 8, 8])
    for part in more:
        train = train + part
    return DataLoader(train, batch_size=batch_size, shuffle=True), DataLoader(val, batch_size=batch_size)


def main(epochs=3):
    L.seed_everything(2)
    train_loader, val_loader = loaders(4)
    trainer = L.Trainer(max_epochs=epochs, enable_progress_bar=False)
    trainer.fit(Classifier(), train_dataloaders=train_loader, val_dataloaders=val_loader)
    print("val_loss", trainer.callback_metrics["val_loss"].item())


if __name__ == "__main__":
    main()
