import lightning as L
import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Wrapper(nn.Module):
    def __init__(self, module, share: float = 1.0):
        super().__init__()
        self.module, self.share = module, share

    def forward(self, *given):
        return self.module(*given)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        (x,) = batch
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(self.layer(x).square().mean())
        optimizer.step()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, strategy=DDPStrategy(find_unused_parameters=True))
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
