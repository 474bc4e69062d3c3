"""What code does with an object of Lightning's, such as the model, and with the trainer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import libcst as cst

from ...index import patterns as m
from ...index.choices import is_condition
from ...index.targets import assignments
from ...ir.project import Class, Project
from ...lightning import api, lightning_1
from ...lightning.module_names import SET_AS
from ...lightning.trainer_names import INNER_METHODS, TRAINER_NAMES
from ...runtime.constructed import trainer_members
from ...values import (
    BoundMethod,
    Function,
    Instance,
    Literal,
    Option,
    Unknown,
    Value,
    Values,
    ValueSet,
    values_of,
)
from ...values import Class as UserClass
from ..lightning.idle import idle
from ..lightning.threads import read_by_threads
from ..lightning.trainer_objects import KEPT
from ..lightning.trainer_parts import SETUP, counterpart_asked, sets_up_optimizers
from ..main.run_order import RunOrder
from ..model.assigned import replacing
from ..model.kept_trainers import classes_made, keeps_for_a_while, takes_openly
from .asked_by_name import ASKED
from .conditions import ASKED_FOR_KIND, asked_whether_there, is_surely_module
from .instances import Instances
from .parts import is_asked_of_part
from .usage import LOGGING, LogCall, Usage

HOOKS = api.ALL_HOOKS | api.CALLBACK_HOOKS | api.STEPS
RUNNING = ("fit", "validate", "test", "predict")
"""The Trainer's methods that run a model."""

Code = cst.FunctionDef | cst.Lambda

ASKING = (
    cst.Comparison,
    cst.If,
    cst.IfExp,
    cst.While,
    cst.Assert,
    cst.BooleanOperation,
    cst.UnaryOperation,
)
SUPER = m.Call(func=m.Name("super"))
NAMED = [m.Arg(), m.Arg(m.SimpleString()), m.ZeroOrMore()]
GOT_BY_NAME = m.Call(func=m.Name("getattr"), args=NAMED)
LIGHTNINGS = api.MEMBERS | api.UNSUPPORTED_MEMBERS.keys() | lightning_1.MEMBERS.keys()
ONLY_WHOLE = frozenset({"state"})  # of which it matters what else is asked, by whoever gets it
ONLY_OURS = {SETUP}  # Lightning's trainer has it as a part of its strategy
NAMES = m.Tuple([m.ZeroOrMore(m.Element(m.Name()))])
OWN_METHOD = m.Attribute(value=m.Name("self") | SUPER)


def usage_of(project: Project, cls: Class) -> Usage:
    """What the methods of the class and of its bases in the file do, and the functions that these call."""
    return _usage_of(project, cls).copy()


@lru_cache(maxsize=32)
def _usage_of(project: Project, cls: Class) -> Usage:
    """The same, kept for each script that is planned for the class or for others in its place."""
    usage = Usage()
    access, roots = MemberAccess(project, usage, cls, cls), dict[Code, str]()
    for part in cls.lineage:
        for name, method in part.own_methods.items():
            if cls.methods.get(name) is not method and access.is_of_others(method):
                continue
            own_name = method.name.value if name in part.renamed else name
            roots.setdefault(method, f"{method.name.value}()" if name in part.adopted else own_name)
        for name, method in part.renamed.items():
            usage.calls[name].add(method.name.value)
        for name in part.aliases:
            usage.calls[name].add(part.aliases[name])
        for name, method in part.adopted.items():
            usage.calls[name].add(f"{method.name.value}()")
    for name, function in replacing(project, cls):
        roots.setdefault(function.node, name)
    access.follow(roots)
    return usage


@lru_cache(maxsize=4)
def training_functions(project: Project) -> frozenset[Code]:
    """The functions that train or evaluate, which no hook is or calls."""
    values = values_of(project)
    calls = values.calls_of(*(f"Trainer.{name}" for name in RUNNING))
    hooked = {call for call in calls if _is_hooked(values, values.places.innermost(call), set())}
    found = {values.places.outermost(call) for call in calls}
    found -= {values.places.outermost(call) for call in hooked}
    return frozenset(each for each in found if each is not None)


def _is_hooked(values: Values, function: Code | None, seen: set[cst.CSTNode]) -> bool:
    """Whether Lightning may call a function, or one that calls it."""
    if function is None or function in seen:
        return False
    seen.add(function)
    cls = values.index.class_of(function)
    is_named = isinstance(function, cst.FunctionDef) and function.name.value in HOOKS
    if cls is not None and is_named and values.lightning_bases(UserClass(cls)):
        return True
    callers = (values.places.innermost(place) for place in values.places.of_callers.get(function, ()))
    return any(_is_hooked(values, each, seen) for each in callers)


