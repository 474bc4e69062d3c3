"""Communication hooks: what gradients go through on their way between the ranks."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState
from torch.nn.parallel import DistributedDataParallel

POWER_SGD_MEMORIES = ("error_dict", "p_memory_dict", "q_memory_dict")
POWER_SGD_COUNTERS = (
    "iter",
    "total_numel_before_compression",
    "total_numel_after_compression",
    "next_stats_report",
)


class PowerSGD(PowerSGDState):
    """PowerSGD's state, which goes into checkpoints as plain values and tensors."""

    def __init__(self, device: torch.device, **options: Any) -> None:
        super().__init__(None, **options)
        self.device = device

    def state_dict(self) -> dict[str, Any]:
        numpy_state: Any = self.rng.get_state()
        kind, numbers, *rest = numpy_state
        counters = {name: getattr(self, name) for name in POWER_SGD_COUNTERS}
        memories = {name: getattr(self, name) for name in POWER_SGD_MEMORIES}
        on_cpu = {name: moved(memories[name], torch.device("cpu")) for name in memories}
        return {**counters, **on_cpu, "rng": (kind, numbers.tolist(), *rest)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in POWER_SGD_COUNTERS:
            setattr(self, name, state[name])
        for name in POWER_SGD_MEMORIES:
            setattr(self, name, moved(state[name], self.device))
        self.rng.set_state(state["rng"])


def moved(tensors: dict[int, Tensor], device: torch.device) -> dict[int, Tensor]:
    """The tensors on a device."""
    return {index: tensor.to(device) for index, tensor in tensors.items()}


class CommHook:
    """A communication hook whose state goes into checkpoints: it is for the buckets that DDP has laid out."""

    def __init__(self, state: Any, hook: Callable[..., Any]) -> None:
        self.state = state
        self.hook = hook
        self.step: DistributedDataParallel | None = None
        self.order: list[int] = []  # in which gradients of the parameters first arrived
        self.handles: dict[int, Any] = {}

    def register(self, step: DistributedDataParallel) -> None:
        self.step = step
        step.register_comm_hook(self.state, self.hook)
        parameters: list[Any] = trained_parameters(step)
        for number, parameter in enumerate(parameters):
            note = partial(self.note_arrival, number)
            handle = parameter.register_post_accumulate_grad_hook(note)
            self.handles[number] = handle

    def note_arrival(self, number: int, parameter: Tensor) -> None:
        assert self.step is not None
        if self.step.require_backward_grad_sync:
            self.order.append(number)
            self.handles.pop(number).remove()

    def state_dict(self) -> dict[str, Any]:
        return {"order": list(self.order), "state": self.state.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with these buckets. Every rank calls this."""
        if self.step is not None and state["order"]:
            lay_out_buckets(self.step, state["order"])
        self.state.load_state_dict(state["state"])


def trained_parameters(step: nn.Module) -> list[nn.Parameter]:
    """Those whose gradients DDP averages."""
    return [each for each in step.parameters() if each.requires_grad]


def lay_out_buckets(step: DistributedDataParallel, order: Sequence[int]) -> None:
    """Have DDP lay out its buckets for gradients that arrive in this order. Every rank calls this."""
    parameters = trained_parameters(step)
    module = step.module
    step.module = Arrivals(module, [parameters[number] for number in order])
    for _ in range(2):  # with a static graph, it goes by the second backward
        step().backward()
    step.module = module
    step.zero_grad()


class Arrivals(nn.Module):
    """A sum of zeros: in its backward, gradients of the parameters arrive in their order."""

    def __init__(self, module: nn.Module, parameters: Sequence[Tensor]) -> None:
        super().__init__()
        self.module = module  # whose buffers DDP shares
        self.in_order = parameters

    def forward(self) -> Tensor:
        total = torch.zeros((), device=self.in_order[0].device)
        for parameter in reversed(self.in_order):
            total = total + 0 * parameter.sum()
        return total


def require_one_bucket(step: DistributedDataParallel) -> None:
    """Stop where PowerSGD would hang: it sends what gloo does not keep in order over several buckets."""
    if dist.get_backend() != "gloo":
        return
    if step.find_unused_parameters:
        raise SystemExit("PowerSGD cannot go with find_unused_parameters over gloo")
    parameters = trained_parameters(step)
    size = sum(each.numel() * each.element_size() for each in parameters)
    limit = min([step.bucket_bytes_cap, *step.bucket_bytes_cap_list])
    if step.bucket_bytes_cap_default:
        limit = 2**20  # of the first
    if size > limit:
        needed = math.ceil(size / 2**20)
        raise SystemExit(
            f"PowerSGD over gloo needs all gradients in one bucket: bucket_cap_mb={needed}"
        )
    if len({each.dtype for each in parameters}) > 1:
        raise SystemExit("PowerSGD over gloo needs parameters of one type")


def require_bf16_collectives() -> None:
    """Stop where torch refuses hooks that compress to bf16."""
    if not (dist.is_nccl_available() or dist.is_xccl_available()):
        raise SystemExit("bf16 hooks need a torch with NCCL or XCCL; fp16 hooks do not")
