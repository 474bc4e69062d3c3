"""The calls of hooks: first the callbacks', then the model's, but for those that wait for what the model logs."""

from __future__ import annotations

from ..ir.plans import Lines
from .facts import Facts

WATCHING = {"EarlyStopping": "EarlyStopping", "ModelCheckpoint": "Checkpoint", "Checkpoint": "Checkpoint"}
"""Lightning's callbacks that watch a metric, with the classes by which a script knows them."""

IN_VALIDATION = frozenset("""
    on_validation_start on_validation_end on_validation_epoch_start on_validation_epoch_end
    on_validation_batch_start on_validation_batch_end
    """.split())


def hook(facts: Facts, name: str, arguments: str = "") -> Lines:
    """The calls of a hook of the callbacks' and the model's, where they have it."""
    own = (f"model.{name}({arguments})",) if facts.has_hook(name) else ()
    if name == "on_train_epoch_end":
        return _around(facts, own)
    return (*callback_lines(facts, name, arguments), *own)


def callback_lines(facts: Facts, name: str, arguments: str = "") -> Lines:
    """The calls of a hook of the callbacks'."""
    if name not in facts.callbacks.hooks:
        return ()
    trainer = "model.trainer" if name in IN_VALIDATION else "trainer"
    rest = f", {arguments}" if arguments else ""
    return f"for callback in {trainer}.callbacks:", f"    callback.{name}({trainer}, model{rest})"


def _around(facts: Facts, own: Lines) -> Lines:
    """At the end of an epoch, callbacks that watch a metric come after the model's hook."""
    name = "on_train_epoch_end"
    watching, others = name in facts.callbacks.monitoring, name in facts.callbacks.others
    if not (watching and others and facts.callbacks):
        lines = callback_lines(facts, name)
        return (*own, *lines) if watching else (*lines, *own)
    classes = sorted({WATCHING[name] for name in WATCHING.keys() & facts.callbacks.runtime}, reverse=True)
    first = (
        "for callback in trainer.callbacks:",
        f"    if not isinstance(callback, {' | '.join(classes)}):",
        f"        callback.{name}(trainer, model)",
    )
    return (*first, *own, first[0], first[1].replace("if not", "if"), first[2])
