import lightning
import torch

BLOCKS = {}
torch.set_default_dtype(torch.float32)


def register(name):
    def note(cls):
        BLOCKS[name] = cls
        return cls

    return note
