"""A coder is trained first, then a head on top of it: two classes, of which each has hooks that the other lacks."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Coder(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.inward, self.outward = nn.Linear(6, 3), nn.Linear(3, 6)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.outward(self.inward(batch[0])), batch[0])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.outward(self.inward(batch[0])), batch[0])
        self.log("val_loss", loss, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)

    def on_fit_end(self):
        self.outward = None


class Head(L.LightningModule):
    def __init__(self, coder):
        super().__init__()
        self.coder, self.out = coder, nn.Linear(3, 1)
        self.starts = []

    def on_train_epoch_start(self):
        self.starts.append(self.current_epoch)
        self.scale = 1.0 + self.current_epoch

    def training_step(self, batch, batch_idx):
        loss = self.scale * self.out(self.coder.inward(batch[0])).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.out(self.coder.inward(batch[0])).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)


def main():
    L.seed_everything(5)
    rows = TensorDataset(torch.rand(24, 6, generator=torch.Generator().manual_seed(2)))
    train, val = DataLoader(rows, batch_size=4, shuffle=True), DataLoader(rows, batch_size=6)
    options = {"logger": False, "enable_progress_bar": False, "enable_checkpointing": False}

    coder = Coder()
    trainer = L.Trainer(max_epochs=2, **options)
    trainer.fit(coder, train, val)
    coded = trainer.callback_metrics["val_loss"]

    head = Head(coder)
    trainer = L.Trainer(max_epochs=3, **options)
    trainer.fit(head, train, val)
    torch.save(
        {
            "losses": (coded, trainer.callback_metrics["val_loss"]),
            "starts": torch.tensor(head.starts),
            "weights": head.state_dict(),
        },
        "main_two_stages.results.pt",
    )


if __name__ == "__main__":
    main()
