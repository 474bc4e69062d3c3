from torch import nn

from . import registry
from .registry import HEADS, LAYERS, ignore, put, register


@register("wide")
class Wide(nn.Linear):
    pass


@registry.register("narrow")
def narrow(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


@HEADS.register("head")
class Head(nn.Linear):
    pass


class Twice(nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)


put("twice", Twice)


class Thrice(nn.Linear):
    def forward(self, x):
        return 3 * super().forward(x)


registry.register("thrice")(Thrice)
LAYERS.update(half=lambda inputs, outputs: nn.Linear(inputs, outputs).half().float())


@ignore("nowhere")
class NotNeeded(nn.Linear):
    pass
