"""The user's code under Lightning: run as it is, but that its Trainer is told what the spec says."""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any
from unittest.mock import patch

import yaml

from .described import described, made_object
from .job import Construction, Job
from .records import Sink
from .seeding import seed
from .written import Written, metrics_and_step


def run_under_lightning(job: Job, sink: Sink) -> None:
    """Train as the user's code would, handing what is logged to the sink."""
    lightning = importlib.import_module(job["package"])
    seed()
    with _told_trainers(lightning, job, sink) as trainers:
        try:
            if job["construction"]:
                _construct_and_fit(lightning, job, job["construction"])
            else:
                if job["seed"] is not None:
                    lightning.seed_everything(job["seed"], workers=True)
                _run(job)
        finally:
            _leave_facts(job, lightning, trainers)


def _run(job: Job) -> None:
    if job["cli"] is None:
        _run_program(job)
        return
    config = Path(job["folder"], "cli.yaml")
    # in quotes, a text is none but a text, whichever rules of YAML it is read by
    config.write_text(yaml.dump(job["cli"], Dumper=_Quoting, allow_unicode=True), "utf-8")
    command = [job["command"]] if job["command"] else []
    sys.argv = [sys.argv[0], *command, "--config", str(config), *sys.argv[1:]]
    # it refuses to write over a file of the name that the spec may have
    saving = importlib.import_module(f"{job['package']}.cli").SaveConfigCallback
    with patch.object(saving, "setup", lambda *arguments, **options: None):
        _run_program(job)


class _Quoting(yaml.SafeDumper):
    """Unlike JSON, it has numbers without end, and keys that are numbers."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", data, style='"')


_Quoting.add_representer(str, _Quoting.represent_str)


def _run_program(job: Job) -> None:
    if job["module"]:
        runpy.run_module(job["module"], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(job["program"], run_name="__main__")


# ---- the trainer -----------------------------------------------------------------------------------------


@contextmanager
def _told_trainers(lightning: ModuleType, job: Job, sink: Sink) -> Iterator[list[Any]]:
    """Trainers that are made in the meantime, with the arguments that torchrun and the spec decide for a script."""
    original, made = lightning.Trainer.__init__, []
    written = Written(sink)

    @wraps(original)  # LightningCLI looks for its parameters
    def init(self: Any, **arguments: Any) -> None:
        told = {**arguments, **_computing(lightning, job["trainer"]), **_surroundings(lightning, job)}
        told |= described(lightning, job["described"]).told
        told |= _bar(lightning, told)
        original(self, **{**told, "logger": _loggers(lightning, job, written, told.get("logger"))})
        made.append(self)

    with patch.object(lightning.Trainer, "__init__", init):
        yield made


def _surroundings(lightning: ModuleType, job: Job) -> dict[str, Any]:
    if job["world"] == 1:
        return {"accelerator": "cpu", "devices": 1, "num_nodes": 1, "strategy": "auto"}
    strategies = importlib.import_module(f"{lightning.__name__}.strategies")
    strategy = strategies.DDPStrategy(**(job["ddp"] or {}))
    return {"accelerator": "cpu", "devices": job["world"], "num_nodes": 1, "strategy": strategy}


def _computing(lightning: ModuleType, given: dict[str, Any]) -> dict[str, Any]:
    """What is given, of which a precision, or a plugin in its place, takes that of both in the code."""
    if not given.keys() & {"precision", "plugins"}:
        return given
    plugins = importlib.import_module(f"{lightning.__name__}.plugins")
    made = [_plugin(plugins, **each) for each in given.get("plugins") or ()]
    return {**given, "precision": None if made else given.get("precision"), "plugins": made or None}


def _plugin(plugins: ModuleType, precision: str, device: str | None) -> Any:
    kinds = {"32-true": plugins.Precision, "64-true": plugins.DoublePrecision}
    if precision in kinds:
        return kinds[precision]()
    return plugins.MixedPrecision(precision, device) if device else plugins.HalfPrecision(precision)


def _bar(lightning: ModuleType, told: dict[str, Any]) -> dict[str, bool]:
    """No bar, unless one was made: rank 0's alone asks for means over all ranks, and may wait for ever."""
    bars = importlib.import_module(f"{lightning.__name__}.callbacks").ProgressBar
    given = told.get("callbacks") or []
    is_made = any(isinstance(each, bars) for each in (given if isinstance(given, list) else [given]))
    return {} if is_made else {"enable_progress_bar": False}


def _loggers(lightning: ModuleType, job: Job, written: Written, told: Any) -> Any:
    """Those that the Trainer is told of, or one whose experiment takes anything; what they are handed is noted."""
    if job["is_own_main"] and told is not None and not told:
        return told  # without any, such a script logs nothing either
    given = told if isinstance(told, list | tuple) else [told]
    loggers = [each for each in given if not isinstance(each, bool | None)] or [_logger(lightning)]
    for logger in loggers:
        _listen(logger, written)
    return loggers


def _listen(logger: Any, written: Written) -> None:
    """Have it noted what a logger is handed; once, where several Trainers are told of it."""
    if "log_metrics" not in vars(logger):
        for name, order in (("log_metrics", metrics_and_step), ("log_hyperparams", None)):
            method = written.noting(getattr(type(logger), name), order)
            setattr(logger, name, MethodType(method, logger))


def _logger(lightning: ModuleType) -> Any:
    """A logger that writes nothing, and whose experiment takes anything."""
    base: Any = importlib.import_module(f"{lightning.__name__}.loggers.logger").DummyLogger
    return type("Silent", (base,), {"save_dir": os.getcwd()})()


def _leave_facts(job: Job, lightning: ModuleType, trainers: list[Any]) -> None:
    """What the report says beside what was compared."""
    trainer = trainers[0] if len(trainers) == 1 else None
    facts = {
        "version": lightning.__version__,
        "steps_per_epoch": _steps_per_epoch(trainer),
        "is_within_first_epoch": trainer is not None and trainer.fit_loop.epoch_progress.total.completed == 0,
    }
    if os.environ.get("RANK", "0") == "0":
        Path(job["folder"], "facts.json").write_text(json.dumps(facts), "utf-8")


def _steps_per_epoch(trainer: Any) -> int | None:
    """None: that cannot be told."""
    if trainer is None or not math.isfinite(trainer.num_training_batches):
        return None
    module = trainer.lightning_module
    if module is None or not module.automatic_optimization:
        return None
    steps: int = math.ceil(trainer.num_training_batches / trainer.accumulate_grad_batches)
    return steps


# ---- files that only define classes ----------------------------------------------------------------------


def _construct_and_fit(lightning: ModuleType, job: Job, made: Construction) -> None:
    """As LightningCLI does it: import, seed, what the trainer is given, model, data, fit."""
    module = _imported(job)
    if made["seed"] is not None:
        lightning.seed_everything(made["seed"], workers=True)
    trainer = lightning.Trainer()
    model = made_object(module, made["model"])
    if method := described(lightning, job["described"]).configure_optimizers:
        model.configure_optimizers = MethodType(method, model)
    data = made_object(module, made["data"]) if made["data"] else None
    trainer.fit(model, datamodule=data)


def _imported(job: Job) -> ModuleType:
    if job["module"]:
        return importlib.import_module(job["module"])
    path = Path(job["program"])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
