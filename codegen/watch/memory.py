"""What a step takes: `python -m ddpgen.watch.memory JOB.yaml` runs a script on tensors without data, and counts."""

from __future__ import annotations

import builtins
import json
import linecache
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import yaml
from torch import Tensor, nn
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)
from torch.distributed._tools.mem_tracker import MemTracker
from torch.distributed.fsdp import FSDPModule
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map_only
from torch.utils.data.dataloader import _BaseDataLoaderIter

from .fake_world import Replica, Sent, fake_world, size
from .job import Job
from .mirrored import copy_before_writing
from .recorder import Stop
from .seeding import seed

ASKS_FOR_VALUES = (DataDependentOutputException, DynamicOutputShapeException)

CONTAINERS = (nn.ModuleList, nn.ModuleDict, nn.Sequential)


class Tracker(MemTracker):  # type: ignore[no-untyped-call]  # its __init_subclass__
    """Torch's, without what it notes for each module: frozen parameters have no gradients to wait for."""

    def _nothing(self, *args: Any) -> Any: ...

    _pre_fw_hook = _post_fw_hook = _pre_bw_hook = _post_bw_hook = _nothing  # type: ignore[assignment]  # methods there

    def _track_module_params_and_buffers(
        self, module: nn.Module, install_grad_hooks: bool = True
    ) -> tuple[int, int]:
        return super()._track_module_params_and_buffers(module, install_grad_hooks=False)


