"""`Trainer(strategy=...)`: what a strategy asks of DistributedDataParallel becomes the script's (20.1, 20.2)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from worlds import ran

MODEL = """
import sys
from datetime import timedelta
from functools import partial

import lightning as L
import torch
from lightning.pytorch.plugins.environments import SLURMEnvironment
from lightning.pytorch.profilers import AdvancedProfiler
from lightning.pytorch.strategies import DDPStrategy, FSDPStrategy, ModelParallelStrategy, SingleDeviceStrategy
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as post_local_sgd
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power_sgd
from torch.distributed.fsdp import CPUOffload, ShardingStrategy, wrap
from torch.distributed.fsdp import MixedPrecision as MixedPrecisionOfFsdp
from torch.nn.parallel.distributed import _MixedPrecision as MixedPrecision


def averaged(state, bucket):
    return default_hooks.allreduce_hook(None, bucket)


class Sums:
    def __init__(self, first, second=2):
        self.parts = first, second


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2)))


class Own(DDPStrategy):
    def configure_ddp(self):
        super().configure_ddp()


def train():
    count = len(sys.argv)
{strategy}
    trainer = L.Trainer(strategy=strategy, max_epochs=1)
    trainer.fit(Net())


if __name__ == "__main__":
    train()
"""


def build(folder: Path, strategy: str, spec: str = "strategy: ddp\n") -> tuple[str, str]:
    """What the build says, and the script; empty: there is none."""
    lines = "\n".join(f"    {line}" for line in strategy.splitlines())
    (folder / "model.py").write_text(MODEL.replace("{strategy}", lines))
    (folder / "ddp.yaml").write_text(spec)
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "ddp.yaml")]
    said = CliRunner().invoke(main, command, catch_exceptions=False).output
    script = folder / "train_ddp.py"
    return said, script.read_text() if script.exists() else ""


TAKEN = {
    "the default": ('strategy = "auto"', ['strategy = "auto"']),
    "a name": ('strategy = "ddp_spawn_find_unused_parameters_true"', ["find_unused_parameters=True"]),
    "an object": (
        "strategy = DDPStrategy(broadcast_buffers=False, bucket_cap_mb=5)",
        ["broadcast_buffers=False", "bucket_cap_mb=5"],
    ),
    "by a condition": (
        'strategy = DDPStrategy(find_unused_parameters=True) if count > 1 else "auto"',
        ["find_unused_parameters=True", 'strategy = "ddp" if count > 1 else "auto"'],
    ),
    "unused parameters by one of two": (
        "strategy = DDPStrategy(find_unused_parameters=True) if count > 1 else DDPStrategy(static_graph=True)",
        ["step, find_unused_parameters=True, gradient_as_bucket_view=True"],
    ),
    "unused parameters by the first of two Trainers": (
        "L.Trainer(strategy=DDPStrategy(find_unused_parameters=True)).fit(Net())\n"
        "strategy = DDPStrategy(find_unused_parameters=False, bucket_cap_mb=5)",
        ["step, find_unused_parameters=True, gradient_as_bucket_view=True"],
    ),
    "of the process group": (
        'strategy = DDPStrategy(process_group_backend="gloo", timeout=timedelta(minutes=45))',
        ['backend = "gloo"', "timedelta(minutes=45)"],
    ),
    "a graph that stays": (
        "strategy = DDPStrategy(static_graph=True, find_unused_parameters=True)",
        ["static_graph=True"],
    ),
    "a hook": (
        "strategy = DDPStrategy(ddp_comm_hook=default_hooks.fp16_compress_hook)",
        ['if device.type == "cuda":\n            step.register_comm_hook(None, fp16_compress_hook)'],
    ),
    "a hook in bf16": (
        "strategy = DDPStrategy(ddp_comm_hook=default_hooks.bf16_compress_hook)",
        ["require_bf16_collectives()\n            step.register_comm_hook(None, bf16_compress_hook)"],
    ),
    "PowerSGD": (
        "strategy = DDPStrategy(ddp_comm_state=power_sgd.PowerSGDState(None, 2, min_compression_rate=3), "
        "ddp_comm_hook=power_sgd.powerSGD_hook, ddp_comm_wrapper=default_hooks.fp16_compress_wrapper)",
        [
            "PowerSGD(device, matrix_approximation_rank=2, min_compression_rate=3)",
            "fp16_compress_wrapper(powerSGD_hook)",
            "comm_hook.register(step)",
        ],
    ),
    "PowerSGD by a variable": (
        "state = power_sgd.PowerSGDState(process_group=None, warm_start=False)\n"
        "strategy = DDPStrategy(ddp_comm_state=state, ddp_comm_hook=power_sgd.powerSGD_hook)",
        ["PowerSGD(device, warm_start=False)"],
    ),
    "local SGD": (
        "strategy = DDPStrategy(\n"
        "    ddp_comm_state=post_local_sgd.PostLocalSGDState(None, None, 8, False),\n"
        "    ddp_comm_hook=post_local_sgd.post_localSGD_hook,\n"
        "    model_averaging_period=4,\n)",
        [
            "every(4, 8)",
            'if device.type == "cuda":\n            local_sgd.register(step, local_gradients(8, None, False))',
        ],
    ),
    "a period that Lightning has no use for": (
        "strategy = DDPStrategy(model_averaging_period=4)",
        ['strategy = "ddp"'],
    ),
    "a hook of the user's": (
        "strategy = DDPStrategy(ddp_comm_state=Sums(1, second=3), ddp_comm_hook=averaged)",
        ["step.register_comm_hook(Sums(first=1, second=3), averaged)", "def averaged(", "class Sums:"],
    ),
    "a state without a hook": ("strategy = DDPStrategy(ddp_comm_state=Sums(1))", ['strategy = "ddp"']),
    "what torchrun decides": (
        'strategy = DDPStrategy(start_method="fork", cluster_environment=SLURMEnvironment())',
        ['strategy = "ddp"'],
    ),
    "by keywords": (
        'options = {"gradient_as_bucket_view": False}\nstrategy = DDPStrategy(**options)',
        ['strategy = "ddp"'],
    ),
    "none": ("strategy = None if count > 1 else DDPStrategy(bucket_cap_mb=3)", ["bucket_cap_mb=3"]),
    "on one device": ('strategy = SingleDeviceStrategy("cpu")', ['strategy = "auto"']),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_becomes_the_scripts(name: str, tmp_path: Path) -> None:
    strategy, lines = TAKEN[name]
    said, script = build(tmp_path, strategy)
    assert "error" not in said
    for line in lines:
        assert line in script


def test_a_view_that_is_turned_off(tmp_path: Path) -> None:
    _, script = build(tmp_path, "strategy = DDPStrategy(gradient_as_bucket_view=False)")
    assert "gradient_as_bucket_view=True" not in script


def test_the_spec_wins(tmp_path: Path) -> None:
    spec = "strategy: ddp\nddp: {find_unused_parameters: false, bucket_cap_mb: 2}\n"
    _, script = build(tmp_path, "strategy = DDPStrategy(find_unused_parameters=True, bucket_cap_mb=9)", spec)
    assert "bucket_cap_mb=2" in script
    assert "find_unused_parameters=True" not in script


OWN_DDP = 'strategy = Own(find_unused_parameters=True) if count > 1 else "auto"'


def test_the_spec_replaces_a_class_of_the_users(tmp_path: Path) -> None:
    said, text = build(tmp_path, OWN_DDP, "strategy: ddp\ntrainer: {strategy: ddp}\n")
    assert 'strategy = "ddp" if count > 1 else "auto"' in text, said
    assert "class Own" not in text
    assert "find_unused_parameters" not in text
    said, _ = build(tmp_path, OWN_DDP)
    assert "error[strategy-unsupported]: `Own` is not supported yet" in said


def test_the_specs_hook_is_for_all_devices(tmp_path: Path) -> None:
    spec = "strategy: ddp\nddp: {comm_hook: {hook: averaged, wrapper: fp16}}\n"
    strategy = "strategy = DDPStrategy(ddp_comm_hook=[default_hooks.fp16_compress_hook, None][count])"
    said, script = build(tmp_path, strategy, spec)
    assert "error" not in said
    assert "\n        step.register_comm_hook(None, fp16_compress_wrapper(averaged))" in script


def test_a_hook_in_lightning_clis_file(tmp_path: Path) -> None:
    hooks = "torch.distributed.algorithms.ddp_comm_hooks"
    state = f"{{class_path: {hooks}.powerSGD_hook.PowerSGDState, init_args: {{process_group: null, random_seed: 5}}}}"
    given = f"{{ddp_comm_state: {state}, ddp_comm_hook: {hooks}.powerSGD_hook.powerSGD_hook}}"
    strategy = f"{{class_path: lightning.pytorch.strategies.DDPStrategy, init_args: {given}}}"
    said, script = build(tmp_path, 'strategy = "auto"', f"strategy: ddp\ntrainer: {{strategy: {strategy}}}\n")
    assert "the hook is for CUDA devices alone" in said
    assert "PowerSGD(device, random_seed=5)" in script


@pytest.mark.parametrize("key", ["broadcast_buffers: false", "bucket_cap_mb: 3"])
def test_one_that_the_spec_describes(key: str, tmp_path: Path) -> None:
    """As LightningCLI's files do."""
    given = f"{{class_path: lightning.pytorch.strategies.DDPStrategy, init_args: {{{key}}}}}"
    said, script = build(tmp_path, 'strategy = "auto"', f"strategy: ddp\ntrainer: {{strategy: {given}}}\n")
    assert "strategy-in-spec-taken-over" in said
    assert key.replace(": ", "=").replace("false", "False") in script


