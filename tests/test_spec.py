"""The spec: what is read, what is refused and where, and that nothing makes it fall over."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from ddpgen.diagnostics import CompileError, Diagnostic, Format, format_all
from ddpgen.spec.load import (
    Backend,
    DdpSettings,
    LoadedSpec,
    Logger,
    Strategy,
    StrategySpec,
    SyncMode,
    check_combinations,
    load_spec,
    parse_spec,
    preset_list,
)
from ddpgen.spec.sections.comm_hook import PowerSgdSettings
from ddpgen.spec.sections.fsdp import DType
from ddpgen.spec.sections.strategy_spec import BESIDE_DDP, LEFT_OUT_OF_DDP
from ddpgen.spec.trainer_settings import TRAINER_ARGUMENTS, TrainerSettings, read_trainer_arguments
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState
from torch.nn.parallel import DistributedDataParallel

FORMS: tuple[Format, ...] = ("text", "json", "github")


def load(text: str | bytes) -> LoadedSpec:
    return parse_spec("spec", "spec.yaml", "spec.yaml", text.encode() if isinstance(text, str) else text)


def errors(text: str | bytes) -> list[tuple[str, str]]:
    """`line:column code` and message of everything that is wrong with `text`."""
    with pytest.raises(CompileError) as failure:
        load(text)
    found = failure.value.diagnostics
    for form in FORMS:
        format_all(found, form).encode()
    assert all(d.span is not None and d.span.path == "spec.yaml" for d in found)
    return [(f"{d.span.line}:{d.span.column} {d.code}", d.message) for d in found if d.span]


# ---- what is read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "~", "---\n", "trainer:\nmodel: ~\nddp: null\n", "\ufeff"]
)
def test_empty_files_and_sections_mean_the_defaults(text: str) -> None:
    assert load(text).spec == StrategySpec()


def test_defaults() -> None:
    spec = StrategySpec()
    assert (spec.strategy, spec.sync) == (Strategy.DDP, SyncMode.SINGLE_AUTO_SYNC)
    assert spec.process_group.backend is Backend.AUTO
    assert spec.process_group.timeout == timedelta(minutes=10)
    assert spec.checkpoint is not None
    assert spec.checkpoint.every_n_epochs == 1
    assert spec.logger == (Logger.JSONL,)
    assert not spec.optimizer.fused
    assert spec.seed_everything is None
    assert not spec.trainer.model_fields_set


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("strategy: single", "strategy", Strategy.SINGLE),
        ("sync: forced_sync", "sync", SyncMode.FORCED_SYNC),
        ("ddp: {static_graph: true}\nsync: multi_auto_sync", "ddp.static_graph", True),
        ("ddp: {bucket_cap_mb: 25}", "ddp.bucket_cap_mb", 25),
        ("ddp: {bucket_cap_mb: 0.5}", "ddp.bucket_cap_mb", 0.5),
        ("ddp: {comm_hook: bf16}", "ddp.comm_hook.hook", "bf16"),
        ("ddp: {comm_hook: null}", "ddp.comm_hook", None),
        (
            "ddp: {comm_hook: torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.powerSGD_hook}",
            "ddp.comm_hook.hook",
            "powersgd",
        ),
        (
            "ddp: {comm_hook: {hook: powersgd, state: {min_compression_rate: 1.5}}}",
            "ddp.comm_hook.state.min_compression_rate",
            1.5,
        ),
        ("ddp: {comm_hook: {hook: a.b, state: a.C}}", "ddp.comm_hook.state.class_path", "a.C"),
        ("ddp: {join: true}", "ddp.join.divide_by_initial_world_size", True),
        ("ddp: {join: false}", "ddp.join", None),
        ("ddp: {wrapper: a.B}", "ddp.wrapper.class_path", "a.B"),
        ("ddp: {local_sgd: {}}", "ddp.local_sgd.start_localSGD_iter", 100),
        ("ddp: {local_sgd: {period: {4: 8, 16: 32}}}", "ddp.local_sgd.period", {4: 8, 16: 32}),
        ("optimizer: {zero: true}", "optimizer.zero.parameters_as_bucket_view", False),
        (
            "optimizer: {zero: {parameters_as_bucket_view: true}}",
            "optimizer.zero.parameters_as_bucket_view",
            True,
        ),
        ("microbatch: 8", "microbatch.size", 8),
        ("layer_sync: batchnorm", "layer_sync.group_size", None),
        ("layer_sync: {group_size: 8}", "layer_sync.group_size", 8),
        ("microbatch: auto", "microbatch.size", "auto"),
        ("microbatch: {size: 2, split: cut}", "microbatch.split", "cut"),
        ("optimizer: {zero: false}", "optimizer.zero", None),
        ("strategy: fsdp\nfsdp: {wrap: [Block, a.b.Layer]}", "fsdp.wrap.classes", ("Block", "a.b.Layer")),
        ("strategy: fsdp\nfsdp: {wrap: {modules: [layers.*]}}", "fsdp.wrap.modules", ("layers.*",)),
        ("strategy: fsdp\nfsdp: {wrap: {min_params: 1000}}", "fsdp.wrap.min_params", 1000),
        ("strategy: fsdp\nfsdp: {reshard_after_forward: 2}", "fsdp.reshard_after_forward", 2),
        ("strategy: fsdp\nsync: multi_auto_sync", "fsdp.wrap", None),
        ("strategy: fsdp\nfsdp: {replicate: 2}", "fsdp.replicate", 2),
        ("strategy: fsdp\nfsdp: {mixed_precision: true}", "fsdp.mixed_precision.cast_forward_inputs", True),
        (
            "strategy: fsdp\nfsdp: {mixed_precision: {reduce_dtype: float32}}",
            "fsdp.mixed_precision.reduce_dtype",
            DType.FLOAT32,
        ),
        (
            "strategy: model_parallel\nmodel_parallel: {tensor_parallel_size: 4}",
            "model_parallel.tensor_parallel_size",
            4,
        ),
        ("strategy: fsdp\nfsdp: {cpu_offload: true}", "fsdp.cpu_offload.pin_memory", True),
        ("strategy: fsdp\nfsdp: {empty_init: true}", "fsdp.empty_init", True),
        ("strategy: fsdp\nfsdp: {cpu_offload: false}", "fsdp.cpu_offload", None),
        ("strategy: fsdp\nfsdp: {activation_checkpointing: [A]}", "fsdp.activation_checkpointing", ("A",)),
        ("ddp: {bucket_cap_mb_list: [1, 2.5]}", "ddp.bucket_cap_mb_list", (1, 2.5)),
        ("ddp: {gradient_as_bucket_view: null}", "ddp.gradient_as_bucket_view", True),
        ("process_group: {backend: gloo}", "process_group.backend", Backend.GLOO),
        ("process_group: {timeout: 30s}", "process_group.timeout", timedelta(seconds=30)),
        ("process_group: {timeout: 1.5 m}", "process_group.timeout", timedelta(seconds=90)),
        ("process_group: {timeout: 2h}", "process_group.timeout", timedelta(hours=2)),
        ("process_group: {timeout: 90}", "process_group.timeout", timedelta(seconds=90)),
        ("process_group: {timeout: 0.5}", "process_group.timeout", timedelta(seconds=0.5)),
        ("process_group: {timeout: null}", "process_group.timeout", timedelta(minutes=10)),
        ("seed_everything: 42", "seed_everything", 42),
        ("seed_everything: 0", "seed_everything", 0),
        ("seed_everything: 4294967295", "seed_everything", 2**32 - 1),
        ("seed_everything: false", "seed_everything", None),
        ("seed_everything: null", "seed_everything", None),
        ("checkpoint: false", "checkpoint", None),
        ("checkpoint: true", "checkpoint.dir", None),
        ("checkpoint: {dir: runs/é, save_last: true}", "checkpoint.dir", "runs/é"),
        ("checkpoint: {every_n_epochs: 5}", "checkpoint.every_n_epochs", 5),
        ("preemption: {signals: [SIGTERM, SIGTERM], grace: 1m}", "preemption.grace", timedelta(minutes=1)),
        ("preemption: true", "preemption.exit_code", 143),
        ("preemption: false", "preemption", None),
        ("failures: true", "failures.hang_timeout", None),
        ("failures: false", "failures", None),
        ("failures: {hang_timeout: 10m}", "failures.hang_timeout", timedelta(minutes=10)),
        ("checkpoint: {every_n_steps: 50}", "checkpoint.every_n_steps", 50),
        ("checkpoint: {every: 10m}", "checkpoint.every", timedelta(minutes=10)),
        ("logger: tensorboard", "logger", (Logger.TENSORBOARD,)),
        ("logger: [jsonl, tensorboard, jsonl]", "logger", (Logger.JSONL, Logger.TENSORBOARD)),
        ("logger: []", "logger", ()),
        ("logger: false", "logger", ()),
        ("logger: true", "logger", (Logger.JSONL,)),
        ("optimizer: {fused: true}", "optimizer.fused", True),
        ("model: package.models.Net", "model.class_path", "package.models.Net"),
        ("model: {class_path: package.models.Net}", "model.class_path", "package.models.Net"),
        ("model: {class_path: Net, init_args: {lr: 1e-3}}", "model.init_args", {"lr": 1e-3}),
        ("model: {lr: 1e-3, names: {0: a}}", "model.init_args", {"lr": 1e-3, "names": {0: "a"}}),
        ("model: {init_args: {lr: 1}}", "model.class_path", None),
        ("data: {class_path: D, init_args: null}", "data.init_args", {}),
        ("data: {when: 2020-01-01}", "data.init_args", {"when": "2020-01-01"}),
        ("data: {sign: =}", "data.init_args", {"sign": "="}),
        ("data: {a: &x [1, 2], b: *x}", "data.init_args", {"a": [1, 2], "b": [1, 2]}),
        ("data: &d {a: 1, b: 2}\nmodel: {<<: *d, b: 3}", "model.init_args", {"a": 1, "b": 3}),
        ("model: {a: 1E3, b: 1_0e-2, c: .5e1, d: 2.e1, e: e3}", "model.init_args.a", 1000.0),
        ("ckpt_path: null\nweights_only: ~", "ckpt_path", None),
        ("trainer: {max_epochs: -1}", "trainer.max_epochs", -1),
        ("trainer: {gradient_clip_algorithm: NORM}", "trainer.gradient_clip_algorithm", "norm"),
        ("trainer: {deterministic: warn}", "trainer.deterministic", "warn"),
        ("trainer: {precision: 32}", "trainer.precision", "32-true"),
        ("trainer: {precision: '64'}", "trainer.precision", "64-true"),
        ("trainer: {precision: 16}", "trainer.precision", "16-mixed"),
        ("trainer: {precision: bf16}", "trainer.precision", "bf16-mixed"),
        ("trainer: {precision: bf16-true}", "trainer.precision", "bf16-true"),
        ("trainer: {precision: null}", "trainer.precision", "32-true"),
        ("trainer: {check_val_every_n_epoch: null}", "trainer.check_val_every_n_epoch", None),
    ],
)
def test_read(text: str, path: str, expected: object) -> None:
    value: Any = load(text).spec
    for name in path.split("."):
        value = value[name] if isinstance(value, dict) else getattr(value, name)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("name", ["limit_train_batches", "limit_val_batches", "val_check_interval"])
@pytest.mark.parametrize(
    ("written", "expected"),
    [("1", 1), ("1.0", 1.0), ("0.25", 0.25), ("10", 10), ("10.0", 10), ("1e-1", 0.1), ("null", 1.0)],
)
def test_one_batch_is_not_all_batches(name: str, written: str, expected: int | float) -> None:
    trainer = load(f"trainer: {{{name}: {written}}}").spec.trainer
    value = getattr(trainer, name)
    assert (value, type(value)) == (expected, type(expected))
    assert trainer.model_fields_set == {name}


def test_a_file_that_lightning_cli_saved() -> None:
    loaded = load("""\
