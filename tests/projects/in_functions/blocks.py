import lightning  # so that this module is embedded
from torch import nn
from torch.optim import SGD as Descent


class Block(nn.Linear):
    def forward(self, x):
        return super().forward(x).relu()


WIDTH = 4
