import lightning as L
import torch
from lightning.pytorch.plugins import AsyncCheckpointIO, CheckpointIO, TorchCheckpointIO
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Old(CheckpointIO):
    def save_checkpoint(self, checkpoint, path, storage_options=None):
        torch.save(checkpoint, path)

    def load_checkpoint(self, path, storage_options=None):
        return torch.load(path)

    def remove_checkpoint(self, path):
        super().remove_checkpoint(path)


class New(TorchCheckpointIO):
    def save_checkpoint(self, checkpoint, path, storage_options=None):
        del checkpoint["loops"]
        super().save_checkpoint(checkpoint, path)

    def teardown(self):
        print("all is written")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 6)))


def main(is_new=True):
    trainer = L.Trainer(max_epochs=1, plugins=[New() if is_new else Old()])
    trainer.fit(Net(), weights_only=False)
    L.Trainer(max_epochs=1, plugins=AsyncCheckpointIO(Old())).fit(Net())
    L.Trainer(max_epochs=1, plugins=[Old(), New()]).fit(Net())


if __name__ == "__main__":
    main()
