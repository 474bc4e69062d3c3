"""What a model, a data module and a trainer have of Lightning's classes."""

import inspect
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.optim import Optimizer
from torchmetrics import MetricCollection

from ..callbacks.callbacks import Checkpoint, from_rank_zero
from ..callbacks.early_stopping import EarlyStopping
from ..checkpoints.background import (
    background,
    saves_in_background,
    write_in_background,
)
from ..checkpoints.checkpoint import write_checkpoint
from ..checkpoints.checkpoint_io import has_checkpoint_io
from ..checkpoints.configurations import as_configured, may_hold_configurations
from ..checkpoints.resuming import note_newest
from ..checkpoints.sharded_checkpoint import keeps_folders, load_saved, write_shares
from ..data.data import to_device
from ..distributed.accelerators import Accelerator, accelerator_of
from ..distributed.gathering import gathered
from ..distributed.launchers import launch_variables
from ..distributed.process_group import kind_of, local_device
from ..distributed.ranks import ranks_from_env
from ..distributed.strategy import Strategy
from ..metrics.logs import Logs
from .manual import toggle, untoggle
from .optimizers import clip, single_or_list
from .precision import require_unscaled
from .profilers import PassThroughProfiler


class HParams(dict[str, Any]):
    """Constructor arguments, by key or by attribute."""

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __repr__(self) -> str:
        """A line for each, in the order of their names."""
        width = max(map(len, self), default=0) + 3
        rows = ((f'"{name}":', self[name]) for name in sorted(self))
        return "\n".join(f"{name:{width}s} {value}" for name, value in rows)


def as_hparams(arguments: Any) -> Any:
    """The object itself, where it is a mapping but no dict (OmegaConf's, say), else its entries."""
    if not arguments:
        return HParams()
    if isinstance(arguments, MutableMapping) and not isinstance(arguments, dict):
        return arguments
    return HParams(as_mapping(arguments))


def updated_hparams(hparams: Any, arguments: Any) -> Any:
    """With what is saved beside; a mapping that is no dict takes the place of all before."""
    saved = as_hparams(arguments)
    if isinstance(hparams, dict) and isinstance(saved, dict):
        hparams.update(saved)
        return hparams
    return saved if saved else hparams


def as_mapping(arguments: Any) -> dict[str, Any]:
    """A namespace's, a dataclass's or a mapping's entries."""
    return dict(arguments if isinstance(arguments, Mapping) else vars(arguments))


def drop_ignored(hparams: Any, ignored: Any) -> None:
    """Take away what `save_hyperparameters` is told to leave out: a name, several, or None."""
    names = [ignored] if isinstance(ignored, str) else ignored or ()
    for name in names:
        if isinstance(name, str):
            hparams.pop(name, None)


def save_hyperparameters(
    owner: Any, arguments: Any, ignore: Any = None, keeps_initial: bool = True
) -> None:
    """Add what an object holds to the hyperparameters of a model or a data module."""
    before = getattr(owner, "hparams", HParams())
    owner.hparams = updated_hparams(before, arguments)
    if ignore is not None and arguments:
        drop_ignored(owner.hparams, ignore)
    if keeps_initial and (arguments or not hasattr(owner, "_hparams_initial")):
        owner._hparams_initial = deepcopy(owner.hparams)


