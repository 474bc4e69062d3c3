import lightning.pytorch as pl
from torch.utils.data import DataLoader

from .series import temperatures
from .windows import Windows


class WeatherData(pl.LightningDataModule):
    def __init__(self, days: int = 5, names: list[str] = ["north", "south"], batch_size: int = 8) -> None:
        super().__init__()
        self.days, self.names, self.batch_size = days, names, batch_size

    @property
    def stations(self) -> int:
        return len(self.names)

    def setup(self, stage: str) -> None:
        self.parts = [
            Windows(temperatures(count, self.stations, seed), self.days)
            for seed, count in enumerate((self.days + 48, self.days + 16, self.days + 16))
        ]

    def train_dataloader(self):
        return DataLoader(self.parts[0], self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts[1], self.batch_size)

    def test_dataloader(self):
        return DataLoader(self.parts[2], self.batch_size)