class Trial:
    """Makes the model without data, and counts from its first step on, until every optimizer has stepped."""

    def __init__(self) -> None:
        self.mode = FakeTensorMode(allow_non_fake_inputs=True)
        self.tracker, self.sent = Tracker(), Sent()  # type: ignore[no-untyped-call]  # torch's
        self.modes = ExitStack()
        self.optimizers: list[Optimizer] = []
        self.stepped: set[Optimizer] = set()
        self.replicas: list[Replica] = []
        self.is_counting = False
        self.found: dict[str, Any] = {}

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Watch the program that runs in the meantime."""
        with ExitStack() as stack:
            stack.enter_context(self.modes)
            stack.enter_context(
                patch("builtins.__build_class__", self._build_class(builtins.__build_class__))
            )
            stack.enter_context(patch("torch.nn.Module._apply", _apply))
            stack.enter_context(_calling_before(Optimizer, "__init__", self._made))
            stack.enter_context(_calling_before(Replica, "__init__", lambda each: self.replicas.append(each)))
            for name in ("__init__", "__next__"):
                stack.enter_context(_without_modes(_BaseDataLoaderIter, name))
            stack.callback(register_optimizer_step_post_hook(self._after_step).remove)
            yield

    def _made(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, ZeroRedundancyOptimizer) and optimizer not in self.optimizers:
            self.optimizers.append(optimizer)

    def _build_class(self, build: Callable[..., Any]) -> Callable[..., Any]:
        """Models are what has a training step."""

        def build_class(*args: Any, **kwargs: Any) -> Any:
            cls = build(*args, **kwargs)
            if isinstance(cls, type) and issubclass(cls, nn.Module) and hasattr(cls, "training_step"):
                ways = {
                    "__init__": self._made_without_data,
                    "configure_model": self._within_mode,
                    "training_step": self._counted,
                }
                for name in ways.keys() & vars(cls).keys():
                    setattr(cls, name, wraps(vars(cls)[name])(ways[name](vars(cls)[name])))
            return cls

        return build_class

    def _within_mode(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def without_data(*args: Any, **kwargs: Any) -> Any:
            with self.mode:
                return method(*args, **kwargs)

        return without_data

    def _made_without_data(self, init: Callable[..., None]) -> Callable[..., None]:
        without_data = self._within_mode(init)

        def made(model: nn.Module, *args: Any, **kwargs: Any) -> None:
            if torch._C._len_torch_dispatch_stack():  # by a model that has others
                init(model, *args, **kwargs)
                return
            try:
                without_data(model, *args, **kwargs)
            except Exception:  # it asks for values: then it has them until it is made
                vars(model).clear()
                init(model, *args, **kwargs)
                self._take_data(model)

        return made

    def _take_data(self, model: nn.Module) -> None:
        _replace(model.modules(), self.mode.from_tensor)

    def _counted(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def counted(model: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if self.stepped:
                raise Stop
            if not self.found:
                _quieten_metrics(model, self.mode)
                with _sharded(model):
                    self._look_at(model)
                    self._begin(model)
            args, kwargs = tree_map_only(Tensor, self.mode.from_tensor, (args, kwargs))
            if self.is_counting:
                self.tracker.track_external(*_tensors((args, kwargs)))
            return step(model, *args, **kwargs)

        return counted

    def _look_at(self, model: nn.Module) -> None:
        """What is known without a step."""
        trained = [each for each in model.parameters() if each.requires_grad]
        self.found |= {
            "parameters": local_bytes(model.parameters()),
            "buffers": local_bytes(model.buffers()),
            # buckets that gradients do not stand in are as large as these
            "gradients": local_bytes(trained)
            + sum(size([*each.buckets.values()]) for each in self.replicas if not each.takes_place),
            "states": None,
            "block": repeated_block(model),
        }
        self.found["states"] = self._states()

    def _states(self) -> int | None:
        """After a step with any gradients; None: such steps are not enough."""
        try:
            with self.mode:
                for optimizer in self.optimizers:
                    parameters = [each for group in optimizer.param_groups for each in group["params"]]
                    for each in parameters:
                        each.grad = torch.zeros_like(each) if each.requires_grad else None
                    optimizer.step()
                    for each in parameters:
                        each.grad = None
        except TypeError:  # it runs the step itself, as LBFGS
            return None
        finally:
            self.stepped.clear()
        states = [state for optimizer in self.optimizers for state in optimizer.state.values()]
        return local_bytes(each for state in states for each in _tensors([*state.values()]))

    def _begin(self, model: nn.Module) -> None:
        buckets = [bucket for each in self.replicas for bucket in each.buckets.values()]
        self.tracker.track_external(model, *self.optimizers, *buckets)
        for mode in (self.mode, self.tracker, self.sent):
            self.modes.enter_context(mode)
        self.is_counting = True

    def _after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if optimizer in self.optimizers:
            self.stepped.add(optimizer)
        if self.is_counting and len(self.stepped) == len(self.optimizers):
            raise Stop

    def result(self) -> dict[str, Any]:
        """What was found; `peak` and `sent` only where a step was taken."""
        if not self.stepped:
            return self.found
        peak = self.tracker.get_tracker_snapshot("peak")
        total = sum(each["Total"] for each in peak.values())
        return self.found | {"peak": total, "sent": round(self.sent.bytes)}


def _apply(module: nn.Module, change: Callable[[Tensor], Tensor], recurse: bool = True) -> nn.Module:
    """What `module.to()` and its like do; torch's own cannot swap tensors without data."""
    changed: dict[int, Tensor] = {}

    def once(tensor: Tensor) -> Tensor:
        if id(tensor) not in changed:
            changed[id(tensor)] = _changed(tensor, change)
        return changed[id(tensor)]

    _replace(module.modules() if recurse else [module], once)
    return module


def _replace(modules: Iterable[nn.Module], change: Callable[[Tensor], Tensor]) -> None:
    for module in modules:
        held: tuple[dict[str, Any], ...] = (module._parameters, module._buffers)
        for tensors in held:
            for name, tensor in tensors.items():
                tensors[name] = None if tensor is None else change(tensor)


