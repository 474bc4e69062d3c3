"""Parts of Lightning's trainer of which the script's has some members itself: its loops, its strategy, its state."""

from __future__ import annotations

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...index.targets import is_target
from ..strategy.unsynced import wrapper_asked

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
    "_lightning_module": "lightning_module",
    "__class__.__name__": "strategy_name",
    "lightning_module": "lightning_module",
    "model": "model",
    "num_processes": "num_devices",
    "optimizers": "optimizers",
    "root_device": "root_device",
}
STATE = {name: name for name in ("status", "finished", "stopped")}
KINDS_OF_STRATEGY = {
    "_lightning_module": "lightning_module",
    "Strategy": ("DDPStrategy", "SingleDeviceStrategy"),
    "ParallelStrategy": ("DDPStrategy",),
}
"""Bases of those strategies that scripts have, each with the names of these."""

PREDICT_LOOP = {
    "current_batch_indices": "batch_indices",
    "epoch_batch_indices": "epoch_batch_indices",
}
PRECISION = {
    "load_state_dict": "load_precision_state",
    "precision": "precision",
    "scaler": "scaler",
    "state_dict": "precision_state",
}
PARTS = {
    "fit_loop": LOOP,
    "precision_plugin": PRECISION,
    "predict_loop": PREDICT_LOOP,
    "state": STATE,
    "strategy": STRATEGY,
}
"""What is asked of the parts, and the attribute of the script's trainer."""

SETTABLE = {"current_epoch": "completed_epochs"}
"""The attributes of the script's trainer that are set in the place of some, where code sets these."""

LOADING = frozenset({"estimated_stepping_batches", "setup_data"})
"""What has the training data made, where it is not yet."""

COUNTERPARTS = frozenset(name for names in (*PARTS.values(), SETTABLE) for name in names.values())


CHECK = m.Call(m.Name("isinstance"), [m.Arg(keyword=None), m.Arg(keyword=None)])

SETUP = "setup_optimizers"
"""What has `configure_optimizers` called anew."""

SETTING_UP = m.Call(
    m.Attribute(m.Attribute(attr=m.Name("strategy")), m.Name(SETUP)),
    [m.Arg(m.Name() | m.Attribute(), star="")],
)

TYPE_NAME = m.Attribute(m.Call(m.Name("type"), [m.Arg()]), m.Name("__name__"))

Whole = cst.Attribute | cst.Call
"""What the attribute of the script's trainer takes the place of."""


def counterpart_asked(index: Index, part: cst.Attribute) -> tuple[Whole, str] | None:
    """The whole of `trainer.fit_loop.max_epochs`, and the attribute; None: something else is asked, or it is set."""
    asked = strategy_check(index, part)
    if (whole := asked if asked is not None else _type_name(index, part)) is not None:
        return whole, "strategy_name"
    if (call := _setup_of(index, part)) is not None:
        return call, SETUP
    is_wrapper = part.attr.value == "strategy" and wrapper_asked(index, part) is not None
    known = {} if is_wrapper else PARTS.get(part.attr.value, {})
    node, names = part, list[str]()
    while known:
        parent = index.parent(node)
        if not (isinstance(parent, cst.Attribute) and parent.value is node):
            return None
        node = parent
        names.append(node.attr.value)
        if name := known.get(".".join(names)):
            name = SETTABLE.get(name, "") if is_target(index, node) else name
            return (node, name) if name else None
    return None


def strategy_check(index: Index, part: cst.Attribute) -> cst.Call | None:
    """`isinstance(trainer.strategy, DDPStrategy)` of that part of the trainer; None: it is asked something else."""
    argument = index.parent(part) if part.attr.value == "strategy" else None
    call = index.parent(argument) if isinstance(argument, cst.Arg) else None
    if not (isinstance(call, cst.Call) and m.matches(call, CHECK) and call.args[0] is argument):
        return None
    return call if all(name.endswith("Strategy") for name in strategies_named(call)) else None


def _type_name(index: Index, part: cst.Attribute) -> cst.Attribute | None:
    """`type(trainer.strategy).__name__` of that part of the trainer."""
    argument = index.parent(part) if part.attr.value == "strategy" else None
    whole = index.ancestor(argument, cst.Attribute) if isinstance(argument, cst.Arg) else None
    if argument is None or whole is None or not m.matches(whole, TYPE_NAME):
        return None
    return whole if index.parent(argument) is whole.value else None


def _setup_of(index: Index, part: cst.Attribute) -> cst.Call | None:
    """`trainer.strategy.setup_optimizers(trainer)` of that part of the trainer."""
    member = index.parent(part) if part.attr.value == "strategy" else None
    call = index.parent(member) if isinstance(member, cst.Attribute) else None
    is_it = isinstance(call, cst.Call) and call.func is member and sets_up_optimizers(call)
    return call if is_it and isinstance(call, cst.Call) else None


def sets_up_optimizers(call: cst.CSTNode | None) -> bool:
    """Whether it is a call of a strategy's `setup_optimizers`, which makes nothing of the trainer that it is given."""
    return isinstance(call, cst.Call) and m.matches(call, SETTING_UP)


def strategies_named(check: cst.Call) -> list[str]:
    """The last parts of the classes' names."""
    kinds = check.args[1].value
    each = [element.value for element in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
    return [_last_name(node) for node in each]


def _last_name(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def strategies_checked(check: cst.Call) -> list[str]:
    """The same, in the places of bases what scripts have that derives from them."""
    known = [KINDS_OF_STRATEGY.get(name, (name,)) for name in strategies_named(check)]
    return list(dict.fromkeys(name for each in known for name in each))


def checked_name(check: cst.Call) -> str:
    """What is to be asked of the name of the trainer's strategy instead, as code."""
    names = [f'"{name}"' for name in strategies_checked(check)]
    return f"== {names[0]}" if len(names) == 1 else f"in ({', '.join(names)})"
