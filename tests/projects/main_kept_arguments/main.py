"""What constructors are given and save: objects by parameters that are None by default, and configurations."""

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


RESULTS = {}


def linear(width, out):
    """The same whatever has been drawn before."""
    torch.manual_seed(3)
    return nn.Linear(width, out)


class Net(L.LightningModule):
    def __init__(self, net=None, rate: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layer = net if net is not None else linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


class Configured(Net):
    """By a part of a configuration, which refers to another."""

    def __init__(self, model: DictConfig, sizes=None):
        super().__init__(linear(model.inner.width, 1), model.rate)
        self.sizes = sizes


class Whole(L.LightningModule):
    """By a whole one."""

    def __init__(self, cfg: DictConfig):
        super().__init__()
        self.save_hyperparameters(cfg)
        self.net = linear(cfg.model.inner.width, 1)

    def training_step(self, batch, batch_idx):
        return self.net(batch[0]).square().mean()

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.model.rate)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule}}


def data():
    return DataLoader(TensorDataset(torch.arange(96.0).reshape(24, 4) / 96), batch_size=4)


def train(model, name, epochs=1, ckpt_path=None):
    saving = ModelCheckpoint(dirpath=f"kept/{name}", filename=f"{epochs}")
    trainer = L.Trainer(max_epochs=epochs, callbacks=[saving], logger=False, enable_progress_bar=False)
    trainer.fit(model, data(), ckpt_path=ckpt_path, weights_only=False)
    RESULTS[name, epochs] = {key: value.clone() for key, value in model.state_dict().items()}
    return saving.best_model_path


def main():
    L.seed_everything(3)
    path = train(Net(linear(4, 1)), "object")
    train(Net(linear(4, 1)), "object", 2, path)
    cfg = OmegaConf.create({"width": 4, "model": {"rate": 0.2, "inner": {"width": "${width}"}, "lost": "${absent}"}})
    path = train(Configured(cfg.model, OmegaConf.create([1, 2])), "part")
    loaded = Configured.load_from_checkpoint(path, net=linear(4, 1), weights_only=False)
    assert OmegaConf.is_config(loaded.hparams.model) and loaded.hparams.model.inner.width == 4
    assert OmegaConf.is_list(loaded.sizes)
    train(loaded, "part", 2)
    path = train(Whole(cfg), "whole")
    loaded = Whole.load_from_checkpoint(path, weights_only=False)
    assert OmegaConf.is_config(loaded.hparams)
    train(loaded, "whole", 3)
    torch.save(RESULTS, "main_kept_arguments.trained.results.pt")


if __name__ == "__main__":
    main()
