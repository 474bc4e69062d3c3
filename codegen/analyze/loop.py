"""The plans of the training loop and of validation."""

from __future__ import annotations

import re

from ..script import DATA, MODEL, Lines, LoopPlan, ValidationPlan
from ..spec_sections import SyncMode
from .evaluation_loaders import (
    cut_short,
    limit_of,
    loader_lines,
    loaders_told,
    names_of,
    prepared,
    set_epoch_lines,
)
from .facts import Facts
from .hooks import callback_lines
from .manual_plans import manual_step, options_of, shared_backward
from .optimizers import indented, schedule_lines, under
from .passes import pass_plan, transfer_lines
from .stages import VALIDATE

ACCUMULATE = "config.accumulate_grad_batches"
WINDOW = "window"


# ---- loaders ---------------------------------------------------------------------------------------------


def train_loader_lines(facts: Facts) -> Lines:
    made = prepared(facts, facts.train, facts.train.call, "True")
    lines = [f"train_loader = {made}"] if made != "train_loader" else []
    if facts.train.together:
        lines = _combined_loader_lines(facts)
    if "train_dataloader" in facts.trainer_fields:
        value = "train_loader.iterables" if facts.train.together else "train_loader"
        lines.append(f"trainer.train_dataloader = {value}")
    if needs_count(facts):
        lines.append(f"num_batches = {batch_count(facts)}")
    if "num_training_batches" in facts.trainer_fields:
        lines.append(f"trainer.num_training_batches = {'num_batches' if facts.is_sized else repr('inf')}")
    if facts.loader_first:
        lines.append(f"trainer.estimated_stepping_batches = {stepping_batches(facts)}")
    return tuple(line.replace("= 'inf'", '= float("inf")') for line in lines)


def _combined_loader_lines(facts: Facts) -> list[str]:
    """Loaders that are read together, each of them made as one alone would be."""
    each = prepared(facts, facts.train, "loader", "True")
    lines = [f"train_loader = combined({facts.train.call})"]
    if each != "loader":
        lines.append(f"train_loader.prepare(lambda loader: {each})")
    if facts.settings.limit_train_batches != 1.0 or facts.limits_by_count:
        limit = "limited(len(loader), config.limit_train_batches)"
        lines.append(f"train_loader.limits = [{limit} for loader in train_loader.loaders]")
    return lines


def needs_count(facts: Facts) -> bool:
    """Whether the loop has to know the number of batches."""
    asked = "num_training_batches" in facts.trainer_fields or (
        facts.loader_first and "num_batches" in stepping_batches(facts)
    )
    limits = facts.settings.limit_train_batches != 1.0 or facts.limits_by_count or facts.train.stops_exactly
    limits = limits or facts.train.together
    inside = (facts.ends_epoch_inside or facts.saves_inside) and needs_last_batch(facts)
    return facts.is_sized and bool(facts.accumulates or asked or limits or inside)


def needs_last_batch(facts: Facts) -> bool:
    """Whether the loop tells an epoch's last batch from the others."""
    schedule = facts.form.schedule
    if facts.saves_inside:
        return True
    by_epoch = not facts.form.is_sure or (schedule is not None and schedule.interval == "epoch")
    return facts.accumulates or facts.validates_inside or (facts.ends_epoch_inside and by_epoch)


def batch_count(facts: Facts) -> str:
    if facts.train.together:
        return "len(train_loader)"
    if facts.train.dataset == "unsized":
        return "config.limit_train_batches"
    if facts.limits_by_count:
        return "min(len(train_loader), config.limit_train_batches)"
    if facts.is_expression("limit_train_batches"):
        return "limited(len(train_loader), config.limit_train_batches)"
    if facts.settings.limit_train_batches != 1.0:
        return "int(len(train_loader) * config.limit_train_batches)"
    return "len(train_loader)"


def stepping_batches(facts: Facts) -> str:
    if not facts.is_sized or facts.settings.max_epochs == -1:
        if facts.is_expression("max_steps"):
            return "all_steps(0, -1, config.max_steps)"
        return "config.max_steps" if facts.has_max_steps else 'float("inf")'
    steps = f"math.ceil(num_batches / {ACCUMULATE})" if facts.sets_accumulation else "num_batches"
    if facts.is_expression("max_epochs") or facts.is_expression("max_steps"):
        epochs, most = end_of_training(facts)
        return f"all_steps({steps}, {epochs}{f', {most}' if most != '-1' else ''})"
    total = f"{steps} * config.max_epochs"
    if not has_max_epochs(facts):
        return "config.max_steps"
    return f"min({total}, config.max_steps)" if facts.has_max_steps else total


