"""Parts of Lightning's trainer of which the script's has some members itself: its loops, its strategy, its state."""

from __future__ import annotations

import libcst as cst

from ...index import Index
from ...index.targets import is_target

LOOP = {
    "_data_source.dataloader": "made_train_dataloader",
    "batch_idx": "batch_idx",
    "epoch_loop.batch_idx": "batch_idx",
    "epoch_loop.batch_progress.is_last_batch": "is_last_batch",
    "epoch_loop.global_step": "global_step",
    "epoch_loop.max_steps": "max_steps",
    "epoch_loop.total_batch_idx": "total_batch_idx",
    "epoch_progress.current.completed": "current_epoch",
    "max_batches": "num_training_batches",
    "max_epochs": "max_epochs",
    "max_steps": "max_steps",
    "min_epochs": "min_epochs",
    "min_steps": "min_steps",
    "setup_data": "setup_data",
    "total_batch_idx": "total_batch_idx",
}
STRATEGY = {
    "__class__.__name__": "strategy_name",
    "lightning_module": "lightning_module",
    "model": "model",
    "optimizers": "optimizers",
    "root_device": "root_device",
}
STATE = {name: name for name in ("status", "finished", "stopped")}
PARTS = {"fit_loop": LOOP, "strategy": STRATEGY, "state": STATE}
"""What is asked of the parts, and the attribute of the script's trainer."""

LOADING = frozenset({"estimated_stepping_batches", "setup_data"})
"""What has the training data made, where it is not yet."""

COUNTERPARTS = frozenset({*LOOP.values(), *STRATEGY.values(), *STATE.values()})


def counterpart_asked(index: Index, part: cst.Attribute) -> tuple[cst.Attribute, str] | None:
    """The whole of `trainer.fit_loop.max_epochs`, and the attribute; None: something else is asked, or it is set."""
    known = PARTS.get(part.attr.value, {})
    node, names = part, list[str]()
    while known:
        parent = index.parent(node)
        if not (isinstance(parent, cst.Attribute) and parent.value is node):
            return None
        node = parent
        names.append(node.attr.value)
        if name := known.get(".".join(names)):
            return None if is_target(index, node) else (node, name)
    return None
