"""The call of `validate`: what it is given, and what it does with loggers itself."""

from __future__ import annotations

from ..ir.plans import DATA, MODEL, Lines
from .evaluation_loaders import cut_short
from .facts import Facts
from .passes import step_values
from .stages import VALIDATE
from .train_step import step_count


def parameters(facts: Facts) -> Lines:
    """The parameters of `validate`."""
    return (
        f"model: {MODEL}",
        *(["step: Any"] if facts.wraps_steps else []),
        *([f"data: {DATA}"] if facts.transfers_by_data else []),
        *(["logs: Logs"] if facts.logging.in_validation else []),
        *(["loaders: Any", "limits: Any"] if facts.has_several(VALIDATE) else ["loader: Any"]),
        "device: torch.device",
        *(["epoch: int = 0", "loggers: tuple[Any, ...] = ()"] if _takes_loggers(facts) else []),
        *(["log_step: int = 0"] if write_inside(facts) else []),
    )


def arguments(facts: Facts, batches: str) -> str:
    """What it is given in any case."""
    step = "step, " if facts.wraps_steps else ""
    data = "data, " if facts.transfers_by_data else ""
    logs = "val_logs, " if facts.logging.in_validation else ""
    return f"model, {step}{data}{logs}{batches}, device"


def logger_arguments(facts: Facts) -> str:
    """What it is given beside, where it writes what is logged."""
    if not _takes_loggers(facts):
        return ""
    loggers = "".join(f"{variable}, " for variable, _ in facts.writers)
    step = f", log_step={log_step(facts)}" if write_inside(facts) else ""
    return f", epoch=epoch, loggers=({loggers}){step}"


def val_batches(facts: Facts, limit: str | None) -> str:
    """What it runs through: a loader, or several and how many batches of each."""
    if not facts.has_several(VALIDATE):
        return cut_short("val_loader", limit)
    is_stream = facts.val is not None and facts.val.dataset == "unsized"
    return f"val_loaders, [{limit or ('None' if is_stream else 'len(loader)')} for loader in val_loaders]"


def log_step(facts: Facts) -> str:
    """The step that the values of validation are logged under."""
    if facts.validates_inside and facts.accumulates:
        return "global_step - 1 if is_last else global_step"
    return f"{step_count(facts)} - 1"


# ---- what it writes --------------------------------------------------------------------------------------


def _takes_loggers(facts: Facts) -> bool:
    return facts.logging.by_validation_step or bool(write_inside(facts))


def write_inside(facts: Facts) -> Lines:
    """Write the values of validation before the last hook, where that may be of the user's."""
    if not (facts.logging.in_validation and facts.writers and facts.own_code_ends_validation):
        return ()
    metrics = "metrics" if "logger" in facts.logging.unused_options else "logs.written(metrics)"
    return "for logger in loggers:", f"    logger.write({metrics}, epoch, log_step)"


def write_steps(facts: Facts) -> Lines:
    """Write what each batch of validation logs for itself."""
    if not facts.logging.by_validation_step:
        return ()
    values = step_values(facts)
    count = written_batches(facts, "logs") + ("[dataloader_idx]" if facts.has_several(VALIDATE) else "")
    write = f"write_batch({values}, {count})"
    if not facts.given_loggers.are_objects:
        write = f"write({values}, epoch, {count})"
    return "for logger in loggers:", f"    logger.{write}", f"{count} += len(loggers) > 0"


def written_batches(facts: Facts, logs: str) -> str:
    """What counts the batches of validation whose values were written, over all epochs."""
    return f"{logs}.written_of" if facts.has_several(VALIDATE) else f"{logs}.batches_written"