def has_max_epochs(facts: Facts) -> bool:
    """Whether the number of epochs is limited."""
    epochs = facts.settings.max_epochs
    return epochs != -1 and not (epochs is None and facts.has_max_steps)


def is_last_batch(facts: Facts) -> str:
    return "batch_idx + 1 == num_batches" if facts.is_sized else "is_last_batch"


# ---- the loop --------------------------------------------------------------------------------------------


def loop_plan(
    facts: Facts, update: Lines, before_update: Lines, backward: Lines, zero_grad: Lines
) -> LoopPlan:
    """The plan of the training loop."""
    header = batches_expression(facts)
    bar_total = ", total=num_batches" if "islice" in header else ""
    starts_early = facts.starts_early
    source = "batches" if starts_early else header
    in_closure = _before_update_in_closure(facts, before_update)
    shown = "ranks.is_main"
    if facts.is_expression("enable_progress_bar"):
        shown = "(config.enable_progress_bar and ranks.is_main)"
    bar = f'bar = tqdm({source}, f"epoch {{epoch}}"{bar_total}, disable=not {shown} or None)'
    return LoopPlan(
        epochs=_epochs(facts),
        train_loader=train_loader_lines(facts),
        loader_first=facts.loader_first,
        early_iterator=(f"batches: Iterator[Any] | None = iter({header})",) if starts_early else (),
        later_iterator=("if batches is None:", f"    batches = iter({header})") if starts_early else (),
        drop_iterator=("batches = None",) if starts_early else (),
        bar=(bar,) if facts.shows_bar else (),
        batches="bar" if facts.shows_bar else source,
        batch_target="(batch, is_last_batch)" if not facts.is_sized else "batch",
        accumulates=facts.accumulates,
        window=(
            (f"{WINDOW} = {ACCUMULATE}",)
            if facts.sets_accumulation and not facts.schedules_accumulation
            else ()
        ),
        epochs_window=(
            (f"{WINDOW} = trainer.accumulate_grad_batches",) if facts.schedules_accumulation else ()
        ),
        is_last=is_last_line(facts),
        wraps=wrapper(facts),
        sync=sync_context(facts),
        step=step_lines(facts),
        loss_may_be_none=facts.output == "any" and facts.manual is None,
        backward=backward,
        zero_grad=zero_grad,
        uses_closure=facts.uses_closure,
        closure_parameters=_closure_parameters(
            " ".join((*step_lines(facts), *zero_grad, *backward, *in_closure)), facts.accumulates
        ),
        closure_result=("outputs: Any = {}",) if _tells_outputs(facts) else (),
        closure_scope=("nonlocal outputs",) if _tells_outputs(facts) else (),
        closure_end=(f"outputs = {step_outputs(facts)}",) if _tells_outputs(facts) else (),
        before_update_in_closure=in_closure,
        update=update,
        logs_now=_logs_now(facts),
        step_count=step_count(facts),
        stop_inside=_stop(facts, "epoch") if facts.stops_inside else (),
        stop=_stop(facts, "epoch + 1") if facts.may_stop else (),
        steps_reached=facts.steps_reached if facts.has_max_steps else None,
        ends_epoch_inside=facts.ends_epoch_inside,
        set_epoch=train_epoch_lines(facts),
        transfer=transfer_lines(facts),
        batches_seen=_counts_of_batches(facts),
        count_batch=("batches_seen += 1",) if facts.counts_batches else (),
        no_last_batch=_no_last_batch(facts),
    )


def _epochs(facts: Facts) -> str:
    """What the outer loop iterates."""
    if has_open_end(facts):
        epochs, steps = end_of_training(facts)
        return f"epochs_from(first_epoch, {epochs}{f', {steps}' if steps != '-1' else ''})"
    return (
        "range(first_epoch, config.max_epochs)" if has_max_epochs(facts) else "itertools.count(first_epoch)"
    )


def has_open_end(facts: Facts) -> bool:
    """Whether the number of epochs is known only when the script runs."""
    open_steps = facts.settings.max_epochs is None and facts.is_expression("max_steps")
    return facts.is_expression("max_epochs") or open_steps


