"""The order of `main`, and what `fit` is given."""

from __future__ import annotations

from ..plans import DATA, MODEL, ConfigGroup, Construction, FitPlan, Lines, MainPlan
from ..spec_sections import Backend
from .facts import Facts
from .hooks import callback_lines
from .manual_plans import shared_backward


def fit_plan(facts: Facts) -> FitPlan:
    """What `fit` is given, and what it does first and last."""
    own = facts.own_main
    parameters = [f"model: {MODEL}", *([f"data: {DATA}"] if facts.data else [])]
    # what DDP holds is to go before its process group does
    released = ("trainer.shared = None",) if shared_backward(facts) else ()
    # an option that names a folder makes it
    makes_folder = own is None or facts.writes_last or any("config.out" in made for _, made in facts.writers)
    if own is None:
        given = (*parameters, "config: Config", "ranks: Ranks", "device: torch.device")
        return FitPlan(True, makes_folder, given, (), released)
    parameters.append("trainer: Trainer" if facts.has_trainer else "config: Config")
    parameters += ["train_loader: Any"] if own.gives_train else []
    parameters += ["val_loader: Any"] if own.gives_val else []
    parameters += ["ckpt_path: str | Path | None = None"] if own.gives_checkpoint else []
    start: Lines = ("config = trainer.config",) if facts.has_trainer else ()
    start += ("trainer.should_stop = False",) if facts.may_stop else ()
    start += ("trainer.failed = False",) if "failed" in facts.trainer_fields else ()
    barrier = ("if ranks.world_size > 1:", "    dist.barrier()  # none goes on before the slowest")
    told = ("trainer.batches_done = batches_done",) if "batches_done" in facts.trainer_fields else ()
    end = (*told, *released, *(barrier if facts.is_ddp else ()))
    start += facts.checks_of_settings
    return FitPlan(facts.trains, makes_folder, tuple(parameters), (*start, "ranks, device = start()"), end)


def failure_lines(facts: Facts) -> Lines:
    """What is done when a run fails; nothing: it just ends."""
    if not facts.reports:
        return ()
    callbacks = callback_lines(facts, "on_exception", "error")
    data = facts.data is not None and "on_exception" in facts.data.methods
    loggers = ("for logger in trainer.loggers:", '    logger.finalize("failed")')
    return (
        *(["trainer.failed = True"] if "failed" in facts.trainer_fields else []),
        *callbacks,
        *(
            ["if trainer.datamodule is not None:", "    trainer.datamodule.on_exception(error)"]
            if data
            else []
        ),
        *(loggers if facts.given_loggers.are_objects else []),
    )


def main_plan(
    facts: Facts, config: tuple[ConfigGroup, ...], constructions: tuple[tuple[str, Construction], ...]
) -> MainPlan:
    """The order of `main`."""
    group = facts.loaded.spec.process_group
    automatic = group.backend is Backend.AUTO
    backend = '"nccl" if device.type == "cuda" else "gloo"' if automatic else f'"{group.backend.value}"'
    prologue: list[str] = []
    if facts.settings.deterministic and not facts.is_expression("deterministic"):
        prologue.append('os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")')
        only_warn = ", warn_only=True" if facts.settings.deterministic == "warn" else ""
        prologue.append(f"torch.use_deterministic_algorithms(True{only_warn})")
        prologue.append("torch.backends.cudnn.benchmark = False")
    first = (f"seed_run({facts.seed}, workers={facts.seeds_workers})",) if facts.seed is not None else ()
    required = {field.name: field.type for group in config for field in group.fields if field.default is None}
    return MainPlan(
        required=(
            "{" + ", ".join(f'"{name}": {kind}' for name, kind in required.items()) + "}" if required else ""
        ),
        is_own=facts.own_main is not None,
        first=first if facts.own_main else (),
        ranks="ranks_from_env()" if facts.is_ddp else "sole_rank()",
        constructions=constructions,
        fit_arguments="".join(f"{variable}, " for variable, _ in constructions),
        seeds=facts.has_seed,
        prologue=tuple(prologue),
        is_distributed=facts.is_ddp,
        backend=backend,
        timeout=_timeout(group.timeout.total_seconds()),
    )


def _timeout(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds % length == 0:
            return f"timedelta({unit}={seconds / length:.0f})"
    return f"timedelta(seconds={seconds:g})"
