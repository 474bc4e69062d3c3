"""The order of the analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from . import messages
from .counterparts import Counterparts, counterparts
from .diagnostics import CompileError, Diagnostic
from .facts.callbacks.default_checkpoint import with_no_checkpoint
from .facts.code.parsers import check_parsers
from .facts.data.asked_as_module import check_modules_as_data
from .facts.data.modules_as_data import with_data_modules
from .facts.displays.displays import told_of_displays, within_displays, without_displays
from .facts.entry import entry
from .facts.entry.foreign_modules import told_of_foreign_modules
from .facts.entry.lightning_cli import missed_of_cli, missed_when_written
from .facts.entry.outside import runs
from .facts.entry.statements import main_statements, reached_by_main
from .facts.facts import Facts
from .facts.in_any_case import wrong_in_any_case
from .facts.lightning import unsupported
from .facts.lightning.patches import Patches, patches_of, with_patches
from .facts.main import candidates, own_main
from .facts.main.instantiation import unread_objects
from .facts.main.main_objects import with_main_objects
from .facts.main.own_main import OwnMain
from .facts.members import called_hooks, given_loaders
from .facts.metaclasses.in_the_script import check_made_by_call, types_asked
from .facts.model import classes
from .facts.model.hooks import check_hooks
from .facts.model.load_from_checkpoint import check_loading
from .facts.model.spec_objects import names_needed
from .facts.optimizers.spec_optimizer import check_spec_optimizer, with_spec_optimizer
from .facts.strategy.strategy import with_ddp_of_trainer
from .facts.trainer.left_out import without_strategies
from .facts.trainer.settings import check_environment
from .facts.trainer.spec_trainer import check_spec_trainer, trainer_call, trainers_of
from .facts.trainer.unpacked_mappings import with_expected_settings
from .ir.project import Class, Kind, Project, Statement
from .ir.reach import reached
from .ir.rewrites import Rewrites
from .ir.script import Script
from .ir.served import Served
from .planning import Plan, Planner, with_found
from .source.definitions import Run
from .spec.init_args.values import class_paths
from .spec.load import LoadedSpec


@dataclass(frozen=True)
class Analysis:
    """The script's plan, the project that it is made from, and what the user should know."""

    script: Script
    project: Project
    facts: Facts
    statements: tuple[Statement, ...]  # those that the script takes over
    own_main: tuple[Statement, ...]  # and those that run the training, where that stays the user's
    replaced: frozenset[Statement]  # those that the script's own main takes the place of
    rewrites: Rewrites
    notes: tuple[Diagnostic, ...]
    runs: Mapping[Statement, Run]  # when each statement runs


def analyze(
    project: Project, loaded: LoadedSpec, model_name: str | None, data_name: str | None, script_name: str
) -> Analysis:
    """Decide on everything that the script holds.

    Raises CompileError with every construct that it would miss.
    """
    problems: list[Diagnostic] = []
    notes: list[Diagnostic] = list(project.notes)
    loaded = project.told_by_cli.spec if project.told_by_cli else loaded
    if unread := [*unread_objects(project), *missed_when_written(project)]:
        raise CompileError([*notes, *unread, *wrong_in_any_case(project)])
    problems += (each for each in notes if each.severity == "error")
    notes = [each for each in notes if each.severity != "error"]
    loaded = with_expected_settings(project, loaded)
    project, displays = without_displays(with_data_modules(project))
    project = without_strategies(project, loaded)
    project, own, replaced = _with_entry(project, loaded, problems)
    trainers = trainers_of(project, own)
    loaded = with_no_checkpoint(project, with_ddp_of_trainer(project, loaded, trainers), trainers)
    named = _named(loaded, model_name, data_name)
    try:
        model, source = _chosen(project, loaded, own, (model_name, data_name))
    except CompileError as error:
        found = [*_without_noise(problems, error), *error.diagnostics]
        raise CompileError([*found, *wrong_in_any_case(project)]) from None
    problems += check_spec_optimizer(project, loaded, own)
    project, model = with_spec_optimizer(project, loaded, model)
    project = with_main_objects(project, loaded, model, source) if own is None else project
    statements = _statements(project, loaded, own, (model, source), problems)
    patches = patches_of(project, statements)
    statements = patches.without(statements)
    loads_whole, given = not loaded.spec.strategy.is_sharded, given_loaders(project, own)
    problems += check_hooks(project, statements, called_hooks(own), given, loads_whole)
    names = counterparts(project, statements)
    told = [*patches.told(project), *names.told(), *told_of_displays(project, displays, names.classes)]
    problems += (each for each in told if each.severity == "error")
    notes += (each for each in told if each.severity != "error")
    notes += told_of_foreign_modules(project, statements)
    problems += check_environment(project, statements)
    problems += _unread_uses(project, loaded, own, statements, patches, names)
    trainers = trainers_of(project, own)
    planner = Planner(
        project=project,
        loaded=loaded,
        own=own,
        statements=statements,
        found=names.classes,
        trainers=trainers,
        script_name=script_name,
        checks=patches.checks,
    )
    served, of_others = Served((model,), (source,) if source else ()), tuple[Diagnostic, ...]()
    together: Plan | None = None
    if own:
        options: dict[Kind, str | None] = {"module": model_name, "data": data_name}
        served, of_others, together = _fitted(planner, own, served, named, options, problems)
    plan = with_found(together, problems) if together else planner.plan(model, source, served, problems)
    rewrites = with_patches(names.within(plan.rewrites), patches)
    made = (project.spec_trainer,) if project.spec_trainer else ()
    last = main_statements(project, statements, list(served)) if own else made
    first = tuple(statement for statement in statements if statement not in last)
    said = tuple(dict.fromkeys((*plan.told, *of_others, *notes)))
    return Analysis(
        script=plan.script,
        project=project,
        facts=plan.facts,
        statements=first,
        own_main=last,
        replaced=replaced,
        rewrites=rewrites,
        notes=said,
        runs=runs(project),
    )


