"""What code asks of data modules that derive from LightningModule, and the script's have not."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...lightning.module_names import INNER, OF_HYPERPARAMETERS, OF_MODULES, PROPERTIES, STATE
from ...values import Class as ClassValue
from ...values import External, Instance, Member, Super, Unknown, Value, ValueSet, values_of
from ..code.asked_by_name import asked_by_name
from ..code.instances import Instances
from ..code.parts import own_names
from ..model.assigned import assigned_value
from .modules_as_data import derives_from_module

OF_KINDS = m.Call(m.Name("isinstance") | m.Name("issubclass"), [m.Arg(), m.Arg()])
ASKING = frozenset({"trainer", "__dict__"})
"""Names under which both may have something else."""

SHOWING = m.Call(m.Name("vars") | m.Name("dir"), [m.Arg()])

WITH_STATE = ("torch.nn.", "torchmetrics.", "torchvision.models.", "torchvision.ops.", "timm.")
"""Packages whose objects are modules of torch's, or parameters."""

FUNCTIONS = ("torch.nn.functional.", "torch.nn.utils.", "torchmetrics.functional.")
"""But for these."""

READING = ("torch.compile", "torch.hub.", "torch.jit.", "torch.load", "pickle.")
"""What may give any object."""

WITHOUT_MODULES = sys.stdlib_module_names | set("""
    PIL builtins cv2 datasets h5py lightning lightning_fabric matplotlib numpy omegaconf pandas pytorch_lightning scipy
    sklearn tokenizers torch torchvision torchaudio tqdm yaml
    """.split())
"""Packages whose objects are none, those aside."""


def check_modules_as_data(project: Project) -> Iterator[Diagnostic]:
    """All of it, wherever it stands."""
    if project.data_bases:
        yield from _Asked(project).all()


class _Asked:
    def __init__(self, project: Project) -> None:
        self.project, self.instances = project, Instances(project)
        self.values = values_of(project)
        self._told = set[tuple[cst.CSTNode, str]]()
        self.classes = {
            cls: frozenset(own_names(self.instances, cls))
            for cls in project.classes.values()
            if derives_from_module(project, cls)
        }

    def _class_of(self, value: Value) -> Class | None:
        """The class of such a data module, or that is one's."""
        made = value.receiver if isinstance(value, Super) else value
        cls = self.instances.class_of(made) or self.instances.class_named(made)
        return cls if cls in self.classes else None

    def _of(self, node: cst.BaseExpression) -> Class | None:
        return next((cls for each in self.values.of(node) if (cls := self._class_of(each))), None)

    def all(self) -> Iterator[Diagnostic]:
        yield from self._members()
        yield from self._by_name()
        yield from self._calls()
        yield from self._modules()

    # ---- members -----------------------------------------------------------------------------------------

    def _members(self) -> Iterator[Diagnostic]:
        for node in self.project.index.attributes(*OF_MODULES, *INNER, *OF_HYPERPARAMETERS, *STATE):
            for value in self.values.of(node.value):
                if (cls := self._class_of(value)) and self._is_missed(cls, value, node.attr.value):
                    yield self._missed(node.attr, cls, node.attr.value)
                    break

    def _is_missed(self, cls: Class, value: Value, name: str) -> bool:
        """Whether it is what Lightning's or torch's base has; of `super()`, whatever the class has itself."""
        is_own = name in self.classes[cls] and name not in PROPERTIES | INNER | OF_HYPERPARAMETERS
        return not is_own or isinstance(value, Super)

    def _missed(self, at: cst.CSTNode, cls: Class, name: str) -> Diagnostic:
        place = self.project.source, at
        if name in ASKING:
            return messages.module_told_apart(place, cls.name)
        if name in OF_HYPERPARAMETERS:
            return messages.hyperparameters_of_data(place, name, cls.name)
        return messages.member_of_module(place, name, cls.name)

    def _by_name(self) -> Iterator[Diagnostic]:
        for call, value, name in asked_by_name(self.project):
            known = OF_MODULES | INNER | OF_HYPERPARAMETERS | STATE | ASKING
            if name in known and (cls := self._class_of(value)) and self._is_missed(cls, value, name):
                yield self._missed(call, cls, name)

    def _calls(self) -> Iterator[Diagnostic]:
        """Where code asks what an object is, or for all that it has."""
        for call in self.project.index.of_kind(cst.Call):
            asks = m.matches(call, OF_KINDS) and not self._names_own(call.args[1].value)
            if (asks or m.matches(call, SHOWING)) and (cls := self._of(call.args[0].value)):
                yield messages.module_told_apart((self.project.source, call), cls.name)

    def _names_own(self, kind: cst.BaseExpression) -> bool:
        """Whether nothing but classes of the user's are asked for."""
        return all(isinstance(each, ClassValue) for each in self.values.of(kind))

    # ---- modules in it -----------------------------------------------------------------------------------

    def _modules(self) -> Iterator[Diagnostic]:
        for owner, name, place in self.values.stores():
            if not (cls := self._class_of(owner)) or (place, name) in self._told:
                continue
            self._told.add((place, name))
            kinds = {self._is_module(each) for each in self._stored(owner, name, place)}
            at = (self.project.source, place)
            if True in kinds:
                yield messages.module_in_data(at, name, cls.name)
            elif None in kinds:
                yield messages.may_be_module_in_data(at, name, cls.name)

    def _stored(self, owner: Value, name: str, place: cst.CSTNode) -> ValueSet:
        """What is set, as far as that is told from what else is set under the name."""
        value = assigned_value(self.project, place)
        return self.values.attribute(owner, name) if value is None else self.values.of(value)

    def _is_module(self, value: Value) -> bool | None:
        """Whether it has a state of torch's, which the module that it becomes a part of saves; None: unknown."""
        if isinstance(value, Unknown):
            return None
        made = _maker(value)
        if made is None:
            return False
        if isinstance(made, External):
            return _is_of_modules(made)
        bases = [_is_of_modules(each) for each in self.values.library_bases(made)]
        return True if True in bases else None if None in bases else False


def _maker(value: Value) -> External | ClassValue | None:
    """What made an object; of what is had from another, what made that."""
    if not isinstance(value, Instance | Member):
        return None
    made: Value = value
    while isinstance(made, Member | Instance):
        made = made.receiver if isinstance(made, Member) else made.cls
    return made if isinstance(made, External | ClassValue) else None


def _is_of_modules(made: External) -> bool | None:
    """The same of what a library gives."""
    if made.name.startswith(FUNCTIONS):
        return False
    if made.lightning == "LightningModule" or made.name.startswith(WITH_STATE):
        return True
    is_known = made.package in WITHOUT_MODULES and not made.is_local
    return False if is_known and not made.name.startswith(READING) else None
