"""Whether hyperparameters are saved, under which name, and what is wrong with how they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index.search import code_for
from ...ir.metaclasses import saved_by_metaclass, sets_alone
from ...ir.project import Class, Project
from ...ir.saving import (
    LATE,
    ignored_at_run_time,
    ignored_names,
    is_before_base,
    keywords_of,
    lists_names,
    may_save_late,
    names_of,
    objects_of,
    parameter_names,
    save_calls,
    saving_helper,
)
from ..code.instances import Instances
from ..code.parameters import parameters
from ..code.scalars import Scalars
from ..code.usage import Usage
from .objects_of_cli import objects_read
from .plain_arguments import are_plain, configures, may_be_configured
from .saved_outside import calls_outside, check_saved_outside, is_told, metaclasses, saved_outside


@dataclass(frozen=True)
class SavedHyperparameters:
    """Under which name a checkpoint keeps them, and whether all of them are plain values."""

    name: str | None  # Lightning's `hparams_name`; None: nothing is saved
    are_plain: bool


KEYWORDS = "kwargs"
"""Lightning's `hparams_name` of arguments that are saved by their names."""


def saved_hyperparameters(project: Project, cls: Class) -> SavedHyperparameters:
    """What the class and its bases save, and code outside."""
    if saved_outside(project, cls):
        return SavedHyperparameters(KEYWORDS, False)
    return _saved_by(project, cls)


def _saved_by(project: Project, cls: Class) -> SavedHyperparameters:
    """What the class and its bases save."""
    calls = [call for part in cls.lineage for _, call in save_calls(part)]
    later = saved_by_metaclass(cls)
    if not (calls or later):
        return SavedHyperparameters(None, True)
    if later and not (calls and all(map(sets_alone, later))):
        return SavedHyperparameters(KEYWORDS, False)
    objects = [node for call in calls for node in objects_of(call)]
    if objects:
        named = isinstance(objects[0], cst.Name)
        return SavedHyperparameters(objects[0].value if named else KEYWORDS, False)  # type: ignore[attr-defined]  # a Name
    return SavedHyperparameters(KEYWORDS, not later and all(are_plain(project, part) for part in cls.lineage))


def saves_hyperparameters(project: Project, cls: Class) -> bool:
    return saved_hyperparameters(project, cls).name is not None


def may_lack_hyperparameters(project: Project, cls: Class) -> bool:
    """Whether objects of a class have none unless code outside saves some."""
    return _saved_by(project, cls).name is None


def may_hold_configurations(project: Project, cls: Class) -> bool:
    """Whether what a class saves may be OmegaConf's, which hydra gives, too."""
    if not configures(project):
        return False
    calls = [call for part in cls.lineage for _, call in save_calls(part)]
    is_known = bool(calls) and not (saved_outside(project, cls) or saved_by_metaclass(cls))
    if not is_known or any(map(objects_of, calls)):
        return True
    return any(may_be_configured(project, part) for part in cls.lineage)


def saved_names(project: Project, cls: Class) -> frozenset[str] | None:
    """The names of all that its objects may save; None: that is not known."""
    calls = [call for part in cls.lineage for _, call in save_calls(part)]
    are_objects = saved_by_metaclass(cls) or saved_outside(project, cls) or any(map(objects_of, calls))
    if are_objects or any(map(keywords_of, cls.lineage)):
        return None
    parts = (part for part in cls.lineage if "__init__" in part.own_methods)
    return frozenset(name for part in parts for name in parameter_names(part)) if calls else frozenset()