def _unread_uses(
    project: Project,
    loaded: LoadedSpec,
    own: OwnMain | None,
    statements: tuple[Statement, ...],
    patches: Patches,
    names: Counterparts,
) -> Iterator[Diagnostic]:
    """What the statements have of Lightning's that nothing translates, and what a script can neither load nor parse."""
    made = (*trainers_of(project, own), trainer_call(project))
    translated = (
        types_asked(project) | names.translated | within_displays(project) | patches.translated(project)
    )
    translated |= (own.translated if own else frozenset()) | {call.func for call in made if call}
    nodes = [each.node for each in statements]
    yield from unsupported.check_names(project, nodes, translated)
    yield from check_loading(project, nodes)
    yield from check_modules_as_data(project.whole or project)
    yield from check_parsers(project, statements)
    yield from check_spec_trainer(project, loaded, own)


def _fitted(
    planner: Planner,
    own: OwnMain,
    chosen: Served,
    named: dict[Kind, str | None],
    options: dict[Kind, str | None],
    problems: list[Diagnostic],
) -> tuple[Served, tuple[Diagnostic, ...], Plan | None]:
    """Whom a main's script serves, what is said of the others, and the one plan for classes of several kinds.

    Raises CompileError where they cannot share a script, and that is what is wrong.
    """
    served, of_others = planner.served(own, chosen.models[0], next(iter(chosen.data), None), named)
    together, wrong = planner.all_kinds(own, served, named)
    if together:
        served, of_others = together.facts.served, ()
    strategy = planner.loaded.path or planner.loaded.name
    unfitting = list(candidates.check_fitted(planner.project, own, served, named, options, strategy, wrong))
    problems += unfitting
    if not {*wrong}.isdisjoint(unfitting):
        raise CompileError(problems)
    return served, of_others, together


def _without_noise(problems: list[Diagnostic], error: CompileError) -> list[Diagnostic]:
    """Where there is no model, it is of no interest which statements a script for one would not run."""
    lacks_model = any(each.code == "no-model" for each in error.diagnostics)
    return [each for each in problems if not (lacks_model and each.code == "entry-statement-lost")]


def _named(loaded: LoadedSpec, model: str | None, data: str | None) -> dict[Kind, str | None]:
    """The classes that options or the spec name."""
    spec = loaded.spec
    return {"module": model or spec.model.class_path, "data": data or spec.data.class_path}


def _chosen(
    project: Project,
    loaded: LoadedSpec,
    own: OwnMain | None,
    options: tuple[str | None, str | None],
) -> tuple[Class, Class | None]:
    """The model and the data module, if any: a main of the user's own says itself where its data comes from."""
    made = candidates.made_models(project, reached_by_main(project)) if own else frozenset()
    fitted = candidates.fitted_model(project, own) if own else None
    name, place = _wanted(project, loaded, "model", options[0], fitted)
    model = classes.choose_model(project, project.entry, name, place, made)
    name, place = _wanted(project, loaded, "data", options[1], own.class_of("data") if own else None)
    if own and not name:
        return model, None
    return model, classes.choose_data(project, project.entry, name, model, place)


def _statements(
    project: Project,
    loaded: LoadedSpec,
    own: OwnMain | None,
    chosen: tuple[Class | None, ...],
    problems: list[Diagnostic],
) -> tuple[Statement, ...]:
    """The statements that the classes need, and a main of the user's own."""
    holders = [*(cls.holder for cls in chosen if cls), *names_needed(project, loaded)]
    if own is None:
        problems += classes.check_reachable(project, *chosen)
        problems += check_made_by_call(project, *chosen)
        statements = reached(project, [*holders, *_named_by_spec(project, loaded)])
    else:
        statements = reached_by_main(project, holders)
    statements += (project.spec_trainer,) if project.spec_trainer else ()
    problems += classes.check_bases(project, [statement.node for statement in statements])
    return statements


def _named_by_spec(project: Project, loaded: LoadedSpec) -> list[str]:
    """Classes that the spec's arguments are objects of, and what its objects for the Trainer need."""
    sections = (loaded.spec.model.init_args, loaded.spec.data.init_args)
    names = [project.class_name(path) for section in sections for path in class_paths(section)]
    return [*names, *(project.spec_trainer.uses if project.spec_trainer else ())]


def _with_entry(
    project: Project, loaded: LoadedSpec, problems: list[Diagnostic]
) -> tuple[Project, OwnMain | None, frozenset[Statement]]:
    """The project without the entry's code, and that, where it is taken over; where it is not so simple, it stays."""
    found = entry.read_entry(project)
    if found.lost and own_main.builds_trainer(project):
        own = own_main.read_own_main(project, reached_by_main(project), loaded, problems)
        return project, own, frozenset()
    problems += missed_of_cli(project, found.entry.cli)
    problems += [messages.entry_statement_lost((project.source, node)) for node in found.lost]
    kept = tuple(statement for statement in project.statements if statement not in found.statements)
    return replace(project, entry=found.entry, statements=kept, whole=project), None, found.read


def _wanted(
    project: Project, loaded: LoadedSpec, section: str, option: str | None, fitted: str | None
) -> tuple[str | None, messages.Place | None]:
    """The class for a section: the command line's, the spec's with its place in it, or the one that is fitted."""
    if option is not None:
        return option, None
    path = getattr(loaded.spec, section).class_path
    name = fitted if path is None else project.class_name(path)
    return name, loaded.place(f"{section}.class_path")
