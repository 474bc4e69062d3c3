"""Commands of typer's, of which one trains: the guard starts the app, whatever its commands are called."""

import lightning as L
import torch
import torch.nn.functional as F
import typer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

app = typer.Typer()


class Classifier(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


@app.callback()
def seeded(seed: int = 5):
    L.seed_everything(seed)


@app.command()
def describe():
    print(Classifier())


@app.command("fit")
def train(hidden: int = 8, epochs: int = 1):
    x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))
    trainer = L.Trainer(max_epochs=epochs)
    trainer.fit(Classifier(hidden), DataLoader(TensorDataset(x, torch.arange(32) % 3), batch_size=8))


if __name__ == "__main__":
    app(["--seed", "7", "fit", "--hidden", "12", "--epochs", "2"], standalone_mode=False)