def _changed(tensor: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    with torch.no_grad():
        new = change(tensor)
    if (new.dtype, new.device, new.shape) == (tensor.dtype, tensor.device, tensor.shape):
        return tensor
    return nn.Parameter(new, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else new


@contextmanager
def _sharded(model: nn.Module) -> Iterator[None]:
    """Give back for now what was gathered for the forward that has begun."""
    group = model._get_fsdp_state()._fsdp_param_group if isinstance(model, FSDPModule) else None
    if group is not None:
        # `reshard` leaves it, as the backward will ask for it soon
        group._to_sharded()  # type: ignore[no-untyped-call]  # torch's
    yield
    if isinstance(model, FSDPModule):
        model.unshard()


@contextmanager
def _calling_before(cls: type, name: str, told: Callable[[Any], None]) -> Iterator[None]:
    method = vars(cls)[name]

    @wraps(method)
    def telling(each: Any, *args: Any, **kwargs: Any) -> Any:
        told(each)
        return method(each, *args, **kwargs)

    with patch.object(cls, name, telling):
        yield


@contextmanager
def _without_modes(cls: type, name: str) -> Iterator[None]:
    """Data are what they are."""
    method = vars(cls)[name]

    @wraps(method)
    def real(*args: Any, **kwargs: Any) -> Any:
        with _disable_current_modes():
            return method(*args, **kwargs)

    with patch.object(cls, name, real):
        yield


def local_bytes(tensors: Iterable[Tensor]) -> int:
    """On this rank."""
    once = {id(each): each for each in tensors}.values()
    return size([each.to_local() if isinstance(each, DTensor) else each for each in once])


def _tensors(values: Any) -> list[Tensor]:
    found: list[Tensor] = []
    tree_map_only(Tensor, found.append, values)
    return found


def _quieten_metrics(model: nn.Module, mode: FakeTensorMode) -> None:
    """Have torchmetrics, which look at values, add up nothing: what they keep is small."""
    found = sys.modules.get("torchmetrics")
    for module in model.modules() if found else ():
        if isinstance(module, found.MetricCollection):  # type: ignore[union-attr]  # a module
            names = [*module.keys(keep_base=False)]
            _quieten(module, lambda names=names: {name: torch.zeros(()) for name in names})  # type: ignore[misc]
        elif isinstance(module, found.Metric):  # type: ignore[union-attr]  # a module
            _quieten(module, lambda: torch.zeros(()))
            with mode:
                vars(module)["_forward_cache"] = torch.zeros(())


def _quieten(metric: nn.Module, value: Callable[[], Any]) -> None:
    said = {
        "update": lambda *_, **__: None,
        "forward": lambda *_, **__: value(),
        "compute": lambda *_, **__: value(),
    }
    vars(metric).update(said)


def repeated_block(model: nn.Module) -> str | None:
    """The class of several modules that have most of the parameters: layers of layers rather than those within."""
    sizes: dict[str, list[int]] = {}
    layered = set()
    for module in model.modules():
        if module is not model and not isinstance(module, CONTAINERS):
            name = type(module).__name__
            sizes.setdefault(name, []).append(sum(each.numel() for each in module.parameters()))
            layered |= {name} if any(True for _ in module.children()) else set()
    several = {name: sum(each) for name, each in sizes.items() if len(each) > 1 and any(each)}
    half = sum(each.numel() for each in model.parameters()) / 2
    return max(
        several, key=lambda name: (name in layered and several[name] >= half, several[name]), default=None
    )


def _sentence(error: BaseException, program: str) -> str:
    """What stands in the way, and where."""
    said = " ".join(str(error).split("\n\n")[0].split()) or type(error).__name__
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == program]
    if not frames or isinstance(error, SystemExit):
        return said
    code = linecache.getline(program, frames[-1].lineno or 0).strip()
    if isinstance(error, ASKS_FOR_VALUES):
        return f"`{code}` depends on values, which tensors without data have not ({said})"
    return f"`{code}`: {said}"


def measure(job: Job) -> None:
    """Run the script, and leave in the job's folder what was found."""
    trial = Trial()
    copy_before_writing(Path(job["mirror"]))
    os.chdir(job["cwd"])
    sys.argv = [job["program"], *job["arguments"]]
    sys.path[0:1] = job["path"]
    os.environ["HYDRA_FULL_ERROR"] = "1"  # else hydra ends the process itself
    seed()
    problem = "it ends before an optimizer has stepped"
    try:
        with fake_world(job["world"]), trial.going_on():
            runpy.run_path(job["program"], run_name="__main__")
    except Stop:
        problem = ""
    except (Exception, SystemExit) as error:
        problem = _sentence(error, job["program"])
    Path(job["folder"], "found.json").write_text(json.dumps(trial.result() | {"problem": problem}), "utf-8")


def measure_all(jobs: list[Job]) -> None:
    """Each in a child, which has torch by then."""
    for job in jobs:
        if child := os.fork():
            os.waitpid(child, 0)
            continue
        measure(job)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    measure_all(yaml.safe_load(Path(sys.argv[1]).read_text("utf-8"))["jobs"])
