"""The functions that take the place of `trainer.validate`, `test` and `predict`."""

from __future__ import annotations

from ..ir.plans import DATA, MODEL, EvaluationPlan, Lines, PassPlan
from .evaluation_function import EvaluationFunction
from .evaluation_loaders import cut_short, loader_lines, loaders_told, set_epoch_lines
from .evaluation_results import after_batch, begin_lines, result, result_lines, write_lines
from .facts import Facts
from .hook_plan import logger_lines, preparing_lines, stage_lines
from .hooks import callback_lines
from .main_plan import barrier_lines
from .optimizers import indented
from .passes import in_stage, pass_plan
from .trainer_plan import trainer_plan

SUMMARIES = {
    "validate": "One pass over the validation data; what it logged, for each loader.",
    "test": "One pass over the test data; what it logged, for each loader.",
    "predict": "What the model makes of the data, batch by batch.",
}


def evaluation_plans(facts: Facts) -> tuple[EvaluationPlan, ...]:
    """The functions that take the place of `trainer.validate`, `test` and `predict`."""
    return tuple(_plan(EvaluationFunction(facts, each)) for each in facts.evaluations)


def _plan(function: EvaluationFunction) -> EvaluationPlan:
    return EvaluationPlan(
        function=function.stage.function,
        parameters=_parameters(function),
        returns="Any" if function.predicts else "list[dict[str, float]]",
        summary=SUMMARIES[function.stage.method],
        start=_start(function),
        setup=_setup(function),
        load=_load(function),
        loader=_loader(function),
        logs=begin_lines(function),
        run=_run(function),
        end=(*result_lines(function), *_teardown(function)),
        result=result(function),
    )


def _parameters(function: EvaluationFunction) -> Lines:
    evaluation = function.evaluation
    return (
        f"model: {MODEL}",
        *([f"data: {DATA}"] if function.has_data else []),
        "trainer: Trainer" if function.facts.has_trainer else "config: Config",
        *([f"{function.variable}: Any"] if evaluation.gives("dataloaders") else []),
        *(["ckpt_path: str | Path | None = None"] if evaluation.gives_checkpoint else []),
        *(["verbose: bool = True"] if evaluation.gives("verbose") else []),
        *(["return_predictions: bool = True"] if evaluation.gives("return_predictions") else []),
    )


# ---- the trainer -----------------------------------------------------------------------------------------


def _start(function: EvaluationFunction) -> Lines:
    told, made = _told_trainer(function), (made for _, made in function.writers)
    used = " ".join((*told, *_load(function), function.limit or "", *made))
    needs_config = function.facts.has_trainer and "config." in used
    return (*(["config = trainer.config"] if needs_config else []), "ranks, device = start()", *told)


def _told_trainer(function: EvaluationFunction) -> Lines:
    """What the trainer is told, of the data where this evaluation is given some."""
    facts, stage, has_data = function.facts, function.stage.method, function.has_data
    plan = trainer_plan(facts, function.evaluation.gives_checkpoint, has_data)
    attaches = has_data and "trainer" in facts.data_usage.reads
    return (
        *facts.checks_of_classes("model", *(["data"] if has_data else [])),
        *facts.checks_of_settings,
        *((_path(facts),) if _looks_up_first(function) else ()),
        *(plan.start if plan else ()),
        *_in_function(facts, stage, stage),
        *(["data.trainer = trainer"] if attaches else []),
    )


def _in_function(facts: Facts, function: str, stage: str) -> Lines:
    """Have the trainer know what is being done, and in which of its methods, where it is asked."""
    told = (f'trainer.state_fn = "{function}"',) if "state_fn" in facts.trainer_fields else ()
    return (*told, *in_stage(facts, stage))


def _setup(function: EvaluationFunction) -> Lines:
    facts, has_data = function.facts, function.has_data
    return (
        *preparing_lines(facts, has_data),
        *logger_lines(facts)["open_loggers"],
        *stage_lines(facts, "setup", f'"{function.stage.method}"', has_data),
    )


def _teardown(function: EvaluationFunction) -> Lines:
    facts = function.facts
    return (
        *stage_lines(facts, "teardown", f'"{function.stage.method}"', function.has_data),
        *logger_lines(facts)["close_loggers"],
        *_in_function(facts, "fit", "train"),
        *barrier_lines(facts),
    )


# ---- weights and data ------------------------------------------------------------------------------------


def _load(function: EvaluationFunction) -> Lines:
    facts = function.facts
    if not function.evaluation.gives_checkpoint:
        return ()
    hook = ["    model.on_load_checkpoint(checkpoint)"] if facts.has_hook("on_load_checkpoint") else []
    states = (
        *callback_lines(facts, "on_load_checkpoint", "checkpoint"),
        'load_callback_states(trainer.callbacks, checkpoint["callbacks"])',
    )
    told = ('if "callbacks" in checkpoint:', *indented(states)) if facts.callbacks.has_state else ()
    return (
        *(() if _looks_up_first(function) else (_path(facts),)),
        "if path is not None:",
        '    checkpoint = torch.load(path, map_location="cpu", weights_only=True)',
        *hook,
        '    model.load_state_dict(checkpoint["state_dict"])',
        *indented(told),
    )


def _looks_up_first(function: EvaluationFunction) -> bool:
    """Whether the callbacks that know the best checkpoint are about to be replaced by the model's, made anew."""
    return function.evaluation.gives_checkpoint and function.facts.has_hook("configure_callbacks")


def _path(facts: Facts) -> str:
    """Where the checkpoint is that was asked for."""
    if facts.callbacks.saves:
        return "path = checkpoint_asked_for(trainer, ckpt_path)"
    return 'path = checkpoint_to_load(config.out / "last.ckpt", ckpt_path)'


def _loader(function: EvaluationFunction) -> Lines:
    """The loaders, once loggers have noted hyperparameters."""
    facts, stage, loader = function.facts, function.stage, function.evaluation.loader
    return (
        *logger_lines(facts, function.has_data)["log_hyperparameters"],
        *loader_lines(facts, stage, loader, function.variable),
        *_told_loaders(function),
        *_epoch_lines(function),
    )


def _told_loaders(function: EvaluationFunction) -> Lines:
    """Have the trainer know the loaders, where the code asks for them."""
    name = f"{function.stage.loader}s"
    loaders = loaders_told(function.facts, function.stage, function.variable)
    return (f"trainer.{name} = {loaders}",) if name in function.facts.trainer_fields else ()


def _epoch_lines(function: EvaluationFunction) -> Lines:
    """Predictions are ordered when their loader is made."""
    if function.predicts:
        return ()
    loader, epoch = function.evaluation.loader, "trainer.current_epoch"
    return set_epoch_lines(function.facts, function.stage, loader, function.variable, epoch)


# ---- the pass --------------------------------------------------------------------------------------------


def _run(function: EvaluationFunction) -> PassPlan:
    facts, stage = function.facts, function.stage
    takes_outputs = facts.calls(f"on_{stage.name}_batch_end") or function.predicts
    return pass_plan(
        facts,
        stage,
        called=f"model.{stage.step}" if stage.step in facts.model.methods else "model",
        evaluated="model",
        batches=_batches(function),
        outputs="outputs" if takes_outputs else None,
        after_batch=after_batch(function),
        logs=function.logs,
        write=write_lines(function),
        data="data" if function.has_data else "",
    )


def _batches(function: EvaluationFunction) -> str:
    batches = cut_short("loader", function.limit)
    is_stream = function.evaluation.loader.dataset == "unsized" and not function.limit
    return f"lookahead({batches})" if is_stream and not function.predicts else batches