# lightning.pytorch==2.6.6
seed_everything: 7
trainer:
  accelerator: auto
  strategy: ddp_find_unused_parameters_true
  devices: [0, 1]
  num_nodes: 1
  precision: null
  logger: null
  callbacks: null
  fast_dev_run: false
  max_epochs: 3
  min_epochs: null
  max_steps: -1
  min_steps: null
  max_time: null
  limit_train_batches: null
  limit_val_batches: 0.5
  limit_test_batches: null
  limit_predict_batches: null
  overfit_batches: 0.0
  val_check_interval: null
  check_val_every_n_epoch: 1
  num_sanity_val_steps: null
  log_every_n_steps: null
  enable_checkpointing: null
  enable_progress_bar: null
  enable_model_summary: null
  accumulate_grad_batches: 2
  gradient_clip_val: null
  gradient_clip_algorithm: null
  deterministic: null
  benchmark: null
  inference_mode: true
  use_distributed_sampler: true
  profiler: null
  detect_anomaly: false
  barebones: false
  plugins: null
  sync_batchnorm: false
  reload_dataloaders_every_n_epochs: 0
  default_root_dir: null
  enable_autolog_hparams: true
  model_registry: null
model:
  class_path: models.Net
  init_args:
    width: 3
data:
  batch_size: 32
