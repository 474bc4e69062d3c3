"""The same trainings by loops of one's own: `by_hand.py CASE WEIGHTS`."""

import sys

import torch
import torch.distributed as dist
from layers import batches, layers, optimizer_for
from torch import nn
from torch.nn.functional import mse_loss


def of_ranks():
    return batches(dist.get_rank(), dist.get_world_size())


def joined(size):
    """Those of all ranks, in each of them."""
    return batches(0, 1, size)


def update(model, optimizer):
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    optimizer.zero_grad()


def add_up(model, batches, window=1, shares=True):
    """Gradients are added up over a window, and over the ranks."""
    optimizer = optimizer_for(model)
    for place, x in enumerate(batches):
        mse_loss(model(x), x[:, :4].sin(), reduction="sum").backward()
        if place % window == window - 1:
            for parameter in model.parameters():
                if shares:
                    dist.all_reduce(parameter.grad)
            update(model, optimizer)


CASES = {
    "sum": lambda model: add_up(model, of_ranks()),
    "sum_accumulated": lambda model: add_up(model, of_ranks(), window=3),
    "sum_joined": lambda model: add_up(model, joined(8), shares=False),
    "sum_accumulated_joined": lambda model: add_up(model, joined(24), shares=False),
}


def main(case, path):
    model = layers()
    CASES[case](model)
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), path)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    main(*sys.argv[1:])
    dist.destroy_process_group()
