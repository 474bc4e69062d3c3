import lightning as L
from torch.utils.data import DataLoader, TensorDataset, random_split

from .digits import load_digits


class DigitsData(L.LightningDataModule):
    """Real handwritten digits of 8 by 8 pixels."""

    def __init__(self, batch_size: int = 32, val_share: float = 0.2) -> None:
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage: str) -> None:
        images, labels = load_digits()
        count = int(len(labels) * self.hparams.val_share)
        digits = TensorDataset(images, labels)
        self.train_set, self.val_set = random_split(digits, [len(labels) - count, count])

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self) -> DataLoader:
        return DataLoader(self.val_set, self.hparams.batch_size)
