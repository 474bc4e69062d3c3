"""What a module draws when it is imported, and nothing asks for, is drawn before what is asked for."""

import lightning as L
import torch
from nets import Net
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = DataLoader(TensorDataset(torch.randn(24, 4)), batch_size=4)
    L.Trainer(max_epochs=2).fit(Net(), data)


if __name__ == "__main__":
    main()
