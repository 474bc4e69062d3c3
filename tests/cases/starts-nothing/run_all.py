import torch
from model import train_once
from torch.utils.data import DataLoader, TensorDataset

for width in (4, 8):
    data = TensorDataset(torch.randn(32, 8), torch.randn(32, width))
    train_once(width, DataLoader(data, batch_size=8))
