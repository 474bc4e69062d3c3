import lightning.pytorch as pl
from samples import samples
from torch.utils.data import DataLoader


class Samples(pl.LightningDataModule):
    def __init__(self, batch_size: int = 2, count: int = 32, width: int = 3) -> None:
        super().__init__()
        self.batch_size = batch_size
        self.dataset = samples(count)
        self.features = self.dataset.tensors[0].shape[1]
        self.names = ["zero", "one", "two"]

    @property
    def classes(self) -> int:
        return len(self.names)

    def train_dataloader(self):
        return DataLoader(self.dataset, batch_size=self.batch_size, shuffle=True)
