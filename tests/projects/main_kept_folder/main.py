"""A ModelCheckpoint finds its folder once: what evaluates after the training has other loggers, or none."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = int(os.environ.get("RANK", 0))


class Regressor(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch[0]).pow(2).mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.RAdam(self.parameters(), lr=0.05)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


def main():
    L.seed_everything(3)
    data = TensorDataset(torch.randn(48, 3, generator=torch.Generator().manual_seed(0)))
    train, val = DataLoader(data, batch_size=8, shuffle=True), DataLoader(data, batch_size=12)
    best = ModelCheckpoint(filename="best", monitor="val_loss")
    callbacks = [EarlyStopping("val_loss", patience=2), LearningRateMonitor(), best]
    trainer = L.Trainer(max_epochs=3, callbacks=callbacks, enable_progress_bar=False)
    model = Regressor()
    trainer.fit(model, train, val)
    folder = best.dirpath
    results = {"validated": trainer.validate(model, val, ckpt_path="best")}
    results["stays"] = best.dirpath == folder
    results["best"] = [best.best_model_score, os.path.basename(best.best_model_path)]
    results["weights"] = {name: value.clone() for name, value in model.state_dict().items()}
    torch.save(results, f"main_kept_folder.{RANK}.results.pt")


if __name__ == "__main__":
    main()