def end_of_training(facts: Facts) -> tuple[str, str]:
    """The limits of epochs and of steps, as code."""
    return (
        "config.max_epochs" if has_max_epochs(facts) else str(facts.settings.max_epochs),
        "config.max_steps" if facts.has_max_steps else "-1",
    )


def step_count(facts: Facts) -> str:
    """The variable whose steps values are logged under: in manual optimization, Lightning counts batches."""
    writes = facts.writers or facts.writes_evaluations
    return "batches_done" if facts.manual and writes else "global_step"


def _counts_of_batches(facts: Facts) -> Lines:
    names = ["batches_seen"] if facts.counts_batches else []
    names += ["batches_done"] if step_count(facts) == "batches_done" else []
    return tuple(f"{name} = 0" for name in names)


def _stop(facts: Facts, epochs: str) -> Lines:
    return f"if {facts.stop_condition(epochs)}:", "    break"


def _logs_now(facts: Facts) -> str:
    """Whether the values of a step are written."""
    due = f"{step_count(facts)} % config.log_every_n_steps == 0"
    if facts.stops_in_batches:
        due = f"({due} or trainer.should_stop)"
    return f"is_last and {due}" if facts.accumulates else due


LOOP_VARIABLES = {"epoch": "int", "batch_idx": "int", "batch": "Any", "is_last": "bool"}


def _closure_parameters(body: str, accumulates: bool) -> str:
    """The variables of the loops that a closure reads, bound to what they are when it is made."""
    words = {*re.findall(r"\w+", body), *(["batch_idx", "is_last"] if accumulates else [])}
    return ", ".join(f"{name}: {kind} = {name}" for name, kind in LOOP_VARIABLES.items() if name in words)


def _no_last_batch(facts: Facts) -> Lines:
    """What holds of an epoch without batches, where something after the batch loop asks."""
    asks = "plateau_epoch" in schedule_lines(facts.form, has_hook=False)
    asks = asks and (facts.has_max_steps or facts.stops_inside)
    return ("is_last_batch = False",) if asks and not facts.is_sized else ()


def _before_update_in_closure(facts: Facts, before_update: Lines) -> Lines:
    if facts.prepares_in_step or not before_update:
        return ()
    return ("if is_last:", *indented(before_update)) if facts.accumulates else before_update


def _tells_outputs(facts: Facts) -> bool:
    return facts.uses_closure and facts.calls("on_train_batch_end")


def step_outputs(facts: Facts) -> str:
    """What `on_train_batch_end` is told of the step."""
    if facts.manual:
        return "manual_outputs(output)"
    if facts.output == "any":
        return "step_outputs(output, loss)"
    return '{**output, "loss": loss.detach()}' if facts.output == "dict" else '{"loss": loss.detach()}'


def skipping_lines(facts: Facts) -> Lines:
    """The hook that may end the epoch; Lightning steps the schedulers all the same."""
    steps = schedule_lines(facts.form, facts.has_hook("lr_scheduler_step"))
    stepped = (*steps.get("after_step", ()), *steps.get("after_epoch", ()))
    callbacks = callback_lines(facts, "on_train_batch_start", "batch, batch_idx")
    return (
        *callbacks,
        "if model.on_train_batch_start(batch, batch_idx) == -1:",
        *indented((*stepped, "break")),
    )


def train_epoch_lines(facts: Facts) -> Lines:
    """Have samplers that order by epoch give each epoch's order."""
    if facts.train.together:
        orders = facts.is_ddp or not facts.train.is_plain
        return ("for loader in train_loader.loaders:", "    set_epoch(loader, epoch)") if orders else ()
    if facts.train.is_plain and facts.settings.use_distributed_sampler:
        sampler = "train_loader.batch_sampler.sampler"
        return ("if ranks.world_size > 1:", f"    {sampler}.set_epoch(epoch)") if facts.is_ddp else ()
    return ("set_epoch(train_loader, epoch)",) if facts.train.dataset == "map" else ()


def batches_expression(facts: Facts) -> str:
    if not facts.is_sized:
        return "lookahead(train_loader)"
    # one request too many would draw once more from a generator or a sampler of the user's
    limited = facts.limits_by_count or facts.settings.limit_train_batches != 1.0 or facts.train.stops_exactly
    limited = limited or facts.train.together
    return "itertools.islice(train_loader, num_batches)" if limited else "train_loader"


def is_last_line(facts: Facts) -> Lines:
    if not facts.accumulates:
        return ()
    return (f"is_last = (batch_idx + 1) % {WINDOW} == 0 or {is_last_batch(facts)}",)


