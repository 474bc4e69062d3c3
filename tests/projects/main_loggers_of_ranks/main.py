"""Loggers that rank 0 alone makes: others have Lightning's own, or none."""

import lightning as L
import torch
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@rank_zero_only
def one():
    return CSVLogger("logs", name="one")


def some():
    found = []
    if rank_zero_only.rank == 0:
        found.append(CSVLogger("logs", name="some"))
    return found


def train(logger):
    loader = DataLoader(torch.arange(16.0).reshape(8, 2) / 16, batch_size=2)
    trainer = L.Trainer(
        max_epochs=2, accelerator="cpu", logger=logger, log_every_n_steps=1, enable_progress_bar=False
    )
    model = Net()
    trainer.fit(model, loader)
    print(trainer.is_global_zero and len(trainer.loggers))
    return model


if __name__ == "__main__":
    L.seed_everything(2)
    models = [train(one()), train(some())]
    torch.save([each.state_dict() for each in models], "main_loggers_of_ranks.results.pt")
