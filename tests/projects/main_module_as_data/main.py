"""Data modules that derive from LightningModule, which Lightning takes for what it is given as."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

RANK = os.environ.get("RANK", "0")
SEEN = []


class Rows(Dataset):
    def __init__(self, count, seed):
        self.rows = torch.randn(count, 3, generator=torch.Generator().manual_seed(seed))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index], self.rows[index].sum(0, keepdim=True)


class Loaders(L.LightningModule):
    def __init__(self, size, **sizes):
        super().__init__()
        self.size = size
        self.sizes = dict(sizes)
        self.train = None
        self.prepared, self.taught = torch.zeros(1), 0

    def prepare_data(self):
        SEEN.append("prepared")

    def loader(self, data, **options):
        return DataLoader(data, batch_size=self.size, **options)

    def test_dataloader(self):
        return [self.loader(Rows(9, 5)), self.loader(TensorDataset(torch.ones(4, 3), torch.zeros(4, 1)))]

    def predict_dataloader(self):
        return self.loader(Rows(7, 6))


class Data(Loaders):
    """It counts the batches that it handed on, and a checkpoint has their number."""

    def setup(self, stage):
        SEEN.append(["setup", str(stage), self.trainer.max_epochs, self.train is None])
        if stage == "fit":
            self.train = Rows(self.sizes["train"], 1)
        self.val = Rows(self.sizes["val"], 2)

    def teardown(self, stage):
        SEEN.append(["teardown", str(stage), self.taught])

    def train_dataloader(self):
        SEEN.append(["train", self.trainer.current_epoch])
        return self.loader(self.train, shuffle=self.trainer.current_epoch == 0)

    def val_dataloader(self):
        return self.loader(self.val)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        self.taught += self.trainer.training
        return [each * 0.5 for each in batch]

    def state_dict(self):
        return {"taught": self.taught}

    def load_state_dict(self, state_dict):
        SEEN.append(["loaded", dict(state_dict)])
        self.taught = state_dict["taught"]


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)


def trainer_of(epochs):
    return L.Trainer(max_epochs=epochs, logger=False, enable_progress_bar=False)


def main():
    L.seed_everything(3)
    data, net = Data(4, train=18, val=10), Net()
    trainer = trainer_of(2)
    trainer.fit(net, datamodule=data)
    trainer.save_checkpoint("module_as_data.ckpt")
    data.taught = 0
    found = [trainer.validate(net, datamodule=data)]
    found.append(trainer.test(net, datamodule=data, ckpt_path="module_as_data.ckpt"))
    found.append(trainer.predict(net, datamodule=data))
    trainer_of(3).fit(net, datamodule=data, ckpt_path="module_as_data.ckpt")
    SEEN.append([isinstance(data, Loaders), hasattr(data, "rows"), data.taught])
    torch.save((SEEN, found), f"main_module_as_data.{RANK}.results.pt")


if __name__ == "__main__":
    main()
