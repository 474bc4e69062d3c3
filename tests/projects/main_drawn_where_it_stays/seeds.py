import torch

FIRST = torch.manual_seed(3)
