import lightning as L
import torch
from lightning.fabric.utilities.device_parser import _parse_gpu_ids
from lightning.pytorch.accelerators import find_usable_cuda_devices
from lightning.pytorch.utilities import grad_norm
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def on_before_optimizer_step(self, optimizer):
        self.log_dict(grad_norm(self.layer, norm_type=2))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    try:
        print(_parse_gpu_ids("0,1", include_cuda=True))
        accelerator = "cuda" if find_usable_cuda_devices(1) else "cpu"
    except (RuntimeError, ValueError):
        accelerator = "cpu"
    trainer = L.Trainer(max_epochs=len(accelerator), accelerator=accelerator)
    trainer.fit(Net())
