"""What a model that ranks share out does not go with, in the code: `strategy: fsdp` of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...index.search import code_for
from ...index.targets import assignments
from ...lightning import api
from ...spec.precision import is_mixed
from ...values import External, Instance, Member, Value, values_of
from ..callbacks.callbacks import is_callback
from ..code.instances import Instances
from ..facts import Facts
from ..optimizers.objects import OPTIMIZERS, optimizers_made

BY_ELEMENT = frozenset("Adadelta Adagrad Adam AdamW Adamax ASGD NAdam RAdam RMSprop SGD".split())
"""torch's optimizers that change each number of a parameter by itself, but Rprop, which torch has not for shares."""

OF_WHOLE_PARAMETERS = api.COPYING_CALLBACKS | api.GROUPING_CALLBACKS
"""Callbacks that copy parameters, or change what is trained."""

WHOLE_WITHIN = frozenset("__init__ prepare_data setup configure_model state_dict".split())
"""Methods that run before the model is shared out, or that say what a state is."""

CHECKPOINT_HOOKS = ("on_save_checkpoint", "on_load_checkpoint")
SHARED_PARTS = ("state_dict", "optimizer_states")

WITHOUT_WEIGHTS = (OPTIMIZERS, "torch.utils.data.", "torchdata.")
"""Where classes come from that are no modules."""

OF_DATA = frozenset(
    "datamodule train_dataloader val_dataloaders test_dataloaders predict_dataloaders".split()
)
"""Members of a Trainer that are no modules."""

OF_WEIGHTS = frozenset("parameters named_parameters weight bias".split())
NUMBER = m.Call(m.Attribute(attr=m.Name("item") | m.Name("tolist")), args=[]) | m.Call(m.Name("float"))

RESET, INIT = "reset_parameters", "torch.nn.init."
"""Where layers begin, and with what."""

GRADIENT = m.Arg(m.SimpleString(m.MatchRegex(r"""['"](.*\.)?grad(\..*)?['"]""")))
GOT = m.Call(m.Name("getattr"), args=[m.Arg(), GRADIENT, m.ZeroOrMore()])
GETTER = m.Call(m.Name("attrgetter") | m.Attribute(attr=m.Name("attrgetter")), args=[GRADIENT])
OF_PLACE = frozenset("is_global_zero global_rank local_rank".split())


def check_sharded_model(facts: Facts) -> Iterator[Diagnostic]:
    """What needs whole parameters, or steps when other ranks may not."""
    if not facts.is_sharded:
        return
    asked = {
        "save_on_exception": "failed" in facts.trainer_fields,
        "log_graph": facts.draws_graphs,
        "log_model": facts.saves_shares and facts.callbacks.tells_loggers,
    }
    place = facts.loaded.place("strategy")
    if facts.shares_itself:
        yield from _of_own(facts, place)
        yield from _saved_parts(facts)
        if asked["log_model"]:
            yield messages.not_with_fsdp(place, "log_model")
        yield from _shared_by_script(facts, place) if facts.is_planned else ()
        return
    for name in (name for name, is_asked in asked.items() if is_asked):
        yield messages.not_with_fsdp(place, name)
    if facts.manual and facts.loaded.spec.fsdp.reshard_after_forward is not True:
        keeps = "reshard_after_forward"
        yield messages.not_with_fsdp(facts.loaded.key_place(f"fsdp.{keeps}"), keeps)
    yield from _policies(facts)
    yield from _beginnings(facts) if facts.begins_empty else ()
    yield from _shared_by_script(facts, place)
    yield from _saved_parts(facts)


def _shared_by_script(facts: Facts, place: messages.Place) -> Iterator[Diagnostic]:
    """What counts on whole parameters."""
    for name in sorted(OF_WHOLE_PARAMETERS & facts.callbacks.runtime if facts.callbacks.is_given else ()):
        yield messages.callback_with_fsdp(place, name)
    yield from _optimizers(facts)
    yield from _gradients(facts)
    yield from _weights(facts)


def _saved_parts(facts: Facts) -> Iterator[Diagnostic]:
    """Where a hook handles tensors that a checkpoint's folder has, and the checkpoint in memory has not."""
    project, index = facts.project, facts.project.index
    for function in index.of_kind(cst.FunctionDef) if facts.saves_shares else ():
        if function.name.value in CHECKPOINT_HOOKS:
            for text in index.within(function, cst.SimpleString):
                if text.evaluated_value in SHARED_PARTS:
                    yield messages.tensors_in_shares((project.source, text))


