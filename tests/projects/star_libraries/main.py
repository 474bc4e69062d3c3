import lightning as L
import torch
from net import Net
from os import *
from torch.utils.data import *


def loader():
    x = torch.arange(60.0).reshape(20, 3) / 60
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Net(width=getpid() * 0 + 5), loader())
