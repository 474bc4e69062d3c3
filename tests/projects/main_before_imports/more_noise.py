import torch

MORE = torch.rand(3)