optimizer: null
lr_scheduler: null
ckpt_path: null
weights_only: null
""")
    trainer = loaded.spec.trainer
    assert (trainer.max_epochs, trainer.limit_val_batches, trainer.accumulate_grad_batches) == (3, 0.5, 2)
    assert trainer.gradient_clip_algorithm is None
    reasons = {dropped.name: dropped.reason for dropped in loaded.dropped}
    assert reasons.keys() == {"strategy", "devices"}  # nothing is said of what is the default anyway
    assert "find_unused_parameters: true" in reasons["strategy"]


# ---- what is refused -------------------------------------------------------------------------------------

REFUSED = [
    # names
    ("strateg: ddp", "1:1 unknown-setting", "Did you mean `strategy`?"),
    ("ddp: {find_unused: true}", "1:7 unknown-setting", "Did you mean `find_unused_parameters`?"),
    ("ddp:\n  qqq: 1", "2:3 unknown-setting", "Known here: `broadcast_buffers`"),
    ("process_group: {backnd: gloo}", "1:17 unknown-setting", "`backend`"),
    ("checkpoint: {directory: x}", "1:14 unknown-setting", "`directory`"),
    ("optimizer: {class_pat: torch.optim.Adam}", "1:13 unknown-setting", "`class_path`"),
    ("optimizer: {class_path: 3}", "1:25 invalid-setting", "must be a string"),
    ("lr_scheduler: {init_args: {}}", "1:15 invalid-setting", "`class_path` is missing"),
    ("model: {class_path: A, width: 3}", "1:24 unknown-setting", "`width`"),
    ("5: x", "1:1 unknown-setting", "`5`"),
    ("true: x", "1:1 unknown-setting", "`true`"),
    ("~: x", "1:1 unknown-setting", "`~`"),
    ("'--5': x", "1:1 unknown-setting", "`--5`"),
    ('"a\\nb\\e[31m": x', "1:1 unknown-setting", r"`a\nb\x1b[31m`"),
    ("x" * 100 + ": 1", "1:1 unknown-setting", "x...`"),
    # types and ranges
    ("strategy: deepspeed", "1:11 invalid-setting", "`single`, `ddp`, `fsdp` or `model_parallel`"),
    ("strategy: [ddp]", "1:11 invalid-setting", "`single`, `ddp`, `fsdp` or `model_parallel`"),
    ("sync: 3", "1:7 invalid-setting", "`multi_auto_sync`"),
    ("ddp: true", "1:6 invalid-setting", "mapping"),
    ("ddp:\n- static_graph", "1:1 invalid-setting", "mapping"),
    ("ddp: {static_graph: 1}", "1:21 invalid-setting", "true or false"),
    ("ddp: {static_graph: 'true'}", "1:21 invalid-setting", "true or false"),
    ("ddp: {bucket_cap_mb: 0}", "1:22 invalid-setting", "positive"),
    ("ddp: {bucket_cap_mb: .inf}", "1:22 invalid-setting", "positive"),
    ("ddp: {bucket_cap_mb: true}", "1:22 invalid-setting", "positive"),
    ("ddp: {bucket_cap_mb_list: []}", "1:27 invalid-setting", "bucket_cap_mb_list"),
    (
        "ddp: {bucket_cap_mb_list: [1, x]}",
        "1:31 invalid-setting",
        "`bucket_cap_mb_list[1]` must be a positive",
    ),
    ("process_group: {backend: gloop}", "1:26 invalid-setting", "`gloo`"),
    ("process_group: {timeout: 10x}", "1:26 invalid-setting", "`10m`"),
    ("process_group: {timeout: 0}", "1:26 invalid-setting", "`10m`"),
    ("process_group: {timeout: -5}", "1:26 invalid-setting", "`10m`"),
    ("process_group: {timeout: .nan}", "1:26 invalid-setting", "`10m`"),
    ("process_group: {timeout: true}", "1:26 invalid-setting", "`10m`"),
    ("process_group: {timeout: 99999999999999h}", "1:26 invalid-setting", "`10m`"),
    ("process_group: {timeout: 1e300}", "1:26 invalid-setting", "`10m`"),
    ("seed_everything: true", "1:18 invalid-setting", "must be a number"),
    ("seed_everything: -1", "1:18 invalid-setting", "from 0 to 4294967295"),
    ("seed_everything: 4294967296", "1:18 invalid-setting", "from 0"),
    ("seed_everything: '1'", "1:18 invalid-setting", "from 0"),
    ("seed_everything: 1.0", "1:18 invalid-setting", "from 0"),
    ("preemption: {signals: [SIGTERM, SIGKILL]}", "1:33 invalid-setting", "SIGTERM"),
    ("preemption: {signals: []}", "1:23 invalid-setting", "at least 1"),
    ("preemption: {exit_code: 256}", "1:25 invalid-setting", "255"),
    ("preemption: {grace: 0s}", "1:21 invalid-setting", "must be a time"),
    ("on_nan: ignore", "1:9 invalid-setting", "go_on"),
    ("checkpoint: {keep: 0}", "1:20 invalid-setting", "at least 1"),
    ("failures: {hang_timeout: 0s}", "1:26 invalid-setting", "must be a time"),
    ("failures: {hang_timout: 1m}", "1:12 unknown-setting", "hang_timeout"),
    ("checkpoint: {every_n_steps: 0}", "1:29 invalid-setting", "at least 1"),
    ("checkpoint: {every: 10 minutes}", "1:21 invalid-setting", "`10m`"),
    ("checkpoint: {every_n_epochs: 0}", "1:30 invalid-setting", "at least 1"),
    ("checkpoint: {every_n_epochs: 1.5}", "1:30 invalid-setting", "whole number"),
    ("checkpoint: {save_last: false}", "1:25 invalid-setting", "always written"),
    ("checkpoint: {dir: 5}", "1:19 invalid-setting", "string"),
    ('checkpoint: {dir: "a\\0"}', "1:19 invalid-setting", "directory"),
    ("checkpoint: runs", "1:13 invalid-setting", "mapping"),
    ("logger: [jsonl, wandb]", "1:17 invalid-setting", "`logger[1]` must be `jsonl` or `tensorboard`"),
    ("logger: {jsonl: true}", "1:9 invalid-setting", "list"),
    ("optimizer: {fused: 3}", "1:20 invalid-setting", "true or false"),
    ("model: 5", "1:8 invalid-setting", "mapping"),
    ("model: [a]", "1:8 invalid-setting", "mapping"),
    ("model: {class_path: a-b}", "1:21 invalid-setting", "class's name"),
    ("model: {class_path: class}", "1:21 invalid-setting", "class's name"),
    ("model: {class_path: 5}", "1:21 invalid-setting", "string"),
    ("model: 'a b'", "1:8 invalid-setting", "class's name"),
    ("model: {init_args: 5}", "1:20 invalid-setting", "mapping"),
    ("model: {init_args: {a b: 1}}", "1:21 invalid-setting", "Python name"),
    ("model: {a b: 1}", "1:9 invalid-setting", "Python name"),
    ("data: {lambda: 4}", "1:8 invalid-setting", "Python name"),
    ("data: {4: 4}", "1:8 invalid-setting", "Python name"),
    ("data: {init_args: {4: 4}}", "1:20 invalid-setting", "`4` must be a string"),
    ("ckpt_path: last.ckpt", "1:12 invalid-setting", "--resume"),
    # the trainer section
    ("trainer: 5", "1:10 invalid-setting", "mapping"),
    ("trainer: {max_epoch: 3}", "1:11 trainer-setting", "Did you mean `max_epochs`?"),
    ("trainer: {5: 3}", "1:11 trainer-setting", "no argument `5`"),
    ("trainer: {gpus: 2}", "1:11 trainer-setting", "torchrun decides"),
    ("trainer: {max_epochs: 1e1}", "1:23 trainer-setting", "whole number"),
    ("trainer: {max_epochs: true}", "1:23 trainer-setting", "whole number"),
    ("trainer: {max_epochs: -2}", "1:23 trainer-setting", "at least -1"),
    ("trainer: {max_steps: -2}", "1:22 trainer-setting", "at least -1"),
    ("trainer: {accumulate_grad_batches: 0}", "1:36 trainer-setting", "at least 1"),
    ("trainer: {gradient_clip_val: high}", "1:30 trainer-setting", "finite number"),
    ("trainer: {gradient_clip_val: .nan}", "1:30 trainer-setting", "finite number"),
    ("trainer: {gradient_clip_val: " + "9" * 400 + "}", "1:30 trainer-setting", "finite number"),
    ("trainer: {limit_train_batches: " + "9" * 400 + "}", "1:32 trainer-setting", "share"),
    ("ddp: {bucket_cap_mb: " + "9" * 400 + "}", "1:22 invalid-setting", "positive"),
    ("process_group: {timeout: " + "9" * 400 + "}", "1:26 invalid-setting", "`10m`"),
    ("seed_everything: " + "9" * 400, "1:18 invalid-setting", "from 0"),
    ("trainer: {gradient_clip_algorithm: l2}", "1:36 trainer-setting", "`norm` or `value`"),
    ("trainer: {limit_train_batches: 1.5}", "1:32 trainer-setting", "share"),
    ("trainer: {limit_train_batches: -1}", "1:32 trainer-setting", "share"),
    ("trainer: {limit_val_batches: .inf}", "1:30 trainer-setting", "share"),
    ("trainer: {limit_val_batches: .nan}", "1:30 trainer-setting", "share"),
    ("trainer: {limit_val_batches: true}", "1:30 trainer-setting", "share"),
    ("trainer: {val_check_interval: 0}", "1:31 trainer-setting", "limit_val_batches"),
    ('trainer: {val_check_interval: "12:00:00"}', "1:31 trainer-setting", "days:hours:minutes:seconds"),
    ("trainer: {val_check_interval: {years: 1}}", "1:31 trainer-setting", "days:hours:minutes:seconds"),
    ("trainer: {check_val_every_n_epoch: 1.0}", "1:36 trainer-setting", "whole number"),
    ("trainer: {deterministic: always}", "1:26 trainer-setting", "`warn`"),
    ("trainer: {precision: half}", "1:22 trainer-setting", "must be one of `16-mixed`"),
    ("trainer: {precision: 8}", "1:22 trainer-setting", "`64-true`"),
    ("trainer: {precision: true}", "1:22 trainer-setting", "must be one of"),
    ("trainer: {precision: 32.0}", "1:22 trainer-setting", "must be one of"),
    ("trainer: {overfit_batches: 1.5}", "1:28 trainer-setting", "`overfit_batches` must be a share"),
    ("trainer: {max_time: 12h}", "1:21 trainer-setting", "`max_time` must be days:hours:minutes:seconds"),
    ("trainer: {callbacks: [{init_args: {}}]}", "1:23 invalid-setting", "`class_path` is missing"),
    ("trainer: {callbacks: [X, 3]}", "1:26 invalid-setting", "must be a mapping"),
    ("trainer: {callbacks: {class_path: X, init_arg: {}}}", "1:38 unknown-setting", "`init_args`"),
    ("trainer: {callbacks: true}", "1:11 trainer-setting", "describe each with its `class_path`"),
    ("strategy: fsdp-offload", "1:11 strategy-by-name", "  strategy: fsdp\n  fsdp:\n    cpu_offload: true"),
    ("strategy: [ddp]", "1:11 invalid-setting", "must be `single`, `ddp`"),
    ("trainer: {logger: csv logger}", "1:19 invalid-setting", "must be a class's name"),
    ("trainer: {logger: 3}", "1:19 invalid-setting", "must be a list"),
    ("trainer: {plugins: [x]}", "1:20 trainer-setting", "the script does nothing of what `x` does"),
    ("trainer: {plugins: 3}", "1:20 trainer-setting", "must hold objects of Lightning's classes"),
    (
        "trainer: {precision: 16, plugins: {class_path: HalfPrecision}}",
        "1:35 trainer-conflict",
        "Give one of them",
    ),
    ("trainer: {benchmark: sometimes}", "1:22 trainer-setting", "must be true or false"),
    ("ddp: {delay_all_reduce_named_params: []}", "1:7 ddp-setting-left-out", "ranks drift apart"),
    ("ddp: {mixed_precision: bf16}", "1:7 ddp-setting-left-out", "`precision: bf16-mixed`"),
    ("ddp: {device_ids: [0]}", "1:7 ddp-setting-left-out", "finds its device by itself"),
    ("ddp: {local_sgd: {period: 1}}", "1:27 invalid-setting", "2 or more"),
    ("ddp: {local_sgd: {period: {4: 8, 2: 16}}}", "1:27 invalid-setting", "both growing"),
    ("ddp: {local_sgd: {subgroup_size: 0}}", "1:34 invalid-setting", "at least 1"),
    ("ddp: {local_sgd: {start: 0}}", "1:19 unknown-setting", "start_localSGD_iter"),
    ("optimizer: {zero: 2}", "1:19 invalid-setting", "must be true or false, or a mapping"),
    ("optimizer: {zero: {overlap_with_ddp: true}}", "1:19 invalid-setting", "leaves out the first updates"),
    ("optimizer: {zero: {bucket_view: true}}", "1:20 unknown-setting", "parameters_as_bucket_view"),
    ("ddp: {comm_hook: fp-16}", "1:18 invalid-setting", "must be `fp16`, `bf16`, `powersgd`, or the path"),
    ("ddp: {comm_hook: 16}", "1:18 invalid-setting", "`comm_hook` must be a mapping"),
    ("ddp: {comm_hook: batched_powersgd}", "1:18 invalid-setting", "fails as soon as it compresses"),
    ("layer_sync: {group_size: 0}", "1:26 invalid-setting", "at least 1"),
    ("layer_sync: {group_size: 2, class_path: a.b}", "1:13 invalid-setting", "no `group_size`"),
    ("layer_sync: all", "1:13 invalid-setting", "mapping"),
    ("strategy: single\nlayer_sync: batchnorm", "2:1 setting-without-ddp", "`layer_sync` has no meaning"),
    ("layer_sync: batchnorm\nmicrobatch: 2", "1:1 not-with-microbatch", "in each forward"),
    ("microbatch: 0", "1:13 invalid-setting", "1 or more"),
    ("microbatch: true", "1:13 invalid-setting", "must be `auto`, or a number of samples"),
    ("microbatch: 1.5", "1:13 invalid-setting", "must be `auto`, or a number of samples"),
    ("microbatch: {size: auto, split: a.b}", "1:13 invalid-setting", "a number as `size`"),
    ("microbatch: auto\nddp: {comm_hook: fp16}", "2:7 not-with-search", "would not be called"),
    ("microbatch: {size: auto}\nddp: {local_sgd: {}}", "2:7 not-with-search", "over all ranks"),
    ("microbatch: {split: a.b}", "1:13 invalid-setting", "`size` is missing"),
    ("microbatch: {size: 2, split: a b}", "1:30 invalid-setting", "the path of a function"),
    ("ddp: {comm_hook: post_localsgd}", "1:18 invalid-setting", "`ddp: {local_sgd: {period: 4}}`"),
    ("ddp: {comm_hook: {state: {}}}", "1:18 invalid-setting", "`hook` is missing"),
    ("ddp: {comm_hook: {hook: a.b, wraper: fp16}}", "1:30 unknown-setting", "`wrapper`"),
    ("ddp: {comm_hook: {hook: a.b, wrapper: fp32}}", "1:39 invalid-setting", "must be `fp16` or `bf16`"),
    ("ddp: {comm_hook: {hook: fp16, state: {}}}", "1:18 invalid-setting", "no `state`: `fp16` keeps none"),
    (
        "ddp: {comm_hook: {hook: powersgd, state: {matrix_rank: 2}}}",
        "1:43 unknown-setting",
        "`matrix_approximation_rank`",
    ),
    (
        "ddp: {comm_hook: {hook: powersgd, state: {matrix_approximation_rank: 0}}}",
        "1:70 invalid-setting",
        "at least 1",
    ),
    (
        "ddp: {comm_hook: {hook: powersgd, state: {start_powerSGD_iter: 1}}}",
        "1:42 invalid-setting",
        "`state` must have a `start_powerSGD_iter` of 2 or more",
    ),
    (
        "ddp: {comm_hook: {hook: powersgd, state: {orthogonalization_epsilon: -1}}}",
        "1:70 invalid-setting",
        "not negative",
    ),
    ("ddp: {comm_hook: {hook: a.b, state: {class_path: 3}}}", "1:50 invalid-setting", "must be a string"),
    ("ddp: {comm_hook: {hook: a.b, state: 3}}", "1:37 invalid-setting", "`state` must be a mapping"),
    # combinations
    ("strategy: single\nsync: forced_sync", "2:1 setting-without-ddp", "`sync` has no meaning"),
    ("strategy: single\nddp: {init_sync: true}", "2:1 setting-without-ddp", "`ddp` has no meaning"),
    ("strategy: single\nprocess_group: {}", "2:1 setting-without-ddp", "`process_group` has no meaning"),
    ("strategy: single\nlaunch: slurm", "2:1 setting-without-ddp", "`launch` has no meaning"),
    ("strategy: single\noptimizer: {zero: true}", "2:13 setting-without-ddp", "`zero` has no meaning"),
    ("strategy: fsdp\nfsdp: {wrap: []}", "2:14 invalid-setting", "must be names of classes in a list"),
    ("strategy: fsdp\nfsdp: {wrap: Block}", "2:14 invalid-setting", "must be names of classes in a list"),
    ("strategy: fsdp\nfsdp: {wrap: {}}", "2:14 invalid-setting", "names of classes in a list, or one of"),
    (
        "strategy: fsdp\nfsdp: {wrap: {modules: [a], min_params: 1}}",
        "2:14 invalid-setting",
        "must be names of classes in a list",
    ),
    ("strategy: fsdp\nfsdp: {wrap: {modules: [a..b]}}", "2:25 invalid-setting", "must be a module's path"),
    ("strategy: fsdp\nfsdp: {wrap: {min_params: 0}}", "2:27 invalid-setting", "at least 1"),
    ("strategy: fsdp\nfsdp: {reshard_after_forward: 1}", "2:31 invalid-setting", "a number of ranks"),
    ("strategy: fsdp\nfsdp: {replicate: 1}", "2:19 invalid-setting", "at least 2"),
    (
        "strategy: fsdp\nfsdp: {mixed_precision: bf16}",
        "2:25 invalid-setting",
        "must be true or false, or a mapping",
    ),
    (
        "strategy: fsdp\nfsdp: {mixed_precision: {param_dtype: bf16}}",
        "2:39 invalid-setting",
        "must be `bfloat16`, `float16`",
    ),
    ("strategy: fsdp\nfsdp: {cpu_offload: {pin: true}}", "2:22 unknown-setting", "`pin_memory`"),
    ("fsdp: {empty_init: true}", "1:1 setting-without-fsdp", "no meaning without `strategy: fsdp`"),
    ("fsdp: {cpu_offload: true}", "1:1 setting-without-fsdp", "no meaning without `strategy: fsdp`"),
    (
        "strategy: model_parallel\nmodel_parallel: {data_parallel_size: 0}",
        "2:38 invalid-setting",
        "must be `auto`, or a number of ranks",
    ),
    ("model_parallel: {data_parallel_size: 2}", "1:1 setting-without-model-parallel", "no meaning without"),
    *(
        (f"strategy: model_parallel\nmodel_parallel: {{plan: {{a.b: {style}}}}}", f"2:{column} {code}", why)
        for style, column, code, why in (
            ("diagonal", 30, "invalid-setting", "must be `colwise`, `rowwise`"),
            ("{style: rowwise, layouts: replicate}", 47, "unknown-setting", "`input_layouts`"),
            (
                "{style: rowwise, input_layouts: shard}",
                62,
                "invalid-setting",
                "must be `replicate`, or `shard(1)`",
            ),
            ("{style: sequence, input_layouts: replicate}", 30, "invalid-setting", "it takes `sequence_dim`"),
            (
                "{style: output, output_layouts: replicate}",
                30,
                "invalid-setting",
                "in `desired_output_layouts`",
            ),
            ("output", 30, "invalid-setting", "needs `output_layouts`, for `output`"),
            ("{style: colwise, input_layouts: [replicate]}", 30, "invalid-setting", "where one tensor goes"),
        )
    ),
    (
        "strategy: model_parallel\nddp: {init_sync: true}",
        "2:1 not-with-model-parallel",
        "does not train a model",
    ),
    ("strategy: model_parallel\nsync: multi_auto_sync", "2:1 not-with-model-parallel", "in each backward"),
    (
        "strategy: model_parallel\ndata_parallel_group: 2",
        "2:1 not-with-model-parallel",
        "are in groups already",
    ),
    ("strategy: model_parallel\nloss: sum", "2:1 not-with-model-parallel", "Scale the loss there"),
    ("strategy: model_parallel\nmicrobatch: 4", "2:1 not-with-model-parallel", "`trainer: {accumulate"),
    ("strategy: model_parallel\nlayer_sync: batchnorm", "2:1 not-with-model-parallel", "count that twice"),
    ("strategy: model_parallel\noptimizer: {zero: true}", "2:13 not-with-model-parallel", "Remove `zero`"),
    ("strategy: fsdp\nmicrobatch: auto", "2:1 not-with-fsdp", "would leave the others waiting there"),
    ("strategy: fsdp\nfsdp: {forward_methods: [a b]}", "2:26 invalid-setting", "a method's name"),
    ("fsdp: {forward_methods: [encode]}", "1:1 setting-without-fsdp", "no meaning without `strategy: fsdp`"),
    ("strategy: fsdp\nfsdp: {wraps: [Block]}", "2:8 unknown-setting", "`wrap`"),
    ("fsdp: {wrap: [Block]}", "1:1 setting-without-fsdp", "no meaning without `strategy: fsdp`"),
    ("strategy: fsdp\nddp: {init_sync: true}", "2:1 not-with-fsdp", "does not train a sharded model"),
    ("strategy: fsdp\nsync: forced_sync", "2:1 not-with-fsdp", "`multi_auto_sync`"),
    ("strategy: fsdp\nmicrobatch: auto", "2:1 not-with-fsdp", "`microbatch: 8`"),
    ("strategy: fsdp\nmicrobatch: {size: 4, split: cut}", "2:23 not-with-fsdp", "must have equally many"),
    ("strategy: fsdp\noptimizer: {zero: true}", "2:13 not-with-fsdp", "already"),
    ("sync: forced_sync\nddp: {static_graph: true}", "2:7 static-graph-needs-multi-auto-sync", "forced_sync"),
    (
        "ddp: {static_graph: true, find_unused_parameters: true}",
        "1:27 static-graph-finds-unused-parameters",
        "by itself",
    ),
    ("ddp: {broadcast_buffers: false, forward_sync_buffers: true}", "1:7 buffers-set-twice", "Keep one"),
    ("sync: forced_sync\nddp: {comm_hook: fp16}", "1:1 comm-hook-never-called", "single_auto_sync"),
    ("data_parallel_group: 0", "1:22 invalid-setting", "at least 1"),
    ("strategy: single\ndata_parallel_group: 2", "2:1 setting-without-ddp", "no meaning"),
    ("data_parallel_group: 2\nlaunch: slurm", "2:1 not-in-groups", "with torchrun"),
    ("ddp: {join: 2}", "1:13 invalid-setting", "must be true or false, or a mapping"),
    ("ddp: {join: {enable: true}}", "1:14 unknown-setting", "`throw_on_early_termination`"),
    ("ddp: {join: true, comm_hook: fp16}", "1:19 not-with-join", "zeros"),
    ("ddp: {join: true, local_sgd: {}}", "1:19 not-with-join", "average their models"),
    ("sync: multi_auto_sync\nddp: {join: {}, static_graph: true}", "2:17 not-with-join", "no graph"),
    ("ddp: {join: true, wrapper: a.B}", "1:7 not-with-wrapper", "`init_args`"),
    ("ddp: {join: true}\noptimizer: {zero: true}", "2:13 not-with-join", "its share"),
    ("ddp: {join: true}\nsync: forced_sync", "2:1 not-with-join", "`sync: single_auto_sync`"),
    ("ddp: {join: true}\nmicrobatch: 4", "2:1 not-with-join", "numbers of parts"),
    ("ddp: {join: true}\nlayer_sync: batchnorm", "2:1 not-with-join", "in each forward"),
    ("ddp: {wrapper: a.B, bucket_cap_mb: 1}", "1:21 not-with-wrapper", "`init_args`"),
    ("ddp: {wrapper: a.B, comm_hook: fp16}", "1:21 not-with-wrapper", "`init_args`"),
    ("ddp: {wrapper: a.B}\nsync: forced_sync", "2:1 not-with-wrapper", "nothing to do"),
    ("ddp: {wrapper: a.B}\nmicrobatch: auto", "2:1 not-with-wrapper", "number of samples"),
    ("ddp: {wrapper: {init_args: {a: 1}}}", "1:16 invalid-setting", "`class_path` is missing"),
    ("ddp: {wrapper: 3}", "1:16 invalid-setting", "`wrapper` must be a mapping"),
    ("ddp: {local_sgd: {}, comm_hook: fp16}", "1:22 not-with-local-sgd", "hook of its own"),
    ("ddp: {local_sgd: {}, find_unused_parameters: true}", "1:22 not-with-local-sgd", "the same parameters"),
    ("ddp: {local_sgd: {}}\noptimizer: {zero: true}", "2:13 not-with-local-sgd", "in its own way"),
    (
        "ddp: {static_graph: true}\nsync: multi_auto_sync\nmicrobatch: 8",
        "1:7 not-with-microbatch",
        "last backward",
    ),
    ("ddp: {local_sgd: {}}\nloss: sum", "2:1 not-with-local-sgd", "no gradients of all ranks"),
    ("ddp: {local_sgd: {}}\nsync: multi_auto_sync", "2:1 not-with-local-sgd", "counts the steps"),
    ("ddp: {bucket_cap_mb: 1, bucket_cap_mb_list: [1]}", "1:7 bucket-sizes-set-twice", "Keep one"),
    (
        "trainer: {check_val_every_n_epoch: null, val_check_interval: 0.5}",
        "1:62 trainer-conflict",
        "whole number",
    ),
    # YAML
    ("a: b: c", "1:5 yaml-syntax-error", "mapping values are not allowed here"),
    ("ddp: {", "1:7 yaml-syntax-error", "flow"),
    ("ddp:\n\tstatic_graph: true", "2:1 yaml-syntax-error", "cannot start any token"),
    ("strategy: *nowhere", "1:11 yaml-syntax-error", "undefined alias"),
    ("strategy: 'ddp", "1:15 yaml-syntax-error", "end of stream"),
    ("a: 1\n---\nb: 2", "2:1 yaml-syntax-error", "single document"),
    ('strategy: "\\UFFFFFFFF"', "1:1 yaml-syntax-error", "escape"),
    ("strategy: ddp\nsync: \x07", "2:7 yaml-syntax-error", "U+0007"),
    ("strategy: ddp\r\nsync: \x00", "2:7 yaml-syntax-error", "U+0000"),
    ("strategy: ddp\nstrategy: single", "2:1 yaml-duplicate-key", "`strategy` is given twice"),
    ("trainer: {max_epochs: 1, max_epochs: 2}", "1:26 yaml-duplicate-key", "`max_epochs` is given twice"),
    ("data: &d {a: 1, <<: *d}", "1:17 yaml-alias-in-itself", "Write the value out"),
    ("data: &d {a: *d}", "1:11 yaml-alias-in-itself", "Write the value out"),
    ("data: {<<: 5}", "1:8 yaml-bad-merge", "mappings only"),
    ("data: {? [a, b] : 5}", "1:10 yaml-bad-key", "plain word"),
    ("data: {? {a: b} : 5}", "1:10 yaml-bad-key", "plain word"),
    ("data: !!python/object/apply:os.system [ls]", "1:7 yaml-tag", "`!!python/object/apply:os.system`"),
    ("data: !thing {}", "1:7 yaml-tag", "`!thing`"),
    ("data: {a: !!binary aGk=}", "1:11 yaml-tag", "`!!binary`"),
    ("data: {a: !!set {b}}", "1:11 yaml-tag", "`!!set`"),
    ("data: {a: !!str [b]}", "1:11 yaml-tag", "`!!str`"),
    ("data: {a: !!int b}", "1:11 yaml-bad-scalar", "`int`"),
    ("data: {a: !!int ''}", "1:11 yaml-bad-scalar", "`int`"),
    ("data: {a: !!bool 3}", "1:11 yaml-bad-scalar", "`bool`"),
    ("data: {a: !!float x}", "1:11 yaml-bad-scalar", "`float`"),
    ("data: {a: 0b_}", "1:11 yaml-bad-scalar", "`int`"),
    ("data: {a: " + "1" * 5000 + "}", "1:11 yaml-bad-scalar", "`int`"),
    ('data: {a: "\\uD800"}', "1:11 yaml-surrogate", "surrogate"),
    ('data: {"\\uD800": 1}', "1:8 yaml-surrogate", "surrogate"),
    ("ddp", "1:1 spec-not-a-mapping", "`strategy: ddp`"),
    ("- ddp", "1:1 spec-not-a-mapping", "`name: value`"),
    ("5", "1:1 spec-not-a-mapping", "`name: value`"),
    (b"strategy: \xff", "1:1 yaml-undecodable", "UTF-8"),
    ("strategy: ddp".encode("utf-16"), "1:1 yaml-undecodable", "UTF-8"),
    (b"\x7fELF\x00\x01", "1:1 yaml-syntax-error", "U+007F"),
    ("[" * 5000, "1:1 yaml-too-deep", "nested"),
    ("# " + "x" * 300_000, "1:1 yaml-too-large", "256 KiB"),
]


@pytest.mark.parametrize(("text", "place", "message"), REFUSED, ids=[str(row[0])[:40] for row in REFUSED])
def test_refused_with_its_place(text: str | bytes, place: str, message: str) -> None:
    found = errors(text)
    assert [at for at, _ in found] == [place]
    assert message in found[0][1]


def test_all_errors_are_collected_in_the_order_of_their_places() -> None:
    found = errors("sync: x\ntrainer: {max_epoch: 1, max_steps: x}\nddp: {a: 1}\nddp: {}\nlogger: !x y\n")
    assert [place for place, _ in found] == [
        "1:7 invalid-setting",
        "2:11 trainer-setting",
        "2:36 trainer-setting",
        "3:7 unknown-setting",
        "4:1 yaml-duplicate-key",
        "5:9 yaml-tag",
    ]


def test_the_source_line_is_marked() -> None:
    with pytest.raises(CompileError) as failure:
        load("# a\nddp:\n  static_graf: true\n")
    assert str(failure.value).splitlines()[1:] == ["    3 |   static_graf: true", "          ^^^^^^^^^^^"]


def test_aliases_do_not_expand_without_end() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert [place.split()[1] for place, _ in errors("\n".join(lines))] == ["yaml-expands-too-far"]


def test_merges_do_not_expand_without_end() -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}" for i in range(1, 12)]
    assert [place.split()[1] for place, _ in errors("\n".join(lines))] == ["yaml-expands-too-far"]


def test_many_errors_are_cut_off() -> None:
    assert len(errors("\n".join(f"key{i}: 1" for i in range(5000)))) == 100
    assert len(errors("\n".join("strategy: ddp" for _ in range(5000)))) == 100


# ---- presets and files -----------------------------------------------------------------------------------


def test_presets() -> None:
    listed = dict(preset_list())
    assert list(listed) == sorted(listed)
    assert {"ddp", "single", "ddp-multi-sync", "ddp-forced-sync", "ddp-unused-parameters"} < listed.keys()
    assert all(10 < len(line) < 120 and line.endswith(".") and line[0] != "#" for line in listed.values())


@pytest.mark.parametrize("name", [name for name, _ in preset_list()])
def test_each_preset_loads(name: str) -> None:
    loaded = load_spec(name)
    assert (loaded.name, loaded.path) == (name, None)
    assert check_combinations(loaded, 4) == []
    assert loaded.span("strategy").path == f"ddpgen/strategies/presets/{name}.yaml"


def test_ddp_is_the_default() -> None:
    assert load_spec("ddp").spec == StrategySpec()


@pytest.mark.parametrize(("name", "close"), [("dpd", "Did you mean `ddp`?"), ("sngle", "`single`"), ("", "")])
def test_unknown_strategy(name: str, close: str) -> None:
    with pytest.raises(CompileError) as failure:
        load_spec(name)
    (found,) = failure.value.diagnostics
    assert found.code == "unknown-strategy"
    assert close in found.message
    assert "`ddp-static-graph`" in found.message


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "big run.yaml").write_text("strategy: single")
    (tmp_path / "bare").write_text("strategy: single")
    (tmp_path / "single").write_text("strategy: ddp")
    loaded = load_spec("big run.yaml")
    assert (loaded.name, loaded.path, loaded.span("strategy").path) == (
        "big run",
        "big run.yaml",
        "big run.yaml",
    )
    assert load_spec(str(tmp_path / "bare")).name == "bare"
    assert load_spec("bare").spec.strategy is Strategy.SINGLE
    assert load_spec("single").path is None, "a preset's name is the preset, whatever lies in the directory"
    assert load_spec("./single").spec.strategy is Strategy.DDP


@pytest.mark.parametrize(
    "path", ["none.yaml", "no/such/file", ".", "/", "x" * 5000 + ".yaml", "\0.yaml", "\0"]
)
def test_unreadable_files(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CompileError) as failure:
        load_spec(path)
    assert failure.value.diagnostics[0].code in ("spec-unreadable", "unknown-strategy")


def test_an_endless_file_is_no_spec() -> None:
    with pytest.raises(CompileError, match="no regular file"):
        load_spec("/dev/zero")


def test_places() -> None:
    loaded = load("strategy: ddp\ntrainer:\n  max_epochs: 10\nmodel: {lr: 0.1}\nlogger:\n- jsonl\ndata:\n")
    span = loaded.span("trainer.max_epochs")
    assert (span.line, span.column, span.end_column) == (3, 15, 17)
    assert loaded.place("trainer.max_epochs")[1] == "  max_epochs: 10"
    assert loaded.key_place("trainer.max_epochs")[0].column == 3
    assert loaded.span("trainer.max_steps").line == 2
    assert loaded.span("model.init_args.lr").column == 13
    assert loaded.span("model.class_path").line == 4
    assert (loaded.span("logger").line, loaded.span("data").line, loaded.span("ddp").line) == (5, 7, 1)
    assert loaded.is_given("trainer.max_epochs")
    assert not loaded.is_given("trainer.max_steps")
    assert not loaded.is_given("ddp.static_graph")


# ---- combinations with the code --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "accumulates", "codes"),
    [
        ("ddp: {static_graph: true}", False, []),
        ("ddp: {static_graph: true}", True, ["static-graph-needs-multi-auto-sync"]),
        ("ddp: {static_graph: true}\nsync: multi_auto_sync", True, []),
        ("sync: forced_sync", True, []),
        ("", True, []),
    ],
)
def test_combinations_with_the_code(text: str, accumulates: bool, codes: list[str]) -> None:
    found = check_combinations(load(text), accumulates)
    assert [diagnostic.code for diagnostic in found] == codes
    assert all(diagnostic.span and diagnostic.span.line == 1 for diagnostic in found)


# ---- the Trainer's arguments -----------------------------------------------------------------------------


def _parameters(package: str, file: str, owner: str) -> set[str]:
    """The parameters of `owner`'s constructor, read without importing it."""
    found = find_spec(package)
    assert found is not None
    assert found.submodule_search_locations is not None
    tree = ast.parse(Path(found.submodule_search_locations[0], file).read_text("utf-8"))
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == owner)
    init = next(node for node in next(classes).body if getattr(node, "name", "") == "__init__")
    assert isinstance(init, ast.FunctionDef)
    return {argument.arg for argument in init.args.args + init.args.kwonlyargs} - {"self"}


