import torch
from sklearn import datasets
from torch import Tensor


def load_digits() -> tuple[Tensor, Tensor]:
    """The images, 64 numbers from 0 to 1 each, and what they show."""
    digits = datasets.load_digits()
    return torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)
