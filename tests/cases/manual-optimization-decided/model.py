import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = nn.Linear(4, 4), nn.Linear(4, 1)
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        (x,) = batch
        g, d = self.optimizers()
        self.toggle_optimizer(g)
        loss = -self.discriminator(self.generator(x)).mean()
        self.manual_backward(loss)
        g.step()
        g.zero_grad()
        self.untoggle_optimizer(g)

    def configure_optimizers(self):
        g = torch.optim.Adam(self.generator.parameters())
        d = torch.optim.Adam(self.discriminator.parameters())
        return [g, d], []

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
