"""Squeezes pictures of digits to three numbers, and draws them again."""

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(L.LightningModule):
    """Two layers: one squeezes, the other draws."""

    def __init__(self, pixels=64, numbers=3, lr=1e-2):
        super().__init__()
        self.lr = lr
        self.encoder = nn.Linear(pixels, numbers)
        self.decoder = nn.Linear(numbers, pixels)

    def forward(self, pictures):
        return self.encoder(pictures)

    def training_step(self, batch, batch_idx):
        pictures, _ = batch
        drawn = torch.sigmoid(self.decoder(self(pictures)))
        loss = F.mse_loss(drawn, pictures)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


def main():
    pictures, labels = load_digits(return_X_y=True)
    dataset = TensorDataset(torch.tensor(pictures).float() / 16, torch.tensor(labels))
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    trainer = L.Trainer(max_epochs=5)
    trainer.fit(Autoencoder(), loader)


if __name__ == "__main__":
    main()
