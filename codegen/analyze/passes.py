"""The plans of single passes over the data of a stage."""

from __future__ import annotations

from ..ir.plans import Lines, PassPlan
from .facts import Facts
from .model_facts import TRANSFER_HOOKS
from .stages import Stage, index_argument
from .steps import takes_batch_idx


def step_arguments(facts: Facts, stage: Stage, several: bool) -> str:
    """What a stage's step is given."""
    method = facts.model.methods.get(stage.step)
    if method is None or not takes_batch_idx(method):
        return "batch"
    return f"batch, batch_idx{index_argument(facts.model, stage.step, several)}"


def transfer_lines(facts: Facts, data: str = "data", several: bool = False) -> Lines:
    """A batch on its way to the device; `data` is the variable of the data module, if any."""
    owners = (facts.owner_of(hook) for hook in TRANSFER_HOOKS)
    before, move, after = (owner if owner != "data" or data else None for owner in owners)
    index = "dataloader_idx" if several else "0"
    lines = [f"batch = {before}.on_before_batch_transfer(batch, {index})"] if before else []
    moved = f"{move}.transfer_batch_to_device(batch, device, {index})" if move else "to_device(batch, device)"
    if facts.has_tensor_batches:
        moved = "[tensor.to(device, non_blocking=True) for tensor in batch]"
    lines.append(f"batch = {moved}")
    return (*lines, *([f"batch = {after}.on_after_batch_transfer(batch, {index})"] if after else []))


def begin_loader(facts: Facts, stage: Stage, logs: bool, several: bool) -> Lines:
    """Tell the logs which of several loaders the batches come from."""
    if not (several and logs):
        return ()
    forget = ("logs.step_values = {}",) if facts.logging.by_step_of(stage) else ()
    return ("logs.dataloader_idx = dataloader_idx if len(loaders) > 1 else None", *forget)


def end_loader(facts: Facts, logs: bool, several: bool) -> Lines:
    """Take the values of a loader when it has come to its end."""
    return ("logs.compute()",) if several and logs else ()


def begin_batch(facts: Facts, logs: bool) -> Lines:
    """Tell the logs what values weigh."""
    told = facts.logged_batch if logs else None
    return (f"logs.{told[0]} = {told[1]}",) if told else ()


def end_batches(facts: Facts, stage: Stage, logs: bool, several: bool) -> Lines:
    """After the batches, log() is for the whole."""
    told = facts.logged_batch if logs else None
    lines = ["logs.dataloader_idx = None"] if several and logs else []
    if told and (facts.logging.around(stage) or facts.reads_callback_metrics):
        lines.append(f"logs.{told[0]} = None  # after the batches, log() weighs nothing")
    elif told and told[0] == "batch":
        lines.append("logs.batch = None")
    return tuple(lines)


def in_stage(facts: Facts, stage: str) -> Lines:
    """Have the trainer know what is being done, where it is asked."""
    return (f'trainer.stage = "{stage}"',) if "stage" in facts.trainer_fields else ()


def step_values(facts: Facts) -> str:
    """What loggers are told of a single step."""
    hides = "logger" not in facts.logging.unused_options
    return "logs.written(logs.step_values)" if hides else "logs.step_values"


def pass_plan(
    facts: Facts,
    stage: Stage,
    *,
    called: str,
    evaluated: str,
    batches: str,
    outputs: str | None,
    after_batch: Lines,
    logs: bool,
    write: Lines,
    data: str = "data",
) -> PassPlan:
    """The plan of a pass; `called` is what is called for each batch."""
    several = facts.has_several(stage)
    return PassPlan(
        stage=stage.name,
        evaluated=evaluated,
        several=several,
        begin_loader=begin_loader(facts, stage, logs, several),
        end_loader=end_loader(facts, logs, several),
        batches=batches,
        looks_ahead=batches.startswith("lookahead("),
        transfer=transfer_lines(facts, data, several),
        begin_batch=begin_batch(facts, logs),
        end_batches=end_batches(facts, stage, logs, several),
        outputs=outputs,
        step_call=f"{called}({step_arguments(facts, stage, several)})",
        after_batch=after_batch,
        logs=logs,
        write=write,
    )
