import torch
from torch.utils.data import DataLoader, Dataset


class Scaled(Dataset):
    """Samples that the code makes larger between two runs, which workers that are kept would not see."""

    def __init__(self):
        self.scale = 1.0
        self.x = torch.linspace(-1, 1, 24).reshape(8, 3)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, place):
        return self.x[place] * self.scale, self.x[place].sum(0, keepdim=True)


def loader_of(dataset, shuffle):
    return DataLoader(dataset, batch_size=2, shuffle=shuffle, num_workers=1, persistent_workers=True)