SHARDING = {
    "a name": ('strategy = "fsdp_cpu_offload"', ["offload_policy=CPUOffloadPolicy("]),
    "classes": (
        "strategy = FSDPStrategy(auto_wrap_policy={torch.nn.Linear}, sharding_strategy='SHARD_GRAD_OP')",
        ['modules_of(model, "Linear")', "reshard_after_forward=False"],
    ),
    "classes in a policy": (
        "kinds = [Sums, torch.nn.Linear]\n"
        "policy = partial(wrap.transformer_auto_wrap_policy, transformer_layer_cls=kinds)\n"
        "strategy = FSDPStrategy(auto_wrap_policy=policy, activation_checkpointing_policy={torch.nn.Linear})",
        ['modules_of(model, "Sums", "Linear")', "recompute_in_backward("],
    ),
    "a policy of torch's": (
        "strategy = FSDPStrategy(auto_wrap_policy=wrap.ModuleWrapPolicy([torch.nn.Linear]), use_orig_params=True)",
        ['modules_of(model, "Linear")'],
    ),
    "sizes": (
        "policy = partial(wrap.size_based_auto_wrap_policy, min_num_params=100)\n"
        "strategy = FSDPStrategy(auto_wrap_policy=policy, timeout=timedelta(minutes=3))",
        ["modules_from(model, min_params=100)", "timedelta(minutes=3)"],
    ),
    "groups": (
        "strategy = FSDPStrategy(sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=(2, 4))",
        ["mesh_of_several(device, 2)"],
    ),
    "types": (
        "types = MixedPrecisionOfFsdp(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)\n"
        "strategy = FSDPStrategy(mixed_precision=types, cpu_offload=CPUOffload(offload_params=True))",
        ["param_dtype=torch.bfloat16, reduce_dtype=torch.float32", "CPUOffloadPolicy("],
    ),
}
"""FSDPStrategy's arguments, with parts of the script."""


