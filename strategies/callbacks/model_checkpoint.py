"""Which checkpoints are saved, under which names, and which of them are kept."""

import itertools
import os
import re
import shutil
import time
import warnings
from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar

import torch
from fsspec.core import url_to_fs
from torch import Tensor

from ..checkpoints.background import background, saves_in_background
from ..checkpoints.batch_ends import save_at_batch_end, saves_at_batch_ends
from ..checkpoints.checkpoint_io import has_checkpoint_io
from ..checkpoints.claiming import is_saved_again
from ..checkpoints.remote import RemotePath, require_writable, saves_remotely
from ..checkpoints.sharded_checkpoint import keeps_folders, remove_checkpoint
from .callbacks import (
    Checkpoint,
    any_rank,
    checkpoints_last,
    every_rank,
    from_rank_zero,
)


@dataclass(eq=False)
class ModelCheckpoint(Checkpoint):
    """Saves checkpoints in training, and keeps the newest or those that score best."""

    CHECKPOINT_JOIN_CHAR = "-"
    CHECKPOINT_EQUALS_CHAR = "="
    CHECKPOINT_NAME_LAST = "last"
    FILE_EXTENSION = ".ckpt"
    STARTING_VERSION = 1

    dirpath: str | os.PathLike[str] | None = None
    filename: str | None = None  # such as {epoch}-{val_loss:.2f}
    monitor: str | None = None  # the score's name; None keeps the newest
    verbose: bool = False
    save_last: bool | str | None = None  # as last.ckpt; "link": a link to the newest
    save_top_k: int = 1  # -1 keeps all
    save_on_exception: bool = False
    save_weights_only: bool = False
    mode: str = "min"  # or max: which score is the best
    auto_insert_metric_name: bool = True  # {epoch} becomes epoch=0
    every_n_train_steps: int | None = None
    train_time_interval: timedelta | None = None
    every_n_epochs: int | None = None  # 1, unless one of the two above is given
    save_on_train_epoch_end: bool | None = None  # or when validation ends
    enable_version_counter: bool = True  # never write over another run's files

    tells_loggers = True  # some upload checkpoints
    fills_names = True  # some have fields, such as {epoch}
    needs_counts = True  # of epochs and steps, for names, scores or messages
    is_given_folders = True  # one is made with a `dirpath`
    is_in_claimed_folder = False  # all save below the folder that the run has claimed
    keeps_one_file = False  # there, whose name is known
    repeats_steps = True  # where a run that was stopped goes on
    tells_epochs = True  # some code reads `every_n_epochs`, or changes when to save
    tells_last_saved = True  # some code reads what was saved last
    tells_time = True  # some code reads when the clock was started
    may_lack_scores = True  # some code asks of a score that may be None
    _last_global_step_saved = 0  # before the first step there is nothing new
    _last_checkpoint_saved = ""
    _last_time_checked = 0.0
    _saved: ClassVar[set[str]] = set()  # by this process, or kept as it began
    _has_validated = False
    _defer_save_until_validation = False
    _is_alone = False  # as it fails

    def __post_init__(self) -> None:
        self._check_arguments()
        if (
            self.is_given_folders
            and self.dirpath
            and not (saves_remotely() and "://" in str(self.dirpath))
        ):
            self.dirpath = os.path.realpath(os.path.expanduser(self.dirpath))
        if self.tells_epochs:
            self._decide_epochs()
        self.best_model_path = self.kth_best_model_path = self.last_model_path = ""
        self.best_model_score: Tensor | None = None
        self.current_score: Tensor | None = None
        self.best_k_models: dict[str, Tensor] = {}
        self.kth_value = torch.tensor(torch.inf if self.mode == "min" else -torch.inf)

    def _check_arguments(self) -> None:
        """Refuse what contradicts itself."""
        if self.mode not in ("min", "max"):
            raise ValueError(f"mode is 'min' or 'max', not {self.mode!r}")
        if self.save_top_k < -1 or (self.monitor is None and self.save_top_k > 1):
            raise ValueError(f"save_top_k is {self.save_top_k}, monitor {self.monitor}")
        if saves_remotely() and self.save_last == "link":
            raise ValueError("save_last='link' is for local folders: write True")
        if self.every_n_epochs and (
            self.every_n_train_steps or self.train_time_interval is not None
        ):
            raise ValueError("save by epochs, or by steps or time")
        if self.every_n_train_steps and self.train_time_interval is not None:
            raise ValueError("save by steps, or by time")

    def _decide_epochs(self) -> None:
        """Save after each epoch, unless it is said when."""
        if self.every_n_epochs is None:
            by_step = self.every_n_train_steps is not None
            is_said = by_step or self.train_time_interval is not None
            self.every_n_epochs = 0 if is_said else 1

    @property
    def state_key(self) -> str:
        """Under which a checkpoint keeps the callback's state."""
        by_epoch = self.every_n_train_steps is None and self.train_time_interval is None
        default = 1 if by_epoch else 0
        epochs = default if self.every_n_epochs is None else self.every_n_epochs
        steps = self.every_n_train_steps or 0
        return (
            f"{type(self).__qualname__}{{'monitor': {self.monitor!r}, 'mode': {self.mode!r}, "
            f"'every_n_train_steps': {steps}, 'every_n_epochs': {epochs}, "
            f"'train_time_interval': {self.train_time_interval!r}}}"
        )

    def state_dict(self) -> dict[str, Any]:
        """The paths and scores of what is kept."""
        return {
            "monitor": self.monitor,
            "best_model_score": self.best_model_score,
            "best_model_path": self.best_model_path,
            "current_score": self.current_score,
            "dirpath": self.dirpath,
            "best_k_models": self.best_k_models,
            "kth_best_model_path": self.kth_best_model_path,
            "kth_value": self.kth_value,
            "last_model_path": self.last_model_path,
            **(
                {
                    "in_epoch": {
                        "step": self._last_global_step_saved,
                        "is_deferred": self._defer_save_until_validation,
                    }
                }
                if saves_at_batch_ends()
                else {}
            ),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with what is kept in the folder."""
        self.best_model_path = state_dict["best_model_path"]
        if saves_at_batch_ends() and (kept := state_dict.get("in_epoch")):
            self._last_global_step_saved = kept["step"]
            self._defer_save_until_validation = kept["is_deferred"]
        if self.keeps_one_file or self.dirpath == (folder := state_dict["dirpath"]):
            self.best_model_score = state_dict["best_model_score"]
            self.best_k_models = state_dict["best_k_models"]
            self.kth_best_model_path = state_dict["kth_best_model_path"]
            self.kth_value = state_dict["kth_value"]
            self.last_model_path = state_dict["last_model_path"]
            if self.repeats_steps:
                kept = self.best_model_path, self.last_model_path
                self._saved.update(self.best_k_models, kept)
        else:
            warnings.warn(f"leaving alone what is in {folder}", stacklevel=2)

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Find the folder. Every rank calls this."""
        if self.is_in_claimed_folder or self.dirpath is None:
            self.dirpath = self._default_folder(trainer)
        if not self.is_in_claimed_folder:
            self._take_folder(trainer, stage)

    def _take_folder(self, trainer: Any, stage: str) -> None:
        """Agree on it, and see that checkpoints can be saved there. Every rank calls this."""
        self.dirpath = from_rank_zero(self.dirpath)
        if not saves_remotely() and ":/" in str(self.dirpath):
            raise ValueError(f"checkpoints are saved in folders, not at {self.dirpath}")
        if stage == "fit" and trainer.global_rank == 0 and not trainer.fast_dev_run:
            try:  # now, not after the first epoch
                if saves_remotely():
                    require_writable(RemotePath(self.dirpath))
                else:
                    os.makedirs(self.dirpath, exist_ok=True)
                    TemporaryFile(dir=self.dirpath).close()
            except OSError as error:
                raise SystemExit(f"cannot save checkpoints: {error}") from None

    def _default_folder(self, trainer: Any) -> str:
        """Where checkpoints go, unless it is said where."""
        if not trainer.loggers:
            return os.path.join(str(trainer.default_root_dir), "checkpoints")
        logger = trainer.loggers[0]
        version = logger.version
        if not isinstance(version, str):
            version = f"version_{version}"
        folder = logger.save_dir or str(trainer.default_root_dir)
        return os.path.join(folder, str(logger.name), version, "checkpoints")

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start the clock."""
        if self.tells_time or self.train_time_interval is not None:
            self._last_time_checked = time.monotonic()

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Save, if steps or time say so."""
        may_be_due = self.every_n_train_steps or self.train_time_interval is not None
        if may_be_due and self._is_step_due(trainer):
            self._save_after_step(trainer, batch_idx)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Save at the epoch's end."""
        if self._should_save_on_train_epoch_end(trainer):
            self._save_after_epoch(trainer)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """From now on there is a score to save by."""
        is_trial = trainer.state_fn != "fit" or trainer.sanity_checking
        self._has_validated = self._has_validated or not is_trial
        if is_trial or self._should_save_on_train_epoch_end(trainer):
            return
        if not self._defer_save_until_validation:
            if saves_at_batch_ends() and not self.save_weights_only:
                save_at_batch_end(trainer, self._save_after_epoch, trainer)
            else:
                self._save_after_epoch(trainer)
        elif self._is_newer(trainer):
            self._defer_save_until_validation = False
            if saves_at_batch_ends() and not self.save_weights_only:
                metrics = self._monitor_candidates(trainer)
                save_at_batch_end(trainer, self._save_now, trainer, metrics)
            else:
                self._save_now(trainer, self._monitor_candidates(trainer))

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Leave a last checkpoint, even if none was due."""
        if self.save_last and not self._last_checkpoint_saved:
            self._save_last_checkpoint(trainer, self._monitor_candidates(trainer))

    def on_exception(
        self, trainer: Any, pl_module: Any, exception: BaseException
    ) -> None:
        """Save what there is, if told to. The other ranks may not have failed."""
        is_trial = trainer.state_fn != "fit" or trainer.sanity_checking
        if self.save_on_exception and not is_trial and self._is_newer(trainer):
            self._is_alone = True
            metrics = self._monitor_candidates(trainer)
            path = self.format_checkpoint_name(metrics)
            self._save_checkpoint(trainer, path)
            if self.save_last:
                self._save_last_checkpoint(trainer, metrics)
            if trainer.global_rank == 0:
                print(f"{type(exception).__name__}: {exception}; saved {path}")
            self._is_alone = False

    def _is_newer(self, trainer: Any) -> bool:
        """Whether there was a step since the last checkpoint."""
        return bool(
            not trainer.fast_dev_run
            and self._last_global_step_saved != trainer.global_step
        )

    def _should_save_on_train_epoch_end(self, trainer: Any) -> bool:
        """Whether an epoch's checkpoint waits for the epoch's end, after validation."""
        if self.save_on_train_epoch_end is not None:
            return self.save_on_train_epoch_end
        if trainer.check_val_every_n_epoch != 1:
            return False
        if trainer.val_check_interval == 1.0:
            return True
        return not sum(trainer.num_val_batches) > 0

    def _is_step_due(self, trainer: Any) -> bool:
        """Whether to save after this step. Every rank calls this."""
        if self.train_time_interval is not None:
            return self._is_time_due(trainer, self.train_time_interval.total_seconds())
        n = self.every_n_train_steps
        return n is not None and int(trainer.global_step) % n == 0

    def _is_time_due(self, trainer: Any, interval: float) -> bool:
        """Whether rank 0 has waited long enough. Every rank calls this."""
        now = time.monotonic()
        is_due = now - self._last_time_checked >= interval
        if any_rank(trainer.global_rank == 0 and is_due):
            self._last_time_checked = now
            return True
        return False

    def _save_after_step(self, trainer: Any, batch_idx: int) -> None:
        """Save now, or after the validation from which the score comes."""
        metrics = self._monitor_candidates(trainer)
        if self.monitor is not None and (
            self.monitor not in metrics or self._awaits_validation(trainer, batch_idx)
        ):
            self._defer_save_until_validation = True
        elif self._is_newer(trainer):
            if saves_at_batch_ends() and not self.save_weights_only:
                save_at_batch_end(trainer, self._save_now, trainer, metrics)
            else:
                self._save_now(trainer, metrics)

    def _awaits_validation(self, trainer: Any, batch_idx: int) -> bool:
        """Whether validation is about to bring a newer score."""
        every = trainer.check_val_every_n_epoch
        return (
            batch_idx + 1 == trainer.num_training_batches
            and not self._should_save_on_train_epoch_end(trainer)
            and sum(trainer.num_val_batches) > 0
            and trainer.limit_val_batches != 0
            and (every is None or (trainer.current_epoch + 1) % every == 0)
        )

    @property
    def _every_n_epochs(self) -> int | None:
        """After how many epochs to save; 0: when steps or time say so."""
        return self.every_n_epochs

    @_every_n_epochs.setter
    def _every_n_epochs(self, epochs: int) -> None:
        self.every_n_epochs = epochs

    @property
    def _every_n_train_steps(self) -> int:
        """After how many steps to save; 0: steps do not matter."""
        return self.every_n_train_steps or 0

    @_every_n_train_steps.setter
    def _every_n_train_steps(self, steps: int) -> None:
        self.every_n_train_steps = steps

    @property
    def _train_time_interval(self) -> timedelta | None:
        """After what time to save; None: time does not matter."""
        return self.train_time_interval

    @_train_time_interval.setter
    def _train_time_interval(self, interval: timedelta | None) -> None:
        self.train_time_interval = interval

    @property
    def _save_on_train_epoch_end(self) -> bool | None:
        """Whether to save at the epoch's end; None: it depends on validation."""
        return self.save_on_train_epoch_end

    @_save_on_train_epoch_end.setter
    def _save_on_train_epoch_end(self, at_epoch_end: bool | None) -> None:
        self.save_on_train_epoch_end = at_epoch_end

    @property
    def _enable_version_counter(self) -> bool:
        """Whether files of other runs are left alone."""
        return self.enable_version_counter

    @_enable_version_counter.setter
    def _enable_version_counter(self, counts: bool) -> None:
        self.enable_version_counter = counts

    def _should_skip_saving_checkpoint(self, trainer: Any) -> bool:
        """Whether this is no training, or there was no step since the last checkpoint."""
        is_trial = trainer.state_fn != "fit" or trainer.sanity_checking
        return is_trial or not self._is_newer(trainer)

    def _should_save_on_exception(self, trainer: Any) -> bool:
        """Whether to save as the run fails."""
        is_trial = trainer.sanity_checking
        return self.save_on_exception and not is_trial and self._is_newer(trainer)

    def _save_now(self, trainer: Any, metrics: dict[str, Tensor]) -> None:
        self._save_topk_checkpoint(trainer, metrics)
        if self.save_last:
            self._save_last_checkpoint(trainer, metrics)

    def _save_after_epoch(self, trainer: Any) -> None:
        """Save, if there is something new and it is this epoch's turn."""
        if not self._is_newer(trainer):
            return
        metrics = self._monitor_candidates(trainer)
        if self._is_epoch_due(trainer):
            self._save_topk_checkpoint(trainer, metrics)
        if self.save_last and (
            not self._is_newer(trainer)
            or (self.save_last == "link" and self._last_checkpoint_saved)
        ):
            self._save_last_checkpoint(trainer, metrics)

    def _is_epoch_due(self, trainer: Any) -> bool:
        """Whether it is this epoch's turn."""
        n = self.every_n_epochs
        if n is not None:
            return n > 0 and (int(trainer.current_epoch) + 1) % n == 0
        return self.every_n_train_steps is None and self.train_time_interval is None

    def _monitor_candidates(self, trainer: Any) -> dict[str, Tensor]:
        """What was logged, with the epoch and the step."""
        metrics: dict[str, Tensor] = deepcopy(trainer.callback_metrics)
        if self.needs_counts:
            counts = {"epoch": trainer.current_epoch, "step": trainer.global_step}
            for name, count in counts.items():
                logged = metrics.get(name)
                metrics[name] = torch.tensor(count) if logged is None else logged.int()
        return metrics

    def _save_topk_checkpoint(self, trainer: Any, metrics: dict[str, Tensor]) -> None:
        """Save, if this is one to keep."""
        if self.save_top_k == 0:
            return
        if self.monitor is None:
            self._save_none_monitor_checkpoint(trainer, metrics)
        elif self.monitor not in metrics:
            self._miss_score(trainer, metrics)
        else:
            self._save_monitor_checkpoint(trainer, metrics)

    def _save_monitor_checkpoint(
        self, trainer: Any, monitor_candidates: dict[str, Tensor]
    ) -> None:
        """Save, if the score is one of the best."""
        if self.may_lack_scores and self.monitor not in monitor_candidates:
            return
        current = monitor_candidates[self.monitor or ""]
        if self.check_monitor_top_k(trainer, current):
            self._update_best_and_save(current, trainer, monitor_candidates)
        elif self.verbose and trainer.global_rank == 0:
            self._say(monitor_candidates, f"was not in top {self.save_top_k}")

    def _miss_score(self, trainer: Any, metrics: dict[str, Tensor]) -> None:
        """A score may come with the first validation, but not later, if there is a batch for it."""
        message = f"no {self.monitor!r} to choose by among {sorted(metrics)}"
        if self._has_validated and sum(trainer.num_val_batches) > 0:
            raise RuntimeError(message)
        warnings.warn(message, stacklevel=2)

    def _save_none_monitor_checkpoint(
        self, trainer: Any, monitor_candidates: dict[str, Tensor]
    ) -> None:
        """Save in place of the one before, unless all are kept."""
        path = self.format_checkpoint_name(monitor_candidates)
        path = self._new_path(trainer, path, self.best_model_path)
        previous, self.best_model_path = self.best_model_path, path
        self._save_checkpoint(trainer, path)
        if self.save_top_k == 1:
            self._remove_replaced(trainer, previous, path)

    def check_monitor_top_k(self, trainer: Any, current: Tensor) -> bool:
        """Whether this score is one of the best. Every rank calls this."""
        if self.may_lack_scores and current is None:
            return False
        if self.save_top_k == -1 or len(self.best_k_models) < self.save_top_k:
            return True
        worst = self.best_k_models[self.kth_best_model_path]
        return every_rank(
            bool(current < worst if self.mode == "min" else current > worst)
        )

    def _update_best_and_save(self, current: Any, trainer: Any, metrics: Any) -> None:
        """Save in place of the worst of those that are kept."""
        best = min if self.mode == "min" else max
        worst = max if self.mode == "min" else min
        kept = self.best_k_models
        k = len(kept) + 1 if self.save_top_k == -1 else self.save_top_k
        replaced = self.kth_best_model_path if len(kept) == k else ""
        kept.pop(replaced, None)
        if current.isnan():  # the worst that there is
            current = torch.full_like(
                current, torch.inf if self.mode == "min" else -torch.inf
            )
        path = self._new_path(trainer, self.format_checkpoint_name(metrics), replaced)
        self.current_score = kept[path] = current
        if len(kept) == k:
            self.kth_best_model_path = worst(kept, key=kept.__getitem__)
            self.kth_value = kept[self.kth_best_model_path]
        self.best_model_path = best(kept, key=kept.__getitem__)
        self.best_model_score = kept[self.best_model_path]
        if self.verbose and trainer.global_rank == 0:
            score = f"{current:.5f} (best {self.best_model_score:.5f})"
            self._say(metrics, f"reached {score}, saving {path!r} as top {k}")
        self._save_checkpoint(trainer, path)
        if not self.keeps_one_file:
            self._remove_replaced(trainer, replaced, path)

    def _say(self, metrics: dict[str, Tensor], news: str) -> None:
        """Print what becomes of this score."""
        epoch, step = metrics["epoch"], metrics["step"]
        print(f"Epoch {epoch:d}, global step {step:d}: {self.monitor!r} {news}")

    def _save_last_checkpoint(self, trainer: Any, metrics: dict[str, Tensor]) -> None:
        """Write `last.ckpt`, or have it point to the newest."""
        if not self.save_last:  # a derived class need not ask
            return
        path = self.format_checkpoint_name(metrics, self.CHECKPOINT_NAME_LAST)
        path = self._new_path(trainer, path, self.last_model_path)
        previous, self.last_model_path = self.last_model_path, path
        newest = self._last_checkpoint_saved
        if (
            self.save_last == "link"
            and not saves_remotely()
            and newest
            and self.save_top_k != 0
        ):
            if saves_in_background():
                background().then(self._link_checkpoint, trainer, newest, path)
            else:
                self._link_checkpoint(trainer, newest, path)
        else:
            self._save_checkpoint(trainer, path)
        self._remove_replaced(trainer, previous, path)

    def _save_checkpoint(self, trainer: Any, filepath: str) -> None:
        if saves_at_batch_ends():  # the file tells it
            self._last_global_step_saved = trainer.global_step
        if self.save_weights_only:
            trainer.save_checkpoint(filepath, weights_only=True)
        else:
            trainer.save_checkpoint(filepath)
        if not saves_at_batch_ends():
            self._last_global_step_saved = trainer.global_step
        if self.tells_last_saved or self.save_last:
            self._last_checkpoint_saved = filepath
        if self.tells_loggers and trainer.global_rank == 0:
            if saves_in_background():
                background().finish()  # they read it
            for logger in trainer.loggers:
                if hasattr(logger, "after_save_checkpoint"):
                    logger.after_save_checkpoint(self)

    def format_checkpoint_name(
        self,
        metrics: dict[str, Tensor],
        filename: str | None = None,
        ver: int | None = None,
        prefix: str | None = None,
    ) -> str:
        """The path for these metrics."""
        default = "{epoch}" + self.CHECKPOINT_JOIN_CHAR + "{step}"
        name = filename or self.filename or default
        if self.fills_names:
            if self.auto_insert_metric_name:  # epoch={0[epoch]:02d}
                value = rf"\1{self.CHECKPOINT_EQUALS_CHAR}{{0[\1]\2"
                name = re.sub(r"\{(.*?)([:}])", value, name)
            else:
                name = re.sub(r"\{(.*?)([:}])", r"{0[\1]\2", name)
            name = name.format(defaultdict(lambda: torch.tensor(0), metrics))  # or 0
        if prefix is not None:
            name = prefix + self.CHECKPOINT_JOIN_CHAR + name
        if ver is not None:
            name = f"{name}{self.CHECKPOINT_JOIN_CHAR}v{ver}"
        return os.path.join(self.dirpath or "", name + self.FILE_EXTENSION)

    def _new_path(self, trainer: Any, path: str, replaced: str) -> str:
        """`path`, or a version of it that no other file has. Every rank calls this."""
        if self.enable_version_counter:
            stem = path.removesuffix(self.FILE_EXTENSION) + self.CHECKPOINT_JOIN_CHAR
            versions = itertools.count(self.STARTING_VERSION)
            while self.file_exists(path, trainer) and path != replaced:
                path = f"{stem}v{next(versions)}{self.FILE_EXTENSION}"
        if self.repeats_steps:
            self._saved.add(path)
        return path

    def _get_metric_interpolated_filepath_name(
        self,
        monitor_candidates: dict[str, Tensor],
        trainer: Any,
        del_filepath: str | None = None,
    ) -> str:
        """The path for these metrics, or a version of it that no other file has."""
        path = self.format_checkpoint_name(monitor_candidates)
        return self._new_path(trainer, path, del_filepath or "")

    @property
    def _fs(self) -> Any:
        """The file system that the folder is in."""
        return url_to_fs(os.fspath(self.dirpath or ""))[0]

    def last_checkpoints(self) -> list[Path]:
        """The files that are kept as the last: one, and versions of it."""
        pattern = f"{self.CHECKPOINT_NAME_LAST}*{self.FILE_EXTENSION}"
        return list(Path(self.dirpath or "").glob(pattern))

    def file_exists(self, filepath: str, trainer: Any) -> bool:
        """Whether rank 0 sees the file, and it is to stay. Every rank calls this, or one that failed."""
        if saves_in_background():
            background().finish()  # it may be about to be there
        exists = trainer.global_rank == 0 and (
            RemotePath(filepath).exists()
            if saves_remotely()
            else os.path.exists(filepath)
        )
        if self.repeats_steps and exists and filepath not in self._saved:
            exists = not is_saved_again(filepath, trainer.run, trainer.first_step)
        return exists if self._is_alone else any_rank(exists)

    def _link_checkpoint(self, trainer: Any, filepath: str, linkpath: str) -> None:
        """Have rank 0 make a link that stays valid when the folder moves."""
        if trainer.global_rank == 0 and filepath != linkpath:
            partial = Path(linkpath + ".partial")
            partial.unlink(missing_ok=True)
            try:
                partial.symlink_to(os.path.relpath(filepath, partial.parent))
            except OSError:  # Windows lets not everyone make links
                shutil.copy(filepath, partial)
            partial.replace(linkpath)  # there is always one that is whole

    def _remove_replaced(self, trainer: Any, previous: str, current: str) -> None:
        """Delete a checkpoint that another one has replaced."""
        path, folder = Path(previous).absolute(), Path(self.dirpath or "").absolute()
        resumed = trainer.ckpt_path and path == Path(trainer.ckpt_path).absolute()
        if resumed or previous in ("", current) or folder not in path.parents:
            return
        self._remove_checkpoint(trainer, previous)

    def _should_remove_checkpoint(
        self, trainer: Any, previous: str, current: str
    ) -> bool:
        """Whether a checkpoint that another one has replaced is to go."""
        path, folder = Path(previous).absolute(), Path(self.dirpath or "").absolute()
        resumed = trainer.ckpt_path and path == Path(trainer.ckpt_path).absolute()
        return not resumed and previous != current and folder in path.parents

    def _remove_checkpoint(self, trainer: Any, filepath: str) -> None:
        if has_checkpoint_io():
            if trainer.global_rank == 0:
                trainer.checkpoint_io.remove_checkpoint(filepath)
        elif trainer.global_rank == 0 and Path(filepath).exists():
            if saves_in_background():
                background().then(remove_checkpoint, Path(filepath))
            elif keeps_folders():
                remove_checkpoint(Path(filepath))
            else:
                Path(filepath).unlink()


def with_checkpoint(callbacks: Any) -> list[Any]:
    """The callbacks, those that save last; if there are none, one is added, to the list that is given too."""
    found = checkpoints_last(callbacks)
    if any(isinstance(callback, Checkpoint) for callback in found):
        return found
    added = ModelCheckpoint()
    if found and isinstance(callbacks, list):
        callbacks.append(added)
    return [*found, added]


def with_checkpoint_if(callbacks: Any, *enabled: Any) -> list[Any]:
    """The same, where nothing says that it is not to be `enabled`."""
    is_off = any(not each and each is not None for each in enabled)
    return checkpoints_last(callbacks) if is_off else with_checkpoint(callbacks)
