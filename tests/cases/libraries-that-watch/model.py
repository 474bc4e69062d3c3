import lightning as L
import mlflow
import mlflow.pytorch as tracking
import torch
import wandb
from clearml import Task
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    mlflow.autolog(disable=True)
    tracking.autolog(log_models=False)
    Task.init("examples", "a net")
    wandb.init(project="examples")
    wandb.init(project="examples", sync_tensorboard=True)
    trainer = L.Trainer(max_epochs=3)
    trainer.fit(Net())


if __name__ == "__main__":
    main()
