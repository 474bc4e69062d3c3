"""States of what is no model: of loaders, data modules and callbacks. The model's own is refused."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import TensorDataset
from torchdata.stateful_dataloader import StatefulDataLoader


class Data(L.LightningDataModule):
    def __init__(self):
        super().__init__()
        self.made = StatefulDataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def train_dataloader(self):
        return self.made

    def state_dict(self):
        return {"made": self.made.state_dict()}


class Watch(L.Callback):
    def __init__(self):
        self.seen = []

    def state_dict(self):
        return {"seen": self.seen}

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.seen.append(trainer.train_dataloader.state_dict())
        self.seen.append(trainer.datamodule.state_dict())
        print(len(pl_module.state_dict()))


class Net(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layer = nn.Linear(4, hidden)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.1)


if __name__ == "__main__":
    data, watch = Data(), Watch()
    trainer = L.Trainer(max_epochs=2, callbacks=[watch])
    trainer.fit(Net(), data)
    print(data.state_dict(), watch.state_dict())