def test_every_argument_of_lightnings_trainer_is_known() -> None:
    assert _parameters("lightning", "pytorch/trainer/trainer.py", "Trainer") == TRAINER_ARGUMENTS


def test_every_argument_of_ddp_is_a_setting_or_left_out_on_purpose() -> None:
    arguments = _parameters("torch", "nn/parallel/distributed.py", "DistributedDataParallel")
    assert not LEFT_OUT_OF_DDP.keys() & DdpSettings.model_fields.keys()
    assert arguments == LEFT_OUT_OF_DDP.keys() | DdpSettings.model_fields.keys() - BESIDE_DDP


def test_torch_does_not_wait_for_what_it_delays() -> None:
    """Which is why there is no such setting; where this fails, torch may have mended it."""
    code = inspect.getsource(DistributedDataParallel._delayed_all_reduce_hook)
    assert "async_op=True" in code
    assert "wait" not in code


def test_every_argument_of_power_sgd_is_a_setting() -> None:
    taken = inspect.signature(PowerSGDState).parameters
    defaults = {name: taken[name].default for name in taken if name != "process_group"}
    assert [*defaults.items()] == [
        (name, field.default) for name, field in PowerSgdSettings.model_fields.items()
    ]


def test_ddp_arguments_to_write() -> None:
    assert DdpSettings().arguments() == {"gradient_as_bucket_view": True}
    written = {"broadcast_buffers": False, "bucket_cap_mb_list": (1,), "forward_sync_buffers": False}
    settings = DdpSettings.model_validate({**written, "gradient_as_bucket_view": False, "init_sync": True})
    assert settings.arguments() == written