@pytest.mark.parametrize("name", SHARDING)
def test_how_a_model_is_sharded_is_taken_over(name: str, tmp_path: Path) -> None:
    strategy, parts = SHARDING[name]
    said, script = build(tmp_path, strategy, "strategy: fsdp\n")
    assert "error" not in said
    flat = " ".join(script.split())
    assert [part for part in parts if part not in flat] == []


def test_what_precision_mixes_in_is_gathered(tmp_path: Path) -> None:
    """As by Lightning's FSDPStrategy, but where the spec says otherwise."""
    for spec, expected in (("", True), ("fsdp: {mixed_precision: false}\n", False)):
        file = "strategy: fsdp\ntrainer: {precision: bf16-mixed}\n" + spec
        _, script = build(tmp_path, "strategy = FSDPStrategy()", file)
        assert ("mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16)" in script) is expected


def test_the_spec_wins_over_how_a_model_is_sharded(tmp_path: Path) -> None:
    spec = "strategy: fsdp\nfsdp: {wrap: {min_params: 7}, replicate: 2}\n"
    strategy = "strategy = FSDPStrategy(auto_wrap_policy=train, sharding_strategy='HYBRID_SHARD')"
    said, script = build(tmp_path, strategy, spec)
    assert "error" not in said
    assert "modules_from(model, min_params=7)" in script


