from copy import copy

import lightning  # so that this module is embedded
import torch.nn as nn


class Block(nn.Linear):
    def forward(self, x):
        return super().forward(x).relu()


DEPTH = 2
SAME = copy([DEPTH])
