import argparse

import lightning as L
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from samples import samples
from stepping import StepsAll


class Autoencoder(StepsAll):
    def __init__(self, lr):
        super().__init__()
        self.save_hyperparameters()
        self.encoder, self.decoder, self.lr = nn.Linear(6, 2), nn.Linear(2, 6), lr

    def training_step(self, batch, batch_idx):
        x, _ = batch
        self.descend(F.mse_loss(self.decoder(self.encoder(x).tanh()), x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()
    L.seed_everything(7)
    trainer = L.Trainer(max_epochs=arguments.epochs, enable_progress_bar=False)
    model = Autoencoder(lr=0.1)
    trainer.fit(model, DataLoader(samples(), batch_size=4, shuffle=True))
    if trainer.is_global_zero:
        print("steps", trainer.global_step)


if __name__ == "__main__":
    main()