def test_arguments_of_a_call_are_sorted() -> None:
    read = read_trainer_arguments(
        {
            "max_epochs": 3,
            "limit_val_batches": 1,
            "precision": "8",
            "strategy": "ddp",
            "logger": False,
            "callbacks": [],
            "profiler": "simple",
            "plugins": "x",
            "gpus": 1,
            "max_step": 5,
        }
    )
    assert read.settings.model_fields_set == {"max_epochs", "limit_val_batches"}
    assert [dropped.name for dropped in read.dropped] == ["strategy", "logger", "profiler"]
    assert [problem.name for problem in read.problems] == ["precision", "plugins", "gpus", "max_step"]
    assert read.problems[-1].sentence.endswith("Did you mean `max_steps`?")


def test_what_the_spec_gives_wins_over_the_code() -> None:
    code = TrainerSettings(max_epochs=3, gradient_clip_val=1.0)
    merged = code.overridden_by(load("trainer: {gradient_clip_val: null, max_steps: 5}").spec.trainer)
    assert (merged.max_epochs, merged.gradient_clip_val, merged.max_steps) == (3, None, 5)
    assert merged.model_fields_set == {"max_epochs", "gradient_clip_val", "max_steps"}


def test_validation_by_batches_alone() -> None:
    code = TrainerSettings(check_val_every_n_epoch=None)
    assert code.conflict() is None
    assert TrainerSettings(check_val_every_n_epoch=None, val_check_interval=5).conflict() is None
    assert code.overridden_by(TrainerSettings(val_check_interval=1.0)).conflict() is not None


