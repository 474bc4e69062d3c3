"""Cross-validation: a model and a Trainer for each fold, and the mean over all of them."""

import argparse
import os

import lightning as L
import numpy as np
import torch
from folds import KFold
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self, lr: float):
        super().__init__()
        self.lr = lr
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.layer(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_mse", nn.functional.mse_loss(self.layer(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.lr)


def train_fold(fold, train, val, args):
    L.seed_everything(args.seed + fold)
    model = Regressor(args.lr)
    trainer = L.Trainer(
        max_epochs=args.epochs,
        enable_progress_bar=False,
        enable_model_summary=False,
        logger=False,
        enable_checkpointing=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(model, train, [val])
    scores = trainer.validate(model, val, verbose=False)
    return model, scores[0]["val_mse"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()

    x = torch.rand(30, 3, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    scores = []
    for fold, (train_ids, val_ids) in enumerate(KFold(args.folds).split(len(data))):
        train = DataLoader(Subset(data, train_ids), batch_size=4, shuffle=True)
        val = DataLoader(Subset(data, val_ids), batch_size=4)
        model, score = train_fold(fold, train, val, args)
        scores.append(score)
    results = {"scores": scores, "mean": float(np.mean(scores)), "last": model.state_dict()}
    torch.save(results, f"main_kfold.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
