"""Calls of Lightning's in the user's own main, replaced by those of the script."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ..index.rewriting import rewritten
from ..index.search import code_for
from ..ir.rewrites import OBJECT, HandedOn, Rewrite, Rewrites, Slot, Star
from ..lightning.api import STAND_INS
from .contexts import without_idle_contexts


def with_script_calls(
    node: cst.BaseStatement, rewrites: Rewrites, names: Mapping[str, str]
) -> cst.BaseStatement:
    """The statement with the calls and attributes replaced that `rewrites` names."""
    if rewrites.changes_nothing:
        return node
    return rewritten(node, _Calls(rewrites, names))


class _Calls(cst.CSTTransformer):
    def __init__(self, rewrites: Rewrites, names: Mapping[str, str]) -> None:
        self.calls = {rewrite.node: rewrite for rewrite in rewrites.calls}
        self.expressions = dict(rewrites.expressions)
        self.classes = dict(rewrites.names)
        self.loggers = dict(rewrites.loggers)
        self.handed = {each.node: each for each in rewrites.handed}
        self.folded, self.keeps_places = rewrites.folded, rewrites.keeps_places
        self.idle, self.keeping = rewrites.idle, rewrites.keeping
        self.wrapping = rewrites.wrapping
        self.names = names
        self.named: dict[int, str] = {}  # arguments of the call that is replaced
        self.unmade: set[int] = set()  # among these
        self.around: list[str] = []  # the quotes of the f-strings that a call stands in

    def visit_FormattedString(self, node: cst.FormattedString) -> None:
        self.around.append(node.quote)

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.FormattedString:
        self.around.pop()
        return updated_node

    def leave_With(
        self, original_node: cst.With, updated_node: cst.With
    ) -> cst.With | cst.FlattenSentinel[cst.BaseStatement]:
        return without_idle_contexts(original_node, updated_node, self.idle)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        if original_node not in self.keeping:
            return updated_node
        keeping = cst.Decorator(cst.Name(self.names["keeping_arguments"]))
        return updated_node.with_changes(decorators=[keeping, *updated_node.decorators])

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node in self.idle else updated_node

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.Expr | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node.value in self.idle else updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if original_node in self.idle:
            return cst.Name("None")
        if original_node in self.wrapping:
            return updated_node.args[0].value
        if code := self.expressions.get(original_node):
            return self._parsed(code)
        if handed := self.handed.get(original_node):
            trainer, name = (each.value for each in updated_node.args)
            return self._functions(handed, trainer, name)
        rewrite = self.calls.get(original_node)
        if rewrite is None:
            return self._without_folded(original_node, updated_node)
        self.named = dict(rewrite.named)
        self.unmade = {*self.named}
        return self._rewritten(rewrite, updated_node)

    def _rewritten(self, rewrite: Rewrite, call: cst.Call) -> cst.Call:
        made = cst.Call(cst.Name(self.names[rewrite.function]), self._arguments(rewrite.arguments, call))
        if rewrite.within is None:
            return made
        beside = self._arguments(rewrite.beside, call)
        return cst.Call(cst.Name(self.names[rewrite.within]), [cst.Arg(made), *beside])

    def _functions(
        self, handed: HandedOn, trainer: cst.BaseExpression, name: cst.BaseExpression | None = None
    ) -> cst.BaseExpression:
        """What stands in the place of a Trainer's method: a function, or several by their names."""
        made = {method: self._function(handed, call, trainer) for method, call in handed.functions}
        if name is not None and handed.is_named:
            named = cst.Dict([cst.DictElement(_text(method), each) for method, each in made.items()])
            return cst.Subscript(named, [cst.SubscriptElement(cst.Index(name))])
        (function,) = made.values()
        return _in_brackets(function) if handed.in_brackets else function

    def _function(self, handed: HandedOn, rewrite: Rewrite, trainer: cst.BaseExpression) -> cst.Lambda:
        given = [cst.ensure_type(each.value, cst.Name) for each in rewrite.node.args]
        parameters = [cst.Param(each) for each in given]
        if handed.takes_trainer:
            parameters.append(cst.Param(cst.Name("trainer"), default=trainer))
            trainer = cst.Name("trainer")
        call = rewrite.node.with_changes(func=cst.Attribute(trainer, cst.Name("fit")))
        function = cst.Name(self.names[rewrite.function])
        body = cst.Call(function, self._arguments(rewrite.arguments, call))
        return cst.Lambda(cst.Parameters(parameters), body)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node in self.idle else updated_node

    def leave_Assign(
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.Assign | cst.RemovalSentinel:
        """Loggers that a Trainer is given later are a list of its own."""
        if original_node in self.idle:
            return cst.RemoveFromParent()
        slot = self.loggers.get(original_node)
        if slot is None:
            return updated_node
        target = cst.ensure_type(updated_node.targets[0].target, cst.Attribute)
        (value,) = self._arguments((slot,), cst.Call(target, [cst.Arg(updated_node.value)]))
        is_set = cst.AssignTarget(target.with_changes(attr=cst.Name("loggers")))
        return updated_node.with_changes(targets=[is_set], value=value.value)

    def _without_folded(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """The call without the arguments that its class knows."""
        pairs = zip(original.args, updated.args, strict=True)
        kept = [argument for given, argument in pairs if given not in self.folded]
        if len(kept) == len(updated.args):
            return updated
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated.with_changes(args=kept)

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.BaseExpression:
        code = self.expressions.get(original_node)
        return self._parsed(code) if code else updated_node

    def leave_Comparison(
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.BaseExpression:
        code = self.expressions.get(original_node)
        brackets = {"lpar": updated_node.lpar, "rpar": updated_node.rpar}
        return self._parsed(code).with_changes(**brackets) if code else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if code := self.expressions.get(original_node):
            return self._parsed(code)
        name = self.classes.get(original_node)
        return updated_node.with_changes(value=self.names[name]) if name else updated_node

    def _arguments(self, slots: tuple[Slot, ...], call: cst.Call) -> list[cst.Arg]:
        arguments = []
        for slot in slots:
            if slot.code:
                value = self._parsed(slot.code.format_map(self.names))
            elif slot.place == OBJECT:
                value = cst.ensure_type(call.func, cst.Attribute).value
            else:
                value = self._made(call.args[slot.place].value, slot.place)
            if slot.key:
                value = _under(value, slot.key, slot.may_lack)
            if slot.order:
                value = _in_order(cst.ensure_type(value, cst.List), slot.order)
            if isinstance(value, cst.List) and not self.keeps_places:
                value = self._without_idle(value)
            if slot.attribute:
                value = cst.Attribute(value, cst.Name(slot.attribute))
            if slot.fallback:
                other = cst.parse_expression(slot.fallback.format_map(self.names))
                value = cst.BooleanOperation(_in_brackets(value), cst.Or(), other)
            if slot.listed:
                value = cst.List([cst.Element(value)])
            if slot.added:
                more = cst.Element(self._parsed(slot.added.format_map(self.names)))
                value = cst.ensure_type(value, cst.List)
                value = value.with_changes(elements=[*value.elements, more])
            if slot.as_key:
                value = cst.Dict([cst.DictElement(_text(slot.as_key), value)])
            if slot.wrapper:
                beside = self._arguments(slot.beside, call)
                value = cst.Call(cst.Name(self.names[slot.wrapper]), [cst.Arg(value), *beside, *_names(slot)])
            arguments.append(_argument(value, slot.keyword, slot.star))
        return arguments

    def _made(self, value: cst.BaseExpression, place: int) -> cst.BaseExpression:
        """An argument's value, or its name, which it has from the first time on."""
        if place not in self.named:
            return value
        name = cst.Name(self.named[place])
        if place not in self.unmade:
            return name
        self.unmade.remove(place)
        return cst.NamedExpr(name, value)

    def _without_idle(self, value: cst.List) -> cst.List:
        """The list without callbacks that do nothing in the script, such as progress bars."""
        idle = {f"{self.names[name]}()" for name in ("Callback", *STAND_INS.values()) if name in self.names}
        kept = [each for each in value.elements if code_for(each.value) not in idle]
        if kept and len(kept) < len(value.elements) and value.elements[-1] is not kept[-1]:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return value.with_changes(elements=kept)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if handed := self.handed.get(original_node):
            return self._functions(handed, updated_node.value)
        if name := self.classes.get(original_node):
            return cst.Name(self.names[name], lpar=updated_node.lpar, rpar=updated_node.rpar)
        code = self.expressions.get(original_node)
        return self._parsed(code) if code else updated_node

    def _parsed(self, code: str) -> cst.BaseExpression:
        """Code in the place of an expression, which may stand in an f-string."""
        return cst.parse_expression(code.replace('"', "'") if '"' in self.around else code)


def _under(mapping: cst.BaseExpression, key: str, may_lack: bool) -> cst.BaseExpression:
    """What a mapping has under a key, or None where it `may_lack` it."""
    mapping = _in_brackets(mapping)
    text = cst.SimpleString(f'"{key}"')
    if may_lack:
        return cst.Call(cst.Attribute(mapping, cst.Name("get")), [cst.Arg(text)])
    return cst.Subscript(mapping, [cst.SubscriptElement(cst.Index(text))])


def _in_brackets(value: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that can stand beside an operator."""
    is_open = isinstance(value, cst.IfExp | cst.Lambda | cst.NamedExpr) and not value.lpar
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if is_open else value


def _in_order(value: cst.List, order: tuple[int, ...]) -> cst.List:
    elements = (value.elements[place] for place in order)
    return value.with_changes(
        elements=[each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in elements]
    )


def _names(slot: Slot) -> list[cst.Arg]:
    """The names that a slot's function is given beside."""
    ignored = [cst.Element(_text(name)) for name in slot.ignored]
    given = [_argument(_text(name)) for name in slot.names]
    given += [_argument(cst.Tuple(ignored), "ignored")] if ignored else []
    return [*given, *(_argument(cst.parse_expression(code), name) for name, code in slot.keywords)]


def _text(name: str) -> cst.SimpleString:
    return cst.SimpleString(repr(name))


def _argument(value: cst.BaseExpression, keyword: str | None = None, star: Star = "") -> cst.Arg:
    if keyword is None:
        return cst.Arg(value, star=star)
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(value, cst.Name(keyword), equal)
