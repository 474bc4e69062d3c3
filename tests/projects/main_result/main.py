import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)

    def train_dataloader(self):
        x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))
        return DataLoader(TensorDataset(x, torch.arange(32) % 3), batch_size=8)


def main():
    L.seed_everything(5)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Classifier(hidden=12))
    return trainer.callback_metrics


if __name__ == "__main__":
    metrics = main()
