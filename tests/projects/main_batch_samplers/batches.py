"""A batch sampler in a module that has nothing to do with Lightning."""

from torch.utils.data import BatchSampler


class Groups(BatchSampler):
    """Batches of several groups: its batch size is not the one that it is given."""

    def __init__(self, sampler, batch_size, drop_last, groups=2):
        self.sampler, self.drop_last, self.groups = sampler, drop_last, groups
        self.batch_size = batch_size * groups

    def __len__(self):
        return -(-len(self.sampler) // self.batch_size)
