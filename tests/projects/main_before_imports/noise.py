import torch

NOISE = torch.rand(3)