def _of_own(facts: Facts, place: messages.Place) -> Iterator[Diagnostic]:
    """What goes wrong where the model shares itself out, beside what does under Lightning."""
    if not facts.has_hook("configure_model") and not facts.is_planned:
        yield messages.nothing_shares_out(place)
    asked = {
        "save_on_exception": "failed" in facts.trainer_fields,
        "log_graph": facts.draws_graphs,
        "sync_batchnorm": bool(facts.settings.sync_batchnorm),
        "automatic_optimization": facts.is_planned and facts.manual is not None,
        "configure_gradient_clipping": facts.is_planned and facts.has_hook("configure_gradient_clipping"),
    }
    for name in (name for name, is_asked in asked.items() if is_asked):
        yield messages.not_with_model_parallel(place, name)


def _policies(facts: Facts) -> Iterator[Diagnostic]:
    """What types and offloading say nothing of, or cannot go with."""
    loaded, known = facts.loaded, facts.precision
    settings = loaded.spec.fsdp
    if (mixed := settings.mixed_precision) and loaded.is_given("fsdp.mixed_precision"):
        is_mixed_in = known.only is not None and is_mixed(known.only)
        if not (is_mixed_in or mixed.param_dtype or mixed.reduce_dtype or mixed.output_dtype):
            yield messages.nothing_is_mixed(loaded.key_place("fsdp.mixed_precision"))
    if settings.cpu_offload and known.scales:
        yield messages.not_with_offload(loaded.key_place("fsdp.cpu_offload"), "precision")


def _beginnings(facts: Facts) -> Iterator[Diagnostic]:
    """What begins where there is no memory yet, and would be lost."""
    project, place = facts.project, facts.loaded.key_place("fsdp.empty_init")
    if facts.own_main and not facts.has_hook("configure_model"):
        yield messages.nothing_begins_empty(place)
    for call in project.index.of_kind(cst.Call):
        function = project.index.function_of(call)
        in_reset = function is not None and function.name.value == RESET
        callees = values_of(project).callees(call) if not in_reset else ()
        if any(isinstance(each, External) and each.name.startswith(INIT) for each in callees):
            yield messages.begins_too_early((project.source, call))


def _optimizers(facts: Facts) -> Iterator[Diagnostic]:
    """Those that take the norm of a parameter, and the like; of others the script asks when it runs."""
    for made in optimizers_made(facts.project, facts.model):
        name = made.cls.name if isinstance(made.cls, External) else ""
        last = name.rpartition(".")[2]
        if last[:1].isupper() and not (name.startswith(OPTIMIZERS) and last in BY_ELEMENT):
            yield messages.optimizer_with_fsdp((facts.project.source, made.node), last)


def _gradients(facts: Facts) -> Iterator[Diagnostic]:
    """Where gradients are read: a rank has its share of them, and a number made of that would be its own."""
    project = facts.project
    for node in project.index.attributes("grad"):
        yield messages.gradients_with_fsdp((project.source, node.attr))
    for call in project.index.of_kind(cst.Call):
        if m.matches(call, GOT | GETTER):
            yield messages.gradients_with_fsdp((project.source, call))
        elif project.lightning_name(call.func) == "grad_norm" and _is_of_some_ranks(facts, call):
            yield messages.norms_with_fsdp((project.source, call.func))


def _is_of_some_ranks(facts: Facts, call: cst.Call) -> bool:
    """Whether it stands below a question which rank this is."""
    index = facts.project.index
    branch: cst.CSTNode | None = index.ancestor(call, cst.If, cst.IfExp)
    while isinstance(branch, cst.If | cst.IfExp):
        if any(each.attr.value in OF_PLACE for each in index.within(branch.test, cst.Attribute)):
            return True
        branch = index.ancestor(branch, cst.If, cst.IfExp)
    function = index.function_of(call)
    return function is not None and any(
        facts.project.lightning_name(each.decorator) == "rank_zero_only" for each in function.decorators
    )


