"""A grid: each point has a model and a Trainer; the best one's weights are kept, and trained on."""

import copy
import itertools
import os

import lightning as L
import torch
from net import Net
from torch.utils.data import DataLoader, TensorDataset

GRID = {"lr": [0.1, 0.01], "width": [3, 5]}


def points(grid):
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values))


def loaders():
    for seed, count in enumerate((24, 8)):
        x = torch.randn(count, 2, generator=torch.Generator().manual_seed(seed))
        yield DataLoader(TensorDataset(x, x.prod(1)), batch_size=4)


def trained(model, epochs):
    trainer = L.Trainer(max_epochs=epochs, logger=False, enable_progress_bar=False, enable_checkpointing=False)
    train, val = loaders()
    trainer.fit(model, train, val)
    return trainer.callback_metrics["val_loss"].item()


scores, best = {}, None
for point in points(GRID):
    L.seed_everything(1)
    model = Net(**point)
    score = trained(model, 1)
    if best is None or score < min(scores.values()):
        best = copy.deepcopy(model.state_dict()), point
    scores[tuple(point.values())] = score

weights, point = best
model = Net(**point)
model.load_state_dict(weights)
scores["best"] = trained(model, 2)
torch.save(scores, f"main_sweep.{os.environ.get('RANK', '0')}.results.pt")
