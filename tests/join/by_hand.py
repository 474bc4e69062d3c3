"""The same trainings by loops with torch's own API: `by_hand.py CASE RESULT [CHECKPOINT]`, from where it begins."""

import os
import sys
from contextlib import nullcontext

import torch
import torch.distributed as dist
from layers import SIZED, adam, batch, falling, layers, loss_of, sgd, streamed
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

EPOCHS = 4


def share(mine, objects):
    """What the rank has that had the most batches: torch shares parameters and buffers alone."""
    ranks, states = [None] * dist.get_world_size(), [each.state_dict() for each in objects]
    dist.all_gather_object(ranks, (*mine, states))
    _, _, steps, states = max(ranks, key=lambda each: each[:2])
    for each, state in zip(objects, states, strict=True):
        each.load_state_dict(state)
    return steps


def train(begun=None, sized=None, window=1, every=False, divides=True):
    model, rank = layers(), dist.get_rank()
    step = DistributedDataParallel(model, gradient_as_bucket_view=True)
    optimizer = sgd(model) if sized else adam(model)
    shared = [optimizer] if sized else [optimizer, falling(optimizer)]
    first, steps, losses = 0, 0, []
    if begun:
        model.load_state_dict(
            {name.removeprefix("layers."): begun["state_dict"][name] for name in begun["state_dict"]}
        )
        for each, state in zip(shared, [*begun["optimizer_states"], *begun["lr_schedulers"]], strict=True):
            each.load_state_dict(state)
        first, steps = begun["epoch"] + 1, begun["global_step"]
    for epoch in range(first, EPOCHS):
        count, total = sized[rank] if sized else streamed(epoch, rank), 0.0
        places = [(0 if sized else epoch, rank, place) for place in range(count)]
        with Join([step], divide_by_initial_world_size=divides):
            for place, where in enumerate(places, start=1):
                is_last = place % window == 0 or place == max(sized or [0])
                with nullcontext() if is_last or every else step.no_sync():
                    loss = loss_of(step, batch(*where))
                    (loss / window).backward()
                total += loss.item()
                if is_last:
                    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                    optimizer.step()
                    optimizer.zero_grad()
                    for scheduler in shared[1:]:
                        scheduler.step()
                    steps += 1
        optimizer.zero_grad()  # a window that did not end counts for nothing
        steps = share((count, rank, steps), shared)
        sums = [None] * dist.get_world_size()
        dist.all_gather_object(sums, (total, count))
        losses.append(sum(each for each, _ in sums) / sum(each for _, each in sums))
    return model.state_dict(), [each.state_dict() for each in shared], steps, losses


CASES = {
    "stream": {},
    "remaining": {"divides": False},
    "accumulated": {"sized": SIZED, "window": 3},
    "every": {"sized": SIZED, "window": 3, "every": True},
    "even": {"sized": (SIZED[0], SIZED[0])},
}


if __name__ == "__main__":
    case, path, *checkpoint = sys.argv[1:]
    alone = {} if "RANK" in os.environ else {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    dist.init_process_group("gloo", **alone)
    begun = torch.load(checkpoint[0], weights_only=True) if checkpoint else None
    result = train(begun, **CASES[case])
    if dist.get_rank() == 0:
        torch.save(result, path)
    dist.destroy_process_group()
