"""Which values are surely numbers, flags and texts: literals, and options of argparse whose types are told."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import (
    BoundMethod,
    Class,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Value,
    values_of,
)
from .literals import code_of

TYPES = {f"builtins.{kind.__name__}": kind for kind in (bool, int, float, str)}
FLAG = m.SimpleString("'store_true'") | m.SimpleString('"store_true"')
PARSER = "argparse.ArgumentParser"

METHODS = frozenset("""
    add_argument add_argument_group add_mutually_exclusive_group parse_args print_help print_usage error
    """.split())
"""Methods of parsers, and of groups of options, that change no option that there is."""

SETTINGS = frozenset(
    "prog usage description epilog title formatter_class add_help allow_abbrev required".split()
)
"""What parsers and groups may be given that does not change what options are."""


class Scalars:
    """Tells which values are surely scalars."""

    def __init__(self, project: Project) -> None:
        self.index, self.values = project.index, values_of(project)
        self.is_open = bool(project.folders)  # modules that the script imports may do anything

    def all_are(self, found: Iterable[Value], *kinds: type) -> bool:
        """Whether each of the values is surely of one of the kinds, or of any kind."""
        return all(self._kind(value) in (kinds or TYPES.values()) for value in found)

    def _kind(self, value: Value) -> type | None:
        if isinstance(value, Literal):
            return type(value.value)
        if not (isinstance(value, Option) and _is_namespace(value.node) and value.name.startswith("args.")):
            return None
        kind = self._options.get(value.name.removeprefix("args."))
        return kind if kind and self._are_plain else None

    # ---- options -----------------------------------------------------------------------------------------

    @cached_property
    def _options(self) -> dict[str, type | None]:
        """The options that calls of `add_argument` make, with their types; None: it may be anything."""
        found: dict[str, type | None] = {}
        for attribute in self.index.attributes("add_argument"):
            call = self.index.parent(attribute)
            if not (isinstance(call, cst.Call) and call.func is attribute and (name := option_name(call))):
                return {}
            kind = self._kind_of_option(_keywords(call))
            found[name] = kind if found.get(name, kind) is kind else None
        return found

    def _kind_of_option(self, given: dict[str, cst.BaseExpression]) -> type | None:
        if "action" in given:
            is_flag = m.matches(given["action"], FLAG) and given.keys() <= {"action", "help", "dest"}
            return bool if is_flag else None
        default = self.values.of(given["default"]).literal if "default" in given else None
        if default is None or given.keys() & {"nargs", "const"}:
            return None
        made = self.values.of(given["type"]).only if "type" in given else External("builtins.str")
        kind = TYPES.get(made.name) if isinstance(made, External) else None
        return kind if type(default.value) is kind else None

    # ---- parsers -----------------------------------------------------------------------------------------

    @cached_property
    def _are_plain(self) -> bool:
        """Whether nothing but calls of `add_argument` says what the options are."""
        if self.is_open or any(isinstance(owner, Option) for owner, _, _ in self.values.stores()):
            return False
        nodes: list[cst.BaseExpression] = self.index.of_kind(cst.Name, cst.Attribute, cst.Call)
        followed = [each for each in nodes if any(map(_is_followed, self.values.of(each)))]
        calls = [each for each in followed if isinstance(each, cst.Call)]
        return all(map(self._is_plain_call, calls)) and all(map(self._is_plain_use, followed))

    def _is_plain_call(self, call: cst.Call) -> bool:
        """Whether a call that gives a parser, a group or a namespace changes nothing of the options."""
        is_open = not _keywords(call).keys() <= SETTINGS or any(each.star for each in call.args)
        is_open |= _is_namespace(call) and bool(call.args)
        for callee in self.values.callees(call):
            is_method = isinstance(callee, Member) and callee.name in METHODS and _is_followed(callee)
            adds = isinstance(callee, Member) and callee.name == "add_argument"
            is_parser = isinstance(callee, External) and callee.name == PARSER
            if isinstance(callee, Function | BoundMethod) or (is_method and adds):
                continue
            if is_open or not (is_parser or is_method):
                return False
        return True

    def _is_plain_use(self, node: cst.BaseExpression) -> bool:
        """Whether a parser or a namespace is but handed on to the user's code, and asked for what it has."""
        parent = self.index.parent(node)
        if isinstance(parent, cst.Attribute):
            is_space = not any(isinstance(each, Instance) for each in self.values.of(node))
            name = parent.attr.value
            return parent.attr is node or (not name.startswith("_") if is_space else name in METHODS)
        if isinstance(parent, cst.Arg):
            call = self.index.parent(parent)
            callees = self.values.callees(call) if isinstance(call, cst.Call) else ()
            return bool(callees) and not parent.star and all(map(_is_users, callees))
        if isinstance(parent, cst.Call):
            return parent.func is node
        targets = cst.Assign | cst.AnnAssign | cst.AssignTarget | cst.Param | cst.Return | cst.Expr
        return isinstance(parent, targets)


def _keywords(call: cst.Call) -> dict[str, cst.BaseExpression]:
    return {argument.keyword.value: argument.value for argument in call.args if argument.keyword}


def option_name(call: cst.Call) -> str:
    """The attribute under which an option is found; empty: that is not known."""
    flags = [argument.value for argument in call.args if not argument.keyword]
    dest = _keywords(call).get("dest")
    texts = [dest] if dest else flags
    if any(argument.star for argument in call.args) or not all(m.matches(e, m.SimpleString()) for e in texts):
        return ""
    names: list[str] = [ast.literal_eval(code_of(each)) for each in texts]
    long = next((each for each in names if each.startswith("--")), names[0] if names else "")
    return long.lstrip("-").replace("-", "_") if long.startswith("-") else long


def _is_namespace(node: cst.CSTNode) -> bool:
    """Whether it is a call of `parse_args`."""
    return m.matches(node, m.Call(func=m.Attribute(attr=m.Name("parse_args"))))


def _is_followed(value: Value) -> bool:
    """Whether it is a parser, a group, a namespace, or something of theirs."""
    if isinstance(value, Option):
        return value.name == "args" and _is_namespace(value.node)
    if isinstance(value, Instance):
        return _is_followed(value.cls) or (isinstance(value.cls, External) and value.cls.name == PARSER)
    return isinstance(value, Member) and _is_followed(value.receiver)


def _is_users(callee: Value) -> bool:
    return isinstance(callee, Function | BoundMethod | Class)