def wrapper(facts: Facts) -> Lines:
    """What DistributedDataParallel is put around."""
    if facts.manual:
        return shared_backward(facts)
    if not facts.is_ddp:
        return ()
    step = "ModelStep" if facts.has_validation else "TrainingStep"
    return (f"step = wrap({step}(model), ranks{options_of(facts.loaded.spec.ddp.arguments())})",)


def sync_context(facts: Facts) -> str | None:
    if not facts.wraps_steps or not (facts.accumulates or facts.sync is SyncMode.FORCED_SYNC):
        return None
    return f"{facts.sync.value}(step, {'is_last' if facts.accumulates else 'is_last=True'})"


def step_lines(facts: Facts) -> Lines:
    arguments = "batch, batch_idx" if facts.steps_take_index else "batch"
    call = f"step({arguments})" if facts.wraps_steps else f"model.training_step({arguments})"
    if facts.manual:
        return manual_step(facts, call, counts=step_count(facts) == "batches_done")
    divided = f" / {WINDOW}" if facts.accumulates else ""
    if facts.output == "any":
        return f"output = {call}", "loss = loss_of(output, ranks)"
    if facts.output == "loss":
        return (f"loss = {call}{divided}",)
    if facts.calls("on_train_batch_end"):
        return f"output = {call}", f'loss = output["loss"]{divided}'
    return (f'loss = {call}["loss"]{divided}',)


def begin_batch(facts: Facts) -> Lines:
    told = facts.logged_batch if facts.logging.in_training else None
    return (f"train_logs.{told[0]} = {told[1]}",) if told else ()


def end_batches(facts: Facts) -> Lines:
    told = facts.logged_batch if facts.logging.in_training else None
    if told is None or not (facts.logging.between_batches or facts.reads_callback_metrics):
        return ()
    return (f"train_logs.{told[0]} = None  # between batches, log() is for the epoch",)


# ---- validation ------------------------------------------------------------------------------------------


def validation_plan(facts: Facts) -> ValidationPlan | None:
    """The plan of validation; None: there is none."""
    if not facts.has_validation or facts.val is None:
        return None
    variable, each = names_of(facts, VALIDATE, "val_loader")
    limit = limit_of(facts, VALIDATE, facts.val, each)
    batches = "lookahead(loader)" if facts.val.dataset == "unsized" and not limit else "loader"
    if facts.has_several(VALIDATE):
        batches = "itertools.islice(loader, limits[dataloader_idx])"
    return ValidationPlan(
        parameters=_parameters(facts),
        loader=_val_loader_lines(facts),
        run=pass_plan(
            facts,
            VALIDATE,
            called="step" if facts.wraps_steps else "model.validation_step",
            evaluated="step" if facts.wraps_steps else "model",
            batches=batches,
            outputs="outputs" if facts.calls("on_validation_batch_end") else None,
            after_batch=_write_steps(facts),
            logs=facts.logging.in_validation,
            write=_write_inside(facts),
        ),
        writes_inside=bool(_write_inside(facts)),
        arguments=_arguments(facts, _val_batches(facts, limit)) + _step_loggers(facts),
        is_due=_is_due(facts),
        interval=_interval_lines(facts),
        due_after=" and ".join(_conditions(facts)) or None,
        shows_with_training=_shows_together(facts),
        set_epoch=set_epoch_lines(facts, VALIDATE, facts.val, variable, "epoch"),
        swaps_logs=facts.logging.in_validation and facts.logging.in_training,
        sets_logs=facts.logging.in_validation and not facts.logging.in_training,
        before=(*_before_validation(facts), *_in_stage(facts, "validate")),
        after=_in_stage(facts, "train"),
        log_step=_log_step(facts),
    )


def _conditions(facts: Facts) -> list[str]:
    """What has to hold for validation in an epoch."""
    conditions = ["config.limit_val_batches != 0"] if facts.is_expression("limit_val_batches") else []
    if (facts.settings.check_val_every_n_epoch or 1) > 1:
        conditions.append("(epoch + 1) % config.check_val_every_n_epoch == 0")
    return conditions


def _log_step(facts: Facts) -> str:
    """The step that the values of validation are logged under."""
    if facts.validates_inside and facts.accumulates:
        return "global_step - 1 if is_last else global_step"
    return f"{step_count(facts)} - 1"


