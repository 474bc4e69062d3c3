from torch import nn


class Dense(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def forward(self, x):
        return self.layer(x)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    @classmethod
    def by(cls, factor):
        return cls(factor)

    def __call__(self, x):
        return self.factor * x
