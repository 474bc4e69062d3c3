"""`fit` is given a data module's loaders, and what is run later the data module itself, whose hooks run then."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, told):
        super().__init__()
        self.told = told
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch).mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch).mean(), sync_dist=True)

    def on_train_start(self):
        self.told.append(self.trainer.datamodule is None)

    def on_test_start(self):
        self.told.append(self.trainer.datamodule is None)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Data(L.LightningDataModule):
    def __init__(self, told):
        super().__init__()
        self.told = told

    def prepare_data(self):
        self.told.append("prepared")

    def setup(self, stage=None):
        self.told.append(stage and str(stage))
        self.points = torch.randn(12, 3, generator=torch.Generator().manual_seed(3))

    def teardown(self, stage):
        self.told.append((f"{stage}", stage.value))

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return 2 * batch

    def train_dataloader(self):
        return DataLoader(self.points, batch_size=2)

    def val_dataloader(self):
        return DataLoader(self.points, batch_size=4)

    def test_dataloader(self):
        return DataLoader(self.points, batch_size=6)


def main():
    L.seed_everything(5)
    told = []
    data, model = Data(told), Net(told)
    data.setup()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, enable_checkpointing=False)
    trainer.fit(model, train_dataloaders=data.train_dataloader(), val_dataloaders=data.val_dataloader())
    tested = trainer.test(model, datamodule=data, verbose=False)
    results = [told, tested, trainer.callback_metrics["test_loss"].clone(), model.layer.weight.detach().clone()]
    torch.save(results, f"main_loaders_then_data.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