def _write_inside(facts: Facts) -> Lines:
    """Write the values of validation before the last hook, where that may be of the user's."""
    if not (facts.logging.in_validation and facts.writers and facts.own_code_ends_validation):
        return ()
    metrics = "metrics" if "logger" in facts.logging.unused_options else "logs.written(metrics)"
    return "for logger in loggers:", f"    logger.write({metrics}, epoch, log_step)"


def _shows_together(facts: Facts) -> bool:
    logged = facts.logging
    every_epoch = facts.settings.check_val_every_n_epoch == 1 and not facts.validates_inside
    every_epoch = every_epoch and not facts.is_expression("limit_val_batches")
    return every_epoch and logged.in_validation and logged.in_training and logged.by_epoch


def _in_stage(facts: Facts, stage: str) -> Lines:
    """Have the trainer know what is being done, where it is asked."""
    return (f'trainer.stage = "{stage}"',) if "stage" in facts.trainer_fields else ()


def _before_validation(facts: Facts) -> Lines:
    """Gradients, which validation needs no memory for."""
    lines: Lines = ("model.zero_grad()",)
    inside = facts.validates_inside and facts.accumulates
    return ("if is_last:", *indented(lines)) if inside else lines


def _write_steps(facts: Facts) -> Lines:
    """Write what each batch of validation logs for itself."""
    if not facts.logging.by_validation_step:
        return ()
    hides = "logger" not in facts.logging.unused_options
    values = "logs.written(logs.step_values)" if hides else "logs.step_values"
    count = written_batches(facts, "logs") + ("[dataloader_idx]" if facts.has_several(VALIDATE) else "")
    write = f"write_batch({values}, {count})"
    if not facts.given_loggers.are_objects:
        write = f"write({values}, epoch, {count})"
    return "for logger in loggers:", f"    logger.{write}", f"{count} += len(loggers) > 0"


def written_batches(facts: Facts, logs: str) -> str:
    """What counts the batches of validation whose values were written, over all epochs."""
    return f"{logs}.written_of" if facts.has_several(VALIDATE) else f"{logs}.batches_written"


def _parameters(facts: Facts) -> Lines:
    return (
        f"model: {MODEL}",
        *(["step: Any"] if facts.wraps_steps else []),
        *([f"data: {DATA}"] if facts.transfers_by_data else []),
        *(["logs: Logs"] if facts.logging.in_validation else []),
        *(["loaders: Any", "limits: Any"] if facts.has_several(VALIDATE) else ["loader: Any"]),
        "device: torch.device",
        *(["epoch: int = 0", "loggers: tuple[Any, ...] = ()"] if _takes_loggers(facts) else []),
        *(["log_step: int = 0"] if _write_inside(facts) else []),
    )


def _takes_loggers(facts: Facts) -> bool:
    """Whether `validate` itself writes what is logged."""
    return facts.logging.by_validation_step or bool(_write_inside(facts))


def _val_batches(facts: Facts, limit: str | None) -> str:
    """What `validate` runs through: a loader, or several and how many batches of each."""
    if not facts.has_several(VALIDATE):
        return cut_short("val_loader", limit)
    is_stream = facts.val is not None and facts.val.dataset == "unsized"
    return f"val_loaders, [{limit or ('None' if is_stream else 'len(loader)')} for loader in val_loaders]"


def _arguments(facts: Facts, batches: str) -> str:
    step = "step, " if facts.wraps_steps else ""
    data = "data, " if facts.transfers_by_data else ""
    logs = "val_logs, " if facts.logging.in_validation else ""
    return f"model, {step}{data}{logs}{batches}, device"


def _step_loggers(facts: Facts) -> str:
    if not _takes_loggers(facts):
        return ""
    variables = [variable for variable, _ in facts.writers]
    step = f", log_step={_log_step(facts)}" if _write_inside(facts) else ""
    return f", epoch=epoch, loggers=({''.join(f'{variable}, ' for variable in variables)}){step}"


def _sanity(facts: Facts) -> str | None:
    """How many batches of a loader the check before training takes; None: there is none."""
    steps = facts.settings.num_sanity_val_steps
    if steps == 0 or facts.val is None:
        return None
    _, each = names_of(facts, VALIDATE, "val_loader")
    limit = limit_of(facts, VALIDATE, facts.val, each)
    if facts.is_expression("num_sanity_val_steps"):
        count = limit or ("None" if facts.val.dataset == "unsized" else f"len({each})")
        return f"sanity_steps(config.num_sanity_val_steps, {count})"
    if steps == -1:
        return limit or ""
    return f"min(config.num_sanity_val_steps, {limit})" if limit else "config.num_sanity_val_steps"


