"""What is done between imports: arguments that are read, a seed, what modules draw and read as they are imported."""

from arguments import parsed

args = parsed()

import lightning as L

L.seed_everything(3)

from noise import NOISE  # isort: skip
from more_noise import MORE  # isort: skip
import torch
from module import Classifier
from torch.utils.data import DataLoader, TensorDataset

scale = NOISE + 2 * MORE + torch.rand(3)


def main():
    model = Classifier(scale)
    loader = DataLoader(TensorDataset(torch.rand(16, 3)), batch_size=4)
    L.Trainer(max_epochs=2).fit(model, loader)


if __name__ == "__main__":
    main()
