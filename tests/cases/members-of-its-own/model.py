import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    dtype = torch.float32

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.example_input_array = torch.ones(1, 4)
        self.optimizers = ["sgd"]

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def freeze(self):
        self.layer.requires_grad_(False)

    def on_train_end(self):
        print(self.dtype, self.optimizers)
        print(self(self.example_input_array))
        self.freeze()

    def forward(self, x):
        return self.layer(x)