def _weights(facts: Facts) -> Iterator[Diagnostic]:
    """Where the state of modules is read once the model is shared out, or a number is taken of its weights."""
    project, index, instances = facts.project, facts.project.index, Instances(facts.project)
    for node in index.attributes("state_dict"):
        function = index.function_of(node)
        is_early = function is not None and function.name.value in WHOLE_WITHIN
        held = node.value.value if isinstance(node.value, cst.Subscript) else node.value
        is_safe = _are_no_modules(instances, node.value) or _are_of_data(instances, held)
        if not (is_early or is_safe):
            yield messages.state_with_fsdp((project.source, node.attr))
    for function in index.of_kind(cst.FunctionDef):
        if function.name.value not in WHOLE_WITHIN:
            for number in _numbers_of_weights(index, function):
                yield messages.number_with_fsdp((project.source, number))


def _numbers_of_weights(index: Index, function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """The numbers that a function takes of what comes of parameters in it."""
    if not any(node.attr.value in OF_WEIGHTS for node in index.within(function, cst.Attribute)):
        return
    made, said = set[str](), -1
    steps = [*_steps(index, function)]
    while said < len(made):
        said = len(made)
        made |= {code_for(each) for targets, value in steps if _is_of(index, value, made) for each in targets}
    yield from (number for number in index.matching(function, NUMBER) if _is_of(index, number, made))


def _steps(
    index: Index, function: cst.FunctionDef
) -> Iterator[tuple[Sequence[cst.BaseExpression], cst.BaseExpression]]:
    """What is made of what: variables and attributes, and the expressions by which they change."""
    for targets, value in assignments(index, function):
        yield [part for each in targets for part in _parts(each)], value
    for each in index.within(function, cst.AugAssign):
        yield [*_parts(each.target)], each.value
    for loop in index.within(function, cst.For):
        yield [*_parts(loop.target)], loop.iter
    for part in index.within(function, cst.CompFor):
        yield [*_parts(part.target)], part.iter
    for item in index.within(function, cst.WithItem):
        yield [*_parts(item.asname.name)] if item.asname else [], item.item
    for inner in index.within(function, cst.FunctionDef):
        yield from (([inner.name], each.value) for each in index.own(inner, cst.Return) if each.value)
    for call in index.within(function, cst.Call):  # such as `norms.append(...)`
        if isinstance(call.func, cst.Attribute) and _is_own(index, call.func.value):
            yield from (([call.func.value], argument.value) for argument in call.args)


def _parts(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The variables and attributes in a target; of `norms[name]` the one that has it."""
    if isinstance(target, cst.Tuple | cst.List):
        yield from (part for each in target.elements for part in _parts(each.value))
    elif isinstance(target, cst.Subscript):
        yield from _parts(target.value)
    else:
        yield target


def _is_own(index: Index, node: cst.BaseExpression) -> bool:
    """Whether it is a function's variable, or an attribute of the object that a method is called of."""
    if isinstance(node, cst.Attribute):
        return m.matches(node.value, m.Name("self"))
    variable = index.variable(node) if isinstance(node, cst.Name) and node.value != "self" else None
    return variable is not None and variable.scope.is_function


def _is_of(index: Index, node: cst.CSTNode, made: Set[str]) -> bool:
    """Whether parameters are mentioned in an expression, or what is made of them."""
    return any(
        (isinstance(each, cst.Attribute) and each.attr.value in OF_WEIGHTS) or code_for(each) in made
        for each in index.within(node, cst.Attribute, cst.Name)
    )


def _are_no_modules(instances: Instances, node: cst.BaseExpression) -> bool:
    return all(_is_no_module(instances, each) for each in values_of(instances.project).of(node))


def _are_of_data(instances: Instances, node: cst.BaseExpression) -> bool:
    """Whether an expression is the Trainer's data, be it in a list."""
    return all(_is_of_data(instances, each) for each in values_of(instances.project).of(node))


def _is_of_data(instances: Instances, value: Value) -> bool:
    return isinstance(value, Member) and value.name in OF_DATA and instances.is_trainer(value.receiver)


def _is_no_module(instances: Instances, value: Value) -> bool:
    """Whether it surely is an optimizer, a scheduler, a callback, or of the data."""
    if isinstance(value, Member):
        return _is_of_data(instances, value)
    if cls := instances.class_of(value):
        return cls.kind == "data" or is_callback(cls)
    return isinstance(value, Instance) and getattr(value.cls, "name", "").startswith(WITHOUT_WEIGHTS)
