import lightning as L
import torch
import torchaudio
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(4, 2)))

    def spectrum(self, wave):
        return torchaudio.functional.spectral_centroid(wave, 16000, 0, torch.hann_window(8), 8, 4, 8)
