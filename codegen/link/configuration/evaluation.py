"""What a small function of the project's gives for known arguments, where its code only asks for classes by name."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

from ..modules.graph import Definition, External, Graph, ModuleReference
from ..modules.module import Module
from .held import Node, Part, Setting

TEXT_METHODS = frozenset("""
    capitalize endswith format join lower lstrip partition removeprefix removesuffix replace rpartition rsplit rstrip
    split startswith strip title upper
    """.split())

GIVING_THE_SAME = frozenset("""
    copy.copy copy.deepcopy deepcopy dict OmegaConf.to_container OmegaConf.create
    """.split())
"""Functions that give a mapping like the one that they are given."""

CONFIGURED = frozenset({"DictConfig", "omegaconf.DictConfig"})
BUILTIN = frozenset({"dict", "Dict"})
MAPPINGS = CONFIGURED | BUILTIN | {"Mapping", "MutableMapping"}

OF_CONFIGURATIONS: dict[str, tuple[type, ...]] = {
    "OmegaConf.is_config": (dict, list),
    "OmegaConf.is_dict": (dict,),
    "OmegaConf.is_list": (list,),
}
"""What asks whether something is a part of a configuration, and for which kinds."""

MISSING = "???"
"""How OmegaConf writes what is yet to be given, and is not there until it is."""

MAX_DEPTH = 8

COMPARING: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class NotEvaluated(Exception):
    """The code does something else, or asks for what is known only when it runs."""


@dataclass(frozen=True)
class NamedModule:
    """A module, by its dotted name."""

    path: str


@dataclass(frozen=True)
class NamedObject:
    """What a module has under a name."""

    path: str


@dataclass(frozen=True)
class Passed:
    """What the function is given beside its first argument: its `*args` or `**kwargs`."""


@dataclass(frozen=True)
class Made:
    """An object of what has a name, with what it is made of."""

    path: str
    positional: tuple[Node, ...] = ()
    named: dict[str, Node] = field(default_factory=dict)
    unpacked: tuple[Part, ...] = ()  # whose entries are named arguments too
    is_call: bool = False  # else it is the class itself


Evaluated: TypeAlias = "Node | NamedModule | NamedObject | Made | Passed"
Variables: TypeAlias = dict[str, Evaluated]


class _Returned(Exception):
    def __init__(self, value: Evaluated) -> None:
        self.value = value


@dataclass(frozen=True)
class Evaluation:
    """Runs the statements of functions. Raises NotEvaluated."""

    graph: Graph
    depth: int = 0
    mappings: frozenset[str] = MAPPINGS  # kinds that those of the configuration are of
    knows_objects: bool = True  # else nothing is asked of what modules have, and of what libraries give

    def called(self, module: Module, node: ast.FunctionDef, given: Iterable[Evaluated]) -> Evaluated:
        """What the function returns; parameters that are given nothing have their defaults."""
        if self.depth > MAX_DEPTH or node.decorator_list:
            raise NotEvaluated
        variables = self._parameters(node, [*given])
        try:
            _Body(replace(self, depth=self.depth + 1), module, variables).run(node.body)
        except _Returned as returned:
            return returned.value
        return _constant(None)

    def holds(self, module: Module, test: ast.expr, variables: Variables) -> bool:
        """Whether an expression in a module is true, where these are its variables."""
        return _Body(self, module, {**variables})._holds(test)

    def value(self, module: Module, node: ast.expr, variables: Variables) -> Evaluated:
        """What it gives."""
        return _Body(self, module, {**variables}).value(node)

    def _parameters(self, node: ast.FunctionDef, given: list[Evaluated]) -> Variables:
        named = [*node.args.posonlyargs, *node.args.args]
        names = [each.arg for each in named]
        defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
        defaults |= {
            each.arg: value
            for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if value
        }
        variables: Variables = {
            name: _constant(value.value)
            for name, value in defaults.items()
            if isinstance(value, ast.Constant)
        }
        starred = filter(None, (node.args.vararg, node.args.kwarg))
        variables |= {each.arg: Passed() for each in starred}
        if len(given) > len(names):
            raise NotEvaluated
        return variables | dict(zip(names, map(_copied, given), strict=False))


@dataclass(frozen=True)
class _Body:
    """The statements of one call."""

    evaluation: Evaluation
    module: Module
    variables: Variables

    # ---- statements --------------------------------------------------------------------------------------

    def run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._run(statement)

    def _run(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Return(value):
                raise _Returned(self.value(value) if value else _constant(None))
            case ast.If(test, body, orelse):
                self.run(body if self._holds(test) else orelse)
            case ast.Assign([target], value):
                self._bind(target, self.value(value))
            case ast.AnnAssign(ast.Name() as target, _, value) if value:
                self._bind(target, self.value(value))
            case ast.Try(body, _, orelse, []):
                self.run([*body, *orelse])
            case ast.Expr(ast.Constant()):
                pass
            case ast.Expr(ast.Call(function)) if self._is_librarys(function):
                pass
            case ast.Assert() | ast.Pass() | ast.Import() | ast.ImportFrom():
                pass
            case _:
                raise NotEvaluated

    def _is_librarys(self, function: ast.expr) -> bool:
        """Whether it is a function that changes nothing of the project's: `importlib.invalidate_caches`, `print`."""
        while isinstance(function, ast.Attribute):
            function = function.value
        if not isinstance(function, ast.Name) or function.id in self.variables:
            return False
        target = self.evaluation.graph.resolve(self.module, function.id)
        return function.id == "print" if target is None else isinstance(target, External)

    def _bind(self, target: ast.expr, value: Evaluated) -> None:
        if isinstance(target, ast.Name):
            self.variables[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, list):
            if len(target.elts) != len(value):
                raise NotEvaluated
            for each, part in zip(target.elts, value, strict=True):
                self._bind(each, part)
        else:
            raise NotEvaluated

    def _holds(self, test: ast.expr) -> bool:
        if isinstance(test, ast.BoolOp):
            return self._either_holds(test)
        return bool(self._compared(test))

    def _either_holds(self, test: ast.BoolOp) -> bool:
        """Whether `and` or `or` gives something true: one part may decide it, whatever is unknown of those before."""
        decides, is_known = isinstance(test.op, ast.Or), True
        for each in test.values:
            try:
                if self._holds(each) is decides:
                    return decides
            except NotEvaluated:
                is_known = False
        return not decides if is_known else _failed()

    # ---- expressions -------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Evaluated:
        match node:
            case ast.Constant(value):
                return _constant(value)
            case ast.Name(name):
                return self._name(name)
            case ast.Attribute(owner, name):
                return self._attribute(self.value(owner), name)
            case ast.Subscript(owner, ast.Slice() as part):
                return self._sliced(self.value(owner), part)
            case ast.Subscript(owner, key):
                return _item(self.value(owner), self._plain(key))
            case ast.Call():
                return self._call(node)
            case ast.IfExp(test, body, orelse):
                return self.value(body if self._holds(test) else orelse)
            case ast.BoolOp(how, [*first, last]):
                decides = (each for each in first if self._holds(each) == isinstance(how, ast.Or))
                return self.value(next(decides, last))
            case ast.Dict():
                return self._mapping(node)
            case ast.DictComp(ast.Name() as key, value, [loop]):
                return self._chosen(key, value, loop)
            case ast.Tuple(elements) | ast.List(elements):
                return [_node(self.value(each)) for each in elements]
        return _constant(self._computed(node))

    def _computed(self, node: ast.expr) -> object:
        match node:
            case ast.JoinedStr(parts):
                return "".join(map(self._formatted, parts))
            case ast.BinOp(left, ast.Add(), right):
                return self._text(left) + self._text(right)
            case ast.Compare(left, [ast.In() | ast.NotIn() as how], [right]):
                return self._is_in(left, right) == isinstance(how, ast.In)
            case ast.Compare(left, [how], [right]) if type(how) in COMPARING:
                return self._are(how, self._compared(left), self._compared(right))
            case ast.UnaryOp(ast.Not(), operand):
                return not self._holds(operand)
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                return -value
        raise NotEvaluated

    def _formatted(self, part: ast.expr) -> str:
        match part:
            case ast.FormattedValue(value, -1, None):
                return str(self._plain(value))
            case ast.Constant(str(text)):
                return text
        raise NotEvaluated

    def _compared(self, node: ast.expr) -> object:
        value = self.value(node)
        if not (self.evaluation.knows_objects or isinstance(value, Setting | dict | list)):
            raise NotEvaluated
        return _known(value) if isinstance(value, Setting) else value

    def _are(self, how: ast.cmpop, one: object, other: object) -> bool:
        """Whether they are the same, or alike; what is in two containers is not compared."""
        if isinstance(one, dict | list) and isinstance(other, dict | list):
            raise NotEvaluated
        return COMPARING[type(how)](one, other)

    def _is_in(self, left: ast.expr, right: ast.expr) -> bool:
        key, owner = self._plain(left), self.value(right)
        if isinstance(owner, dict):
            return _is_there(owner, key)
        if isinstance(owner, list):
            return key in [_known(each) for each in owner]
        text = _known(owner)
        if isinstance(text, str) and isinstance(key, str):
            return key in text
        raise NotEvaluated

    def _plain(self, node: ast.expr) -> object:
        return _known(self.value(node))

    def _text(self, node: ast.expr) -> str:
        value = self._plain(node)
        if not isinstance(value, str):
            raise NotEvaluated
        return value

    def _name(self, name: str) -> Evaluated:
        if name in self.variables:
            return self.variables[name]
        target = self.evaluation.graph.resolve(self.module, name)
        if isinstance(target, ModuleReference):
            return NamedModule(target.name)
        if isinstance(target, External):
            bound = target.bound
            return NamedObject(".".join(filter(None, (bound.module, bound.attribute))))
        raise NotEvaluated

    def _attribute(self, owner: Evaluated, name: str) -> Evaluated:
        if isinstance(owner, NamedModule | NamedObject):
            return NamedObject(f"{owner.path}.{name}")
        if isinstance(owner, dict) and name in owner:
            return owner[name]
        raise NotEvaluated

    def _sliced(self, owner: Evaluated, part: ast.Slice) -> Evaluated:
        places = slice(*(self._place(each) for each in (part.lower, part.upper, part.step)))
        if isinstance(owner, list):
            return owner[places]
        text = _known(owner)
        if not isinstance(text, str):
            raise NotEvaluated
        return _constant(text[places])

    def _place(self, node: ast.expr | None) -> int | None:
        value = self._plain(node) if node else None
        return value if isinstance(value, int | None) else _failed()

    def _mapping(self, node: ast.Dict) -> Evaluated:
        made: dict[str, Node] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made |= _as_mapping(self.value(value))
            else:
                made[self._text(key)] = _node(self.value(value))
        return made

    def _chosen(self, key: ast.Name, value: ast.expr, loop: ast.comprehension) -> Evaluated:
        """`{key: value for key, value in config.items() if key != "target"}`"""
        match loop:
            case ast.comprehension(
                ast.Tuple([ast.Name(name), ast.Name() as each]),
                ast.Call(ast.Attribute(owner, "items"), [], []),
                tests,
            ) if (
                name == key.id and isinstance(value, ast.Name) and value.id == each.id
            ):
                held = _as_mapping(self.value(owner))
            case _:
                raise NotEvaluated
        chosen: dict[str, Node] = {}
        for name, part in held.items():
            inner = _Body(
                self.evaluation, self.module, self.variables | {key.id: _constant(name), each.id: part}
            )
            if all(map(inner._holds, tests)):
                chosen[name] = part
        return chosen

    # ---- calls -------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Evaluated:
        name = ast.unparse(node.func)
        if name in ("importlib.import_module", "import_module"):
            return NamedModule(self._text(node.args[0]))
        if name == "getattr" and len(node.args) >= 2:
            return self._gotten(*map(self.value, node.args))
        if name in GIVING_THE_SAME:
            return _copied(_as_mapping(self.value(node.args[0]))) if node.args else {}
        if name == "hasattr":
            return _constant(_has_attribute(_as_mapping(self.value(node.args[0])), self._text(node.args[1])))
        if (kinds := OF_CONFIGURATIONS.get(name.removeprefix("omegaconf."))) and len(node.args) == 1:
            return _constant(isinstance(self.value(node.args[0]), kinds))
        if name == "isinstance":
            return _constant(self._is_instance(node))
        if name == "str" and len(node.args) == 1:
            return _constant(str(self._plain(node.args[0])))
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if isinstance(owner, Setting | dict | list):
                return self._method(owner, node.func.attr, node)
        return self._made(node)

    def _gotten(self, owner: Evaluated, name: Evaluated, *default: Evaluated) -> Evaluated:
        """What `getattr` gives."""
        key = _known(name)
        if default and isinstance(owner, dict) and key not in owner:
            return default[0]
        return self._attribute(owner, key) if isinstance(key, str) else _failed()

    def _is_instance(self, node: ast.Call) -> bool:
        value, kinds = self.value(node.args[0]), node.args[1]
        asked = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
        names = {ast.unparse(each) for each in asked}
        if names <= MAPPINGS | {"str"}:
            is_mappings = not names.isdisjoint(self.evaluation.mappings)
            return (
                isinstance(value, dict) and is_mappings if not isinstance(value, Setting) else "str" in names
            )
        raise NotEvaluated

    def _method(self, owner: Setting | dict[str, Node] | list[Node], name: str, call: ast.Call) -> Evaluated:
        if isinstance(owner, dict) and name == "copy":
            return _copied(owner)
        if isinstance(owner, dict) and name in ("get", "pop"):
            return self._taken(owner, name, call)
        text = _known(owner)
        if (
            not isinstance(text, str)
            or name not in TEXT_METHODS
            or any(isinstance(each, ast.Starred) for each in call.args)
        ):
            raise NotEvaluated
        given = [self._told(each) for each in call.args]
        named = {each.arg: self._told(each.value) for each in call.keywords if each.arg}
        try:
            return _from_text(getattr(text, name)(*given, **named))
        except (TypeError, ValueError, LookupError):
            raise NotEvaluated from None

    def _told(self, node: ast.expr) -> object:
        """What a method of a text is given."""
        value = self.value(node)
        return [_known(each) for each in value] if isinstance(value, list) else _known(value)

    def _taken(self, owner: dict[str, Node], name: str, call: ast.Call) -> Evaluated:
        key = self._text(call.args[0])
        if key not in owner and len(call.args) > 1:
            default = self.value(call.args[1])
            if isinstance(owner, Part) and owner.code and default == {}:
                return Part({}, f"{owner.code}.get({key!r}, {{}})")
            return default
        if key not in owner and name == "get":
            return _constant(None)
        found = _item(owner, key)
        if name == "pop":
            del owner[key]
        if name == "pop" and isinstance(owner, Part):
            owner.code = ""  # as it holds no longer all of that
        return found

    def _made(self, node: ast.Call) -> Evaluated:
        callee = self._callee(node.func)
        if isinstance(callee, Definition):
            return self._of_function(callee, node)
        if not isinstance(callee, NamedObject):
            raise NotEvaluated
        positional: list[Node] = []
        for each in node.args:
            value = self.value(each.value if isinstance(each, ast.Starred) else each)
            if isinstance(each, ast.Starred):
                positional += value if isinstance(value, list) else _none_of(value)
            else:
                positional.append(_node(value))
        named, unpacked = self._keywords(node)
        return Made(callee.path, tuple(positional), named, unpacked, is_call=True)

    def _keywords(self, node: ast.Call) -> tuple[dict[str, Node], tuple[Part, ...]]:
        named: dict[str, Node] = {}
        unpacked: list[Part] = []
        for each in node.keywords:
            value = self.value(each.value)
            if each.arg:
                named[each.arg] = _node(value)
            elif isinstance(value, Part) and value.code:
                unpacked.append(value)
            elif isinstance(value, Setting) and value.name and not value.is_known:
                unpacked.append(Part({}, value.name))
            elif not isinstance(value, Passed):
                named |= _as_mapping(value)
        return named, tuple(unpacked)

    def _callee(self, node: ast.expr) -> Evaluated | Definition:
        if isinstance(node, ast.Name) and node.id not in self.variables:
            target = self.evaluation.graph.resolve(self.module, node.id)
            return target if isinstance(target, Definition) else _failed()
        return self.value(node)

    def _of_function(self, callee: Definition, node: ast.Call) -> Evaluated:
        found = [
            each
            for each in callee.module.tree.body
            if isinstance(each, ast.FunctionDef) and each.name == callee.name
        ]
        is_plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args)
        if len(found) != 1 or not is_plain:
            raise NotEvaluated
        return self.evaluation.called(callee.module, found[0], map(self.value, node.args))