def saves_scalars(project: Project, cls: Class, scalars: Scalars) -> bool:
    """Whether all that the class saves, if anything, are surely numbers, flags and texts."""
    calls = [call for part in cls.lineage for _, call in save_calls(part)]
    if saved_by_metaclass(cls) or saved_outside(project, cls):
        return False
    if not calls:
        return True
    init = cls.own_methods.get("__init__")
    if len(calls) > 1 or not save_calls(cls) or init is None or objects_of(calls[0]):
        return False
    named = names_of(calls[0]) if lists_names(calls[0]) else [each.name for each in parameters(cls)]
    left_out = ignored_names(calls[0])
    kept = [each for each in parameters(cls) if each.name in named and each.name not in left_out]
    stored = {
        node.id
        for node in ast.walk(ast.parse(code_for(init)))
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    is_open = init.params.star_kwarg is not None or stored & {each.name for each in kept}
    return not is_open and all(scalars.all_are(scalars.values.parameter(each.node)) for each in kept)


def logs_hyperparameters(project: Project, cls: Class) -> bool:
    """Whether loggers are told of them: the last call decides, and none before the base's constructor."""
    outside = saved_outside(project, cls)
    return is_told(outside[-1]) if outside else _tells(cls)


def _tells(cls: Class) -> bool:
    """The same of what the class and its bases save."""
    saving = [(part, call) for part in reversed(cls.lineage) for _, call in save_calls(part)]
    calls = [call for part, call in saving if not is_before_base(part, call)]
    calls += [call for call in saved_by_metaclass(cls) if not sets_alone(call)]
    return bool(calls) and is_told(calls[-1])


def check_saved(project: Project, cls: Class, usage: Usage) -> Iterator[Diagnostic]:
    """Calls that cannot be read."""
    own = _saved_by(project, cls).name
    yield from check_saved_outside(
        project, cls, usage, None if own == KEYWORDS else own, {_tells(cls)} if own else set()
    )
    for part in cls.lineage:
        known = {parameter.name for parameter in parameters(part)}
        for method, call in save_calls(part):
            at = (project.source, call)
            is_in_time = _is_at_construction(cls, part, method) or _is_in_setup(cls, part, method, call)
            if not (is_in_time and _is_readable(call)):
                yield messages.hyperparameters_unreadable(at)
                continue
            for name in () if keywords_of(part) else names_of(call):
                if name not in known:
                    yield messages.unreadable_hyperparameter(at, name)
        for node in _called_again(project, part):
            yield messages.hyperparameters_saved_again((project.source, node), node.attr.value)


def _called_again(project: Project, part: Class) -> Iterator[cst.Attribute]:
    """Where a method that saves in the constructor's place is asked for once more, from outside of the class."""
    helper = saving_helper(part)
    if helper is None or any(objects_of(call) for _, call in save_calls(part)):
        return
    name, own = helper
    instances = Instances(project)
    for node in project.index.attributes(name):
        made = map(instances.class_of, instances.values.of(node.value)) if node is not own.func else ()
        if any(cls is not None and part in cls.lineage for cls in made):
            yield node


def _is_at_construction(cls: Class, part: Class, method: str) -> bool:
    """Whether a part's method is its constructor, or is called by it alone."""
    own = part.own_methods[method]
    return method == "__init__" or (saving_helper(part) is not None and cls.methods.get(method) is own)


def _is_in_setup(cls: Class, part: Class, method: str, call: cst.Call) -> bool:
    """Whether a call in `setup` saves what it writes out, which needs no constructor's arguments."""
    is_called = cls.methods.get(method) is part.own_methods[method]
    objects = objects_of(call)
    is_written = len(objects) == 1 and not isinstance(objects[0], cst.Name)
    return is_called and is_written and method == LATE and may_save_late(part)


def check_read(project: Project, cls: Class, usage: Usage) -> Iterator[Diagnostic]:
    """Calls by another name than `self`, and hyperparameters that nothing saves."""
    calls = [call.func for part in cls.lineage for _, call in save_calls(part)]
    later = [call.func for call in saved_by_metaclass(cls)]
    outside = [call.func for call in calls_outside(project)]
    making = metaclasses(project)
    for node in usage.reads.get("save_hyperparameters", ()):
        if node not in (*calls, *later, *outside) and project.index.class_of(node) not in making:
            yield messages.hyperparameters_unreadable((project.source, node))
    own = usage.own_names(cls)
    for target in usage.writes.get("hparams", ()) if "hparams" not in cls.methods else ():
        yield messages.hyperparameters_set((project.source, target))
    later += [call.func for call in saved_outside(project, cls)]
    early = usage.reached_from("__init__") if later else set()
    for node in usage.reads.get("hparams", ()):
        is_saved = calls or (later and _method_round(project, node) not in early)
        if not is_saved and "hparams" not in own and cls.kind == "module":
            yield messages.hyperparameters_never_saved((project.source, node))
    if project.told_by_cli is not None:
        yield from objects_read(project, cls, usage)


def _method_round(project: Project, node: cst.CSTNode) -> str:
    """The name of the function of the code that a node stands in."""
    function = project.index.function_of(node)
    return function.name.value if isinstance(function, cst.FunctionDef) else ""


@lru_cache(maxsize=4)
def may_set_hyperparameters(project: Project) -> bool:
    """Whether an attribute of `hparams` may be set: whether anything but plain reading is done with it."""
    if project.folders:
        return True  # by modules that the script imports
    reads = 0
    for node in _nodes(project):
        if isinstance(node, ast.Attribute | ast.Subscript) and _is_hparams(node.value):
            reads += isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.keyword) and node.arg is None:
            reads += _is_hparams(node.value)
    return len(re.findall(r"\bhparams\b", project.source.text)) > reads


