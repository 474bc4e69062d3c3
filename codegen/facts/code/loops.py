"""Counters of the trainer's loops: the script's trainer has them itself."""

from __future__ import annotations

import libcst as cst

from ...index import Index

LOOP = "fit_loop"

COUNTERS = {
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
    "total_batch_idx": "total_batch_idx",
}
"""What is asked of the loop, and the attribute of the script's trainer."""


def counter_asked(index: Index, loop: cst.Attribute) -> tuple[cst.Attribute, str] | None:
    """The whole of `trainer.fit_loop.max_epochs`, and the attribute; None: something else is asked, or it is set."""
    node, names = loop, list[str]()
    while True:
        parent = index.parent(node)
        if not (isinstance(parent, cst.Attribute) and parent.value is node):
            return None
        node = parent
        names.append(node.attr.value)
        if name := COUNTERS.get(".".join(names)):
            is_set = isinstance(index.parent(node), cst.AssignTarget | cst.AugAssign | cst.Element)
            return None if is_set else (node, name)
