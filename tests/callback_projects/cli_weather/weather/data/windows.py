from torch import Tensor
from torch.utils.data import Dataset


class Windows(Dataset):
    """Some days, and the one after them."""

    def __init__(self, series: Tensor, days: int) -> None:
        self.series, self.days = series, days

    def __len__(self) -> int:
        return len(self.series) - self.days

    def __getitem__(self, place: int) -> tuple[Tensor, Tensor]:
        end = place + self.days
        return self.series[place:end], self.series[end]
