import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from settings import WIDTH
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self):
        self.x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index] + np.random.rand(6).astype("float32"), index % 3


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
        return DataLoader(Noisy(), batch_size=8, num_workers=1)


def main():
    model = Classifier(hidden=WIDTH)
    L.seed_everything(WIDTH, workers=WIDTH > 7)
    L.Trainer(max_epochs=2).fit(model)
    L.seed_everything()  # with the same, and for the workers no longer
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(model)
    return trainer.callback_metrics


if __name__ == "__main__":
    metrics = main()
