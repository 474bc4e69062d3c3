"""Local SGD: ranks average their parameters now and then, in the place of gradients in each step."""

from collections import OrderedDict
from typing import Any

import torch.distributed as dist
from torch import Tensor
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.algorithms.model_averaging.hierarchical_model_averager import (
    HierarchicalModelAverager,
)
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from ..distributed.launchers import launch_variables
from ..distributed.process_group import neighbours


def local_gradients(start: int, size: int | None, averages: bool) -> PostLocalSGDState:
    """What averages gradients over all ranks until step `start`, then over `size` neighbours. Every rank calls this."""
    size = size or int(
        launch_variables().get("LOCAL_WORLD_SIZE", "1")
    )  # those of a node
    kind: Any = PostLocalSGDState
    state: PostLocalSGDState = kind(None, neighbours(size), start, averages)
    return state


def every(period: int, start: int) -> PeriodicModelAverager:
    """What averages all ranks' parameters in every so many steps."""
    return PeriodicModelAverager(period, start)


def by_groups(sizes: dict[int, int], start: int) -> HierarchicalModelAverager:
    """What averages the parameters of so many neighbours in every so many steps. Every rank calls this."""
    *inner, outermost = sizes.values()
    if outermost != dist.get_world_size() or any(outermost % size for size in inner):
        raise SystemExit(
            f"groups of {', '.join(map(str, sizes.values()))}: the last has to be all "
            f"{dist.get_world_size()} ranks, which the others divide"
        )
    kind: Any = HierarchicalModelAverager
    averager: HierarchicalModelAverager = kind(OrderedDict(sizes), start)
    return averager


class LocalSGD:
    """Averages the parameters after steps, and tells checkpoints what each rank has."""

    def __init__(self, averager: Any, start: int) -> None:
        self.averager = averager  # None in a world of one
        self.start = start
        self.gradients: PostLocalSGDState | None = None

    def register(
        self, step: DistributedDataParallel, gradients: PostLocalSGDState
    ) -> None:
        self.gradients = gradients
        step.register_comm_hook(gradients, post_localSGD_hook)

    def follow(self, optimizer: Optimizer) -> None:
        """Average the parameters that it has changed. Every rank calls this, and takes the same steps."""
        if self.averager:
            optimizer.register_step_post_hook(self.average)

    def average(self, optimizer: Optimizer, *_: Any) -> None:
        self.averager.average_parameters(optimizer.param_groups)

    def state_dict(self, model: Any, optimizer: Any) -> dict[str, Any]:
        """The steps that were taken and, once ranks differ, what this one has made of the model."""
        steps = self.averager.step if self.averager else 0
        if steps <= self.start:
            return {"steps": steps}
        states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        return {"steps": steps, **on_cpu(states)}

    def load_state_dict(
        self, model: Any, optimizer: Any, state: dict[str, Any]
    ) -> None:
        if self.averager:
            self.averager.step = state["steps"]
        if self.gradients:
            self.gradients.iter = min(state["steps"], self.start)
        if "model" in state:
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])


def on_cpu(state: Any) -> Any:
    """Tensors of nested dicts and lists, in the machine's memory."""
    if isinstance(state, dict):
        return {key: on_cpu(value) for key, value in state.items()}
    if isinstance(state, list):
        return [on_cpu(value) for value in state]
    return state.cpu() if isinstance(state, Tensor) else state
