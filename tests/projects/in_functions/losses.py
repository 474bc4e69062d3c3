import torch.nn.functional as F


def loss_of(layers, batch):
    x, y = batch
    return F.cross_entropy(layers(x), y)
