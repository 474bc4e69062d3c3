"""The same trainings by a loop with torch's own API: `by_hand.py CASE WEIGHTS`."""

import sys
import time

import hooks
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

EPOCHS = 4


def power_sgd(**options):
    return powerSGD_hook.PowerSGDState(None, **options), powerSGD_hook.powerSGD_hook


def halved(state, bucket):
    return hooks.averaged(bucket.buffer() / 2)


CASES = {
    "plain": lambda: (None, None),
    "fp16": lambda: (None, default_hooks.fp16_compress_hook),
    "power_sgd": lambda: power_sgd(start_powerSGD_iter=2),
    "all_arguments": lambda: power_sgd(
        matrix_approximation_rank=3,
        start_powerSGD_iter=4,
        min_compression_rate=1.5,
        use_error_feedback=False,
        warm_start=False,
        orthogonalization_epsilon=1e-8,
        random_seed=11,
        compression_stats_logging_frequency=5,
        batch_tensors_with_same_shape=True,
    ),
    "wrapped": lambda: (
        power_sgd(start_powerSGD_iter=5)[0],
        default_hooks.fp16_compress_wrapper(powerSGD_hook.powerSGD_hook),
    ),
    "accumulated": lambda: power_sgd(start_powerSGD_iter=3),
    "every_backward": lambda: power_sgd(start_powerSGD_iter=3),
    "static_graph": lambda: power_sgd(start_powerSGD_iter=2),
    "by_hand": lambda: power_sgd(start_powerSGD_iter=2),
    "of_the_model_file": lambda: (None, halved),
    "of_a_module": lambda: (None, hooks.rounded),
    "with_a_state": lambda: (hooks.Leftovers(0.5), hooks.cut),
}


class Step(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        for layer in self.model.layers:
            x = layer(x).tanh()
        return self.model.norm(x).pow(2).mean() + x.sum(1).exp().mean()


def train(case, path):
    from model import Net  # under Lightning, of which nothing but the layers is used

    model = Net()
    options = {"static_graph": True} if case == "static_graph" else {}
    step = DistributedDataParallel(Step(model), gradient_as_bucket_view=True, **options)
    state, hook = CASES[case]()
    if hook:
        step.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    window = 2 if case in ("accumulated", "every_backward") else 1
    dataset = model.train_dataloader().dataset
    loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset))
    for epoch in range(EPOCHS):
        loader.sampler.set_epoch(epoch)
        for place, (x,) in enumerate(loader):
            is_last = place % window == window - 1
            step.require_backward_grad_sync = is_last or case == "every_backward"
            loss = step(x) / window
            if place % window == 0:
                optimizer.zero_grad()
            loss.backward()
            if is_last:
                optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), path)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    train(*sys.argv[1:])
    # gloo's threads need Python to let go of a hook's tensors, and hang where the group goes first, or goes with DDP
    time.sleep(0.2)
    dist.destroy_process_group()