def saved_arguments(
    cls: type, checkpoint: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """What an object was made with, as a checkpoint has it, for its constructor; what is `given` wins."""
    saved = {**checkpoint.get("hyper_parameters", {}), **given}
    wanted = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
    rest = {p.name for p in wanted.values() if p.kind is p.VAR_KEYWORD}
    name = checkpoint.get("hparams_name", "kwargs")
    lost = [key for key in checkpoint.get("left_out", ()) if key not in given]
    if name in wanted.keys() - rest:  # one argument for them all
        if lost and name not in given:  # which need not be asked for
            warnings.warn(
                f"the checkpoint does not hold {', '.join(lost)}: give {name} too",
                stacklevel=3,
            )
        saved = {name: HParams(saved), **given}
    elif lost := [key for key in lost if rest or key in wanted]:
        # with their defaults it would be another one
        raise TypeError(f"the checkpoint does not hold {', '.join(lost)}: give it too")
    taken = {key: value for key, value in saved.items() if rest or key in wanted}
    if may_hold_configurations():
        return as_configured(taken, checkpoint.get("configurations", ()), given)
    return taken


def of_data(cls: type[Any], checkpoint: dict[str, Any]) -> dict[str, Any]:
    """What a checkpoint has of a data module's arguments, by the names that a model's have."""
    prefix = "datamodule_"
    names = [name for name in checkpoint if name.startswith(prefix)]
    if cls.saves_arguments and not names:  # it is of a training without them
        return {"left_out": list(inspect.signature(cls.__init__).parameters)[1:]}
    return {name.removeprefix(prefix): checkpoint[name] for name in names}


class TrainerFn(str, Enum):
    """What the trainer was told to do."""

    FITTING = "fit"
    VALIDATING = "validate"
    TESTING = "test"
    PREDICTING = "predict"


class RunningStage(str, Enum):
    """What the trainer is doing."""

    TRAINING = "train"
    SANITY_CHECKING = "sanity_check"
    VALIDATING = "validate"
    TESTING = "test"
    PREDICTING = "predict"


class TrainerStatus(str, Enum):
    """How far the trainer has come with what it was told to do."""

    INITIALIZING = "initializing"
    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass
class Trainer:
    """What the model reads of its trainer; `fit` keeps it up to date."""

    IS_TOLD_KIND: ClassVar[bool] = False  # of device, when the script runs
    SHARES_MODEL: ClassVar[bool] = False  # out among the ranks
    READS_STREAM: ClassVar[bool] = False  # whose end is known with its last batch

    config: Any = None
    max_epochs: int | None = None
    max_steps: int = -1
    min_epochs: int = 0
    min_steps: int | None = None
    limit_train_batches: float = 1.0
    limit_val_batches: float = 1.0
    limit_test_batches: float = 1.0
    limit_predict_batches: float = 1.0
    num_sanity_val_steps: float = 2
    reload_dataloaders_every_n_epochs: int = 0
    accumulate_grad_batches: int = 1
    log_every_n_steps: int = 50
    gradient_clip_val: float | None = None
    gradient_clip_algorithm: str | None = None
    world_size: int = 1
    global_rank: int = 0
    datamodule: Any = None
    num_training_batches: float = float("inf")
    estimated_stepping_batches: float = float("inf")
    current_epoch: int = 0
    global_step: int = 0
    batch_idx: int = -1
    ends_stream: bool = False
    total_batch_idx: int = -1
    batches_done: int = 0
    fast_dev_run: bool | int = False
    overfit_batches: float = 0.0
    sanity_checking: bool = False
    stage: str = (
        ""  # train, sanity_check, validate, test or predict; empty between runs
    )
    model: Any = None
    optimizers: list[Any] = field(default_factory=list)
    counted_optimizers: list[Any] = field(default_factory=list)
    schedulers: list[Any] = field(default_factory=list)
    precision: str = "32-true"
    loss_scaler: Any = None
    toggled: dict[Any, bool] = field(default_factory=dict)  # what needed gradients
    shared: Any = None  # what losses pass through, so that DDP averages gradients
    callbacks: list[Any] = field(default_factory=list)
    loggers: list[Any] = field(default_factory=list)
    should_stop: bool = False
    state_fn: str = ""  # fit, validate, test or predict; empty before the first run
    status: TrainerStatus = TrainerStatus.INITIALIZING
    default_root_dir: str = ""
    ckpt_path: str | os.PathLike[str] | None = None
    check_val_every_n_epoch: int | None = 1
    val_check_interval: float = 1.0
    enable_validation: bool = False
    num_val_batches: list[float] = field(default_factory=list)
    num_test_batches: list[float] = field(default_factory=list)
    num_predict_batches: list[float] = field(default_factory=list)
    lr_scheduler_configs: list[Any] = field(default_factory=list)
    dump_checkpoint: Any = None
    checkpoint_io: Any = None  # writes, reads and removes checkpoints
    setup_optimizers: Any = None  # has `configure_optimizers` called anew
    at_batch_end: list[Callable[[], None]] | None = None  # None between batches
    train_dataloader: Any = None
    val_dataloaders: Any = None
    test_dataloaders: Any = None
    predict_dataloaders: Any = None
    batch_indices: list[int] = field(default_factory=list)  # of a batch of predictions
    epoch_batch_indices: list[list[list[int]]] = field(default_factory=list)
    predictions: Any = None
    failed: bool = False
    skips_backward: bool = False
    note: Path | None = None  # says which checkpoint is the newest
    logs: Any = None  # of its last run
    run: str = ""  # the same when it is started again
    first_step: int = 0  # with which it was started

    @property
    def completed_epochs(self) -> int:
        return self.current_epoch

    @completed_epochs.setter
    def completed_epochs(self, count: int) -> None:
        """To set what it is changes nothing."""
        if count != self.current_epoch:
            raise SystemExit(
                f"epochs are counted as they are trained: {self.current_epoch} are completed"
            )

    @property
    def is_global_zero(self) -> bool:
        return self.global_rank == 0

    @property
    def logged_step(self) -> int:
        """Under which values are written: where the model steps by itself, batches count."""
        return self.batches_done or self.global_step

    @property
    def local_rank(self) -> int:
        return ranks_from_env().local_rank

    @property
    def num_devices(self) -> int:
        """The processes on this node."""
        return int(launch_variables().get("LOCAL_WORLD_SIZE", "1"))

    @property
    def num_nodes(self) -> int:
        return ranks_from_env().world_size // self.num_devices

    @property
    def node_rank(self) -> int:
        return int(launch_variables().get("GROUP_RANK", "0"))

    @property
    def lightning_module(self) -> Any:
        return self.model

    @property
    def strategy(self) -> Strategy:
        return Strategy()

    @property
    def root_device(self) -> torch.device:
        kind = kind_of(self.config.accelerator) if self.IS_TOLD_KIND else None
        return local_device(ranks_from_env(), kind=kind)

    @property
    def accelerator(self) -> Accelerator:
        return accelerator_of(self.root_device)

    @property
    def profiler(self) -> PassThroughProfiler:
        return PassThroughProfiler()

    @property
    def device_ids(self) -> list[int]:
        """The devices of this node's processes."""
        return list(range(self.num_devices))

    @property
    def strategy_name(self) -> str:
        """What Lightning calls it."""
        is_alone = ranks_from_env().world_size == 1
        if self.SHARES_MODEL and not is_alone:
            return "FSDPStrategy"
        return "SingleDeviceStrategy" if is_alone else "DDPStrategy"

    def made_train_dataloader(self) -> Any:
        """A new one, as the data module makes it, or the model."""
        return (self.datamodule or self.model).train_dataloader()

    def setup_data(self) -> None:
        """Nothing more: the training data is ready when the optimizers are made."""

    @property
    def state(self) -> SimpleNamespace:
        function = TrainerFn(self.state_fn) if self.state_fn else None
        stage = RunningStage(self.stage) if self.stage else None
        return SimpleNamespace(fn=function, stage=stage)

    @property
    def finished(self) -> bool:
        return self.status == TrainerStatus.FINISHED

    @property
    def interrupted(self) -> bool:
        return self.status == TrainerStatus.INTERRUPTED

    @property
    def stopped(self) -> bool:
        return self.finished or self.interrupted

    @property
    def is_last_batch(self) -> bool:
        if self.READS_STREAM:
            return self.ends_stream
        return self.batch_idx + 1 >= self.num_training_batches

    def print(self, *args: Any, **options: Any) -> None:
        """Print on one rank of each node."""
        if self.local_rank == 0:
            print(*args, **options)

    @property
    def training(self) -> bool:
        return self.stage == "train"

    @property
    def validating(self) -> bool:
        return self.stage == "validate"

    @property
    def testing(self) -> bool:
        return self.stage == "test"

    @property
    def predicting(self) -> bool:
        return self.stage == "predict"

    @property
    def evaluating(self) -> bool:
        return self.stage in ("sanity_check", "validate", "test")

    @property
    def has_no_model(self) -> bool:
        """Whether it has had none yet, or another trainer has it since."""
        return self.model is None or self.model.trainer is not self

    @property
    def callback_metrics(self) -> Any:
        if self.has_no_model:
            return self.logs.callback_metrics() if self.logs else {}
        return self.model.current_logs.callback_metrics()

    @property
    def logged_metrics(self) -> Any:
        if self.has_no_model:
            return self.logs.logged_metrics() if self.logs else {}
        return self.model.current_logs.logged_metrics()

    @property
    def progress_bar_metrics(self) -> Any:
        if self.has_no_model:
            return self.logs.progress_bar_metrics() if self.logs else {}
        return self.model.current_logs.progress_bar_metrics()

    @property
    def scaler(self) -> Any:
        """What scales losses; None where nothing does."""
        scaler = self.loss_scaler
        return scaler if scaler is not None and scaler.is_enabled() else None

    def precision_state(self) -> dict[str, Any]:
        """The scaler's state; empty where there is none."""
        return self.scaler.state_dict() if self.scaler is not None else {}

    def load_precision_state(self, state: dict[str, Any]) -> None:
        if self.scaler is not None:
            self.scaler.load_state_dict(state)

    @property
    def checkpoint_callbacks(self) -> list[Any]:
        return [found for found in self.callbacks if isinstance(found, Checkpoint)]

    @property
    def checkpoint_callback(self) -> Any:
        return next(iter(self.checkpoint_callbacks), None)

    @property
    def early_stopping_callbacks(self) -> list[Any]:
        return [found for found in self.callbacks if isinstance(found, EarlyStopping)]

    @property
    def early_stopping_callback(self) -> Any:
        return next(iter(self.early_stopping_callbacks), None)

    @property
    def logger(self) -> Any:
        return self.loggers[0] if self.loggers else None

    @property
    def log_dir(self) -> Any:
        """The first logger's folder. Every rank calls this."""
        folder: Any = self.default_root_dir
        for logger in self.loggers[:1]:
            folder = getattr(logger, "log_dir", None) or logger.save_dir
        return from_rank_zero(folder)

    def save_checkpoint(
        self,
        filepath: str | os.PathLike[str],
        weights_only: bool = False,
        storage_options: Any = None,
    ) -> None:
        """Write the state of the training to a file. Every rank calls this, or one that failed."""
        checkpoint = (
            self.dump_checkpoint(True) if weights_only else self.dump_checkpoint()
        )
        if saves_in_background():
            write_in_background(Path(filepath), checkpoint)
            if self.note is not None and self.global_rank == 0:
                background().then(note_newest, self.note, Path(filepath), checkpoint)
        elif has_checkpoint_io():
            if self.global_rank == 0:
                io, options = self.checkpoint_io, storage_options
                io.save_checkpoint(checkpoint, filepath, storage_options=options)
                if self.note is not None:
                    note_newest(self.note, Path(filepath), checkpoint)
        elif keeps_folders():
            write_shares(Path(filepath), checkpoint)
            if self.note is not None and self.global_rank == 0:
                note_newest(self.note, Path(filepath), checkpoint)
        elif self.global_rank == 0:
            path = Path(filepath)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_checkpoint(path, checkpoint)
            if self.note is not None:
                note_newest(self.note, path, checkpoint)
        if dist.is_initialized() and not self.failed:
            dist.barrier()


class DataModule:
    """The part of LightningDataModule that the data uses."""

    hparams: Any
    trainer: Any = None  # until a function such as `fit` is given the data
    saves_arguments = True
    has_state = True

    @classmethod
    def load_from_checkpoint(
        cls,
        checkpoint_path: Any,
        map_location: Any = "cpu",
        *,
        weights_only: bool | None = True,
        **arguments: Any,
    ) -> Any:
        """A data module of this class with the arguments and the state that a checkpoint holds.

        With `weights_only=False` code in the file is run.
        """
        checkpoint = load_saved(checkpoint_path, map_location, weights_only)
        data = cls(**saved_arguments(cls, of_data(cls, checkpoint), arguments))
        if data.has_state and cls.__qualname__ in checkpoint:
            data.load_state_dict(checkpoint[cls.__qualname__])
        return data

    @property
    def hparams_initial(self) -> Any:
        return deepcopy(getattr(self, "_hparams_initial", HParams()))

    def load_state_dict(self, state_dict: dict[str, Any]) -> None: ...

    def prepare_data(self) -> None: ...

    def setup(self, stage: str) -> None: ...

    def teardown(self, stage: str) -> None: ...

    def on_exception(self, exception: BaseException) -> None: ...

    def on_before_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch

    def transfer_batch_to_device(
        self, batch: Any, device: torch.device, dataloader_idx: int
    ) -> Any:
        return to_device(batch, device)

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch


def moved_to_loaded(model: Any, checkpoint: dict[str, Any]) -> Any:
    """The model, on the device of a checkpoint's first tensor."""
    values = checkpoint["state_dict"].values()
    tensors = (each for each in values if isinstance(each, Tensor))
    first = next(tensors, None)
    return model if first is None else model.to(first.device)


class TrainModule(nn.Module):
    """The part of LightningModule that the model uses."""

    hparams: Any
    trainer: Trainer
    current_logs: Logs
    example_input_array: Any = None
    device_mesh: Any = (
        None  # ranks by the data that they read and by their parts of the model
    )
    strict_loading = True  # whether a checkpoint must have all weights
    device = torch.device("cpu")  # until `fit` moves the model
    dtype = torch.float32  # until `fit` converts the model
    automatic_optimization = True
    follows_loaded = True  # to the device on which its weights were loaded
    works_alone = True  # before a training, or once it is loaded
    wraps_optimizers = True
    has_backward_hooks = True
    calls_before_backward = True  # of callbacks
    calls_after_backward = True
    has_own_backward = True
    shares_gradients = True
    scales_losses = True
    __jit_unused_properties__: ClassVar[list[str]] = []

    @property
    def _trainer(self) -> Trainer | None:
        """What trains the model, once something does."""
        return getattr(self, "trainer", None)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        """Move or convert what the model has; `device` and `dtype` go with it."""
        moved = fn(torch.empty(0, dtype=self.dtype, device=self.device))
        self.device, self.dtype = moved.device, moved.dtype
        return super()._apply(fn, recurse)  # type: ignore[no-untyped-call]

    def __getstate__(self) -> dict[str, Any]:
        """A copy has no trainer."""
        return {**vars(self), "trainer": None}

    def log(self, name: str, value: Any, *positional: Any, **options: Any) -> None:
        if self.works_alone and not hasattr(self, "current_logs"):
            return  # nothing keeps it
        self.current_logs(name, value, *positional, **options)

    def log_dict(self, dictionary: Any, *positional: Any, **options: Any) -> None:
        if self.works_alone and not hasattr(self, "current_logs"):
            return  # nothing keeps them
        for name, value in (
            dictionary.items(copy_state=False)  # the metrics themselves
            if isinstance(dictionary, MetricCollection)
            else dictionary.items()
        ):
            self.current_logs(name, value, *positional, **options)

    def all_gather(self, data: Any, group: Any = None, sync_grads: bool = False) -> Any:
        """Every rank's tensors, stacked; a world of one has them as they are. Every rank calls this."""
        return gathered(data, self.device, group, sync_grads)

    @classmethod
    def load_from_checkpoint(
        cls,
        checkpoint_path: Any,
        map_location: Any = "cpu",
        *,
        strict: bool | None = True,
        weights_only: bool | None = True,
        **arguments: Any,
    ) -> Any:
        """A model of this class with the arguments and weights that a checkpoint holds.

        With `weights_only=False` code in the file is run.
        """
        checkpoint = load_saved(checkpoint_path, map_location, weights_only)
        model = cls(**saved_arguments(cls, checkpoint, arguments))
        model.configure_model()
        model.on_load_checkpoint(checkpoint)
        strict = strict is not False and model.strict_loading
        model.load_state_dict(checkpoint["state_dict"], strict)
        return moved_to_loaded(model, checkpoint) if model.follows_loaded else model

    def print(self, *args: Any, **options: Any) -> None:
        """Print on one rank alone."""
        if self.global_rank == 0:
            print(*args, **options)

    def freeze(self) -> Any:
        """Have no parameter need gradients, in evaluation mode."""
        return self.requires_grad_(False).eval()

    def unfreeze(self) -> Any:
        """Have all parameters need gradients, in training mode."""
        return self.requires_grad_(True).train()

    def _sample_for_export(self, given: Any) -> Any:
        """What the model is shown when it is exported, on its device."""
        sample = self.example_input_array if given is None else given
        if sample is None:
            raise ValueError("neither a sample nor `example_input_array` is given")
        sample = self.on_before_batch_transfer(sample, 0)
        sample = self.transfer_batch_to_device(sample, self.device, 0)
        return self.on_after_batch_transfer(sample, 0)

    @torch.no_grad()
    def to_onnx(
        self, file_path: Any = None, input_sample: Any = None, **kwargs: Any
    ) -> Any:
        """Write the model as ONNX."""
        was_training = self.training
        sample = self._sample_for_export(input_sample)
        path = str(file_path) if isinstance(file_path, Path) else file_path
        exported = torch.onnx.export(self, sample, path, **kwargs)
        self.train(was_training)
        return exported

    @torch.no_grad()
    def to_torchscript(
        self,
        file_path: Any = None,
        method: str = "script",
        example_inputs: Any = None,
        **kwargs: Any,
    ) -> Any:
        """The model as TorchScript, in evaluation mode; written to a file, if there is one."""
        was_training = self.training
        members = vars(TrainModule).items()
        unused = [name for name, each in members if isinstance(each, property)]
        self.__jit_unused_properties__[:] = unused  # TorchScript leaves them out
        TrainModule.__annotations__.clear()  # which it would take for its own
        if method == "trace":
            sample = self._sample_for_export(example_inputs)
            trace: Any = torch.jit.trace
            exported = trace(self.eval(), sample, **kwargs)
        else:
            exported = torch.jit.script(self.eval(), **kwargs)
        self.train(was_training)
        if file_path is not None:
            torch.jit.save(exported, file_path)
        return exported

    @property
    def hparams_initial(self) -> Any:
        return deepcopy(getattr(self, "_hparams_initial", HParams()))

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"

    @property
    def global_rank(self) -> int:
        return dist.get_rank() if dist.is_initialized() else 0

    @property
    def local_rank(self) -> int:
        return int(launch_variables().get("LOCAL_RANK", "0"))

    @property
    def logger(self) -> Any:
        if self.works_alone and self._trainer is None:
            return None
        return self.trainer.logger

    @property
    def loggers(self) -> list[Any]:
        if self.works_alone and self._trainer is None:
            return []
        return self.trainer.loggers

    @property
    def current_epoch(self) -> int:
        if self.works_alone and self._trainer is None:
            return 0
        return self.trainer.current_epoch

    @property
    def global_step(self) -> int:
        if self.works_alone and self._trainer is None:
            return 0
        return self.trainer.global_step

    def optimizers(self, use_pl_optimizer: bool = True) -> Any:
        """The optimizer, or a list of several."""
        if self.wraps_optimizers and use_pl_optimizer:
            return single_or_list(self.trainer.counted_optimizers)
        return single_or_list(self.trainer.optimizers)

    def lr_schedulers(self) -> Any:
        """The scheduler, or a list of several, or None."""
        return single_or_list(self.trainer.schedulers) or None

    def manual_backward(self, loss: Any, *args: Any, **kwargs: Any) -> None:
        """Add the gradients of `loss` to those that the parameters have."""
        if self.scales_losses:
            loss = self.trainer.loss_scaler.scale(loss)
        if self.calls_before_backward:
            for callback in self.trainer.callbacks:
                callback.on_before_backward(self.trainer, self, loss)
        if self.has_backward_hooks:
            self.on_before_backward(loss)
        if self.shares_gradients:
            loss = self.trainer.shared(loss)
        if self.has_own_backward:
            self.backward(loss, *args, **kwargs)
        else:
            loss.backward(*args, **kwargs)
        if self.calls_after_backward:
            for callback in self.trainer.callbacks:
                callback.on_after_backward(self.trainer, self)
        if self.has_backward_hooks:
            self.on_after_backward()

    def backward(self, loss: Any, *args: Any, **kwargs: Any) -> None:
        loss.backward(*args, **kwargs)

    def toggle_optimizer(self, optimizer: Any) -> None:
        """Have no parameter need gradients but those that this optimizer changes."""
        toggle(optimizer, self.trainer)

    def untoggle_optimizer(self, optimizer: Any) -> None:
        """Have the parameters of the other optimizers need gradients as before."""
        untoggle(optimizer, self.trainer)

    @contextmanager
    def toggled_optimizer(self, optimizer: Any) -> Iterator[None]:
        """Have no other parameters need gradients meanwhile."""
        self.toggle_optimizer(optimizer)
        try:
            yield
        finally:
            self.untoggle_optimizer(optimizer)

    def optimizer_step(
        self,
        epoch: int,
        batch_idx: int,
        optimizer: Optimizer,
        optimizer_closure: Any = None,
    ) -> None:
        optimizer.step(optimizer_closure)

    def optimizer_zero_grad(
        self, epoch: int, batch_idx: int, optimizer: Optimizer
    ) -> None:
        optimizer.zero_grad()

    def lr_scheduler_step(self, scheduler: Any, metric: Any) -> None:
        if metric is None:
            scheduler.step()
        else:
            scheduler.step(metric)

    def configure_gradient_clipping(
        self,
        optimizer: Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)

    def clip_gradients(
        self,
        optimizer: Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """Clip the gradients of the optimizer's parameters, by default as the trainer says."""
        if gradient_clip_val is None:
            gradient_clip_val = self.trainer.gradient_clip_val
        algorithm = gradient_clip_algorithm or self.trainer.gradient_clip_algorithm
        if self.scales_losses and gradient_clip_val:
            require_unscaled(self.trainer.loss_scaler, optimizer)
        clip(optimizer, gradient_clip_val, algorithm)

    def on_before_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch

    def transfer_batch_to_device(
        self, batch: Any, device: torch.device, dataloader_idx: int
    ) -> Any:
        return to_device(batch, device)

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch

    def configure_model(self) -> None: ...

    def configure_optimizers(self) -> Any: ...

    def training_step(self, *args: Any, **kwargs: Any) -> Any: ...

    def validation_step(self, *args: Any, **kwargs: Any) -> Any: ...

    def test_step(self, *args: Any, **kwargs: Any) -> Any: ...

    def configure_callbacks(self) -> Any:
        return []

    def prepare_data(self) -> None: ...

    def setup(self, stage: str) -> None: ...

    def teardown(self, stage: str) -> None: ...

    def on_fit_start(self) -> None: ...

    def on_fit_end(self) -> None: ...

    def on_train_start(self) -> None: ...

    def on_train_end(self) -> None: ...

    def on_train_epoch_start(self) -> None: ...

    def on_train_epoch_end(self) -> None: ...

    def on_train_batch_start(self, batch: Any, batch_idx: int) -> None: ...

    def on_train_batch_end(self, outputs: Any, batch: Any, batch_idx: int) -> None: ...

    def on_validation_start(self) -> None: ...

    def on_validation_end(self) -> None: ...

    def on_validation_epoch_start(self) -> None: ...

    def on_validation_epoch_end(self) -> None: ...

    def on_validation_batch_start(
        self, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None: ...

    def on_validation_batch_end(
        self, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None: ...

    def predict_step(self, *args: Any, **kwargs: Any) -> Any:
        return self(kwargs["batch"] if "batch" in kwargs else args[0])

    def on_validation_model_eval(self) -> None:
        self.eval()

    def on_validation_model_train(self) -> None:
        self.train()

    def on_validation_model_zero_grad(self) -> None:
        self.zero_grad()

    def on_test_model_eval(self) -> None:
        self.eval()

    def on_test_model_train(self) -> None:
        self.train()

    def on_predict_model_eval(self) -> None:
        self.eval()

    def on_test_start(self) -> None: ...

    def on_test_end(self) -> None: ...

    def on_test_epoch_start(self) -> None: ...

    def on_test_epoch_end(self) -> None: ...

    def on_test_batch_start(
        self, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None: ...

    def on_test_batch_end(
        self, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None: ...

    def on_predict_start(self) -> None: ...

    def on_predict_end(self) -> None: ...

    def on_predict_epoch_start(self) -> None: ...

    def on_predict_epoch_end(self) -> None: ...

    def on_predict_batch_start(
        self, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None: ...

    def on_predict_batch_end(
        self, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None: ...

    def on_before_zero_grad(self, optimizer: Optimizer) -> None: ...

    def on_before_backward(self, loss: Tensor) -> None: ...

    def on_after_backward(self) -> None: ...

    def on_before_optimizer_step(self, optimizer: Optimizer) -> None: ...

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None: ...

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None: ...


def lend_trainer(model: nn.Module, trainer: Trainer) -> None:
    """Give the modules of its kind that a model holds its trainer, and those that they hold."""
    for part in model.children():
        if isinstance(part, TrainModule):
            part.trainer = trainer
            lend_trainer(part, trainer)