def checks_sanity(facts: Facts) -> bool:
    """Whether validation is tried before training."""
    return facts.has_validation and _sanity(facts) is not None


def _val_loader_lines(facts: Facts) -> Lines:
    assert facts.val is not None
    variable, each = names_of(facts, VALIDATE, "val_loader")
    lines = loader_lines(facts, VALIDATE, facts.val, variable)
    if "val_dataloaders" in facts.trainer_fields:
        lines = (*lines, f"trainer.val_dataloaders = {loaders_told(facts, VALIDATE, variable)}")
    if "num_val_batches" in facts.trainer_fields:
        unlimited = 'float("inf")' if facts.val.dataset == "unsized" else f"len({each})"
        count = limit_of(facts, VALIDATE, facts.val, each) or unlimited
        counts = f"[{count} for loader in val_loaders]" if facts.has_several(VALIDATE) else f"[{count}]"
        lines = (*lines, f"trainer.num_val_batches = {counts}")
    sanity = _sanity(facts)
    if sanity is None:
        return lines
    batches, names_few = _val_batches(facts, sanity), sanity and not facts.has_several(VALIDATE)
    check = [f"few = {batches}"] if names_few else []
    check.append(f"validate({_arguments(facts, 'few' if names_few else batches)})")
    check = [
        *callback_lines(facts, "on_sanity_check_start"),
        *check,
        *callback_lines(facts, "on_sanity_check_end"),
    ]
    check = [*_in_stage(facts, "sanity_check"), *check, *_in_stage(facts, "train")]
    if "sanity_checking" in facts.trainer_fields:
        check = ["trainer.sanity_checking = True", *check, "trainer.sanity_checking = False"]
    if facts.keeps_latest:
        check.append("latest.clear()")
    reset: Lines = ("set_rng_state(state)",)
    if wanted := " and ".join(_wants_sanity(facts)):
        check, reset = [*under(wanted, tuple(check))], under(wanted, reset)
    trial = ("with torch.no_grad():  # a trial run", *indented((*lines, *check)))
    return "state = rng_state()", *trial, *reset


def _wants_sanity(facts: Facts) -> list[str]:
    """What has to hold for a check before training."""
    conditions = ["config.num_sanity_val_steps"] if facts.is_expression("num_sanity_val_steps") else []
    if facts.is_expression("limit_val_batches"):
        conditions.append("config.limit_val_batches != 0")
    return conditions


def _is_due(facts: Facts) -> str | None:
    if not facts.validates_inside:
        return None
    settings = facts.settings
    if settings.check_val_every_n_epoch is None and type(settings.val_check_interval) is int:
        count = "batches_seen" if facts.counts_batches else "(epoch * num_batches + batch_idx + 1)"
        every = "".join(f"{condition} and " for condition in _conditions(facts))
        due = f"{count} % config.val_check_interval == 0"
        return every + _or_stops(facts, due, within=bool(every))
    every = "".join(f"{condition} and " for condition in _conditions(facts))
    if type(settings.val_check_interval) is float and settings.val_check_interval == 1.0:
        return every + _or_stops(facts, is_last_batch(facts), within=bool(every))
    return every + _or_stops(facts, "(batch_idx + 1) % val_interval == 0", within=bool(every))


def _or_stops(facts: Facts, due: str, within: bool = False) -> str:
    """Training that is stopped is validated once more."""
    if not facts.stops_in_batches:
        return due
    either = f"{due} or {facts.stop_condition('epoch')}"
    return f"({either})" if within else either


def _interval_lines(facts: Facts) -> Lines:
    """The number of batches between validations."""
    settings = facts.settings
    interval = settings.val_check_interval
    if settings.check_val_every_n_epoch is None or not facts.validates_inside:
        return ()
    if facts.is_expression("val_check_interval"):
        return ("val_interval = validation_interval(config.val_check_interval, num_batches)",)
    if type(interval) is int:
        if not facts.is_sized:
            return ("val_interval = config.val_check_interval",)
        return (
            "val_interval = config.val_check_interval",
            "if val_interval > num_batches:",
            '    raise SystemExit(f"an epoch has {num_batches} batches, too few to validate every {val_interval}")',
        )
    return ("val_interval = max(1, int(num_batches * config.val_check_interval))",) if interval != 1.0 else ()
