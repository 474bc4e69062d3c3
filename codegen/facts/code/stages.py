"""What is run beside training: validation, test and prediction, and how Lightning calls the parts of each."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class

WHICH = ", *which"

OF_TORCH = m.Attribute(m.Name("torch")) | m.Call(m.Attribute(m.Name("torch")))
"""Decorators that hand on what they are given."""


@dataclass(frozen=True)
class Stage:
    """The names of one stage."""

    method: str  # of Trainer
    function: str  # of the script's
    name: str  # in hooks, on_NAME_start
    step: str
    loader: str
    limit: str
    parameters: tuple[str, ...]  # of the method, in order

    @property
    def hooks(self) -> tuple[str, ...]:
        """Those that the model may have, the step and the loader left out."""
        parts = ("start", "epoch_start", "batch_start", "batch_end", "epoch_end", "end")
        return tuple(f"on_{self.name}_{part}" for part in parts)

    @property
    def mode_hooks(self) -> tuple[str, str]:
        """Those in whose place the model is put into evaluation mode, and back."""
        return f"on_{self.name}_model_eval", f"on_{self.name}_model_train"

    @property
    def called(self) -> frozenset[str]:
        """All that is called of the model's and the data's."""
        return frozenset({self.step, self.loader, *self.hooks, *self.mode_hooks})

    @property
    def logging_hooks(self) -> frozenset[str]:
        """Those in which `log` may be called."""
        return frozenset({self.step, *self.hooks[:-1]})

    @property
    def with_index(self) -> tuple[str, ...]:
        """Those that are told which of several loaders a batch comes from."""
        return (self.step, f"on_{self.name}_batch_start", f"on_{self.name}_batch_end")


_TESTED = ("model", "dataloaders", "ckpt_path", "verbose", "datamodule", "weights_only")
_PREDICTED = ("model", "dataloaders", "datamodule", "return_predictions", "ckpt_path", "weights_only")

VALIDATE = Stage(
    method="validate",
    function="validate_model",
    name="validation",
    step="validation_step",
    loader="val_dataloader",
    limit="limit_val_batches",
    parameters=_TESTED,
)
TEST = Stage(
    method="test",
    function="test",
    name="test",
    step="test_step",
    loader="test_dataloader",
    limit="limit_test_batches",
    parameters=_TESTED,
)
PREDICT = Stage(
    method="predict",
    function="predict",
    name="predict",
    step="predict_step",
    loader="predict_dataloader",
    limit="limit_predict_batches",
    parameters=_PREDICTED,
)
STAGES = {stage.method: stage for stage in (VALIDATE, TEST, PREDICT)}
STAGE_OF_LOADER = {stage.loader: stage for stage in STAGES.values()}


def takes_dataloader_idx(method: cst.FunctionDef | None) -> bool:
    """Whether a step or a hook may be told which of several loaders a batch comes from."""
    if method is None:
        return False
    return isinstance(method.params.star_arg, cst.Param) or _index_of(method) is not None


def without_index(cls: Class, stage: Stage) -> list[str]:
    """The step and the hooks that cannot be told which loader a batch comes from, as Lightning wants of several."""
    return [
        hook
        for hook in stage.with_index
        if hook in cls.methods and not takes_dataloader_idx(cls.methods[hook])
    ]


def _index_of(method: cst.FunctionDef) -> cst.Param | None:
    """The parameter that Lightning, which gives it its place, gives the loader's number."""
    params = (*method.params.posonly_params, *method.params.params)
    return next((each for each in params if each.name.value == "dataloader_idx"), None)


def _is_told_of_one(method: cst.FunctionDef) -> bool:
    """Whether it makes no difference that the only loader's number is 0, which Lightning does not tell."""
    index = _index_of(method)
    is_zero = index is not None and (index.default is None or m.matches(index.default, m.Integer("0")))
    return is_zero and all(m.matches(each.decorator, OF_TORCH) for each in method.decorators)


def index_argument(cls: Class, hook: str, several: bool) -> str:
    """What is added to the arguments of a step or a hook; `which` has nothing of a loader that is alone."""
    method = cls.methods.get(hook)
    if not several or method is None or not takes_dataloader_idx(method):
        return ""
    return ", dataloader_idx" if _is_told_of_one(method) else WHICH
