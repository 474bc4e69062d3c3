"""Validation, tests and predictions, of a model with every hook of theirs; what they give is left in files."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric

RANK = os.environ.get("RANK", "0")


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Data(L.LightningDataModule):
    def __init__(self):
        super().__init__()
        self.stages = []

    def setup(self, stage):
        self.stages.append("" + stage)

    def teardown(self, stage):
        self.stages.append(stage + " ends")

    def train_dataloader(self):
        return DataLoader(samples(40, 0), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return [DataLoader(samples(21, 1), batch_size=8), DataLoader(samples(9, 2), batch_size=4)]

    def test_dataloader(self):
        return {"seen": DataLoader(samples(13, 0), batch_size=4, shuffle=True), "new": DataLoader(samples(9, 3))}

    def predict_dataloader(self):
        return [DataLoader(samples(11, 4), batch_size=4, drop_last=True), DataLoader(samples(5, 5), batch_size=2)]


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))
        self.mean = MeanMetric()
        self.called = []

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self(x), y)

    def on_validation_start(self):
        self.called.append(f"drawn {torch.rand(()).item()}")

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", F.cross_entropy(self(batch[0]), batch[1]), sync_dist=True)
        self.log("val_own", F.cross_entropy(self(batch[0]), batch[1]))

    def setup(self, stage):
        self.called.append("setup " + stage)

    def on_test_start(self):
        self.called.append("start")
        assert not self.training

    def on_test_epoch_start(self):
        self.called.append(f"epoch start, drawn {torch.rand(()).item()}")

    def on_test_batch_start(self, batch, batch_idx, dataloader_idx=0):
        self.called.append(f"batch {batch_idx} of {dataloader_idx}")

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.mean.update(loss)
        self.log("test_loss", loss, sync_dist=True)
        self.log("test_mean", self.mean)
        self.log_dict({"a": loss, "b": batch_idx}, reduce_fx="max")
        self.log(f"sum of {dataloader_idx}", loss, add_dataloader_idx=False, reduce_fx="sum", logger=True)
        return {"loss": loss}

    def on_test_batch_end(self, outputs, batch, batch_idx, dataloader_idx=0):
        self.called.append(f"loss {outputs['loss'].item()}")

    def on_test_epoch_end(self):
        self.log("test_end", 2.5)
        self.log("hidden", 1.0, logger=False)
        self.called.append("epoch end")

    def on_test_end(self):
        self.called.append("end")

    def teardown(self, stage):
        self.called.append("teardown " + stage)

    def on_predict_start(self):
        self.called.append(f"predict start, drawn {torch.rand(()).item()}")

    def on_predict_batch_end(self, outputs, batch, batch_idx, dataloader_idx=0):
        self.called.append(f"predicted {len(outputs)} of {dataloader_idx}")

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        return self(batch[0]).softmax(-1)

    def on_predict_end(self):
        self.called.append("predict end")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(3)
    model, data = Net(), Data()
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False, limit_test_batches=3, enable_checkpointing=True)
    results = {"before": trainer.validate(model, datamodule=data)}
    trainer.fit(model, data)
    results["validated"] = trainer.validate(model, data, verbose=False)
    results["tested"] = trainer.test(model, datamodule=data)
    results["metrics"] = dict(trainer.callback_metrics)
    best = {"datamodule": data, "ckpt_path": "best", "verbose": False}
    results["best"] = trainer.test(**best)
    results["last"] = trainer.test(datamodule=data)
    results["predicted"] = trainer.predict(model, datamodule=data)
    results["nothing"] = trainer.predict(model, data, return_predictions=False)
    results["states"] = {name: value.clone() for name, value in model.state_dict().items()}
    results["random"] = torch.get_rng_state()
    results["called"] = [model.called, data.stages]
    torch.save(results, f"main_evaluations.{RANK}.results.pt")


if __name__ == "__main__":
    main()
