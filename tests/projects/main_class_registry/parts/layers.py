import torch

from .registry import Registry


@Registry.register("narrow")
class Narrow(torch.nn.Linear):
    def __init__(self):
        super().__init__(4, 1)


@Registry.register("wide")
class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))

    def forward(self, x):
        return self.parts(x)
