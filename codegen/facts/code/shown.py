"""Whether the methods of a class do nothing but show something: a progress bar, a table, a line of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ...index import patterns as m
from ...index.targets import assignments
from ...ir.project import Class, Project
from ...lightning import api
from ...values import External, Function, Instance, values_of
from .instances import Instances

PLAIN_FUNCTIONS = frozenset("""
    abs bool dict divmod enumerate filter float format getattr hasattr id int isinstance iter len list map max min next
    print range repr reversed round set sorted str sum super tuple type zip
    """.split())
"""Functions of Python's own that give a value, or print."""

SHOWING = ("tqdm", "rich", "math", "time", "datetime", "psutil", "IPython")
"""Packages whose functions change nothing but what is shown."""

SHOWING_FUNCTIONS = frozenset("""
    shutil.get_terminal_size os.get_terminal_size os.getenv os.environ.get sys.stdout.write sys.stdout.flush
    sys.stdout.isatty sys.stderr.write sys.stderr.flush torch.cuda.is_available torch.cuda.memory_allocated
    torch.cuda.max_memory_allocated torch.cuda.memory_reserved torch.cuda.max_memory_reserved torch.cuda.mem_get_info
    torch.is_tensor collections.OrderedDict collections.defaultdict logging.getLogger
    """.split())

TEXT_LOGGERS = frozenset({"logging", "logging.getLogger", "loguru.logger"})
MESSAGES = frozenset("debug info warning error critical success log".split())
"""Loggers of text, and their methods that write a line."""

READING_METHODS = frozenset("""
    items keys values get copy item detach cpu float int tolist size dim numel state_dict named_parameters parameters
    startswith endswith split
    """.split())
"""Methods that leave their objects as they are."""

OF_SHOWING = ("Rich", "Tqdm", "TQDM", "rank_zero_", "get_standard_metrics", "convert_inf")
"""How those of Lightning's names begin that are for showing something."""

PROGRESS = ".callbacks.progress."
"""Where Lightning has its bars, and the parts that they are made of."""

SUMMARIES = frozenset({"ModelSummary", "summarize"})
"""What of Lightning's makes a summary of a model."""

EXAMPLE = "example_input_array"
"""The model's attribute that a summary is also made of, by running it."""


def shown_base(cls: Class) -> str | None:
    """Lightning's class that shows something, where the class derives from that alone."""
    bases = [part for part in cls.resolution_order if isinstance(part, str) and part != "object"]
    return bases[0] if len(bases) == 1 and bases[0] in api.IDLE_CALLBACKS else None


def first_effect(
    project: Project, cls: Class, callers: frozenset[cst.FunctionDef] = frozenset()
) -> cst.CSTNode | None:
    """Where a method of the class's does something else; None: nowhere."""
    methods = (method for part in cls.lineage for method in part.own_methods.items())
    bodies = (_Body(project, method, _handed_to(name, method), callers) for name, method in methods)
    return next((node for body in bodies for node in body.effects()), None)


def _handed_to(name: str, method: cst.FunctionDef) -> set[str]:
    """The parameters of a method's by which it has something of the training's."""
    is_hook = name in api.CALLBACK_HOOKS
    return {each for each in _parameters(method)[1:] if is_hook or not _is_of_display(each)}


def _parameters(function: cst.FunctionDef) -> list[str]:
    params = function.params
    return [each.name.value for each in (*params.posonly_params, *params.params, *params.kwonly_params)]


