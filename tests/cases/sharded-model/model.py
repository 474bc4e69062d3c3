import sys
from operator import attrgetter

import lightning as L
import torch
from lightning.pytorch.callbacks import EMAWeightAveraging, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from lightning.pytorch.strategies import FSDPStrategy
from lightning.pytorch.utilities import grad_norm
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layer = nn.Linear(4, hidden)
        self.example_input_array = torch.ones(1, 4)

    def forward(self, x):
        return self.layer(x)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self(x).square().mean()
        self.log("loss", loss)
        return loss

    def on_before_optimizer_step(self, optimizer):
        self.log("norm", self.layer.weight.grad.norm().item())
        if self.global_rank == 0:
            self.log_dict(grad_norm(self, norm_type=2))
        print(max(map(attrgetter("layer.weight.grad"), [self])), getattr(self.layer.bias, "grad", None))

    def on_train_epoch_end(self):
        print(self.layer.weight.norm().item())

    def configure_optimizers(self):
        if len(sys.argv) > 1:
            return torch.optim.LBFGS(self.parameters(), lr=0.1)
        return torch.optim.Adafactor(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    trainer = L.Trainer(
        max_epochs=2,
        strategy=FSDPStrategy(auto_wrap_policy={nn.Linear}, cpu_offload=True, sharding_strategy="HYBRID_SHARD"),
        callbacks=[EMAWeightAveraging(), ModelCheckpoint(save_on_exception=True)],
        logger=TensorBoardLogger("logs", log_graph=True),
    )
    model = Net()
    trainer.fit(model)
    torch.save(model.layer.state_dict(), "layer.pt")
    torch.save(trainer.model.state_dict(), "whole.pt")
