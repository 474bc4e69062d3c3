"""From the facts to the script: what each feature decides, and the functions that they are put into."""

from __future__ import annotations

from pathlib import Path

from ..diagnostics import Diagnostic
from ..facts.conditional_names import holding
from ..facts.facts import Facts
from ..facts.hyperparameters.save_hyperparameters import may_set_hyperparameters, may_show_hyperparameters
from ..facts.hyperparameters.saved_outside import ignores_some
from ..facts.members import callback_members, data_members, module_members
from ..facts.optimizers.wrapped import chooses_optimizers
from ..ir.files import module_name
from ..ir.script import Script
from ..ir.served import type_of
from ..spec.sections.strategy_spec import Runtime
from . import FEATURES
from .script.config import config_and_constructions
from .script.docstring import docstring, printable
from .script.evaluation import evaluation_fields, evaluations
from .script.fit import fit
from .script.main import main
from .script.trainer import told_settings, trainer


def _hparams_class(facts: Facts) -> str:
    return "SimpleNamespace" if facts.keeps_namespaces else "HParams"


def decide(facts: Facts, problems: list[Diagnostic], script_name: str) -> Script:
    """The script, with every decision made."""
    fields = [*(field for each in FEATURES for field in each.config(facts)), *evaluation_fields(facts)]
    settings = told_settings(facts, {field.name for field in fields})
    settings |= {name: code for each in FEATURES for name, code in each.trainer(facts).items()}
    config, constructions = config_and_constructions(facts, fields, problems)
    frame = {
        "docstring": docstring(facts, script_name),
        "trainer": trainer(facts, settings),
        "fit": fit(facts),
        "main": main(facts, config, constructions),
    }
    return Script(
        features={**frame, **{each.name: each.decide(facts) for each in FEATURES}},
        config=config,
        evaluations=evaluations(facts, settings),
        models=facts.served.names("module"),
        model="Any" if facts.validates_some_models else type_of(facts.served.models),
        data=type_of(facts.served.data) if facts.data else None,
        asked=facts.trainer_members | ({"config"} if facts.own_main and facts.has_trainer else set()),
        callback_members=callback_members(facts),
        callbacks=facts.callbacks.kept,
        loggers=facts.callbacks.loggers,
        mentioned=facts.callbacks.mentioned,
        collates=facts.has_collated_batches,
        module_members=module_members(facts),
        data_members=data_members(facts),
        data_hooks=frozenset(facts.data.methods if facts.data else ()),
        hparams_class=_hparams_class(facts),
        chooses_optimizers=chooses_optimizers(facts.project),
        keeps_initial_hparams=facts.keeps_initial_hparams,
        hparams_members=_hparams_members(facts),
        ignores_hparams=ignores_some(facts.project),
        logs_attribute=facts.logs_attribute,
        source_name=printable(facts.project.source.path),
        module=module_name(Path(script_name)) if facts.loaded.spec.runtime is Runtime.BESIDE else None,
    )


def _hparams_members(facts: Facts) -> frozenset[str]:
    """What hyperparameters are asked for beside their entries."""
    asked = {
        "__setattr__": may_set_hyperparameters(facts.project),
        "__repr__": may_show_hyperparameters(facts.project),
    }
    return holding(asked) | {"__getattr__"}