@dataclass
class _Body:
    """A method or a function, and the variables through which it has what it is handed, such as the trainer."""

    project: Project
    node: cst.FunctionDef
    handed: set[str]
    callers: frozenset[cst.FunctionDef] = frozenset()

    def __post_init__(self) -> None:
        while found := set(self._aliases()) - self.handed:
            self.handed |= found

    def _aliases(self) -> Iterator[str]:
        """Variables that are given something of what is handed."""
        index = self.project.index
        for targets, value in assignments(index, self.node):
            if self._is_handed(value):
                for target in targets:
                    yield from _names(target)
        loops: list[cst.For | cst.CompFor] = [
            *index.within(self.node, cst.For),
            *index.within(self.node, cst.CompFor),
        ]
        for loop in loops:
            if self._is_handed(loop.iter):
                yield from _names(loop.target)

    def _is_handed(self, value: cst.BaseExpression) -> bool:
        """Whether it is a part of what is handed, and no number made of it."""
        if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
            return any(self._is_handed(argument.value) for argument in value.args)
        root = _root(value)
        if m.matches(value, OF_TRAINER):
            return True
        return isinstance(root, cst.Name) and root.value in self.handed

    def effects(self) -> Iterator[cst.CSTNode]:
        """The places where more is done than to show something."""
        index = self.project.index
        yield from index.within(self.node, cst.Global, cst.Nonlocal, cst.Raise, cst.Await, cst.Yield)
        targets: list[cst.BaseExpression] = [
            each.target for each in index.within(self.node, cst.AssignTarget)
        ]
        targets += [each.target for each in index.within(self.node, cst.AugAssign)]
        targets += [each.target for each in index.within(self.node, cst.AnnAssign)]
        targets += [each.target for each in index.within(self.node, cst.Del)]
        yield from (target for target in targets if not self._is_own(target))
        yield from (call for call in index.within(self.node, cst.Call) if not self._shows(call))

    def _is_own(self, target: cst.BaseExpression) -> bool:
        """Whether what is set or deleted is the method's, or the object's itself."""
        if isinstance(target, cst.Name):
            return True
        if isinstance(target, cst.Tuple | cst.List):
            return all(self._is_own(each.value) for each in target.elements)
        root = _root(target)
        return self._is_local(root) and not self._is_handed(target)

    def _is_local(self, node: cst.CSTNode) -> bool:
        """Whether it is a variable of the method's."""
        variable = self.project.index.variable(node) if isinstance(node, cst.Name) else None
        return variable is not None and variable.scope.is_function

    def _shows(self, call: cst.Call) -> bool:
        """Whether a call gives a value, or shows one."""
        function, root = call.func, _root(call.func)
        dotted, lightnings = self.project.qualified(function), self.project.lightning_name(function)
        if dotted and lightnings:
            is_of_showing = lightnings.startswith(OF_SHOWING) or PROGRESS in dotted
            return is_of_showing or self._summarizes(lightnings)
        if isinstance(function, cst.Name):
            is_plain = function.value in PLAIN_FUNCTIONS and dotted == function.value
            is_own = self._is_shown_by_own(call) or self._makes_display(call)
            return is_plain or self._is_of_showing(dotted) or is_own or self._calls_showing(call)
        if not isinstance(function, cst.Attribute):
            return False
        if self._is_handed(function.value):
            return function.attr.value in READING_METHODS
        if m.matches(root, m.Call(m.Name("super"))) or isinstance(root, cst.BaseString):
            return True
        if self._is_local(root):
            return not m.matches(function, OWN_LOG)
        if isinstance(root, cst.Dict | cst.List | cst.BaseNumber):
            return True
        return self._is_of_showing(dotted) or writes_a_line(self.project, function)

    def _summarizes(self, name: str) -> bool:
        """Whether a call but reads the model for a summary, which would run a model that has an example."""
        return name in SUMMARIES and EXAMPLE not in self.project.source.text

    def _is_shown_by_own(self, call: cst.Call) -> bool:
        """Whether a function of the project's is called that does no more, with what it is handed here."""
        found = values_of(self.project).callees(call).only
        function = found.node if isinstance(found, Function) else None
        if not isinstance(function, cst.FunctionDef) or function in self.callers | {self.node}:
            return False
        names = _parameters(function)
        if len(call.args) > len(names) or any(each.star for each in call.args):
            return False
        by_place = zip(names, call.args, strict=False)
        given = [(each.keyword.value if each.keyword else name, each) for name, each in by_place]
        handed = {name for name, each in given if self._is_handed(each.value)}
        return not any(_Body(self.project, function, handed, self.callers | {self.node}).effects())

    def _makes_display(self, call: cst.Call) -> bool:
        """Whether it makes an object of the project's that is for showing something, such as a theme of a bar."""
        made = Instances(self.project).class_named(values_of(self.project).callees(call).only)
        callers = self.callers | {self.node}
        if made is None or shown_base(made) is None or callers & {*made.methods.values()}:
            return False
        return first_effect(self.project, made, callers) is None

    def _calls_showing(self, call: cst.Call) -> bool:
        """Whether it calls what a function imports from such a package."""
        found = values_of(self.project).callees(call).only
        return isinstance(found, External) and self._is_of_showing(found.name)

    def _is_of_showing(self, dotted: str | None) -> bool:
        return dotted is not None and (dotted in SHOWING_FUNCTIONS or dotted.partition(".")[0] in SHOWING)


def writes_a_line(project: Project, method: cst.Attribute) -> bool:
    """Whether it is a method by which a logger of text does that."""
    found = values_of(project).of(method.value)
    made = [each.cls if isinstance(each, Instance) else each for each in found]
    is_known = all(isinstance(each, External) and each.name in TEXT_LOGGERS for each in made)
    return bool(made) and is_known and method.attr.value in MESSAGES


def is_part_of_a_line(project: Project, node: cst.CSTNode) -> bool:
    """Whether a value is but written: by `print`, or by a logger of text."""
    index, place = project.index, project.index.parent(node)
    while isinstance(place, cst.FormattedStringExpression | cst.FormattedString):
        place = index.parent(place)
    call = index.parent(place) if isinstance(place, cst.Arg) and not place.star else None
    if not isinstance(call, cst.Call) or not isinstance(index.parent(call), cst.Expr):
        return False
    if isinstance(call.func, cst.Attribute):
        return writes_a_line(project, call.func)
    return isinstance(place, cst.Arg) and place.keyword is None and project.qualified(call.func) == "print"


OWN_LOG = m.Attribute(m.Name("self"), m.Name("log") | m.Name("log_dict"))
TRAINER = m.Attribute(m.Name("self"), m.Name("trainer") | m.Name("_trainer"))
OF_TRAINER = (
    TRAINER | m.Attribute(TRAINER) | m.Attribute(m.Attribute(TRAINER)) | m.Subscript(m.Attribute(TRAINER))
)


def _is_of_display(name: str) -> bool:
    """Whether a parameter is for what shows something, by its name."""
    return any(word in name for word in ("bar", "progress", "tqdm", "task", "metric", "item", "desc"))


def _root(node: cst.CSTNode) -> cst.CSTNode:
    """What a chain of attributes, calls and subscripts begins with; of `super().x` the call."""
    while isinstance(node, cst.Attribute | cst.Call | cst.Subscript):
        if m.matches(node, m.Call(m.Name("super"))):
            return node
        node = node.func if isinstance(node, cst.Call) else node.value
    return node


def _names(target: cst.CSTNode) -> Iterator[str]:
    """The variables that are set together."""
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, cst.Tuple | cst.List):
        for each in target.elements:
            yield from _names(each.value)
