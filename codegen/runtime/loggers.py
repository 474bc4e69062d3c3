"""The runtime's loggers as the user's code makes them: what is never passed to a constructor is known."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache

from ..ir.script import Constructed
from ..lightning.api import LOGGERS
from ..source.names import attributes_in
from .constructed import is_word, passed, signature_of
from .definitions import load_runtime
from .folding.known import Known
from .shake import slimmed

FLAGS = {"lends_experiment": "experiment", "takes_anything": "log_metrics"}
"""What a logger does for code that asks for such a member of it."""


UNPASSED = {"metrics": "None", "step": "None", "step=": "None", "global_step=": "None"}
"""What `log_hyperparams` is not given, unless the user's code calls it."""


def known_of_logger(made: Constructed, mentioned: frozenset[str], takes_objects: bool = True) -> Known:
    """What is decided of a logger's class, of which other code mentions some attributes.

    It `takes_objects` where hyperparameters may be more than numbers and texts.
    """
    parameters = signature_of(made.name).parameters
    given = passed(made, parameters).keys()
    never = {name: each.default for name, each in parameters.items() if name not in given}
    never = {name: default for name, default in never.items() if is_word(default)}
    attributes = dict(_constants(slimmed(made.name, None, Known(methods={"__init__": never})).code))
    options = {} if given - parameters.keys() else _kept_options(made.name)
    others = mentioned | _mentioned_elsewhere()
    if not options.keys() & others:
        never |= {f"**{name}": "{}" for name in options.values()}
        attributes |= dict.fromkeys(options, "{}")
    attributes |= {flag: "False" for flag, member in FLAGS.items() if member not in mentioned}
    methods = {"__init__": never}
    if "log_hyperparams" not in mentioned:
        methods |= {"log_hyperparams": UNPASSED}
        attributes |= {"takes_objects": str(takes_objects)}
    attributes = {name: code for name, code in attributes.items() if name not in others}
    return Known(methods=methods, attributes=attributes)


def _constants(code: str) -> Iterator[tuple[str, str]]:
    """The attributes that the constructor sets to a constant, and nothing else sets, with its code."""
    stored = _stores(code)
    for name, value in _set_by(_constructor(code)):
        if stored[name] == 1 and is_word(ast.unparse(value)):
            yield name, ast.unparse(value)


def _kept_options(name: str) -> dict[str, str]:
    """The attribute that keeps the constructor's `**` parameter, where nothing else is done with that."""
    code = load_runtime().definitions[name].code
    init = _constructor(code)
    options = init.args.kwarg.arg if init.args.kwarg else ""
    uses = sum(isinstance(node, ast.Name) and node.id == options for node in ast.walk(init))
    kept = [attribute for attribute, value in _set_by(init) if ast.unparse(value) == options]
    return {each: options for each in kept if uses == 1 == _stores(code)[each]}


def _set_by(init: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The attributes that a constructor sets by a statement of their own."""
    for node in init.body:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Attribute):
            yield target.attr, node.value


def _constructor(code: str) -> ast.FunctionDef:
    nodes = ast.walk(ast.parse(code))
    found = (node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    return next(found, ast.parse("def __init__(self): ...").body[0])  # type: ignore[return-value]  # a function


def _stores(code: str) -> Counter[str]:
    """How often attributes of any object are set or deleted, by their names."""
    nodes = ast.walk(ast.parse(code))
    return Counter(
        node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    )


@cache
def _mentioned_elsewhere() -> frozenset[str]:
    """The attributes, of anything, that the rest of the runtime mentions."""
    others = (each.code for name, each in load_runtime().definitions.items() if name not in LOGGERS)
    return attributes_in("\n".join(others))