def _constant(value: object) -> Setting:
    return Setting("", value)


def _known(value: object) -> object:
    """The plain value that it is."""
    if isinstance(value, Setting) and value.is_known:
        return value.value
    raise NotEvaluated


def _is_there(owner: dict[str, Node], key: object) -> bool:
    found = owner.get(key) if isinstance(key, str) else None
    return _failed() if isinstance(found, Setting) and found.text == MISSING else found is not None


def _has_attribute(owner: dict[str, Node], name: str) -> bool:
    """Whether a configuration has something under a name that is no method's."""
    return _failed() if hasattr(owner, name) else _is_there(owner, name)


def _item(owner: Evaluated, key: object) -> Evaluated:
    try:
        if isinstance(owner, dict) and isinstance(key, str):
            return owner[key]
        if isinstance(owner, list) and isinstance(key, int):
            return owner[key]
    except LookupError:
        pass
    raise NotEvaluated


def _copied(value: Evaluated) -> Evaluated:
    """The same, as what is taken out of it is not taken out of the configuration."""
    return Part(value, value.code) if isinstance(value, Part) else value


def _node(value: Evaluated) -> Node:
    if isinstance(value, dict | list | Setting):
        return value
    raise NotEvaluated


def _as_mapping(value: Evaluated) -> dict[str, Node]:
    """What a mapping holds; None, which many write for an empty one, is none."""
    if isinstance(value, dict):
        return value
    raise NotEvaluated


def _none_of(value: Evaluated) -> list[Node]:
    """Of `*args` nothing is known, and nothing is given."""
    return [] if isinstance(value, Passed) else _failed()


def _failed() -> NoReturn:
    raise NotEvaluated


def _from_text(found: object) -> Evaluated:
    if isinstance(found, list | tuple):
        return [_constant(each) for each in found]
    return _constant(found)