@lru_cache(maxsize=4)
def may_show_hyperparameters(project: Project) -> bool:
    """Whether they may be printed as a whole: they stand in a text, or are handed on."""
    shown = (part for node in _nodes(project) for part in _handed_on(node))
    return any(_is_hparams(each) or _is_initial(each) for each in shown)


def _handed_on(node: ast.AST) -> list[ast.expr]:
    """The parts of a text, of a call, of a container or of a statement that may show them later."""
    match node:
        case ast.FormattedValue(value) | ast.Assign(_, value) | ast.Return(ast.expr() as value):
            return [value]
        case ast.Call(_, values) | ast.List(values) | ast.Tuple(values) | ast.Dict(_, values):
            return values
    return []


@lru_cache(maxsize=4)
def are_namespaces(project: Project) -> bool:
    """Whether objects with attributes serve as hyperparameters: they are asked for single entries, by their names."""
    classes = [cls for cls in project.classes.values() if cls.kind != "other"]
    if calls_outside(project):
        return False
    nodes = [each for each in _nodes(project) if isinstance(each, ast.Attribute) and _is_hparams(each.value)]
    asked = {each.attr for each in nodes}
    mentions = len(re.findall(r"hparams", project.source.text))
    is_plain = not project.folders and mentions == len(nodes) and asked.isdisjoint(dir(dict))
    return is_plain and all(_saves_entries(project, cls) for cls in classes)


def _saves_entries(project: Project, cls: Class) -> bool:
    """Whether a class saves but its own constructor's arguments, or none."""
    if saved_by_metaclass(cls):
        return False
    saving = [(part, call) for part in cls.lineage for _, call in save_calls(part)]
    if not saving:
        return True
    is_own = len(saving) == 1 and saving[0][0] is cls and saving_helper(cls) is None
    call = saving[0][1]
    is_known = not objects_of(call) and ignored_at_run_time(call) is None
    return is_own and is_known and are_plain(project, cls)


INITIAL = "hparams_initial"

CHANGES = frozenset({"update", "pop", "popitem", "setdefault", "clear"})


@lru_cache(maxsize=4)
def changes_hyperparameters(project: Project) -> bool:
    """Whether code that is read changes them where it names them."""
    nodes = (each for each in _nodes(project) if isinstance(each, ast.Attribute | ast.Subscript))
    return any(
        not isinstance(each.ctx, ast.Load) or (isinstance(each, ast.Attribute) and each.attr in CHANGES)
        for each in nodes
        if _is_hparams(each.value)
    )


def saves_objects(project: Project) -> bool:
    """Whether what is saved is an object, which others may hold too."""
    classes = project.classes.values()
    return bool(calls_outside(project)) or any(
        saved_by_metaclass(cls) or any(objects_of(call) for _, call in save_calls(cls)) for cls in classes
    )


def asks_initial_hyperparameters(project: Project) -> bool:
    """Whether code asks for what they were when they were saved."""
    is_asked = re.search(rf"(?<!\b_){INITIAL}", project.source.text) is not None
    return is_asked or any(map(_asks_inner, _nodes(project)))


def _asks_inner(node: ast.AST) -> bool:
    """Whether a method asks for the attribute that holds them."""
    match node:
        case ast.Attribute(ast.Name("self"), attribute, ast.Load()):
            return attribute == f"_{INITIAL}"
    return False


@lru_cache(maxsize=1)
def _nodes(project: Project) -> tuple[ast.AST, ...]:
    """Of the whole code, in Python's own tree, where attributes tell whether they are set."""
    return tuple(ast.walk(ast.parse(project.source.text)))


def _is_hparams(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "hparams"


def _is_initial(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == INITIAL


def _is_readable(call: cst.Call) -> bool:
    keywords = {arg.keyword.value for arg in call.args if arg.keyword}
    return not keywords - {"ignore", "logger"} and not any(arg.star for arg in call.args)