# ---- anything at all -------------------------------------------------------------------------------------

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=300)

NAMES = [
    *StrategySpec.model_fields,
    *DdpSettings.model_fields,
    *TRAINER_ARGUMENTS,
    *("class_path", "init_args", "backend", "timeout", "dir", "every_n_epochs", "fused", "<<", "gpus"),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(max_size=5),
    st.dates(),
    st.sampled_from(["ddp", "single", "forced_sync", "32-true", "10m", "jsonl", "warn", "norm", "a.B"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(NAMES) | SCALARS, inner, max_size=4),
    max_leaves=8,
)
SPECS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
SNIPPETS = st.lists(
    st.sampled_from(
        [*NAMES, *":,-?*&!|>%@`'\"#[]{}\n\t \\", "\n  ", ": ", "- ", "&a ", "*a", "<<: ", "!!", "1e3"]
    )
    | st.characters(),
    max_size=40,
).map("".join)


def ends_well(data: bytes) -> None:
    """`data` is a spec, or ends in diagnostics that can be shown in each form and point into the file."""
    diagnostics: tuple[Diagnostic, ...] = ()
    try:
        loaded = parse_spec("x", None, "x.yaml", data)
        assert isinstance(loaded.spec, StrategySpec)
        assert check_combinations(loaded, 2) is not None
    except CompileError as failure:
        diagnostics = failure.diagnostics
    lines = data.decode("utf-8", "replace").splitlines()
    for found in diagnostics:
        assert found.span is not None
        assert 1 <= found.span.line <= len(lines) + 1
        assert len(found.message) < 600
    for form in FORMS:
        format_all(diagnostics, form).encode()


@RELAXED
@given(st.binary(max_size=200))
def test_any_bytes_end_well(data: bytes) -> None:
    ends_well(data)


@RELAXED
@given(SNIPPETS)
@example("a: &a {<<: *a}")
@example("? ? ?")
@example("%YAML 3.0\n--- x")
@example("%TAG ! !\n--- !x y")
@example("{? {a: 1} : 2, <<: {b: 1}}")
@example("'a': {'1': 2, 1: 3}")
def test_any_text_ends_well(text: str) -> None:
    ends_well(text.encode("utf-8", "surrogatepass"))


@RELAXED
@given(SPECS)
def test_any_yaml_ends_well(data: dict[str, Any]) -> None:
    ends_well(yaml.dump(data, allow_unicode=True).encode("utf-8", "surrogatepass"))


@RELAXED
@given(st.sampled_from(REFUSED), st.integers(0, 80), st.integers(0, 80), st.sampled_from(REFUSED))
def test_spliced_specs_end_well(first: Any, end: int, start: int, second: Any) -> None:
    pieces = [piece if isinstance(piece, bytes) else piece.encode() for piece in (first[0], second[0])]
    ends_well(pieces[0][:end] + pieces[1][start : start + 200])


@pytest.mark.processes
def test_reading_a_spec_does_not_import_torch() -> None:
    code = "import sys; from ddpgen.spec.load import load_spec; load_spec('ddp'); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_plugin_that_synchronizes_batch_norms() -> None:
    plugins = [{"class_path": "lightning.pytorch.plugins.TorchSyncBatchNorm"}, "SLURMEnvironment"]
    read = read_trainer_arguments({"plugins": plugins})
    assert read.settings.sync_batchnorm
    assert not read.problems
    assert not read_trainer_arguments({"plugins": plugins[1:]}).settings.sync_batchnorm


@pytest.mark.parametrize(
    ("plugin", "is_told"),
    [
        ("SLURMEnvironment", True),
        ({"class_path": "SLURMEnvironment"}, True),
        ({"class_path": "SLURMEnvironment", "init_args": {"auto_requeue": False}}, False),
        ("LightningEnvironment", False),
    ],
)
def test_a_job_that_slurm_starts_again_is_told_of(plugin: object, is_told: bool) -> None:
    (dropped,) = read_trainer_arguments({"plugins": [plugin]}).dropped
    assert ("With `preemption: {requeue: true}` in the spec, and only then" in dropped.reason) is is_told


def test_an_interval_of_0_does_not_matter_where_nothing_is_validated() -> None:
    settings = TrainerSettings.model_validate({"limit_val_batches": 0, "val_check_interval": 0})
    assert settings.model_fields_set == {"limit_val_batches"}
