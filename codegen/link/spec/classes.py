"""The classes that the spec names, and the objects that it describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...spec.init_args.signature import Signature
from ...spec.init_args.values import Linked, is_object, is_path
from ...spec.load import LoadedSpec
from ...spec.sections.section import ObjectSettings
from .class_paths import ClassPaths


@dataclass(frozen=True)
class Named:
    """A class that the spec names."""

    written: str
    path: str  # with its module
    key: str  # of the setting that names it
    is_given: bool = False  # an object for the Trainer
    constructor: Signature | None = None  # what it takes, where that is known
    methods: frozenset[str] = frozenset()  # that are the project's


def named_by(spec: LoadedSpec, paths: ClassPaths) -> Iterator[Named]:
    """Classes for the Trainer's objects; of the others those that may stand in another file."""
    for section in ("model", "data"):
        settings = getattr(spec.spec, section)
        if settings.class_path and "." in settings.class_path:
            yield Named(settings.class_path, paths.whole(settings.class_path), f"{section}.class_path")
        yield from _named_inside(settings.init_args, f"{section}.init_args", paths)
    for key, path in spec.spec.own_functions.items():
        yield Named(path, paths.whole(path), key)
    for key, settings in spec.spec.ddp.objects.items():
        yield Named(settings.class_path, paths.whole(settings.class_path), f"{key}.class_path")
        yield from _named_inside(settings.init_args, f"{key}.init_args", paths)
    for key, settings in (*objects_for_trainer(spec, paths), *optimizers_for_model(spec)):
        path, is_given = settings.class_path, key.startswith("trainer.")
        yield Named(path, paths.whole(path, key), f"{key}.class_path", is_given)
        yield from _named_inside(settings.init_args, f"{key}.init_args", paths)
        yield from _named_inside(settings.dict_kwargs, f"{key}.dict_kwargs", paths)


def _named_inside(value: Any, key: str, paths: ClassPaths) -> Iterator[Named]:
    """Classes that values name, with the nearest key of a setting; texts that may be paths of the project's too."""
    if isinstance(value, str) and is_path(value) and paths.is_own(value):
        yield Named(value, value, key)
    if isinstance(value, Linked) and value.function:
        yield Named(value.function, value.function, key)
    if is_object(value) and isinstance(value["class_path"], str):
        path = value["class_path"]
        yield Named(path, paths.whole(path), f"{key}.class_path")
    children = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, child in children:
        yield from _named_inside(child, f"{key}.{name}", paths) if name != "class_path" else ()


def objects_for_trainer(spec: LoadedSpec, paths: ClassPaths) -> Iterator[tuple[str, ObjectSettings]]:
    """Objects for the Trainer that do something in a script, with their keys."""
    for section in ("callbacks", "logger"):
        for index, settings in enumerate(getattr(spec.spec.trainer, section)):
            if not paths.is_idle(settings.class_path):
                yield f"trainer.{section}.{index}", settings


def optimizers_for_model(spec: LoadedSpec) -> Iterator[tuple[str, ObjectSettings]]:
    if optimizer := spec.spec.optimizer.described:
        yield "optimizer", optimizer
        if spec.spec.lr_scheduler:
            yield "lr_scheduler", spec.spec.lr_scheduler
