"""The same trainings by loops of one's own: `by_hand.py CASE WEIGHTS`."""

import sys
from contextlib import nullcontext

import torch
import torch.distributed as dist
from layers import batches, layers, optimizer_for
from torch import nn
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel


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


def parts_of(x, size):
    return x.split(size)


def by_rank(x, size):
    """The second rank has more parts than the first."""
    return x.split(1) if dist.get_rank() else (x,)


def but_the_first(x, size):
    """The very first batch goes whole."""
    is_first = torch.equal(x, next(of_ranks()))
    return (x,) if is_first else x.split(size)


def in_parts(model, size=4, window=1, every=False, split=parts_of, share=1.0):
    """Gradients are averaged in the last part of a batch, of a window or of `every` one; the update has a share."""
    optimizer, step = optimizer_for(model), DistributedDataParallel(model, gradient_as_bucket_view=True)
    for place, x in enumerate(of_ranks()):
        is_last = place % window == window - 1
        parts = split(x, size)
        for number, part in enumerate(parts, start=1):
            with nullcontext() if number == len(parts) and (is_last or every) else step.no_sync():
                loss = mse_loss(step(part), part[:, :4].sin())
                (loss * (len(part) / len(x)) / window).backward()
        if is_last:
            for parameter in model.parameters():
                parameter.grad *= share
            update(model, optimizer)


CASES = {
    "plain": in_parts,
    "parts": lambda model: in_parts(model, size=3),
    "parts_accumulated": lambda model: in_parts(model, size=3, window=3),
    "parts_every": lambda model: in_parts(model, size=3, window=3, every=True),
    "parts_found": lambda model: in_parts(model, size=2, window=3, split=but_the_first),
    "parts_by_rank": lambda model: in_parts(model, split=by_rank),
    "wrapped": lambda model: in_parts(model, share=0.5),
    "wrapped_accumulated": lambda model: in_parts(model, window=3, share=0.5),
    "wrapped_parts": lambda model: in_parts(model, size=3, window=3, share=0.5),
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
