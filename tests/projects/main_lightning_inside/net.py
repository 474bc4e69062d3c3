import torch
from lightning.pytorch import LightningModule
from torch import nn
from torch.utils.data import DataLoader


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        from torch.nn import functional as F

        loss = F.mse_loss(self.layer(batch).squeeze(1), batch.sum(1))
        self.log("loss", loss, on_epoch=True)
        return loss

    def on_fit_start(self):
        from lightning.pytorch.callbacks import EarlyStopping

        assert [type(each) for each in self.trainer.early_stopping_callbacks] == [EarlyStopping]

    def configure_optimizers(self):
        import lightning, math  # noqa: E401

        return torch.optim.SGD(self.parameters(), lr=math.exp(-3))

    def train_dataloader(self):
        return DataLoader(torch.randn(24, 4, generator=torch.Generator().manual_seed(2)), batch_size=4)
