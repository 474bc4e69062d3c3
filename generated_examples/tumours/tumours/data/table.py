"""The table of measurements that ships with scikit-learn."""

import torch
from sklearn.datasets import load_breast_cancer
from torch import Tensor
from torch.utils.data import Dataset

MEASUREMENTS = 30


class Table(Dataset[tuple[Tensor, Tensor]]):
    """Rows of measurements, scaled, each with 1 for a malignant tumour."""

    def __init__(self, rows: Tensor, malignant: Tensor, mean: Tensor, std: Tensor) -> None:
        self.rows = (rows - mean) / std
        self.malignant = malignant

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.rows[index], self.malignant[index]


def read_table() -> tuple[Tensor, Tensor]:
    """All rows, and which of them are malignant."""
    table = load_breast_cancer()
    return torch.tensor(table.data).float(), torch.tensor(1 - table.target).float()


def split(shares: tuple[float, float, float], seed: int = 0) -> list[Table]:
    """Tables of so large shares; all are scaled as the first one asks for."""
    rows, malignant = read_table()
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(seed))
    counts = [int(share * len(rows)) for share in shares[:-1]]
    parts = order.split([*counts, len(rows) - sum(counts)])
    mean, std = rows[parts[0]].mean(0), rows[parts[0]].std(0)
    return [Table(rows[part], malignant[part], mean, std) for part in parts]