REFUSED = {
    "a policy of the user's": (
        "strategy = FSDPStrategy(auto_wrap_policy=train)",
        "sharding-argument",
        "`auto_wrap_policy` of this strategy: `fsdp.wrap` in the spec",
        "strategy: fsdp\n",
    ),
    "no sharding": (
        "strategy = FSDPStrategy(sharding_strategy='NO_SHARD')",
        "sharding-argument",
        "`strategy: ddp` in the spec",
        "strategy: fsdp\n",
    ),
    "nodes": (
        "strategy = FSDPStrategy(sharding_strategy='HYBRID_SHARD')",
        "sharding-argument",
        "`fsdp: {replicate: 2}`",
        "strategy: fsdp\n",
    ),
    "sharded states": (
        "strategy = FSDPStrategy(state_dict_type='sharded')",
        "sharding-argument",
        "`checkpoint: {state: sharded}` in the spec",
        "strategy: fsdp\n",
    ),
    "sizes that are known later": (
        "strategy = ModelParallelStrategy(count, 2)",
        "sharding-argument",
        "`model_parallel.data_parallel_size` in the spec",
        "strategy: model_parallel\n",
    ),
    "another way of sharding": (
        "strategy = ModelParallelStrategy(1, 2)",
        "strategy-shards",
        "`strategy: model_parallel`",
        "strategy: fsdp\n",
    ),
    "sharding": ('strategy = "fsdp"', "strategy-shards", "`fsdp`"),
    "sharding by an object": ("strategy = FSDPStrategy()", "strategy-shards", "`FSDPStrategy`"),
    "a class of the user's": ("strategy = Own()", "strategy-unsupported", "`Own`"),
    "a hook that is known later": (
        "strategy = DDPStrategy(ddp_comm_hook=[default_hooks.fp16_compress_hook, None][count])",
        "strategy-argument",
        "`ddp_comm_hook` of this strategy: What it will be is known only when the code runs",
    ),
    "a state that is known later": (
        "strategy = DDPStrategy(ddp_comm_state=power_sgd.PowerSGDState(None, count), "
        "ddp_comm_hook=power_sgd.powerSGD_hook)",
        "strategy-argument",
        "set `ddp: {comm_hook: ...}` in the spec",
    ),
    "a state for which torch has no use": (
        "strategy = DDPStrategy(ddp_comm_state=power_sgd.PowerSGDState(None, start_powerSGD_iter=1), "
        "ddp_comm_hook=power_sgd.powerSGD_hook)",
        "comm-hook-argument",
        "must have a `start_powerSGD_iter` of 2 or more",
    ),
    "a hook that fails": (
        "strategy = DDPStrategy(ddp_comm_hook=power_sgd.batched_powerSGD_hook)",
        "comm-hook-argument",
        "In this strategy, `hook` must be another: torch's `batched_powerSGD_hook` fails",
    ),
    "what torch alone may use": (
        "strategy = DDPStrategy(mixed_precision=MixedPrecision())",
        "ddp-argument-left-out",
        "it is private to torch",
    ),
    "local SGD without a period": (
        "state = post_local_sgd.PostLocalSGDState(None, None, 8)\n"
        "strategy = DDPStrategy(ddp_comm_state=state, ddp_comm_hook=post_local_sgd.post_localSGD_hook)",
        "comm-hook-argument",
        "local SGD lacks its `model_averaging_period`",
    ),
    "local SGD without its hook": (
        "strategy = DDPStrategy(\n"
        "    ddp_comm_state=post_local_sgd.PostLocalSGDState(None, None, 8), model_averaging_period=4\n)",
        "comm-hook-argument",
        "needs both `post_localSGD_hook` and a `PostLocalSGDState`",
    ),
    "local SGD in a group that is known later": (
        "strategy = DDPStrategy(\n"
        "    ddp_comm_state=post_local_sgd.PostLocalSGDState(None, make_group(), 8),\n"
        "    ddp_comm_hook=post_local_sgd.post_localSGD_hook,\n"
        "    model_averaging_period=4,\n)",
        "strategy-argument",
        "set `ddp: {local_sgd: ...}` in the spec",
    ),
    "known later": (
        "strategy = DDPStrategy(broadcast_buffers=count > 1)",
        "strategy-argument",
        "set `ddp: {broadcast_buffers: ...}` in the spec",
    ),
    "what is asked of one": (
        "strategy = DDPStrategy()\nprint(strategy.root_device)",
        "unsupported-lightning-name",
        "`DDPStrategy`",
    ),
}


