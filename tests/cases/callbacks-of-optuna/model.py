import lightning as L
import optuna
import torch
from lightning.pytorch.callbacks import EarlyStopping
from optuna.integration import PyTorchLightningPruningCallback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, lr, hidden):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


def loaders():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(64, 4, generator=g)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    return DataLoader(data, batch_size=8, shuffle=True), DataLoader(data, batch_size=16)


class Told(PyTorchLightningPruningCallback):
    def on_validation_end(self, trainer, pl_module):
        print(self.monitor)
        super().on_validation_end(trainer, pl_module)


def objective(trial):
    from optuna_integration.pytorch_lightning import PyTorchLightningPruningCallback as Pruning

    L.seed_everything(trial.number)
    model = Net(trial.suggest_float("lr", 1e-5, 1e-1, log=True), trial.suggest_int("hidden", 2, 16))
    trainer = L.Trainer(
        max_epochs=5,
        logger=True,
        accelerator="cpu",
        enable_progress_bar=False,
        callbacks=[
            Told(trial, monitor="val_loss"),
            Pruning(trial, "train_loss"),
            optuna.integration.PyTorchLightningPruningCallback(trial, "val_loss"),
            EarlyStopping("val_loss"),
        ],
    )
    trainer.logger.log_hyperparams(dict(trial.params))
    train, val = loaders()
    trainer.fit(model, train, val)
    return trainer.callback_metrics["val_loss"].item()


if __name__ == "__main__":
    study = optuna.create_study()
    study.optimize(objective, n_trials=12)
