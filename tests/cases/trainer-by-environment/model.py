import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

os.environ["PL_TRAINER_MAX_EPOCHS"] = "3"


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    os.environ.setdefault("PL_TRAINER_GRADIENT_CLIP_VAL", "0.5")
    L.Trainer().fit(Net(), DataLoader(TensorDataset(torch.ones(4, 2))))
