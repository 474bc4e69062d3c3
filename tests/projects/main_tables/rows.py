from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return (self.values[index],)


class Reversed(Rows):
    def __getitem__(self, index):
        return super().__getitem__(len(self) - 1 - index)
