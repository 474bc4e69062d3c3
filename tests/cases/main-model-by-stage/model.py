import torch
from torch import nn
import lightning as L
from torch.utils.data import DataLoader, TensorDataset


class Trains(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, batch_idx):
        return (self.net(batch[0]) ** 2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Predicts(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def predict_step(self, batch, batch_idx):
        return self.net(batch[0])


def make(stage, net):
    if stage == "train":
        return Trains(net)
    return Predicts(net)


def main():
    L.seed_everything(1)
    net = nn.Linear(4, 1)
    loader = DataLoader(TensorDataset(torch.ones(12, 4)), 4)
    trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False)
    trainer.fit(make("train", net), loader)
    trainer = L.Trainer(accelerator="cpu", logger=False, enable_progress_bar=False)
    print(trainer.predict(make("predict", net), loader))


if __name__ == "__main__":
    main()
