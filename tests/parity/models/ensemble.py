import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Member(L.LightningModule):
    """Trains alone too; here it lends its parts."""

    def __init__(self, width: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.ELU(), nn.Linear(width, 2))

    def forward(self, x):
        return self.net(x).unbind(-1)

    def negative_log_likelihood(self, x, y):
        mean, log_var = self(x)
        return (0.5 * log_var + 0.5 * (y - mean) ** 2 / log_var.exp()).mean()

    def training_step(self, batch, batch_idx):
        return self.negative_log_likelihood(*batch)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class DeepEnsemble(L.LightningModule):
    """Members see bootstrapped weights, each has its group of parameters, and a value logged in a loop."""

    def __init__(self, members: int = 3, width: int = 6, learning_rates: list = [0.01, 0.02, 0.03]):
        super().__init__()
        self.save_hyperparameters()
        self.members = nn.ModuleList([Member(width) for _ in range(members)])
        self.losses = [0.0] * members

    def forward(self, x):
        means = torch.stack([member(x)[0] for member in self.members])
        return means.mean(0), means.var(0)

    def training_step(self, batch, batch_idx):
        x, y = batch
        total = 0
        for index, member in enumerate(self.members):
            chosen = torch.randint(len(x), (len(x),))
            loss = member.negative_log_likelihood(x[chosen], y[chosen])
            self.log(f"member_{index}/loss", loss, on_step=True)
            self.losses[index] = loss.item()
            total = total + loss
        if batch_idx % 2 == 0:
            self.log("best_member", float(self.losses.index(min(self.losses))))
        return total

    def validation_step(self, batch, batch_idx):
        x, y = batch
        mean, spread = self(x)
        self.log("val_mse", nn.functional.mse_loss(mean, y))
        self.log("val_spread", spread.mean())

    def configure_optimizers(self):
        return torch.optim.Adam(
            [{"params": m.parameters(), "lr": lr} for m, lr in zip(self.members, self.hparams.learning_rates)]
        )

    def train_dataloader(self):
        x = torch.rand(36, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.sum(1).sin()), batch_size=6, shuffle=True)

    def val_dataloader(self):
        x = torch.rand(12, 2, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1).sin()), batch_size=6)
