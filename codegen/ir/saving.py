"""What a call of `save_hyperparameters` saves."""

from __future__ import annotations

import ast

import libcst as cst

from ..index import patterns as m
from ..index.search import ast_nodes, code_for, findall
from .project import Class

LITERALS = (ast.Module, ast.Expr, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.expr_context)
"""What names that are written out are made of."""

SAVE = m.Call(func=m.Attribute(value=m.Name("self"), attr=m.Name("save_hyperparameters")))

SUPER_INIT = m.Call(func=m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("__init__")))
LATE = "setup"
"""The method that may save more when the object is made already."""


def save_calls(cls: Class) -> list[tuple[str, cst.Call]]:
    """The calls in the class's own methods, with the method's name."""
    return [
        (name, call)
        for name, method in cls.own_methods.items()
        for call in findall(method, SAVE)
        if isinstance(call, cst.Call)
    ]


def is_before_base(cls: Class, call: cst.Call) -> bool:
    """Whether a call in the constructor comes before that of the base's, which takes it that nothing is saved yet."""
    init = cls.own_methods.get("__init__")
    found = findall(init, SAVE | SUPER_INIT) if init else []
    return call in found and any(m.matches(each, SUPER_INIT) for each in found[found.index(call) :])


def may_save_late(cls: Class) -> bool:
    """Whether the constructor begins them, and Lightning finds no arguments behind the method that saves more."""
    init = cls.own_methods.get("__init__")
    return bool(init and findall(init, SUPER_INIT)) and not findall(cls.own_methods[LATE], m.Name("super"))


def saving_helper(cls: Class) -> tuple[str, cst.Call] | None:
    """The method that saves in the place of `__init__`, and its one call, which stands there."""
    methods, init = [name for name, _ in save_calls(cls)], cls.own_methods.get("__init__")
    if len(methods) != 1 or methods[0] == "__init__" or init is None:
        return None
    method = m.Attribute(value=m.Name("self"), attr=m.Name(methods[0]))
    calls = findall(init, m.Call(func=method))
    if len(calls) != 1 or len(findall(cls.node, method)) != 1:
        return None
    return methods[0], cst.ensure_type(calls[0], cst.Call)


def objects_of(call: cst.Call) -> list[cst.BaseExpression]:
    """The object that a call saves, whatever names stand beside it: of several, Lightning saves none."""
    objects = _objects(call)
    return objects if len(objects) == 1 else []


def names_of(call: cst.Call) -> list[str]:
    """The names that a call lists, and saves."""
    strings = (arg.value for arg in call.args if not arg.keyword and not objects_of(call))
    return [str(value.evaluated_value) for value in strings if isinstance(value, cst.SimpleString)]


def lists_names(call: cst.Call) -> bool:
    """Whether it saves no more than the names that it lists, be there none."""
    return bool(names_of(call)) or len(_objects(call)) > 1


def _objects(call: cst.Call) -> list[cst.BaseExpression]:
    """Positional arguments that are no names of hyperparameters."""
    return [arg.value for arg in call.args if not arg.keyword and not isinstance(arg.value, cst.SimpleString)]


def ignored_names(call: cst.Call) -> set[str]:
    """The names that a call is written to leave out."""
    node = _ignored(call)
    if node is None or ignored_at_run_time(call) is not None:
        return set()
    value = ast.literal_eval(code_for(node))
    return {value} if isinstance(value, str) else set(value or ())


def ignored_at_run_time(call: cst.Call) -> cst.BaseExpression | None:
    """What says which names a call leaves out, where that is no literal."""
    node = _ignored(call)
    is_literal = node is None or all(isinstance(each, LITERALS) for each in ast_nodes(node))
    return None if is_literal else node


def _ignored(call: cst.Call) -> cst.BaseExpression | None:
    given = (arg.value for arg in call.args if arg.keyword and arg.keyword.value == "ignore")
    return next(given, None)


def ignored_by(cls: Class) -> set[str]:
    """The names that the calls in the class and in its bases leave out."""
    return {name for part in cls.lineage for _, call in save_calls(part) for name in ignored_names(call)}


def arguments_of(cls: Class, call: cst.Call | None, ignored: set[str] | None = None) -> str:
    """What a call saves that is given no object, as arguments of `HParams`; without a call, all arguments."""
    if call is not None and lists_names(call):
        return ", ".join(_entry(cls, name) for name in names_of(call))
    left_out = (ignored or set()) | (ignored_names(call) if call else set())
    names = parameter_names(cls)
    entries = [f"{name}={name}" for name in names if name not in left_out]
    if keywords := keywords_of(cls):
        entries.append(f"**{_others(keywords, left_out.difference(names))}")
    return ", ".join(entries)


def _others(keywords: str, ignored: set[str]) -> str:
    """The other arguments without those that are left out, which may be among them."""
    if not ignored:
        return keywords
    *rest, last = [f'"{name}"' for name in sorted(ignored)]
    is_kept = f"not in ({', '.join([*rest, last])})" if rest else f"!= {last}"
    return f"{{name: {keywords}[name] for name in {keywords} if name {is_kept}}}"


def _entry(cls: Class, name: str) -> str:
    """One that is saved by its name: an argument's, or a key of the others that the constructor takes."""
    keywords = keywords_of(cls)
    return (
        f'{name}={keywords}["{name}"]' if keywords and name not in parameter_names(cls) else f"{name}={name}"
    )


def parameter_names(cls: Class) -> list[str]:
    """The names of the constructor's arguments, `self` and stars left out."""
    parameters = cls.own_methods["__init__"].params
    plain = [*parameters.posonly_params, *parameters.params][1:] + list(parameters.kwonly_params)
    return [parameter.name.value for parameter in plain]


def keywords_of(cls: Class) -> str:
    """The name under which the constructor takes all other arguments; empty: it takes none."""
    others = cls.own_methods["__init__"].params.star_kwarg if "__init__" in cls.own_methods else None
    return others.name.value if others else ""
