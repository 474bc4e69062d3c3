import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from torch.ones(16, 4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        self.log("loss", loss, on_step=False, on_epoch=True)
        return {"loss": loss, "rows": len(batch)}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        assert outputs["rows"] == len(batch)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        if self.global_rank == 0:
            print(optimizer)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        return {"optimizer": optimizer, "lr_scheduler": plateau, "monitor": "loss"}

    def train_dataloader(self):
        return DataLoader(Stream(), batch_size=2)
