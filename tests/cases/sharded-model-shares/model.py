import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import WandbLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 8)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def on_save_checkpoint(self, checkpoint):
        checkpoint["kind"] = "net"
        del checkpoint["state_dict"]["layer.bias"]

    def on_load_checkpoint(self, checkpoint):
        for state in checkpoint["optimizer_states"]:
            state.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=2, callbacks=ModelCheckpoint(), logger=WandbLogger(log_model=True))
    trainer.fit(Net())
