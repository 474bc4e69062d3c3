"""The functions that take the place of `trainer.validate`, `test` and `predict`."""

from __future__ import annotations

from ..script import DATA, LOGS, MODEL, EvaluationPlan, Lines
from .evaluated import Evaluation
from .evaluation_loaders import cut_short, limit_of, loader_lines, loaders_told, names_of, set_epoch_lines
from .facts import Facts
from .hooks import callback_lines
from .optimizers import indented
from .passes import pass_plan
from .stages import PREDICT, Stage

SUMMARIES = {
    "validate": "One pass over the validation data; what it logged, for each loader.",
    "test": "One pass over the test data; what it logged, for each loader.",
    "predict": "What the model makes of the data, batch by batch.",
}


def evaluation_plan(
    facts: Facts,
    evaluation: Evaluation,
    trainer_start: Lines,
    setup: Lines,
    teardown: Lines,
    noted: Lines,
    writers: tuple[tuple[str, str], ...],
) -> EvaluationPlan:
    """The plan of one function; `noted` are hyperparameters, which loggers are told of."""
    stage = evaluation.stage
    logs = facts.logging.during(stage) and stage is not PREDICT
    writers = writers if logs else ()
    several = facts.has_several(stage)
    variable, each = names_of(facts, stage, "loader")
    limit = limit_of(facts, stage, evaluation.loader, each)
    batches = cut_short("loader", limit)
    loader = (
        *noted,
        *loader_lines(facts, stage, evaluation.loader, variable),
        *_told(facts, stage, variable),
        *_epoch_lines(facts, evaluation, variable),
    )
    unsized = evaluation.loader.dataset == "unsized" and not limit
    after = _write_steps(facts, evaluation, writers) if logs else ()
    if stage is PREDICT:
        after = _keep(evaluation, several)
    load = _load(facts, evaluation)
    used = " ".join((*trainer_start, *load, limit or "", *(made for _, made in writers)))
    needs_config = "config." in used
    takes_outputs = facts.calls(f"on_{stage.name}_batch_end") or stage is PREDICT
    barrier = ("if ranks.world_size > 1:", "    dist.barrier()  # none goes on before the slowest")
    return EvaluationPlan(
        function=stage.function,
        parameters=_parameters(facts, evaluation),
        returns="Any" if stage is PREDICT else "list[dict[str, float]]",
        summary=SUMMARIES[stage.method],
        start=(
            *(["config = trainer.config"] if facts.has_trainer and needs_config else []),
            "ranks, device = start()",
            *trainer_start,
        ),
        setup=setup,
        load=load,
        loader=loader,
        logs=_begin(facts, evaluation, logs, several, writers),
        run=pass_plan(
            facts,
            stage,
            called=f"model.{stage.step}" if stage.step in facts.model.methods else "model",
            evaluated="model",
            batches=f"lookahead({batches})" if unsized and stage is not PREDICT else batches,
            outputs=("outputs" if takes_outputs else None),
            after_batch=after,
            logs=logs,
            write=_write(facts, writers) if logs else (),
            data="data" if evaluation.gives("datamodule") else "",
        ),
        end=(*_end(facts, evaluation, logs, several), *teardown, *(barrier if facts.is_ddp else ())),
        result=_result(evaluation, several),
    )


def _told(facts: Facts, stage: Stage, variable: str) -> Lines:
    """Have the trainer know the loaders, where the code asks for them."""
    name = f"{stage.loader}s"
    asked = name in facts.trainer_fields
    return (f"trainer.{name} = {loaders_told(facts, stage, variable)}",) if asked else ()


def _epoch_lines(facts: Facts, evaluation: Evaluation, variable: str) -> Lines:
    """Predictions are ordered when their loader is made."""
    if evaluation.stage is PREDICT:
        return ()
    return set_epoch_lines(facts, evaluation.stage, evaluation.loader, variable, "trainer.current_epoch")


def _parameters(facts: Facts, evaluation: Evaluation) -> Lines:
    given = names_of(facts, evaluation.stage, "loader")[0]
    return (
        f"model: {MODEL}",
        *([f"data: {DATA}"] if evaluation.gives("datamodule") else []),
        "trainer: Trainer" if facts.has_trainer else "config: Config",
        *([f"{given}: Any"] if evaluation.gives("dataloaders") else []),
        *(["ckpt_path: str | Path | None = None"] if evaluation.gives_checkpoint else []),
        *(["verbose: bool = True"] if evaluation.gives("verbose") else []),
        *(["return_predictions: bool = True"] if evaluation.gives("return_predictions") else []),
    )


