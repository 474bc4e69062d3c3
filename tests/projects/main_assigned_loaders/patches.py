import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


def twice(rows):
    return [torch.stack([row for (row,) in rows])] * 2


def patch(data):
    own = data.train_dataloader

    def shuffled(self):
        L.seed_everything(4 + self.trainer.current_epoch)
        return DataLoader(own(self).dataset, batch_size=6, shuffle=True, collate_fn=twice)

    data.train_dataloader = shuffled


class Evaluation:
    def __init__(self, data):
        self.data = data

    def loader(self):
        rows = torch.randn(12, 3) * (self.data.trainer.current_epoch + 2)
        return DataLoader(TensorDataset(rows), batch_size=3)
