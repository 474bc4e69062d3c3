import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_iris
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class IrisClassifier(L.LightningModule):
    """Trained by the file's own few lines at its end, from which all settings come."""

    def __init__(self, hidden: int = 8, lr: float = 1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        self.log("val_loss", F.cross_entropy(logits, y), prog_bar=True)
        self.log("val_acc", (logits.argmax(1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return {
            "optimizer": optimizer,
            "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10),
        }


class IrisData(L.LightningDataModule):
    def __init__(self, batch_size: int = 16):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        x, y = load_iris(return_X_y=True)
        dataset = TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))
        self.train, self.val = random_split(dataset, [120, 30], torch.Generator().manual_seed(0))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=30)


if __name__ == "__main__":
    L.seed_everything(123)
    trainer = L.Trainer(max_epochs=3, accumulate_grad_batches=3, gradient_clip_val=0.5, log_every_n_steps=1)
    trainer.fit(IrisClassifier(hidden=6), datamodule=IrisData(batch_size=10))
