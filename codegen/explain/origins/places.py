"""Where in the user's files something was asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from ...diagnostics import Span
from ...facts.facts import Facts
from ...facts.hyperparameters.saved_outside import saved_outside
from ...ir.project import Class
from ...ir.saving import save_calls
from ...spec.load import StrategySpec
from ..parts import Place, Reason
from ..reasons import REASONS


@dataclass(frozen=True)
class Asked:
    """Finds what in the user's code and spec asks for a part of the script."""

    facts: Facts
    model: Path  # the entry

    def reason(self, field: str) -> Reason | None:
        """Why the plan has `field`, such as `loop.update`; None: that is not known of it."""
        owner, _, name = field.partition(".")
        if field in REASONS:
            return self.of(*REASONS[field])
        if owner == "hooks":
            return self.hook(name)
        if owner == "asked":
            return self.of(f"Your code reads trainer.{name}.", f"trainer {name}")
        return self.of(*REASONS[owner]) if owner in REASONS else None

    def of(self, sentence: str, asks: str) -> Reason:
        """A reason from its two halves, as in REASONS."""
        kind, _, name = asks.partition(" ")
        found = getattr(self, f"_{kind}")(name) if kind else Reason("")
        return Reason(" ".join(filter(None, (sentence, found.sentence))), found.places)

    def hook(self, name: str) -> Reason:
        """A hook of the model's, of the data module's, of callbacks."""
        places = tuple(self._methods(name))
        owners = "You define" if places else "Lightning calls"
        return Reason(f"{owners} the hook `{name}`.", places)

    # ---- what may ask ------------------------------------------------------------------------------------

    def _method(self, name: str) -> Reason:
        if name == "save_hyperparameters":
            calls = [call for cls in self._classes() for part in cls.lineage for _, call in save_calls(part)]
            calls += [call for cls in self._classes() for call in saved_outside(self.facts.project, cls)]
            return Reason("", tuple(self.place(call) for call in calls))
        return Reason("", tuple(self._methods(name)))

    def _loader(self, name: str) -> Reason:
        """A loader's hook, or the call of `fit` that hands loaders over."""
        places = tuple(self._methods(name))
        return Reason("", places) if places else self._fit("")

    def _log(self, _: str) -> Reason:
        calls = self.facts.usage.logs
        return Reason("", tuple(self.place(call.node) for call in calls))

    def _read(self, name: str) -> Reason:
        nodes = self.facts.usage.reads.get(name, ())
        return Reason("", tuple(self.place(node) for node in nodes))

    def _write(self, name: str) -> Reason:
        nodes = self.facts.usage.writes.get(name, ())
        return Reason("", tuple(self.place(node) for node in nodes))

    def _trainer(self, name: str) -> Reason:
        usages = (self.facts.usage, self.facts.data_usage)
        nodes = [
            node
            for usage in usages
            for read, found in usage.trainer.items()
            if name in ("", read)
            for node in found
        ]
        return Reason("", tuple(self.place(node) for node in nodes))

    def _fit(self, _: str) -> Reason:
        own, entry = self.facts.own_main, self.facts.project.entry
        if own is not None:
            return Reason("", tuple(self.place(fit.node) for fit in own.fits))
        node = entry.trainer or entry.cli
        return Reason("", (self.place(node),)) if node else Reason("")

    def _evaluation(self, _: str) -> Reason:
        own = self.facts.own_main
        return Reason("", tuple(self.place(each.node) for each in own.evaluations) if own else ())

    def _construction(self, _: str) -> Reason:
        entry = self.facts.project.entry
        calls = [call for call in (entry.model, entry.data) if call]
        places = [self.place(call) for call in calls] or [self.class_place(cls) for cls in self._classes()]
        return Reason("", tuple(places))

    def _objects(self, _: str) -> Reason:
        """What the spec describes for the Trainer."""
        described = self.facts.project.spec_trainer
        return Reason("", (self.place(described.node),)) if described else Reason("")

    def _seed(self, _: str) -> Reason:
        if self.facts.loaded.is_given("seed_everything"):
            return self._spec("seed_everything")
        call = self.facts.project.entry.seed
        return Reason("", (self.place(call),)) if call else Reason("")

    def _spec(self, key: str) -> Reason:
        """A key of the spec's; it holds by default where the file does not have it."""
        loaded = self.facts.loaded
        if loaded.is_given(key):
            return Reason(f"`{key}` in the spec says so.", (self._shown(loaded.span(key)),))
        section, _, name = key.partition(".")
        if section in ("ddp", "process_group") and name and not _is_default(loaded.spec, section, name):
            return self._setting("strategy")
        return Reason(f"`{key}` in the spec is left as it is by default.")

    def _setting(self, name: str) -> Reason:
        """An argument of the Trainer's: the spec's, else the code's, else the default."""
        if self.facts.loaded.is_given(f"trainer.{name}"):
            return self._spec(f"trainer.{name}")
        own = self.facts.own_main
        entry = self.facts.project.entry.trainer
        calls = own.told if own is not None else (entry,) if entry else ()
        found = [each for call in calls for each in call.args if each.keyword and each.keyword.value == name]
        if found:
            return Reason(f"`{name}` of the Trainer says so.", tuple(self.place(each) for each in found))
        return Reason(f"`{name}` of the Trainer is left as it is by default.")

    # ---- places ------------------------------------------------------------------------------------------

    def named_in(self, line: str) -> Iterator[Reason]:
        """What a line of the loop names: options, and methods of the user's."""
        for option in dict.fromkeys(_names_after("config", line)):
            if option in type(self.facts.settings).model_fields:
                yield self._setting(option)
        for name in dict.fromkeys((*_names_after("model", line), *_names_after("data", line))):
            yield self._method(name)

    def _methods(self, name: str) -> Iterator[Place]:
        for cls in (*self._classes(), *self.facts.callbacks.own):
            if name in cls.methods:
                yield self.place(cls.methods[name])

    def _classes(self) -> list[Class]:
        return list(self.facts.served)

    def class_place(self, cls: Class) -> Place:
        """The line that a class begins with."""
        return self.place(cls.node.name)

    def parameter(self, cls: Class, name: str) -> tuple[Place, ...]:
        """A constructor's parameter."""
        constructor = cls.methods.get("__init__")
        if constructor is None:
            return ()
        params = constructor.params
        plain = (*params.posonly_params, *params.params, *params.kwonly_params)
        return tuple(self.place(each) for each in plain if each.name.value == name)

    def place(self, node: cst.CSTNode) -> Place:
        """Where a node of the user's code stands."""
        return self._shown(self.facts.project.source.span(node))

    def _shown(self, span: Span) -> Place:
        last = span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line
        return Place(seen(span.path, self.model.parent), span.line, last)


def _is_default(spec: StrategySpec, section: str, name: str) -> bool:
    return bool(getattr(getattr(spec, section), name) == getattr(getattr(StrategySpec(), section), name))


def _names_after(owner: str, line: str) -> list[str]:
    return re.findall(rf"\b{owner}\.(\w+)", line)


def seen(path: str, folder: Path) -> str:
    """A file's path as seen from the entry's folder; a preset's stays as it is."""
    return path if path.startswith("ddpgen/") else Path(os.path.relpath(path, folder)).as_posix()
