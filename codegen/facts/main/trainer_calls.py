"""Calls of the Trainer's methods that run a model, and what they are given."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...lightning import lightning_1
from ...lightning.api import PACKAGES
from ...values import (
    BoundMethod,
    Class,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Sequence,
    Unknown,
    Value,
    ValueSet,
    reason_of,
)
from ..code.instances import Instances
from ..data.modules_as_data import derives_from_module, members_of_model
from ..trainer.arguments import Unpacked, unpacked
from ..trainer.methods import (
    FIT,
    GETS,
    IN_MAPPINGS,
    LOADERS,
    MAY_BE_MISSING,
    PARAMETERS,
    FitCall,
    handed_methods,
    methods_of,
    signature_tests,
)

Node = TypeVar("Node", bound=cst.CSTNode)

COMPILE, PARTIAL = External("torch.compile"), External("functools.partial")

OF_NO_MODEL = ("torch.nn.", "torch.optim.", "torch.utils.data.")
"""Packages of torch's whose objects Lightning does not take for models."""

IMPORTING = frozenset(
    {"builtins.__import__", "importlib.import_module", "importlib.util.module_from_spec", "runpy.run_path"}
)
"""What gives modules that are known only when the script runs."""

NOT_ASKING = sys.stdlib_module_names | {*PACKAGES, "hydra", "rich"}
"""Packages that ask a Trainer, which they are handed, for nothing, or hand it to code that is read."""

BY_MISTAKE = "it is a LightningModule, which Lightning takes for a data module where it is given as `datamodule=` alone"

UNREAD = frozenset(
    {
        "fit-argument-unknown",
        "method-by-another-name",
        "method-unknown",
        "no-fit-argument",
        "trainer-unknown",
    }
)
"""What is said of calls of which it is not known what they run."""


