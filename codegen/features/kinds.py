"""One script for models of several kinds: loops for each, and one machinery."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..facts.facts import Facts
from ..ir.plans import ConfigField, ConfigGroup
from ..ir.script import Script
from ..ir.served import Served, common_base, type_of
from .script.config import in_order
from .script.docstring import docstring

SHARED = tuple("hparams_class callbacks loggers source_name module logs_attribute".split())
"""What has to be the same in all of their scripts."""

OF_ALL = tuple("""
    main accelerator launch ending determinism benchmark trial overfitting remote background preemption
    """.split())
"""Features whose code stands outside of the loops, or of which all of them have something."""

UNITED = tuple("""
    asked callback_members mentioned module_members data_members data_hooks hparams_members
    """.split())
"""Of which the one script has what any of them asks for."""

STEP_HOOK = "on_before_optimizer_step"

OF_FIT = tuple("""
    trainer takes_data takes_loaders takes_train_loader takes_val_loader takes_checkpoint takes_weights_only
    """.split())
"""What `fit` is given."""

OF_EVALUATIONS = tuple("""
    has_data takes_loader takes_checkpoint takes_weights_only takes_verbose takes_return
    """.split())
"""What functions are given that evaluate."""


def everyone(served: Iterable[Served]) -> Served:
    """The classes of all kinds."""
    first, *others = served
    data = dict.fromkeys(cls for each in (first, *others) for cls in each.data)
    return Served((*first.models, *(cls for each in others for cls in each.models)), tuple(data))


def joined(
    facts: tuple[Facts, ...], scripts: tuple[Script, ...], name: str, checked: tuple[str, ...]
) -> Script | None:
    """The script with the loops of all; None: they differ in more than their loops.

    `checked` are the classes of which a model has to be one, where that is not known.
    """
    first, config = scripts[0], _config(scripts)
    own = facts[0].own_main
    are_told_apart = own is not None and all(map(own.is_for_one_kind, own.every_fit))
    if config is None or not all(_alike(first, each, are_told_apart) for each in scripts[1:]):
        return None
    served = everyone(each.served for each in facts)
    trained = everyone(each.served for each in facts[0].trained)
    told = docstring(replace(facts[0], served=trained), name)
    about = dict.fromkeys(line for each in scripts for line in each.features["docstring"].about)
    names = _names([each.served for each in facts])
    kinds = tuple(replace(each, config=config, kind=name) for each, name in zip(scripts, names, strict=True))
    return replace(
        first,
        **_united(scripts),
        features={**first.features, "docstring": told._replace(about=tuple(about))},
        config=config,
        models=served.names("module"),
        model="Any" if any(each.model == "Any" for each in scripts) else type_of(served.models),
        data=type_of(served.data) if served.data else None,
        collates=all(each.collates for each in scripts),
        kinds=kinds,
        checked=checked,
    )


def _names(kinds: list[Served]) -> list[str]:
    """What the kinds are called: as what all of their models are of, or as the first."""
    found: list[str] = []
    for kind in kinds:
        base = common_base(kind.models)
        found.append(base if base and base not in found else kind.models[0].name)
    return found


def _united(scripts: tuple[Script, ...]) -> dict[str, Any]:
    found = {each: frozenset[str]().union(*(getattr(script, each) for script in scripts)) for each in UNITED}
    return found | {"module_members": found["module_members"] | _hooks_of_steps(scripts)}


def _alike(one: Script, other: Script, are_told_apart: bool) -> bool:
    """Whether all but the loops is the same, and the functions that the main calls are given the same.

    What `fit` is given may differ, where each call is surely for models of one kind.
    """
    ones, others = _given(one), _given(other)
    if are_told_apart and _trainer_of(one) == _trainer_of(other):
        others.pop("fit", None)
    are_called_alike = all(ones[name] == others[name] for name in ones.keys() & others.keys())
    are_decided_alike = all(one.features[each] == other.features[each] for each in OF_ALL)
    return (
        are_called_alike
        and are_decided_alike
        and all(getattr(one, each) == getattr(other, each) for each in SHARED)
    )


def _given(script: Script) -> dict[str, tuple[Any, ...]]:
    """What functions are given, and what the main asks of a trainer that has not run."""
    fit, trainer = script.features["fit"], script.features["trainer"]
    return {
        **({"fit": tuple(getattr(fit, each) for each in OF_FIT)} if script.trains else {}),
        "new_trainer": trainer.early if trainer else (),
        **{
            made.function: tuple(getattr(made, each) for each in OF_EVALUATIONS)
            for made in script.evaluations
        },
    }


def _trainer_of(script: Script) -> str:
    """The parameter of `fit` that tells the settings."""
    parameter: str = script.features["fit"].trainer
    return parameter


def _config(scripts: Iterable[Script]) -> tuple[ConfigGroup, ...] | None:
    """The settings of all; None: some say different things of one."""
    fields: dict[str, ConfigField] = {}
    for field in _fields(scripts):
        if fields.setdefault(field.name, field) != field:
            return None
    titles = {group.title for script in scripts for group in script.config}
    return (ConfigGroup(titles.pop(), tuple(in_order(fields.values()))),) if len(titles) == 1 else None


def _fields(scripts: Iterable[Script]) -> Iterator[ConfigField]:
    for script in scripts:
        for group in script.config:
            yield from group.fields


def _hooks_of_steps(scripts: Iterable[Script]) -> frozenset[str]:
    """The hook that optimizers of the script's own kind call of any model, if of one."""
    by_hand = [each.features["manual"] for each in scripts if each.features["manual"]]
    called = {each.has_step_hook for each in by_hand}
    return frozenset({STEP_HOOK}) if len(called) > 1 else frozenset()
