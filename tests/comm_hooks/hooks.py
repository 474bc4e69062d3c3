"""Hooks of the user's own, in a module that stays where it is."""

import torch
import torch.distributed as dist


def averaged(tensor):
    tensor = tensor / dist.get_world_size()
    return dist.all_reduce(tensor, async_op=True).get_future().then(lambda future: future.value()[0])


def rounded(state, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    return averaged(bucket.buffer().to(torch.float16).to(torch.float32))


class Leftovers:
    """What was cut off, for each bucket."""

    def __init__(self, share, most=1.0):
        self.share = share
        self.most = most
        self.left = {}

    def state_dict(self):
        return {"left": self.left}

    def load_state_dict(self, state):
        self.left = state["left"]


def cut(state, bucket):
    gradient = bucket.buffer()
    gradient = gradient + state.left.get(bucket.index(), torch.zeros_like(gradient))
    kept = torch.where(gradient.abs() > state.share * gradient.abs().mean(), gradient, 0).clamp(
        max=state.most
    )
    state.left[bucket.index()] = gradient - kept
    return averaged(kept)


class Counter:
    """A state that no checkpoint has."""

    def __init__(self, start=0):
        self.count = start


def counted(state, bucket):
    state.count += 1
    return averaged(bucket.buffer())
