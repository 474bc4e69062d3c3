"""A wrapper in DistributedDataParallel's place."""

from torch.nn.parallel import DistributedDataParallel


class Wrapped(DistributedDataParallel):
    pass
