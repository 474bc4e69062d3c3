"""A method that logs, and does not where a hook calls it with a flag set."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.tries = []
        self.is_probed = False

    def compute(self, x):
        loss = self.layer(x).square().mean()
        if self.training and not getattr(self, "is_trying", False) and not self.is_probed:
            self.log("loss", loss.detach())
        return loss

    def try_out(self):
        x = torch.ones(2, 4)
        self.is_trying = True
        try:
            with torch.no_grad():
                self.tries.append(self.compute(x).item())
        finally:
            self.is_trying = False

    def configure_optimizers(self):
        self.try_out()
        return torch.optim.SGD(self.parameters(), 0.01)

    def on_train_end(self):
        self.is_probed = True
        x = torch.zeros(2, 4)
        self.tries.append(self.compute(x).item())
        self.is_probed = False

    def training_step(self, batch, batch_idx):
        return self.compute(batch[0])


if __name__ == "__main__":
    L.seed_everything(1)
    data = torch.randn(16, 4, generator=torch.Generator().manual_seed(1))
    model = Net()
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(model, DataLoader(TensorDataset(data), batch_size=4))
    metrics = {name: value.item() for name, value in trainer.callback_metrics.items()}
    torch.save([model.tries, metrics, model.state_dict()], f"main_quiet_calls.{RANK}.results.pt")
