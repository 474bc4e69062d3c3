import lightning as L
import torch
from lightning.pytorch.plugins import MixedPrecision
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, second_order: bool = False):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.second_order = second_order

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        if self.second_order:
            return torch.optim.LBFGS(self.parameters())
        return torch.optim.AdamW(self.parameters(), fused=True)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    half = MixedPrecision("16-mixed", device="cuda")
    trainer = L.Trainer(max_epochs=1, precision=64, plugins=[half], gradient_clip_val=1.0)
    trainer.fit(Net())
