import lightning.pytorch as pl
import torch

weight = 1.0
_has_told = False
_TOLD = []


def collate(samples):
    global _has_told
    if not _has_told:
        _TOLD.append((len(samples), weight, pl.__version__))
        _has_told = True
    return weight * torch.stack(samples)


def told():
    return _TOLD