def with_hooks_open(diagnostics: Collection[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics without hooks that nothing calls, where a call cannot be read that may have them called."""
    is_open = any(each.code in UNREAD for each in diagnostics)
    return [each for each in diagnostics if not (is_open and each.code == "uncalled-hook")]


def _compiled_model(call: cst.CSTNode) -> cst.BaseExpression | None:
    """The model that a call of `torch.compile` is given."""
    given = m.Arg(keyword=None, star="") | m.Arg(keyword=m.Name("model"))
    first = next(iter(call.args), None) if isinstance(call, cst.Call) else None
    return first.value if first and m.matches(first, given) else None


def _may_wrap(cls: External) -> bool:
    """Whether an object of torch's may be a model that it was given, which Lightning takes as such."""
    return cls.package == "torch" and not cls.name.startswith(OF_NO_MODEL)


def _is_made_elsewhere(maker: Value) -> bool:
    """Whether it is a library's class, or of a module of the project's that is imported as the script runs."""
    if isinstance(maker, Member):
        while isinstance(maker, Member | Instance):
            maker = maker.receiver if isinstance(maker, Member) else maker.cls
        return isinstance(maker, External) and maker.name in IMPORTING
    is_class = isinstance(maker, External) and maker.name.rpartition(".")[2][:1].isupper()
    return isinstance(maker, External) and (maker.is_local or (is_class and maker.package != "torch"))


def _is_read(callee: Value) -> bool:
    """Whether it is read what a function does with what it is given."""
    return isinstance(callee, Function | BoundMethod | Class) or callee == PARTIAL


class TrainerCalls:
    """Reads the calls in some statements, and adds to `problems` what cannot be told of them."""

    def __init__(self, project: Project, nodes: Iterable[cst.CSTNode], problems: list[Diagnostic]) -> None:
        self.project, self.problems = project, problems
        self.instances = Instances(project)
        self.values = self.instances.values
        self.nodes = list(nodes)
        self.reads_all = True
        self.reads_all_data = True
        self.compiled = set[cst.CSTNode]()  # calls that may be given what `torch.compile` makes
        self.handed = tuple(handed_methods(project, self.nodes))
        self.asked = tuple(signature_tests(project, self.nodes))
        self._taken: dict[str, tuple[str, ...]] = {}  # by calls of each method by other names

    def within(self, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind in the statements."""
        return (found for node in self.nodes for found in self.project.index.within(node, kind))

    def of(self, *names: str) -> list[cst.Call]:
        """Calls of something of Lightning's."""
        holds = self.project.index.holds
        calls = self.values.calls_of(*names)
        return [call for call in calls if any(holds(node, call) for node in self.nodes)]

    def of_method(self, method: str) -> Iterator[FitCall]:
        """Calls of a method of a Trainer's."""
        for call in self.of(f"Trainer.{method}"):
            own = [each for each in self.values.callees(call) if isinstance(each, BoundMethod)]
            if own and isinstance(call.func, cst.Attribute):
                reason = f"the project's own `{own[0].function.name}` may be called here, too"
                self._refuse(messages.trainer_unknown, call.func.value, reason)
            elif isinstance(call.func, cst.Attribute):
                yield self._read(call, method)
            else:
                yield from self._read_handed(call, method)

    def _read(self, call: cst.Call, method: str) -> FitCall:
        said = len(self.problems)
        arguments, mapped = dict(self._arguments(call, method)), dict(self._mapped(call, method))
        arguments |= {name: found for name, (found, _) in mapped.items()}
        lacks = {name: may_lack for name, (_, may_lack) in mapped.items()}
        return FitCall(call, arguments, method, lacks, len(self.problems) == said)

    def _read_handed(self, call: cst.Call, method: str) -> Iterator[FitCall]:
        """A call by another name: all calls of the method's have to give the same arguments."""
        given = self.values.arguments(call, PARAMETERS[method])
        said = {name: each.expression for name, each in given.items()}
        known = [name for name in PARAMETERS[method] if said.get(name) is not None]
        is_known = given.unknown is None and len(known) == len(said)
        is_handed = any(method in each.methods for each in self.handed)
        if is_known and is_handed and self._taken.setdefault(method, (*known,)) == (*known,):
            yield FitCall(call, dict(self._named(said)), method, taken=(*known,))
        else:
            self._refuse(messages.method_by_another_name, call.func, method)

    def _named(
        self, said: Mapping[str, cst.BaseExpression | None]
    ) -> Iterator[tuple[str, tuple[int, cst.BaseExpression]]]:
        """Arguments by their names, at the places that a call would have them at which gives no others."""
        for place, (name, value) in enumerate(each for each in said.items() if each[1] is not None):
            assert value is not None
            is_data = name in LOADERS and self._is_data(cst.Arg(value))
            if is_data and any(map(self._is_by_mistake, self.values.of(value))):
                self._refuse(lambda at, why: messages.fit_argument_unknown(at, FIT, why), value, BY_MISTAKE)
            yield "datamodule" if is_data else name, (place, value)

    def check_handed(self, calls: Iterable[FitCall]) -> Iterator[Diagnostic]:
        """Methods that are handed on, and not called where it can be read."""
        called = {call.method for call in calls if call.taken}
        asked = {each.method for each in self.asked}
        for each in self.handed:
            for method in (each for each in each.methods if each not in called):
                yield messages.method_by_another_name((self.project.source, each.node), method)
        for call in self.within(cst.Call):
            for argument in call.args:
                methods = methods_of(self.project, argument.value)
                is_read = argument.value in asked or all(map(_is_read, self.values.callees(call)))
                if methods and not is_read:
                    yield messages.method_by_another_name((self.project.source, argument.value), methods[0])

    def _arguments(self, call: cst.Call, method: str) -> Iterator[tuple[str, tuple[int, cst.BaseExpression]]]:
        parameters = PARAMETERS[method]
        for index, argument in enumerate(call.args):
            name = argument.keyword.value if argument.keyword else parameters[min(index, 5)]
            if argument.star == "**":
                continue
            if argument.star:
                self._refuse_argument(argument, method, "it is unpacked")
            elif name not in parameters:
                self._refuse_name(argument, method, name)
            elif name in LOADERS and self._is_data(argument):
                if any(map(self._is_by_mistake, self.values.of(argument.value))):
                    self._refuse_argument(argument, method, BY_MISTAKE)
                yield "datamodule", (index, argument.value)
            else:
                yield name, (index, argument.value)

    def _mapped(
        self, call: cst.Call, method: str
    ) -> Iterator[tuple[str, tuple[tuple[int, cst.BaseExpression], bool]]]:
        """The arguments in mappings that a call unpacks, and whether each may be missing there."""
        for mapping in unpacked(self.project, call, (), PARAMETERS[method]):
            if wrong := [each for each in mapping.entries if each.name not in PARAMETERS[method]]:
                for entry in wrong:
                    self._refuse_name(entry.value, method, entry.name)
            elif (
                mapping.is_open or not mapping.may_be_asked_twice or not self._can_pass(call, method, mapping)
            ):
                self._refuse_argument(call.args[mapping.place], method, "it is unpacked")
            else:
                for entry in mapping.entries:
                    yield entry.name, ((mapping.place, entry.value), not entry.is_sure)

    def _can_pass(self, call: cst.Call, method: str, mapping: Unpacked) -> bool:
        """Whether the script's function can be handed what a mapping holds."""
        known = IN_MAPPINGS & {*PARAMETERS[method]}
        names = Counter(entry.name for entry in mapping.entries)
        has_model = any(not each.star and each.keyword is None for each in call.args) or "model" in names
        missing = {entry.name for entry in mapping.entries if not entry.is_sure}
        may_miss = MAY_BE_MISSING if method == FIT or has_model else frozenset[str]()
        is_one = all(count == 1 or (name == "ckpt_path" and method == FIT) for name, count in names.items())
        return names.keys() <= known and missing <= may_miss and is_one

    def _refuse(self, say: Callable[[messages.At, str], Diagnostic], node: cst.CSTNode, reason: str) -> None:
        self.reads_all = False
        self.problems.append(say((self.project.source, node), reason))

    def _refuse_argument(self, node: cst.CSTNode, method: str, reason: str) -> None:
        self._refuse(lambda at, why: messages.fit_argument_unknown(at, method, why), node, reason)

    def _refuse_name(self, node: cst.CSTNode, method: str, name: str) -> None:
        """Of an argument that the method does not have."""
        takes = ", ".join(f"`{each}`" for each in PARAMETERS[method])
        instead = lightning_1.FIT_ARGUMENTS.get(name, f"It takes {takes}.")
        self._refuse(messages.no_fit_argument, node, f"`{method}` has no argument `{name}`. {instead}")

    # ---- models and data ---------------------------------------------------------------------------------

    def given(self, call: FitCall, parameter: str) -> ValueSet:
        """What a call may give a parameter; nothing, where that is None."""
        value = call.expression(parameter)
        return self.values.of(value).without_none if value is not None else ValueSet(())

    def may_give_no_val(self, call: FitCall) -> bool:
        """Whether a call that is given no data module may be given no loader to validate on."""
        value = call.expression("val_dataloaders")
        has_data = call.expression("datamodule") is not None
        return not has_data and (value is None or self.values.of(value).may_be_none)

    def models_of(self, call: FitCall) -> list[str | None]:
        """The models' classes; None: something that cannot be read."""
        given = self._uncompiled(call, self.given(call, "model"))
        found = self.instances.names(given, "module")
        others = [each for each in given if isinstance(each, Instance) and isinstance(each.cls, External)]
        wrapped = [each for each in others if isinstance(each.cls, External) and _may_wrap(each.cls)]
        wrong = wrapped or [each for each in given.instances if self._is_anothers(each)]
        if wrong or (others and not any(found)):
            reason = reason_of((wrong or others)[0])
            self._refuse_argument(call.arguments["model"][1], call.method, reason)
        return self._that_train(found) if call.method == "fit" else found

    def _is_anothers(self, value: Instance) -> bool:
        """Whether code makes it that is no part of the script, and is given nothing that it may give back."""
        given = value.node.args if isinstance(value.node, cst.Call) else ()
        handed = (each for argument in given for each in self.values.of(argument.value))
        return _is_made_elsewhere(value.cls) and not any(map(self._may_hold_model, handed))

    def _may_hold_model(self, value: Value) -> bool:
        """Whether something is, makes or may hold a model of the script's."""
        cls = self.instances.class_named(value) or self.instances.class_of(value)
        may_hold = isinstance(value, Function | BoundMethod | Dict | Sequence)
        return may_hold or (cls is not None and cls.kind == "module")

    def _that_train(self, names: list[str | None]) -> list[str | None]:
        """Without those that Lightning would refuse to fit, which code has for other calls, if any is left."""
        classes = self.project.classes
        found = [each for each in names if each is None or "training_step" in classes[each].methods]
        return found if any(found) else names

    def _uncompiled(self, call: FitCall, given: ValueSet) -> ValueSet:
        """The models themselves, in the place of what `torch.compile` makes of them."""
        compiled = [each for each in given.instances if each.cls == COMPILE]
        inner = [self.values.of(model) for each in compiled if (model := _compiled_model(each.node))]
        if compiled and len(inner) == len(compiled) and not call.taken:
            self.compiled.add(call.node)
            found = dict.fromkeys([*given, *(each for values in inner for each in values)])
            return ValueSet(tuple(each for each in found if each not in compiled))
        return given

    def data_of(self, call: FitCall) -> set[str]:
        """The data modules' classes."""
        value, given = call.expression("datamodule"), self.given(call, "datamodule")
        found = self.instances.names(given, "data")
        known = {name for name, cls in self.project.classes.items() if cls.kind == "data"}
        if value is None or None not in found:
            return {name for name in found if name}
        if any(found) and all(map(self._is_data_or_none, given)):
            self.reads_all_data = False
            return {name for name in found if name}
        if not any(found) and given.unknown and len(known) == 1:
            return known
        others = [each for each in given if self.instances.name_of(each, "data") is None]
        other = next((each for each in others if not self._is_data_or_none(each)), others[0])
        if self._is_model(other) and other in [*self.given(call, "model")]:
            self._refuse(messages.model_as_data, value, call.method)
            return {name for name in found if name}
        self._refuse_argument(value, call.method, f"{reason_of(other)}{self._unlike_data(other)}")
        return {name for name in found if name}

    def _unlike_data(self, value: Value) -> str:
        """What an object of the project's own lacks that is given as a data module."""
        if self._is_model(value):
            cls = self.instances.class_of(value)
            found = [f"`{name}`" for name in members_of_model(cls)] if cls else []
            shown = f" with {', '.join(found[:3])}" if found else ""
            return f", which is a LightningModule{shown}: derive that from LightningDataModule"
        is_own = isinstance(value, Instance) and isinstance(value.cls, Class)
        return ", and no base of that, as far as they are read, is Lightning's" if is_own else ""

    def _is_data_or_none(self, value: Value) -> bool:
        """Whether something is a data module, or what has no loaders to give, at which the script stops."""
        if self.instances.name_of(value, "data"):
            return True
        made = value.cls if isinstance(value, Instance) else None
        if isinstance(made, External):
            return made.package == "torch"
        cls = self.instances.class_of(value)
        has_loaders = (
            cls is None or "train_dataloader" in cls.methods or cls.name in self.project.unread_bases
        )
        return (
            isinstance(value, Option | Literal | Dict | Sequence) or not has_loaders or self._is_model(value)
        )

    def _is_by_mistake(self, value: Value) -> bool:
        """Whether it is a data module that derives from LightningModule."""
        cls = self.instances.class_of(value)
        return cls is not None and derives_from_module(self.project, cls)

    def _is_model(self, value: Value) -> bool:
        return self.instances.name_of(value, "module") is not None

    def _is_data(self, argument: cst.Arg) -> bool:
        """Whether what stands in the place of loaders is a data module; where it may be one, its name has to say."""
        given = [
            each
            for each in self.values.of(argument.value).without_none
            if not self._is_model(each)  # which is neither
        ]
        found = [self.instances.name_of(each, "data") for each in given]
        if found and all(found):
            return True
        if argument.keyword is None and (any(found) or any(map(self._may_be_data, given))):
            reasons = tuple(dict.fromkeys(map(reason_of, given)))
            self.reads_all = False
            self.problems.append(messages.loader_or_data((self.project.source, argument.value), reasons))
        return False

    def _may_be_data(self, value: Value) -> bool:
        """Whether something that cannot be read may be a data module, as other code has the class of one."""
        made = value.cls if isinstance(value, Instance) else value
        is_open = isinstance(made, Unknown | Option) or (
            isinstance(made, External) and made.package != "torch"
        )
        return is_open and any(
            self.instances.class_named(each) and "LightningDataModule" in self.values.lightning_bases(each)
            for each in self.values.escaped_classes
        )

    # ---- what may be a Trainer ---------------------------------------------------------------------------

    def check_unknown(self) -> Iterator[Diagnostic]:
        """Calls of what may be `fit` with a model: of something that may be a Trainer, or of any method of one's."""
        for call in (each for each in self.within(cst.Call) if not self.values.is_left_out(each)):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == FIT and call.args:
                reason = self._reason(call.func.value)
                if reason and any(self.instances.names(self.values.of(call.args[0].value), "module")):
                    yield messages.trainer_unknown((self.project.source, call.func.value), reason)
            if m.matches(call.func, GETS) and self._is_any_method(cst.ensure_type(call.func, cst.Call)):
                self.reads_all = False
                yield messages.method_unknown((self.project.source, call.func))

    def check_passed_on(self) -> Iterator[Diagnostic]:
        """Trainers that packages are handed which are not read."""
        for call in (each for each in self.within(cst.Call) if not self.values.is_left_out(each)):
            given = [each for each in call.args if isinstance(each.value, cst.Name | cst.Attribute)]
            passed = [
                each for each in given if any(map(self.instances.is_trainer, self.values.of(each.value)))
            ]
            if passed and any(map(_is_unread, self.values.callees(call))):
                yield messages.trainer_as_value((self.project.source, passed[0].value))

    def _is_any_method(self, got: cst.Call) -> bool:
        """Whether `getattr` may give every method of a Trainer's."""
        is_trainers = any(map(self.instances.is_trainer, self.values.of(got.args[0].value)))
        return is_trainers and self.values.of(got).unknown is not None

    def _reason(self, holder: cst.BaseExpression) -> str:
        """Why it is not known that something is a Trainer; empty: it may be one, or surely is none."""
        found = self.values.of(holder)
        if any(map(self.instances.is_trainer, found)):
            return ""
        others = (each for each in found if self.instances.class_of(each) is None)
        return next(map(reason_of, others), "")


def _is_unread(function: Value) -> bool:
    """Whether it is of a package that is not read, and may ask what it is handed for anything."""
    return isinstance(function, External) and function.package not in NOT_ASKING
