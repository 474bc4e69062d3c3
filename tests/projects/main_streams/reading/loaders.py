from torch.utils.data import DataLoader

from . import sets


def stream(count):
    return DataLoader(sets.Numbers(count), batch_size=4)


def rows(count, **options):
    return DataLoader(sets.rows(count), batch_size=3, **options)
