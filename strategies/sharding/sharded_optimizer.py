"""Optimizers whose states are shared out among the ranks."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.optim import LBFGS, Optimizer

from ..loop.optimizers import optimized_parameters


def shard_states(optimizer: Any, **options: bool) -> None:
    """Have one rank alone keep each parameter's state, and change it for all. Every rank calls this."""
    if not dist.is_initialized():
        return
    require_shardable(optimizer)
    kind = type(optimizer)
    # in place, as fully_shard does it: schedulers, and whoever else holds the optimizer, go on with it
    members = {"unsharded": kind, "zero_options": options}
    optimizer.__class__ = type(kind.__name__, (ShardedOptimizer, kind), members)
    vars(optimizer).pop("step", None)  # a scheduler's, for the step of its class
    optimizer.__setstate__({})  # from here on torch calls hooks round the new step
    type(optimizer).step._wrapped_by_lr_sched = True  # schedulers ask for it
    optimizer._step_supports_amp_scaling = False  # GradScaler unscales for all ranks
    optimizer.share_out()


def optimizer_state(optimizer: Any) -> dict[str, Any]:
    """Its state dict, on the first rank alone where ranks keep a share each. Every rank calls this."""
    if isinstance(optimizer, ZeroRedundancyOptimizer):
        optimizer.consolidate_state_dict()
        return optimizer.state_dict() if dist.get_rank() == 0 else {}
    state: dict[str, Any] = optimizer.state_dict()
    return state


def require_shardable(optimizer: Any) -> None:
    """Stop where parameters do not change each by itself, or where code has changed what the optimizer does."""
    if isinstance(optimizer, LBFGS | ZeroRedundancyOptimizer):
        name = type(optimizer).__name__
        raise SystemExit(f"the states of {name} cannot be shared out among ranks")
    attributes = vars(optimizer)
    step = attributes.get("step")
    if step is not None and not hasattr(step, "_wrapped_by_lr_sched"):
        raise SystemExit("an optimizer whose step is replaced cannot be shared out")
    if any(attributes[name] for name in attributes if "state_dict" in name):
        raise SystemExit("an optimizer with hooks of states cannot be shared out")


def like(optimizer: Any, groups: list[dict[str, Any]]) -> Any:
    """An optimizer as this one was, for the parameters of these groups alone."""
    own = {id(each) for group in groups for each in group["params"]}
    states = {
        each: optimizer.state[each] for each in optimizer.state if id(each) in own
    }
    values = vars(optimizer)
    hooks = {name for name in values if name.startswith("_optimizer_")}
    kept = {name: values[name] for name in values.keys() - hooks - {"zero"}}
    made = object.__new__(optimizer.unsharded)
    made.__setstate__(
        kept | {"param_groups": groups, "state": defaultdict(dict, states)}
    )
    return made


class ShardedOptimizer(Optimizer):
    """An optimizer that keeps the states of this rank's parameters alone."""

    unsharded: ClassVar[Any]  # its class before
    zero_options: ClassVar[dict[str, bool]]
    zero: Any

    def share_out(self) -> None:
        """Give each parameter to a rank. Every rank calls this."""
        alike: Any = partial(like, self)  # in the place of a class
        groups = self.param_groups
        self.zero = ZeroRedundancyOptimizer(groups, alike, **self.zero_options)
        self.zero.param_groups = groups
        self.state = self.zero.optim.state

    def step(self, closure: Callable[[], Any] | None = None, **options: Any) -> Any:
        """Change this rank's parameters, and take the others from theirs. Every rank calls this."""
        self._opt_called = True  # schedulers ask for it
        return self.zero.step(closure, **options)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Share out more parameters. Every rank calls this."""
        self.zero.add_param_group({**self.defaults, **param_group})

    def state_dict(self) -> dict[str, Any]:
        """The states of all parameters, on the first rank alone. Every rank calls this."""
        self.zero.consolidate_state_dict()
        return self.zero.state_dict() if self.zero.rank == 0 else {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take this rank's states out of all. Every rank calls this."""
        self.share_out()  # the groups may be others by now
        own = {id(each) for each in optimized_parameters(self.zero.optim)}
        places = enumerate(optimized_parameters(self))
        mine = {place for place, each in places if id(each) in own}
        states = {n: state for n, state in state_dict["state"].items() if n in mine}
        super().load_state_dict({**state_dict, "state": states})
        self.zero.param_groups = self.param_groups
        self.zero.optim.state = self.state