UNKNOWN = {
    "find_unused_parameters": ("count > 1", "looks for them in each step"),
    "static_graph": ("count > 1", "takes nothing for granted of later steps"),
    "gradient_as_bucket_view": ("count > 1", "keeps gradients in the buckets"),
    "process_group_backend": ('"gloo" if count else "nccl"', "takes the one that torch has for the device"),
    "timeout": ("timedelta(hours=count)", "waits ten minutes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    strategy, code, part, *spec = REFUSED[name]
    said, script = build(tmp_path, strategy, *spec)
    assert f"error[{code}]" in said
    assert part in said
    assert not script


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_known_later_and_changes_nothing_that_is_trained(name: str, tmp_path: Path) -> None:
    argument, sentence = UNKNOWN[name]
    said, script = build(tmp_path, f"strategy = DDPStrategy({name}={argument})")
    assert (
        f"What `{name}` of this strategy will be is known only when the code runs: the script {sentence}"
        in said
    )
    assert "error" not in said
    assert ("find_unused_parameters=True" in script) == (name == "find_unused_parameters")


CHOSEN = """
strategy = "auto"
if count > 1:
    strategy = FSDPStrategy(sharding_strategy="FULL_SHARD")
"""


def test_one_that_is_chosen_ends_the_run(tmp_path: Path) -> None:
    said, script = build(tmp_path, CHOSEN)
    assert (
        "warning[strategy-stops]: The script does not train by `FSDPStrategy`: where this is reached, it"
        in said
    )
    assert 'strategy = other_strategy("FSDPStrategy")' in script
    _, said = ran("train_ddp.py", "one more", folder=tmp_path)
    assert "this script was not built for FSDPStrategy: choose another strategy" in said


def test_one_that_is_never_made(tmp_path: Path) -> None:
    unreached = (
        "if count > 1:\n    raise NotImplementedError\n    strategy = FSDPStrategy()\nstrategy = 'auto'"
    )
    said, script = build(tmp_path, unreached)
    assert "error" not in said
    assert "FSDPStrategy" not in script


def test_one_that_is_made_and_not_chosen(tmp_path: Path) -> None:
    """Making it ends no run; where it may be chosen behind that, nothing could."""
    said, script = build(tmp_path, "large = FSDPStrategy()\nstrategy = large if False else 'auto'")
    assert "error" not in said
    assert "warning[strategy-unchosen]" in said
    assert "large = None" in script
    code = "large = FSDPStrategy()\nstrategy = large if count > 1 else 'auto'"
    said, _ = build(tmp_path, code)
    assert "error[strategy-shards]" in said
    said, script = build(tmp_path, code, "trainer: {strategy: ddp}")
    assert "strategy-unchosen" not in said
    assert "large = None" in script


def test_one_that_is_chosen_in_the_call_is_refused(tmp_path: Path) -> None:
    """Nothing of the argument is left in the script, where it would end the run."""
    said, _ = build(tmp_path, 'strategy = FSDPStrategy() if count > 1 else "auto"')
    assert "strategy-stops" in said
    said, _ = build(tmp_path, 'L.Trainer(strategy=FSDPStrategy() if count > 1 else "auto").fit(Net())')
    assert "error[strategy-shards]: `FSDPStrategy`, which may be chosen here, shards the model" in said


def test_one_that_is_refused_may_be_nothing_else(tmp_path: Path) -> None:
    """Of a choice in which it may be another, the error alone is told."""
    said, _ = build(tmp_path, 'strategy = sys.argv[1] if count > 1 else "deepspeed_stage_2"')
    assert "error[strategy-unsupported]" in said
    assert "strategy-unknown" not in said


@pytest.mark.parametrize(("name", "said_of"), [("ddp", []), ("deepspeed", ["deepspeed"])])
def test_other_texts_of_a_configuration_are_no_strategies(
    name: str, said_of: list[str], tmp_path: Path
) -> None:
    """Code that sets many settings may seem to set them as the strategy, too."""
    code = f"""options = {{}}
for key, value in [("strategy", "{name}"), ("encoder", "esm2")]:
    options[key] = value
strategy = options["strategy"]"""
    said, _ = build(tmp_path, code)
    assert re.findall(r"error\[[\w-]+\]: `([^`]*)`", said) == said_of


def test_no_advice_is_given_that_is_followed(tmp_path: Path) -> None:
    advice = "set `ddp: {find_unused_parameters: true}`"
    code = "strategy = DDPStrategy(find_unused_parameters=True) if count > 1 else sys.argv[1]"
    said, _ = build(tmp_path, code)
    assert "strategy-unknown" in said
    assert advice not in said
    assert advice in build(tmp_path, code.replace("True", "False"))[0]
    spec = "strategy: ddp\nddp: {find_unused_parameters: true}\n"
    assert advice not in build(tmp_path, code.replace("True", "False"), spec)[0]


def test_the_spec_answers_what_is_known_later(tmp_path: Path) -> None:
    spec = "strategy: ddp\nddp: {broadcast_buffers: false}\n"
    _, script = build(tmp_path, "strategy = DDPStrategy(broadcast_buffers=count > 1)", spec)
    assert "broadcast_buffers=False" in script


def test_other_objects_that_are_left_out(tmp_path: Path) -> None:
    said, script = build(tmp_path, 'profiler = AdvancedProfiler(".", "p")\nprint(profiler)\nstrategy = "ddp"')
    assert "error" not in said
    assert "profiler = None" in script


# ---- in the spec, as LightningCLI has it -----------------------------------------------------------------

NOT_IN_SPEC = {
    "one that shards": ("fsdp", "strategy-in-spec-shards"),
    "one of another library": ("deepspeed_stage_2", "strategy-in-spec-unsupported"),
    "a class that shards": (
        "{class_path: lightning.pytorch.strategies.ModelParallelStrategy}",
        "strategy-in-spec-shards",
    ),
    "a class of one's own": ("{class_path: model.Slow}", "strategy-in-spec-unsupported"),
    "an argument that the script has not": (
        "{class_path: DDPStrategy, init_args: {delay_all_reduce_named_params: []}}",
        "strategy-in-spec-argument",
    ),
}


@pytest.mark.parametrize("name", NOT_IN_SPEC)
def test_what_is_refused_in_the_spec(name: str, tmp_path: Path) -> None:
    strategy, code = NOT_IN_SPEC[name]
    said, script = build(tmp_path, 'strategy = "ddp"', f"strategy: ddp\ntrainer: {{strategy: {strategy}}}\n")
    assert f"ddp.yaml:2:11: error[{code}]" in said
    assert not script


@pytest.mark.parametrize(
    ("strategy", "asked"),
    [
        ("ddp_spawn", ""),
        ("null", ""),
        ("DDPStrategy", ""),
        (
            "{class_path: DDPStrategy, init_args: {static_graph: true, start_method: popen}}",
            "static_graph=True",
        ),
        ("{class_path: SingleDeviceStrategy, init_args: {accelerator: null}}", ""),
    ],
)
def test_what_is_taken_from_the_spec(strategy: str, asked: str, tmp_path: Path) -> None:
    said, script = build(tmp_path, 'strategy = "fsdp"', f"strategy: ddp\ntrainer: {{strategy: {strategy}}}\n")
    assert "error" not in said
    assert asked in script
