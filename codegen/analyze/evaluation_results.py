"""What becomes of an evaluation's results: how they are kept, written, shown and returned."""

from __future__ import annotations

from ..ir.plans import LOGS, Lines
from .evaluation_function import EvaluationFunction
from .passes import step_values


def begin_lines(function: EvaluationFunction) -> Lines:
    """What keeps the results."""
    if function.predicts:
        return ("predictions: list[Any] = " + ("[[] for _ in loaders]" if function.several else "[]"),)
    if not function.logs:
        return ()
    opened = [f"{variable} = {made}" for variable, made in function.writers]
    files = any("config.out" in made for _, made in function.writers)
    folder = ["config.out.mkdir(parents=True, exist_ok=True)"] if files else []
    return (f"logs = model.{LOGS} = Logs(training=False, device=device)", *folder, *opened)


def after_batch(function: EvaluationFunction) -> Lines:
    """What becomes of a single batch's."""
    return _keep(function) if function.predicts else _write_steps(function)


def _keep(function: EvaluationFunction) -> Lines:
    keeper = "predictions[dataloader_idx]" if function.several else "predictions"
    line = f'{keeper}.append(to_device(outputs, torch.device("cpu")))'
    if not function.evaluation.gives("return_predictions"):
        return (line,)
    return ("if return_predictions:", f"    {line}")


def _write_steps(function: EvaluationFunction) -> Lines:
    """Write what each batch logs for itself."""
    facts = function.facts
    if not (function.logs and facts.logging.by_step_of(function.stage)):
        return ()
    call = f"write({step_values(facts)}, trainer.current_epoch, batch_idx)"
    if facts.given_loggers.are_objects:
        call = f"write_batch({step_values(facts)}, batch_idx)"
    return tuple(f"{variable}.{call}" for variable, _ in function.writers)


def write_lines(function: EvaluationFunction) -> Lines:
    """Write what was logged."""
    if not function.logs:
        return ()
    count = "batches_done" if function.facts.manual else "global_step"
    step = f"trainer.current_epoch, trainer.{count}"
    return (
        *(["written = logs.written(metrics)"] if function.written == "written" else []),
        *(f"{variable}.write({function.written}, {step})" for variable, _ in function.writers),
    )


def result_lines(function: EvaluationFunction) -> Lines:
    """The results, shown."""
    if function.predicts:
        return ()
    if not function.logs:
        nothing = "[{} for _ in loaders]" if function.several else "[{}]"
        return (f"results: list[dict[str, float]] = {nothing}",)
    results = f"[{{name: value.item() for name, value in {function.written}.items()}}]"
    if function.several:
        results = f"logs.by_loader({function.written}, len(loaders))"
    shown = "ranks.is_main and verbose" if function.evaluation.gives("verbose") else "ranks.is_main"
    title = function.stage.method.capitalize()
    return f"results = {results}", f"if {shown}:", f'    show_results(results, "{title}")'


def result(function: EvaluationFunction) -> str:
    """What is returned."""
    if not function.predicts:
        return "results"
    value = "predictions if len(loaders) > 1 else predictions[0]" if function.several else "predictions"
    if not function.evaluation.gives("return_predictions"):
        return value
    return f"{f'({value})' if function.several else value} if return_predictions else None"
