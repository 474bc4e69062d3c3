import argparse
import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = (self.layer(x + torch.rand_like(x)) - y).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=str, default="7")
    args = parser.parse_args([])
    L.seed_everything(args.seed)
    x = torch.rand(16, 3)
    L.seed_everything(seed=os.environ.get("SEED_OF_TEXT", "11"))
    trainer = L.Trainer(max_epochs=2, log_every_n_steps=1)
    trainer.fit(Net(), DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True))


if __name__ == "__main__":
    main()