@dataclass
class MemberAccess:
    """Notes what functions do with the objects of a class, and with the trainer."""

    project: Project
    usage: Usage
    cls: Class
    """The class of the objects."""
    own: Class
    """The class whose methods go by their own names."""
    prefix: str = ""
    """What stands before these names."""
    supers: set[str] = field(default_factory=set)
    """What is asked of the bases of `own`, where that is not the class of the objects."""

    def __post_init__(self) -> None:
        self.values, self.index = values_of(self.project), self.project.index
        self.instances, self.places = Instances(self.project), self.values.places
        self.training, self.order = training_functions(self.project), RunOrder(self.project)

    # ---- functions ---------------------------------------------------------------------------------------

    def is_of_others(self, method: cst.FunctionDef) -> bool:
        """Whether a method that the class overrides is called of objects of other classes alone, if at all."""
        objects = [each for first in method.params.params[:1] for each in self.values.parameter(first)]
        return bool(objects) and all(
            isinstance(each, Instance)
            and isinstance(each.cls, UserClass)
            and each.cls.node is not self.cls.node
            for each in objects
        )

    def follow(self, roots: Mapping[Code, str]) -> None:
        """Note what the functions do, and those that they call."""
        waiting = dict(roots)
        while waiting:
            function = next(iter(waiting))
            name = waiting.pop(function)
            if function not in self.usage.followed:
                self.usage.followed.add(function)
                self._note(function, name)
                waiting |= {each: self._name(each) for each in self._called(function, name)}

    def _called(self, function: Code, caller: str) -> Iterator[Code]:
        """The functions that run within it, and the methods of the objects that it makes."""
        is_outermost = self.places.outermost(function) is function
        running = (
            self.places.within.get(function, ()) if is_outermost else self.index.within(function, cst.Call)
        )
        # a wrapper that is put on it runs with it
        around = (
            [each.decorator for each in function.decorators] if isinstance(function, cst.FunctionDef) else []
        )
        for node in (*running, *around):
            for each in self._run_at(node):
                if self._is_run_by_others(function, node, each.node):
                    continue
                called: Code | None = self.places.outermost(each.node)
                if called in self.training and called is not each.node:
                    called = each.node  # which a main hands over, and does not run itself
                if called and called is not function and called not in self.training:
                    self.usage.calls[caller].add(self._name(called))
                    yield called
            callees = self.values.callees(node) if isinstance(node, cst.Call) else ()
            for made in (made for each in callees for made in classes_made(self.values, each)):
                if not self.values.lightning_bases(made):
                    yield from self._methods(made)

    def _is_run_by_others(self, function: Code, node: cst.CSTNode, called: cst.CSTNode) -> bool:
        """Whether a method of the class asks for one that another LightningModule has in its place.

        Then that one runs it, which nothing asks to: the method is a hook, or is called by the class's own.
        """
        lineage, kinds = [part.node for part in self.cls.lineage], self.project.classes.values()
        name = called.name.value if isinstance(called, cst.FunctionDef) else ""
        asked = m.Call(m.Attribute(m.Name("self"), m.Name(name)))
        is_own = self.index.class_of(function) in lineage and m.matches(node, asked)
        others = [each.node for each in kinds if each.kind == "module" and each.node not in lineage]
        if not is_own or self.index.class_of(called) not in others:
            return False
        callers = [
            each for each in self.places.of_callers.get(function, ()) if not isinstance(each, cst.ClassDef)
        ]
        return all(
            m.matches(each, m.Call(OWN_METHOD)) and self.index.class_of(each) in lineage for each in callers
        )

    def _run_at(self, node: cst.CSTNode) -> Iterator[Function]:
        """The functions that run at a place: none that a decorator hands on to, as calls of it say so themselves."""
        for each in self.values.runs(node):
            if not self.values.is_handed_on(node, each):
                yield each

    def _methods(self, made: UserClass) -> Iterator[cst.FunctionDef]:
        for part in self.values.bases(made):
            if isinstance(part, UserClass):
                yield from (each for each in part.node.body.body if isinstance(each, cst.FunctionDef))

    def name_of(self, function: Code, hook: str) -> str:
        """What a function is called that is a hook by another name."""
        return self._name(function) if isinstance(function, cst.FunctionDef) else f"{hook} that is assigned"

    def _name(self, function: Code) -> str:
        """What the function is called: a method of the class by its name, another one by that of its class too."""
        if isinstance(function, cst.Lambda):
            return "lambda()"
        name, cls = function.name.value, self.index.class_of(function)
        if cls is None:
            return f"{name}()"
        if cls in [part.node for part in self.cls.lineage]:
            return name
        if cls in [part.node for part in self.own.lineage]:
            return self.prefix + name
        return f"{cls.name.value}()" if name == "__init__" else f"{cls.name.value}.{name}"

    # ---- members -----------------------------------------------------------------------------------------

    def _note(self, function: Code, name: str) -> None:
        asked = {each for node in self.index.within(function, *ASKING) for each in asked_whether_there(node)}
        trains = function in self.training
        for node in self.index.within(function, cst.Attribute):
            if not (trains and self._is_of_main(node)):
                self._note_attribute(node, name, asked)
        for call in self.index.within(function, cst.Call):
            self._note_call(call, name)
        for each in () if trains else self.index.within(function, cst.Name):
            if self.index.binding(each) is None and self._is_trainer(each):
                self._note_trainer(each, asked)

    def _is_of_main(self, node: cst.Attribute) -> bool:
        """Whether it is asked of a Trainer, or is one, in code that trains, as a main does."""
        is_models = self._is_object(node.value)
        return not is_models and (self._is_trainer(node.value) or self._is_trainer(node))

    def _note_attribute(self, node: cst.Attribute, name: str, asked: set[cst.BaseExpression]) -> None:
        member, target = node.attr.value, self._target_of(node)
        if self._is_object(node.value):
            if target is not None:
                if target is node and member in SET_AS:
                    member = self.usage.set_as[node] = SET_AS[member]
                self.usage.writes[member].append(target)
            if target is None or isinstance(target, cst.AugAssign):
                self.usage.reads[member].append(node)
                self.usage.calls[name].add(member)
                if member in LOGGING and not self._is_called(node):
                    self.usage.logs.append(LogCall(node, name, member, is_handed_on=True))
        elif m.matches(node.value, SUPER):
            self._note_inherited(node, name)
        elif member in LIGHTNINGS and target is None and is_asked_of_part(self.instances, self.cls, node):
            self.usage.parts[member].append(node)
            if member in api.OF_TRAINER:
                self.usage.reads[member].append(node)
        elif self._is_trainer(node.value) and (left_out := idle(self.project, node)):
            self.usage.idle[node] = left_out
        elif member in INNER_METHODS and self._is_trainer(node.value) and is_condition(self.index, node):
            self.usage.surely_true.append(node)
        elif self._is_trainer(node.value):
            if counterpart := counterpart_asked(self.index, node):
                member = counterpart[1]
                self.usage.counterparts[counterpart[0]] = member
            self.usage.trainer[member].append(node)
            self.usage.reads["trainer"].append(node)
            self.usage.asks_for_trainer |= member not in trainer_members()  # such as what a main adds
            if target is not None:
                self.usage.trainer_writes.append(node)
        if target is None and self._is_trainer(node):
            self._note_trainer(node, asked)

    def _note_inherited(self, node: cst.Attribute, name: str) -> None:
        """`super().member`: of the class of the objects, or of another one."""
        if self.index.class_of(node) in [part.node for part in self.cls.lineage]:
            self.usage.supers[node.attr.value].append(node)
            self.usage.calls[name].add(node.attr.value)
        elif self.index.class_of(node) in [part.node for part in self.own.lineage]:
            self.supers.add(node.attr.value)

    def _note_call(self, call: cst.Call, name: str) -> None:
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in LOGGING:
            self._note_log(call, call.func, name)
        elif m.matches(call, GOT_BY_NAME) and self._is_object(call.args[0].value):
            function = str(cst.ensure_type(call.args[1].value, cst.SimpleString).raw_value)
            if function in LOGGING:
                self.usage.logs.append(LogCall(call, name, function, is_handed_on=True))
                self.usage.reads.setdefault(function, [])
        if m.matches(call, ASKED) and self._is_object(call.args[0].value):
            self._note_by_name(call, name)
        if self._is_object(call.func):
            self.usage.calls[name].add("forward")

    def _note_by_name(self, call: cst.Call, name: str) -> None:
        """Members that `getattr` or `hasattr` asks for, which may be taken not to be there."""
        for each in self.values.of(call.args[1].value):
            if isinstance(each, Literal) and each.value in api.MEMBERS:
                self.usage.reads.setdefault(str(each.value), [])
                self.usage.calls[name].add(str(each.value))

    def _note_log(self, call: cst.Call, function: cst.Attribute, name: str) -> None:
        """A call of `log` or `log_dict`: of the object's, of its base's, or of what may be the object."""
        is_inherited = m.matches(function.value, SUPER) and function in self.usage.supers[function.attr.value]
        if is_inherited or self._is_object(function.value):
            self.usage.logs.append(LogCall(call, name, function.attr.value))
        elif _may_be_a_models(call) and any(isinstance(e, Unknown) for e in self._of(function.value)):
            self.usage.logs.append(LogCall(call, name, function.attr.value, is_sure=False))

    def _is_called(self, function: cst.Attribute) -> bool:
        call = self.index.parent(function)
        return isinstance(call, cst.Call) and call.func is function

    # ---- the trainer -------------------------------------------------------------------------------------

    def _note_trainer(self, node: cst.BaseExpression, asked: set[cst.BaseExpression]) -> None:
        """The trainer itself: its members are asked for, or it is put into a variable, or used in another way."""
        parent = self.index.parent(node)
        if isinstance(parent, cst.Attribute) or self._is_named(node):
            return
        if node in asked or (isinstance(parent, cst.Arg) and self._gets_default(parent)):
            self.usage.asks_for_trainer = True
        elif isinstance(parent, cst.Arg) and (names := self._got_by_name(parent)):
            self._note_got(self.index.parent(parent), names)
        elif self._goes_on(parent):
            pass
        elif parent and (read := read_by_threads(self.index, self.values, parent)):
            for each in read:
                self.usage.trainer[each.attr.value].append(each)
            self.usage.reads["trainer"] += read
        else:
            self.usage.bare_trainer.append(node)

    def _note_got(self, call: cst.CSTNode | None, names: set[str]) -> None:
        """What `getattr` and `hasattr` ask the trainer for; of what the first gives, which are objects."""
        for name in names if isinstance(call, cst.Call) else ():
            self.usage.trainer_got[name].append(cst.ensure_type(call, cst.Call))
        if isinstance(call, cst.Call) and m.matches(call.func, m.Name("getattr")):
            for name in names & KEPT.keys():
                self.usage.objects_got[name].append(call)

    def _is_named(self, node: cst.CSTNode) -> bool:
        """Whether a value but gets names, at which it is found again, alone or in a tuple, or nobody gets it."""
        parent, is_part = self.index.parent(node), False
        if isinstance(parent, cst.Element) and isinstance(whole := self.index.parent(parent), cst.Tuple):
            node, parent, is_part = whole, self.index.parent(whole), True
        if not isinstance(parent, cst.Assign | cst.AnnAssign):
            return isinstance(parent, cst.Expr)
        given = next((targets for targets, value in assignments(self.index, parent) if value is node), ())
        return bool(given) and all(self._takes(each, is_part) for each in given)

    def _takes(self, target: cst.BaseExpression, is_part: bool) -> bool:
        """Whether a target is a name of the function's, or names for the parts of a tuple, or one that is not read.

        Or an attribute of a callback's or a scheduler's, which is found again as what it is.
        """
        if isinstance(target, cst.Name):
            variable = self.index.variable(target)
            if variable is None or variable.scope.kind != "function":
                return False
            return not (is_part and variable.uses)
        if isinstance(target, cst.Attribute):
            is_found_again = self._is_of_callback(target.value) or keeps_for_a_while(self.project, target)
            return not is_part and is_found_again
        if not (is_part and isinstance(target, cst.Tuple) and m.matches(target, NAMES)):
            return False
        return all(self._takes(each.value, False) for each in target.elements)

    def _goes_on(self, parent: cst.CSTNode | None) -> bool:
        """Whether a value goes where it is found again as what it is, or where nothing is made of it."""
        if isinstance(parent, cst.Return):
            return self._is_found_again(parent)
        return isinstance(parent, cst.Arg) and (self._is_kind_asked(parent) or self._is_followed(parent))

    def _is_found_again(self, returned: cst.Return) -> bool:
        """Whether what a function gives is asked for members, or gets a name, wherever it is called."""
        function = self.index.function_of(returned)
        calls = self.order.calls_alone(function) if isinstance(function, cst.FunctionDef) else []
        return bool(calls) and all(
            isinstance(self.index.parent(each), cst.Attribute) or self._is_named(each) for each in calls
        )

    def _is_kind_asked(self, argument: cst.Arg) -> bool:
        """Whether it is but asked whether it is of a class."""
        call = self.index.parent(argument)
        return isinstance(call, cst.Call) and m.matches(call, ASKED_FOR_KIND) and call.args[0] is argument

    def _is_of_callback(self, owner: cst.BaseExpression) -> bool:
        """Whether something surely is a callback of the user's."""
        found = [each.cls if isinstance(each, Instance) else None for each in self._of(owner)]
        return bool(found) and all(
            isinstance(each, UserClass)
            and not api.CALLBACKS.keys().isdisjoint(self.values.lightning_bases(each))
            for each in found
        )

    def _got_by_name(self, argument: cst.Arg) -> set[str]:
        """The members of the trainer's that `getattr` or `hasattr` asks for; none: it may be another."""
        names, call = self._names_asked(argument), self.index.parent(argument)
        is_tested = isinstance(call, cst.Call) and m.matches(call.func, m.Name("hasattr"))
        found = names & (trainer_members() - ONLY_OURS - (frozenset() if is_tested else ONLY_WHOLE))
        return found if all(each in found or _is_nobodys(each) for each in names) else set()

    def _gets_default(self, argument: cst.Arg) -> bool:
        """Whether what is asked for is what no trainer has, Lightning's or the script's, and an answer is at hand."""
        names, call = self._names_asked(argument), self.index.parent(argument)
        has_answer = isinstance(call, cst.Call) and (
            m.matches(call.func, m.Name("hasattr")) or len(call.args) == 3
        )
        return bool(names) and has_answer and all(map(_is_nobodys, names))

    def _names_asked(self, argument: cst.Arg) -> set[str]:
        """The members that `getattr` or `hasattr` asks for; none: they are not all known, or it is another call."""
        call = self.index.parent(argument)
        if not (isinstance(call, cst.Call) and m.matches(call, ASKED) and call.args[0] is argument):
            return set()
        named = [
            each.value if isinstance(each, Literal) else None for each in self.values.of(call.args[1].value)
        ]
        names = {each for each in named if isinstance(each, str)}
        return names if len(names) == len({*named}) else set()

    def _is_followed(self, argument: cst.Arg) -> bool:
        """Whether an argument goes to functions of the user's alone, to the bases of a callback, or to no use."""
        call = self.index.parent(argument)
        if sets_up_optimizers(call):
            return True
        if self.own is not self.cls and isinstance(call, cst.Call) and m.matches(call.func, OWN_METHOD):
            return True
        found = self.values.callees(call) if isinstance(call, cst.Call) and not argument.star else ()
        callees = [each for each in found if not isinstance(each, Option | Literal)]  # which are no objects
        return bool(callees) and all(
            isinstance(each, Function | BoundMethod) or takes_openly(self.project, each) for each in callees
        )

    # ---- values ------------------------------------------------------------------------------------------

    def _is_object(self, node: cst.BaseExpression) -> bool:
        return any(
            isinstance(each, Instance) and isinstance(each.cls, UserClass) and each.cls.node is self.cls.node
            for each in self._of(node)
        )

    def _is_trainer(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Attribute) and node.attr.value == "trainer" and self._is_object(node.value):
            return True
        return any(map(self.instances.is_trainer, self._of(node))) and not is_surely_module(
            self.project, node
        )

    def _of(self, node: cst.BaseExpression) -> ValueSet | tuple[Value, ...]:
        """What an expression may be that is one of those that can be an object."""
        return (
            self.values.of(node)
            if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript)
            else ()
        )

    def _target_of(self, node: cst.Attribute) -> cst.CSTNode | None:
        """The attribute where it is assigned to; where it is added to, that statement."""
        place: cst.CSTNode = node
        parent = self.index.parent(place)
        while isinstance(parent, cst.Element | cst.StarredElement | cst.Tuple | cst.List):
            place, parent = parent, self.index.parent(parent)
        if isinstance(parent, cst.AugAssign):
            return parent if parent.target is place else None
        is_target = isinstance(parent, cst.AssignTarget) or (
            isinstance(parent, cst.AnnAssign) and parent.target is place
        )
        return node if is_target else None


def _may_be_a_models(call: cst.Call) -> bool:
    """Whether what a call of `log` or `log_dict` passes is what a model's would take."""
    function = cst.ensure_type(call.func, cst.Attribute).attr.value
    return any(each.star for each in call.args) or len(call.args) > (function == "log")


def _is_nobodys(name: str) -> bool:
    """Whether no trainer has a member, Lightning's or the script's."""
    return name not in TRAINER_NAMES | trainer_members() and not name.startswith("_")
