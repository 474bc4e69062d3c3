"""Seeds that may be missing, or are texts of the command line."""

import argparse
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.3))

    def training_step(self, batch, batch_idx):
        return self.layers(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def drawn(seed=None):
    return L.seed_everything(seed), torch.rand(1).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--split", default="7")
    args = parser.parse_args()
    results = {"without": L.seed_everything(args.seed), "of text": L.seed_everything(args.split), "kept": drawn()}
    x = torch.randn(32, 4)
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(Net(), DataLoader(TensorDataset(x), batch_size=8, shuffle=True))
    torch.save(results, f"main_no_seed.{RANK}.results.pt")


if __name__ == "__main__":
    main()
