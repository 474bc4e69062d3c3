"""Models of many kinds, which one function trains one after the other, each in the loops of its kind."""

import os

import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau, StepLR
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.inner, self.layer = nn.Linear(6, width), nn.Linear(width, 1)
        self.seen = []

    def forward(self, x):
        return self.layer(torch.relu(self.inner(x)))

    def loss(self, batch):
        return self(batch[0]).sub(0.5).square().mean()

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Transfers(Net):
    """Changes its batches."""

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [each * 2 for each in batch]


class Outputs(Net):
    """Is told what its step has returned."""

    def training_step(self, batch, batch_idx):
        return {"loss": self.loss(batch), "more": batch_idx}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.seen.append((outputs["loss"].item(), outputs["more"]))


class Validates(Net):
    """Reads what was logged."""

    def validation_step(self, batch, batch_idx):
        self.log("val", self.loss(batch), sync_dist=True)

    def on_train_epoch_end(self):
        self.seen.append({k: float(v) for k, v in self.trainer.callback_metrics.items()})


class OneCycle(Net):
    """A schedule by steps, as many as there will be."""

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        steps = self.trainer.estimated_stepping_batches
        return [optimizer], [{"scheduler": OneCycleLR(optimizer, 0.2, total_steps=int(steps)), "interval": "step"}]


class Plateau(Net):
    """A schedule that watches what training logs."""

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("train", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": ReduceLROnPlateau(optimizer, patience=0), "monitor": "train"}}


class Steps(Net):
    """Steps its optimizer by a hook."""

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 / (self.trainer.global_step + 1)
        optimizer.step(closure=optimizer_closure)


class Quick(Net):
    """An optimizer that calls the step itself."""

    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters(), lr=0.1, max_iter=3)


class ByHand(Net):
    """One optimizer and a schedule, stepped by hand."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(self.loss(batch))
        optimizer.step()
        self.lr_schedulers().step()
        self.log("step", float(self.global_step))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [StepLR(optimizer, 2)]


class TwoByHand(Net):
    """Two optimizers, with a hook before each step."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def on_before_optimizer_step(self, optimizer):
        self.seen.append(float(optimizer.param_groups[0]["params"][0].grad.sum()))

    def training_step(self, batch, batch_idx):
        one, other = self.optimizers()
        loss = self.loss(batch) + 0 * sum(p.sum() for p in self.parameters())
        one.zero_grad()
        other.zero_grad()
        self.manual_backward(loss)
        one.step()
        self.seen.append(self.global_step)

    def configure_optimizers(self):
        return [torch.optim.SGD(self.inner.parameters(), lr=0.1), torch.optim.Adam(self.layer.parameters(), lr=0.1)]


class Clips(Net):
    """Clips by a hook."""

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        self.clip_gradients(optimizer, gradient_clip_val=0.01, gradient_clip_algorithm="norm")


class Ends(Net):
    """Ends its epochs early."""

    def on_train_batch_start(self, batch, batch_idx):
        if batch_idx == 2:
            return -1


class Backward(Net):
    """Calls the backward by a hook."""

    def backward(self, loss):
        (loss * 2).backward()

    def on_after_backward(self):
        self.seen.append(float(self.layer.weight.grad.sum()))


class Logs(Net):
    """A step of the batch alone, which logs in many ways."""

    def training_step(self, batch):
        loss = self.loss(batch)
        self.log("both", loss, on_step=True, on_epoch=True, prog_bar=True, sync_dist=True)
        self.log("hidden", loss * 2, logger=False)
        self.log_dict({"a": loss, "b": 1.0})
        return loss

    def on_train_epoch_end(self):
        self.log("a", 7.0)


class Keeps(Net):
    """Keeps its arguments."""

    def __init__(self, width=4, rate=0.2):
        super().__init__(width)
        self.save_hyperparameters()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


class Asks(Net):
    """Changes its optimizer between epochs."""

    def on_train_epoch_start(self):
        self.optimizers().param_groups[0]["lr"] *= 0.5
        self.seen.append((self.trainer.max_epochs, self.current_epoch))


class Tested(Net):
    """Has a test."""

    def on_fit_start(self):
        self.seen.append("fit")

    def on_train_start(self):
        self.seen.append("start")

    def test_step(self, batch, batch_idx):
        self.log("test", self.loss(batch), sync_dist=True)


class Transferring(Transfers, Validates):
    """Both of these."""


class Rows(L.LightningDataModule):
    def __init__(self, seed):
        super().__init__()
        self.rows = TensorDataset(torch.rand(16, 6, generator=torch.Generator().manual_seed(seed)))

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=2)

    def val_dataloader(self):
        return DataLoader(self.rows, batch_size=4)

    def test_dataloader(self):
        return DataLoader(self.rows, batch_size=8)


def train(kind, seed):
    model = kind()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    trainer.fit(model, datamodule=Rows(seed))
    found = {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}
    return model, [found, model.seen, {name: each.clone() for name, each in model.state_dict().items()}]


def main():
    L.seed_everything(3)
    kinds = [
        *(Transfers, Outputs, Validates, OneCycle, Plateau, Steps, Quick, ByHand),
        *(TwoByHand, Clips, Ends, Backward, Logs, Keeps, Asks),
    ]
    results = [train(kind, seed)[1] for seed, kind in enumerate(kinds)]
    trainer = L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False)
    trainer.fit(tested := Tested(), datamodule=Rows(8))
    results += [tested.seen, trainer.test(tested, datamodule=Rows(9), verbose=False)]
    results.append(L.Trainer(logger=False).validate(Transferring(), datamodule=Rows(12), verbose=False))
    for model in (Validates(), Transferring()):
        trainer = L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False)
        trainer.fit(model, datamodule=Rows(10))
        results += [model.seen, trainer.validate(model, datamodule=Rows(11))]
    torch.save(results, f"main_many_kinds.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