def _load(facts: Facts, evaluation: Evaluation) -> Lines:
    if not evaluation.gives_checkpoint:
        return ()
    hook = ["    model.on_load_checkpoint(checkpoint)"] if facts.has_hook("on_load_checkpoint") else []
    states = (
        *callback_lines(facts, "on_load_checkpoint", "checkpoint"),
        'load_callback_states(trainer.callbacks, checkpoint["callbacks"])',
    )
    told = ('if "callbacks" in checkpoint:', *indented(states)) if facts.callbacks.has_state else ()
    return (
        *_path(facts),
        "if path is not None:",
        '    checkpoint = torch.load(path, map_location="cpu", weights_only=True)',
        *hook,
        '    model.load_state_dict(checkpoint["state_dict"])',
        *indented(told),
    )


def _path(facts: Facts) -> Lines:
    """Where the checkpoint is that was asked for."""
    if facts.callbacks.saves:
        return ("path = checkpoint_asked_for(trainer, ckpt_path)",)
    return ('path = checkpoint_to_load(config.out / "last.ckpt", ckpt_path)',)


def _begin(
    facts: Facts,
    evaluation: Evaluation,
    logs: bool,
    several: bool,
    writers: tuple[tuple[str, str], ...],
) -> Lines:
    """What keeps the results."""
    if evaluation.stage is PREDICT:
        return ("predictions: list[Any] = " + ("[[] for _ in loaders]" if several else "[]"),)
    if not logs:
        return ()
    opened = [f"{variable} = {made}" for variable, made in writers]
    files = any("config.out" in made for _, made in writers)
    folder = ["config.out.mkdir(parents=True, exist_ok=True)"] if files else []
    return (f"logs = model.{LOGS} = Logs(training=False, device=device)", *folder, *opened)


def _keep(evaluation: Evaluation, several: bool) -> Lines:
    keeper = "predictions[dataloader_idx]" if several else "predictions"
    lines = f'{keeper}.append(to_device(outputs, torch.device("cpu")))'
    if not evaluation.gives("return_predictions"):
        return (lines,)
    return ("if return_predictions:", f"    {lines}")


def _write_steps(facts: Facts, evaluation: Evaluation, writers: tuple[tuple[str, str], ...]) -> Lines:
    """Write what each batch logs for itself."""
    if not facts.logging.by_step_of(evaluation.stage):
        return ()
    hides = "logger" not in facts.logging.unused_options
    values = "logs.written(logs.step_values)" if hides else "logs.step_values"
    if facts.given_loggers.are_objects:
        return tuple(f"{variable}.write_batch({values}, batch_idx)" for variable, _ in writers)
    return tuple(f"{variable}.write({values}, trainer.current_epoch, batch_idx)" for variable, _ in writers)


def _written(facts: Facts) -> str:
    """The variable that holds what loggers are told."""
    return "metrics" if "logger" in facts.logging.unused_options else "written"


def _write(facts: Facts, writers: tuple[tuple[str, str], ...]) -> Lines:
    metrics = _written(facts)
    count = "batches_done" if facts.manual else "global_step"
    step = f"trainer.current_epoch, trainer.{count}"
    return (
        *(["written = logs.written(metrics)"] if metrics == "written" else []),
        *(f"{variable}.write({metrics}, {step})" for variable, _ in writers),
    )


def _end(facts: Facts, evaluation: Evaluation, logs: bool, several: bool) -> Lines:
    """The results, shown."""
    lines = []
    if logs:
        metrics = _written(facts)
        if several:
            lines.append(f"results = logs.by_loader({metrics}, len(loaders))")
        else:
            lines.append(f"results = [{{name: value.item() for name, value in {metrics}.items()}}]")
        shown = "ranks.is_main and verbose" if evaluation.gives("verbose") else "ranks.is_main"
        title = {"validate": "Validate", "test": "Test"}[evaluation.stage.method]
        lines += [f"if {shown}:", f'    show_results(results, "{title}")']
    elif evaluation.stage is not PREDICT:
        lines.append("results: list[dict[str, float]] = " + ("[{} for _ in loaders]" if several else "[{}]"))
    return tuple(lines)


def _result(evaluation: Evaluation, several: bool) -> str:
    if evaluation.stage is not PREDICT:
        return "results"
    value = "predictions if len(loaders) > 1 else predictions[0]" if several else "predictions"
    if evaluation.gives("return_predictions"):
        value = (
            f"({value}) if return_predictions else None"
            if several
            else f"{value} if return_predictions else None"
        )
    return value
