"""The code that makes what the spec describes: a Trainer's callbacks and loggers, and the optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ... import messages
from ...diagnostics import Diagnostic, Span
from ...source.names import free_name
from ...spec.init_args.signature import Parameter, Signature
from ...spec.init_args.values import SECTIONS, Linked, Wrong, typed, wrong_arguments
from ...spec.load import LoadedSpec
from ...spec.sections.section import ObjectSettings
from ..cli.known import Unknown
from ..cli.own_optimizer import GivenScheduler, OwnOptimizer
from ..cli.parser import place_of
from .class_paths import ClassPaths
from .classes import objects_for_trainer, optimizers_for_model

TRAINER = "lightning.pytorch.Trainer"

PLATEAUS = tuple(
    f"{module}.ReduceLROnPlateau"
    for module in ("torch.optim.lr_scheduler", "lightning.pytorch.cli", "pytorch_lightning.cli")
)

OPTIMIZER_CLASS = "SpecOptimizer"
"""What holds `configure_optimizers`, until the model does."""


@dataclass
class SpecCode:
    """Writes the code, and notes what it imports."""

    spec: LoadedSpec
    paths: ClassPaths
    lines: list[tuple[Span, str]] = field(default_factory=list)  # each with its place in the YAML
    names: dict[str, str] = field(default_factory=dict)  # of the classes, by their paths
    problems: list[Diagnostic] = field(default_factory=list)
    own_optimizer: OwnOptimizer | None = None  # of a LightningCLI

    @property
    def import_lines(self) -> list[str]:
        parts = ((*path.rpartition("."), name) for path, name in self.names.items())
        return [f"from {module} import {attribute} as {name}" for module, _, attribute, name in parts]

    def write(self) -> None:
        self._write_optimizer()
        if objects := list(objects_for_trainer(self.spec, self.paths)):
            self._begin(self._sections(objects)[0], f"{self.class_name(TRAINER)}(")
            self._trainer_objects(objects)
            self._close(")")

    def _write_optimizer(self) -> None:
        if optimizers := dict(optimizers_for_model(self.spec)):
            self._begin("optimizer", f"class {OPTIMIZER_CLASS}:")
            self._put("optimizer", "    def configure_optimizers(self):")
            self._configure_optimizers(**optimizers)

    def _trainer_objects(self, objects: list[tuple[str, ObjectSettings]]) -> None:
        """Arguments of the Trainer's."""
        sections = self._sections(objects)
        for section in sections:
            self._put(section, f"{section.rpartition('.')[2]}=[")
            self._separated(each for each in objects if _section(each[0]) == section)
            self._close("]," if section != sections[-1] else "]")

    def _sections(self, objects: list[tuple[str, ObjectSettings]]) -> list[str]:
        return sorted({_section(key) for key, _ in objects}, key=self._order)

    # ---- objects -----------------------------------------------------------------------------------------

    def _separated(self, objects: Iterable[tuple[str, ObjectSettings]]) -> None:
        for number, (key, settings) in enumerate(objects):
            self._object(key, settings, ", " if number else "")

    def _object(self, key: str, settings: ObjectSettings, before: str, first: str = "") -> None:
        """A call, its arguments beside the lines that have them, but for the `first`."""
        path = self.paths.whole(settings.class_path, key)
        self._put(f"{key}.class_path", f"{before}{self.class_name(path)}({first}")
        separator = ", " if first else ""
        for place, code in self._arguments(key, path, settings, skipped=bool(first)):
            self._put(place, f"{separator}{code}")
            separator = ", "
        self._close(")")

    def _arguments(
        self, key: str, path: str, settings: ObjectSettings, skipped: bool
    ) -> Iterator[tuple[str, str]]:
        """Their keys and code, the first parameter `skipped`; what is the default anyway is left out."""
        takes = self.paths.signature(path)
        if takes and skipped:
            takes = takes.after_first
        for wrong in wrong_arguments(settings, takes):
            self._complain(key, wrong)
        for section in SECTIONS:
            for name, value in getattr(settings, section).items():
                parameter = takes[name] if takes else Parameter()
                try:
                    code = typed(name, value, parameter, self)
                except Wrong as wrong:
                    self._complain(f"{key}.{section}.{name}", wrong)
                    continue
                if not (parameter.leaves_default and code == parameter.default):
                    yield f"{key}.{section}.{name}", f"{name}={code}"

    def _complain(self, key: str, wrong: Wrong) -> None:
        below = ".".join((key, *wrong.below))
        is_named = wrong.below[-1:] not in ((), ("class_path",))
        place = self.spec.key_place(below) if is_named else self.spec.place(below)
        self.problems.append(wrong.say(place))

    # ---- the optimizer -----------------------------------------------------------------------------------

    def _configure_optimizers(
        self, optimizer: ObjectSettings, lr_scheduler: ObjectSettings | None = None
    ) -> None:
        """The body of the method; LightningCLI's returns the same."""
        if self.own_optimizer:
            self._by_own_method(self.own_optimizer, optimizer, lr_scheduler)
            return
        if lr_scheduler is None:
            self._object("optimizer", optimizer, "        return ", "self.parameters()")
            return
        self._object("optimizer", optimizer, "        optimizer = ", "self.parameters()")
        if self.paths.whole(lr_scheduler.class_path, "lr_scheduler") in PLATEAUS:
            self._plateau(lr_scheduler)
        else:
            self._object("lr_scheduler", lr_scheduler, "        return [optimizer], [", "optimizer")
            self._close("]")

    def _by_own_method(
        self, method: OwnOptimizer, optimizer: ObjectSettings, lr_scheduler: ObjectSettings | None
    ) -> None:
        """What a LightningCLI's own method returns."""
        names = [*method.parameters, *("", "", "")]
        given = GivenScheduler()
        self._object("optimizer", optimizer, f"        {names[1]} = ", "self.parameters()")
        if lr_scheduler:
            plain, monitor = self._without_monitor(lr_scheduler)
            self._object("lr_scheduler", plain, f"        {names[2]} = ", names[1])
            given = GivenScheduler(plain.class_path.rpartition(".")[2], monitor)
        try:
            for node in method.statements(given, self.paths, self.class_name):
                span, _ = place_of(method.module, node)
                self.lines += [(span, f"        {line}") for line in ast.unparse(node).split("\n")]
        except Unknown as unknown:
            self.problems.append(messages.cli_unread(place_of(method.module, unknown.node)))

    def _without_monitor(self, described: ObjectSettings) -> tuple[ObjectSettings, Any]:
        """LightningCLI's kind of plateau is told what it watches, torch's is not."""
        if self.paths.whole(described.class_path, "lr_scheduler") not in PLATEAUS:
            return described, None
        init_args = dict(described.init_args)
        monitor = init_args.pop("monitor", None)
        return described.model_copy(update={"class_path": PLATEAUS[0], "init_args": init_args}), monitor

    def _plateau(self, described: ObjectSettings) -> None:
        plain, monitor = self._without_monitor(described)
        self._object("lr_scheduler", plain, "        scheduler = ", "optimizer")
        if not isinstance(monitor, str):
            place = self.spec.place("lr_scheduler.init_args.monitor")
            self.problems.append(messages.plateau_watches_nothing(place))
        schedule = f'{{"scheduler": scheduler, "monitor": {monitor!r}}}'
        self._put("lr_scheduler", f'        return {{"optimizer": optimizer, "lr_scheduler": {schedule}}}')

    # ---- lines -------------------------------------------------------------------------------------------

    def _span(self, key: str) -> Span:
        """Where the key stands; of a class path, its value."""
        place = self.spec.place if key.endswith("class_path") else self.spec.key_place
        return place(key)[0]

    def _order(self, key: str) -> tuple[int, int]:
        return self._span(key).line, self._span(key).column

    def _put(self, key: str, code: str) -> None:
        self.lines.append((self._span(key), code))

    def _begin(self, key: str, code: str) -> None:
        """A statement of its own, which is the file's, whatever in the code it comes from."""
        self._put(key, code)
        span, _ = self.lines[-1]
        if span.path != self.spec.file.path:
            self.lines[-1] = (self.spec.file.position(()).value, code)

    def _close(self, code: str) -> None:
        """Go on in the same line."""
        span, before = self.lines.pop()
        self.lines.append((span, before + code))

    def class_name(self, path: str) -> str:
        """The name of the class at a path."""
        path = self.paths.whole(path)
        if path not in self.names:
            taken = {*self.names.values(), "optimizer", "scheduler"}
            self.names[path] = free_name(path.rpartition(".")[2], taken)
        return self.names[path]

    def members(self, path: str) -> frozenset[str] | None:
        return self.paths.members(path)

    def is_class(self, path: str) -> bool:
        return self.paths.is_class(path)

    def whole(self, path: str) -> str:
        return self.paths.whole(path)

    def linked(self, value: Linked) -> str:
        raise ValueError("what the Trainer is given is made first")

    def signature(self, path: str) -> Signature | None:
        return self.paths.signature(self.paths.whole(path))


def _section(key: str) -> str:
    """`trainer.callbacks`, of one of its items."""
    return key.rpartition(".")[0]
