"""What functions and methods of libraries' do with values of the user's, as far as it matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import libcst as cst

from ...index import Index, Variable
from ...index.resolvers import evaluates_configuration
from ..abstract import (
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Super,
    Unknown,
    Value,
)
from ..flow import ANY_NAME, OTHER, Argument, Arguments
from ..imports import ImportedNames
from ..options import choices_of
from ..solver import Cell
from .attributes import MAX_DEPTH, _depth, option_in
from .calls import COMMAND_LINE, described
from .escapes import UNREAD
from .kinds import Kinds

Rule = Callable[["Library", Arguments, Cell], None]

FIELD_DEFAULT = "default"

COMPUTED = "it is computed when the script runs"

PUT_TOGETHER = "it is a string that is put together when the script runs"

HARMLESS = frozenset("""
    isinstance issubclass hasattr callable id hash print repr str int float bool bytes len abs round sum range ord chr
    format divmod pow bin hex any all slice complex ascii bytearray memoryview breakpoint exit quit help delattr dir
    compile
    """.split())
"""Builtins that keep nothing of what they are given, and give nothing of it back."""

NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace", "ddpgen.module_here"})
"""Of which what they hold are attributes alone."""

CONTAINERS = frozenset("""
    builtins.dict builtins.list builtins.tuple builtins.set builtins.frozenset collections.ChainMap
    collections.OrderedDict collections.UserDict collections.UserList collections.defaultdict collections.deque
    torch.nn.ModuleDict torch.nn.ModuleList torch.nn.Sequential typing.NamedTuple
    """.split())
"""Classes whose objects give back what they are given."""

UNBOUND = {"builtins.dict": "{}", "builtins.list": "{}", "builtins.set": "{}", "operator": "__{}__"}
"""Of whose functions the first argument is what others change, and the names of the methods that do so."""

TAKE_STARS = frozenset("builtins.zip builtins.dict functools.partial itertools.chain".split())

SPECIAL_METHODS = {
    "abs": "__abs__",
    "bool": "__bool__",
    "float": "__float__",
    "format": "__format__",
    "hash": "__hash__",
    "int": "__int__",
    "len": "__len__",
    "print": "__str__",
    "repr": "__repr__",
    "str": "__str__",
}

OPTIONS = frozenset("""
    builtins.input os.getenv os.environ.get yaml.safe_load yaml.load yaml.full_load json.load json.loads toml.load
    tomllib.load omegaconf.OmegaConf.load omegaconf.OmegaConf.create omegaconf.OmegaConf.from_cli
    omegaconf.OmegaConf.from_dotlist omegaconf.OmegaConf.structured omegaconf.OmegaConf.to_container hydra.compose
    tyro.cli simple_parsing.parse ruamel.yaml.safe_load sys.argv hydra.core.hydra_config.HydraConfig.get
    """.split())
"""Functions that give what the command line, the environment or a configuration says."""

PARSERS = frozenset("parse_args parse_known_args parse_intermixed_args parse_args_into_dataclasses".split())
RUNNERS = frozenset("fire.Fire absl.app.run typer.run jsonargparse.CLI jsonargparse.auto_cli".split())

GIVE_SELF = frozenset("""
    to cuda cpu train eval float half double bfloat16 requires_grad_ type xpu to_empty share_memory apply
    """.split())
"""Methods of torch's modules that give back the module."""

FREEZING = {"freeze", "unfreeze"}
"""The same of LightningModules."""

UNCHANGED = frozenset("""
    copy.copy copy.deepcopy torch.compile torch.jit.script functools.lru_cache
    functools.cache functools.update_wrapper contextlib.contextmanager weakref.proxy torch.no_grad
    torch.inference_mode warnings.catch_warnings
    """.split())
"""Functions of which an argument comes back."""


WRAPPERS = frozenset({"LightningOptimizer"})
"""Classes of Lightning's whose objects do what those do that they wrap."""

KEEP_TO_THEMSELVES = frozenset("""
    functools.wraps builtins.object weakref.ref ddpgen.instances ddpgen.modules ddpgen.module_here
    omegaconf.OmegaConf.to_yaml omegaconf.OmegaConf.save omegaconf.OmegaConf.resolve omegaconf.OmegaConf.is_missing
    omegaconf.OmegaConf.is_config omegaconf.OmegaConf.is_dict omegaconf.OmegaConf.is_list
    omegaconf.OmegaConf.set_struct omegaconf.OmegaConf.set_readonly omegaconf.open_dict omegaconf.read_write
    omegaconf.flag_override
    """.split())
"""Functions that call nothing of what they are given."""


class Library(Kinds):
    """Calls of what is not the user's."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        super().__init__(index, names)

    # ---- functions ---------------------------------------------------------------------------------------

    def call_external(self, callee: External, arguments: Arguments, result: Cell) -> None:
        name = callee.name
        short = name.removeprefix("builtins.")
        is_starred = any(each.star == "*" for each in arguments.given) and name not in TAKE_STARS
        self._call_unbound(name, arguments)
        if name in RULES and is_starred:
            self.hand_over(arguments, f"`{short}`")
            self.add(result, Unknown(f"it is what `{short}(*...)` gives", arguments.node))
        elif rule := RULES.get(name):
            rule(self, arguments, result)
        elif held := self.configured.loaded.get(arguments.node):
            self.hand_over(arguments, f"`{name}`")
            for each in held:
                self.flow(self.evaluate(each), result)
        elif name in OPTIONS:
            self.hand_over(arguments, f"`{name}`")
            self.add(result, Option(short.rpartition(".")[2], arguments.node))
        elif name in RUNNERS:
            self._run_with_options(arguments, result)
        elif name in UNCHANGED or callee.lightning in WRAPPERS:
            self._unchanged(callee, arguments, result)
        elif isinstance(arguments.node, cst.Call) and (kind := self.kind_asked(arguments.node)):
            self.answer_kind(kind, arguments, result)
        elif name.startswith("builtins.") and short in HARMLESS:
            self._computed(short, arguments, result)
        else:
            self._made_by_library(callee, arguments, result)

    def _call_unbound(self, name: str, arguments: Arguments) -> None:
        """`dict.update(first, ...)` and `operator.setitem(first, ...)` do to it what its method does."""
        owner, _, method = name.rpartition(".")
        if owner not in UNBOUND or not (first := arguments.cell(0)):
            return
        bound = replace(arguments, given=arguments.given[1:])

        def call(value: Value) -> None:
            if isinstance(value, Sequence | Dict):
                self.call_container(Member(value, UNBOUND[owner].format(method)), bound, Cell())

        self.watch(first, call)

    def _made_by_library(self, callee: External, arguments: Arguments, result: Cell) -> None:
        if callee.lightning == "LambdaCallback":
            self._hand_hooks(arguments)
        elif callee.name not in KEEP_TO_THEMSELVES:
            self.hand_over(arguments, UNREAD if callee.is_local else f"`{callee.name}`")
        made = Instance(callee, arguments.node)
        self.add(result, made)
        if callee.name in NAMESPACES:
            self._hold(made, arguments)
        if callee.lightning == "Trainer":
            self.add(self.trainers, made)

    def _hold(self, made: Instance, arguments: Arguments) -> None:
        """What a namespace is given are its attributes."""
        for argument in arguments.given:
            if argument.keyword:
                self.flow(argument.cell, self.attribute(made, argument.keyword))
            else:
                self.add(self.attribute(made, ANY_NAME), Unknown("it is in a namespace", arguments.node))

    def _hand_hooks(self, arguments: Arguments) -> None:
        """Functions are called as hooks of callbacks are."""
        first = Argument(self.trainers), Argument(self.models)
        handed = Arguments(arguments.node, first, "Lightning hands it to a hook of a LambdaCallback")
        for argument in arguments.given:
            self.watch(argument.cell, lambda value: self.call(value, handed, Cell()))

    def _computed(self, name: str, arguments: Arguments, result: Cell) -> None:
        special = SPECIAL_METHODS.get(name)
        first = arguments.cell(0)
        if special and first:
            self.watch(first, lambda value: self._special(value, special, arguments))
        if name in (
            "isinstance",
            "issubclass",
            "hasattr",
            "callable",
            "bool",
            "any",
            "all",
        ):
            self.add(result, Literal(True, arguments.node))
            self.add(result, Literal(False, arguments.node))
        elif name == "print":
            self.add(result, self.none(arguments.node))
        elif name == "range":
            numbers = self.unknown("it is a number of `range`", arguments.node)
            self.add(result, self.collected("iterator", arguments.node, numbers))
        else:
            self.watch(
                first or Cell(),
                lambda value: self._option_or(value, result, arguments.node),
            )
            self.add(result, Unknown(COMPUTED, arguments.node))

    def _option_or(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, Option):
            self.add(result, value)

    def _special(self, value: Value, name: str, arguments: Arguments) -> None:
        if isinstance(value, Instance) and isinstance(value.cls, Class) and self._defines(value.cls, name):
            self.method(value, name, arguments.node)

    def _unchanged(self, callee: External, arguments: Arguments, result: Cell) -> None:
        cells = [each for each in map(arguments.cell, range(2)) if each]
        if not cells:
            self.add(result, Instance(callee, arguments.node))
        for cell in cells:
            self.watch(cell, lambda value: self._give_back(callee, value, arguments, result))

    def _give_back(self, callee: External, value: Value, arguments: Arguments, result: Cell) -> None:
        is_same = isinstance(value, Literal) and callee.package == "copy"
        if is_same or not isinstance(value, Literal | External):
            self.add(result, value)
        if (isinstance(value, External | Literal) and not is_same) or callee.package == "torch":
            self.add(result, Instance(callee, arguments.node))

    def _run_with_options(self, arguments: Arguments, result: Cell) -> None:
        if not (first := arguments.cell(0)):
            return
        opened = Arguments(arguments.node, (), COMMAND_LINE)
        if self.once("run", arguments):
            self.flow(self.called(first, opened), self.expression_of(arguments.node, "run"))
        self.flow(self.expression_of(arguments.node, "run"), result)

    def expression_of(self, node: cst.CSTNode, part: str) -> Cell:
        """A cell that belongs to a place in the code."""
        return self.element(Sequence("tuple", node, part), OTHER)

    # ---- methods -----------------------------------------------------------------------------------------

    def call_member(self, callee: Member, arguments: Arguments, result: Cell) -> None:
        owner, name, node = callee.receiver, callee.name, arguments.node
        if isinstance(owner, Sequence | Dict | Literal):
            self.call_container(callee, arguments, result)
        elif name in PARSERS:
            self._parsed(name, arguments, result)
        elif name == "load_from_checkpoint":
            self._loaded(owner, arguments, result)
        elif name == "__get__" and isinstance(owner, Function):
            self._bound_to(owner, arguments.cell(0) or Cell(), result, node)
        elif name == "__call__" and isinstance(owner, Super) and self.is_metaclass(owner):
            self.make_within(owner.receiver, arguments, result)
        elif name == "__init__" and self.is_metaclass(owner):
            self._begin_class(arguments, result)
        elif name == "__new__" and self.is_metaclass(owner):
            self.watch(arguments.cell(0) or Cell(), lambda each: self.new_class(each, result, node))
        elif name == "__new__":
            self.watch(arguments.cell(0) or Cell(), lambda cls: self._new(cls, result, node))
        elif name in (
            "__setattr__",
            "register_buffer",
            "register_parameter",
            "register_module",
            "add_module",
        ):
            self._set_named(owner, arguments, result)
        else:
            self._called_member(callee, arguments, result)

    def _called_member(self, callee: Member, arguments: Arguments, result: Cell) -> None:
        owner, name, node = callee.receiver, callee.name, arguments.node
        self.hand_over(arguments, described(callee))
        origin = owner.receiver if isinstance(owner, Super) else owner
        if isinstance(origin, Instance) and isinstance(origin.cls, Class):
            if self._is_container(origin.cls) and not name.startswith("__init__"):
                self.add(result, Unknown(f"it may be kept in {described(origin)}", node))
                return
            if self._calls_back(origin.cls):
                self.escape(origin, described(callee))
            is_module = "LightningModule" in self.lightning_bases(origin.cls)
            if name in GIVE_SELF or (is_module and name in FREEZING):
                self.add(result, origin)
                return
        if name.startswith("__init__"):
            self.add(result, self.none(node))
        elif _depth(callee) > MAX_DEPTH:
            self.add(result, Unknown(f"it is what calling {described(callee)} gives", node))
        else:
            self.add(result, Instance(callee, node))
            if name in GIVE_SELF and isinstance(owner, Instance):
                self.add(result, owner)

    def _is_container(self, cls: Class) -> bool:
        """Whether objects of a class keep what they are given, as a library's base does."""
        return any(each.name in CONTAINERS for each in self.library_bases(cls))

    def _calls_back(self, cls: Class) -> bool:
        """Whether methods that a class has from a library may call those that it has itself."""
        if {"LightningModule", "LightningDataModule"} & {*self.lightning_bases(cls)}:
            return False  # Lightning calls hooks of what `fit` is given
        return any(each.package != "torch" for each in self.library_bases(cls))

    def _parsed(self, name: str, arguments: Arguments, result: Cell) -> None:
        option = Option("args", arguments.node)
        if name == "parse_args":
            self.add(result, option)
        else:
            rest = Option("sys.argv", arguments.node)
            self.add(
                result,
                self.sequence("tuple", arguments.node, map(self.holding, (option, rest))),
            )

    def _loaded(self, owner: Value, arguments: Arguments, result: Cell) -> None:
        """`Net.load_from_checkpoint`: the constructor's arguments come from a file."""
        self.hand_over(arguments, "`load_from_checkpoint`")
        origin = owner.receiver if isinstance(owner, Super) else owner
        cls = origin.cls if isinstance(origin, Instance) else origin
        if not isinstance(cls, Class):
            self.add(result, Instance(Member(owner, "load_from_checkpoint"), arguments.node))
            return
        named = tuple(each for each in arguments.given if each.keyword)
        if self.once("loaded", cls, arguments):
            opened = Arguments(arguments.node, named, "a checkpoint may hold it")
            self.construct(cls, opened, self.expression_of(arguments.node, "loaded"))
        self.flow(self.expression_of(arguments.node, "loaded"), result)

    def _new(self, cls: Value, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(cls, Class):
            self.add(result, Instance(cls, node))

    def _set_named(self, owner: Value, arguments: Arguments, result: Cell) -> None:
        origin = owner.receiver if isinstance(owner, Super) else owner
        self.add(result, self.none(arguments.node))
        self._set_attribute(self.holding(origin), arguments.cell(0), arguments.cell(1), arguments.node)

    def _set_attribute(self, owners: Cell, names: Cell | None, value: Cell | None, node: cst.CSTNode) -> None:
        cell = value or self.unknown("it is set under a name that is not known", node)

        def under(name: Value) -> None:
            is_known = isinstance(name, Literal) and isinstance(name.value, str)
            text = str(name.value) if is_known else ANY_NAME  # type: ignore[union-attr]  # a Literal
            self.watch(owners, lambda owner: self.write(owner, text, cell, node))

        self.watch(names or self.unknown("a name", node), under)

    def _option(self, arguments: Arguments, result: Cell) -> None:
        """What a configuration says, whose value when building is known or not."""
        names, known = arguments.cell(0), arguments.cell(1)
        if names:
            self.watch(names, lambda name: self._named_option(name, result, arguments.node))
        if known:
            self.flow(known, result)

    def _named_option(self, name: Value, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(name, Literal):
            self.add(result, Option(str(name.value), node))

    # ---- builtins ----------------------------------------------------------------------------------------

    def _super(self, arguments: Arguments, result: Cell) -> None:
        node = arguments.node
        cls, function = self.index.class_of(node), self.index.function_of(node)
        if given := arguments.cell(1):
            classes = arguments.cell(0) or Cell()
            self.watch(classes, lambda each: self._super_of(each, given, result))
        elif cls and function and (parameters := [*function.params.posonly_params, *function.params.params]):
            self._super_of(Class(cls), self.of_parameter(parameters[0]), result)
        else:
            self.add(result, Unknown("it is what `super()` gives", node))

    def _super_of(self, cls: Value, receivers: Cell, result: Cell) -> None:
        if isinstance(cls, Class):
            self.watch(
                receivers,
                lambda each: self.add(result, self._super_or_itself(cls, each)),
            )

    def _super_or_itself(self, cls: Class, receiver: Value) -> Value:
        return Super(cls, receiver) if isinstance(receiver, Instance | Class) else receiver

    def _getattr(self, arguments: Arguments, result: Cell) -> None:
        owners, names, node = arguments.cell(0), arguments.cell(1), arguments.node
        if default := arguments.cell(2):
            self.flow(default, result)
        if not owners or not names:
            self.add(result, Unknown("it is an attribute whose name is not known", node))
            return

        def read(name: str) -> None:
            self.watch(owners, lambda owner: self.read(owner, name, result, node))

        def under(name: Value) -> None:
            chosen = self._names_in(name)
            for each in chosen:
                read(each)
            if not chosen:
                self.watch(owners, lambda owner: self._read_any(owner, result, node))

        self.watch(names, under)

    def _names_in(self, value: Value) -> tuple[str, ...]:
        """The names that a value may stand for; none: that is not known."""
        if isinstance(value, Literal):
            return (value.value,) if isinstance(value.value, str) else ()
        return choices_of(self.index, value) if isinstance(value, Option) else ()

    def _read_any(self, owner: Value, result: Cell, node: cst.CSTNode) -> None:
        """An attribute whose name is not known."""
        if isinstance(owner, External):
            self.add(result, self.names.member(owner, ANY_NAME))
        elif isinstance(owner, Option):
            self.add(result, option_in(owner, "[...]"))
        elif isinstance(owner, Unknown):
            self.add(result, owner)
        elif isinstance(owner, Function):
            self.add(result, owner)  # as its `__call__` is
            self.add(result, Unknown("it is an attribute of a function", node))
        else:
            self.escape(owner, "`getattr`")
            self.add(result, Unknown("it is an attribute whose name is not known", node))

    def _setattr(self, arguments: Arguments, result: Cell) -> None:
        self.add(result, self.none(arguments.node))
        if owners := arguments.cell(0):
            self._set_attribute(owners, arguments.cell(1), arguments.cell(2), arguments.node)

    def _type(self, arguments: Arguments, result: Cell) -> None:
        if len(arguments.given) != 1:
            self.hand_over(arguments, "`type`")
            self.add(result, Unknown("it is a class that `type` makes", arguments.node))
            return
        self.watch(
            arguments.given[0].cell,
            lambda value: self._type_of(value, result, arguments.node),
        )

    def _made_by_type(self, arguments: Arguments, result: Cell) -> None:
        """`type.__call__(cls, ...)`."""
        first, *rest = arguments.given or (Argument(Cell()),)
        made = Arguments(arguments.node, tuple(rest), arguments.is_open)
        if self.once("make", arguments):
            self.watch(first.cell, lambda cls: self.make_within(cls, made, result))

    def _begin_class(self, arguments: Arguments, result: Cell) -> None:
        """`type.__init__(cls, ...)`, which does nothing."""
        self.add(result, self.none(arguments.node))

    def _new_class(self, arguments: Arguments, result: Cell) -> None:
        """`type.__new__(metaclass, ...)`."""
        cell = arguments.cell(0) or Cell()
        self.watch(cell, lambda each: self.new_class(each, result, arguments.node))

    def _type_of(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        known = isinstance(value, Instance) and isinstance(value.cls, Class | External)
        is_class = known and not (isinstance(value.cls, External) and value.cls.name[:1].islower())  # type: ignore[union-attr]
        self.add(result, value.cls if is_class else Unknown("it is the type of something", node))  # type: ignore[union-attr]

    def _vars(self, arguments: Arguments, result: Cell) -> None:
        first = arguments.cell(0)
        if first is None:
            self._locals(arguments, result)
            return
        self.watch(first, lambda value: self._vars_of(value, result, arguments.node))

    def _vars_of(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        is_open = isinstance(value, Option | Unknown)
        self.add(result, value if is_open else Dict(node, value))

    def _locals(self, arguments: Arguments, result: Cell) -> None:
        if self.index.function_of(arguments.node) is None:
            self._globals(arguments, result)
        elif self._has_all_its_own(arguments.node):
            self.add(result, self._variables_at(arguments.node))
        else:
            self.add(result, Unknown("it is what `locals()` holds", arguments.node))

    def _has_all_its_own(self, node: cst.CSTNode) -> bool:
        """Whether code is a function's own, and that stands in no other, whose variables it would have too."""
        function = self.index.function_of(node)
        is_inner = function is not None and self.index.function_of(function) is not None
        return self.index.scope_of(node).kind == "function" and not is_inner

    def _variables_at(self, node: cst.CSTNode) -> Dict:
        """A dict of a function's variables, of which some may not be set yet."""
        made = Dict(node)
        for name, variable in self.index.scope_of(node).variables.items():
            self.put(made, name, self.of_variable(variable))
            self.add(self.any_key(made), Literal(name, node))
        return made

    def _globals(self, arguments: Arguments, result: Cell) -> None:
        self.add(result, Dict(arguments.node, is_globals=True))

    def _exec(self, arguments: Arguments, result: Cell) -> None:
        """Code that is not read may set every global variable."""
        self.hand_over(arguments, "`exec`")
        self._put_into_namespaces(arguments, "`exec`")
        self.add(result, self.none(arguments.node))
        self._unless_apart(arguments, lambda: self._set_by_exec(arguments.node))

    def _set_by_exec(self, node: cst.CSTNode) -> None:
        for variable in list(self.index.module.variables.values()):
            self.add(self.of_variable(variable), Unknown("`exec` may set it", node))
            self.watch(self.of_variable(variable), lambda value: self.escape(value, "`exec`"))

    def _eval(self, arguments: Arguments, result: Cell) -> None:
        """It may call what has a name where it stands."""
        self.hand_over(arguments, "`eval`")
        self._put_into_namespaces(arguments, "`eval`")
        self.add(result, Unknown("it is what `eval` or `__import__` gives", arguments.node))
        self._unless_apart(arguments, lambda: self._read_by_eval(arguments.node))

    def _read_by_eval(self, node: cst.CSTNode) -> None:
        names = self.configured.evaluated if evaluates_configuration(self.index, node) else None
        for variable in list(self.index.module.variables.values()):
            if self._is_seen(variable, self.path_of(node)) and _may_be_named(variable.name, names):
                self.watch(self.of_variable(variable), lambda value: self.escape(value, "`eval`"))

    def _put_into_namespaces(self, arguments: Arguments, by: str) -> None:
        """Code that is not read may set anything in the dicts that are its variables."""

        def follow(value: Value) -> None:
            if isinstance(value, Dict):
                self.add(self.element(value, OTHER), Unknown(f"{by} may put it there", arguments.node))

        for argument in arguments.given[1:]:
            self.watch(argument.cell, follow)

    def _is_seen(self, variable: Variable, path: str) -> bool:
        """Whether the code of a file has a global variable: it binds it, or reads it."""
        nodes = (*(each.node for each in variable.bindings), *variable.uses)
        return any(self.path_of(each) == path for each in nodes)

    def _unless_apart(self, arguments: Arguments, rule: Callable[[], None]) -> None:
        """The rule, unless the code is given a dict of its own for its global variables."""

        def follow(value: Value) -> None:
            if not isinstance(value, Dict) or value.is_alias:
                rule()

        self.watch(arguments.cell(1, "globals") or self.holding(self.none(arguments.node)), follow)

    def _property(self, arguments: Arguments, result: Cell) -> None:
        self._described_as("property", arguments, result)

    def _static(self, arguments: Arguments, result: Cell) -> None:
        self._described_as("staticmethod", arguments, result)

    def _class_method(self, arguments: Arguments, result: Cell) -> None:
        self._described_as("classmethod", arguments, result)

    def _described_as(self, kind: str, arguments: Arguments, result: Cell) -> None:
        def describe(value: Value) -> None:
            if isinstance(value, Function):
                self.add(result, Descriptor(kind, value))  # type: ignore[arg-type]  # one of its kinds
            elif not isinstance(value, Literal):
                self.escape(value, f"`{kind}`")
                self.add(
                    result,
                    Unknown(
                        f"it is a `{kind}` of something that is not plain",
                        arguments.node,
                    ),
                )

        self.watch(arguments.cell(0) or Cell(), describe)

    # ---- containers that builtins make ---------------------------------------------------------------------

    def _list(self, arguments: Arguments, result: Cell) -> None:
        self._converted("list", arguments, result)

    def _tuple(self, arguments: Arguments, result: Cell) -> None:
        self._converted("tuple", arguments, result)

    def _set(self, arguments: Arguments, result: Cell) -> None:
        self._converted("set", arguments, result)

    def _iterator(self, arguments: Arguments, result: Cell) -> None:
        self._converted("iterator", arguments, result)

    def _sorted(self, arguments: Arguments, result: Cell) -> None:
        self._call_keys(arguments)
        elements = self.elements_of(arguments.cell(0) or Cell(), arguments.node)
        self.add(result, self.collected("list", arguments.node, elements))

    def _converted(self, kind: str, arguments: Arguments, result: Cell) -> None:
        made = Sequence(kind, arguments.node)  # type: ignore[arg-type]  # one of its kinds
        self.add(result, made)
        if first := arguments.cell(0):
            self.watch(first, lambda value: self._convert(value, made, arguments.node))

    def _convert(self, value: Value, made: Sequence, node: cst.CSTNode) -> None:
        if isinstance(value, Sequence) and value.kind in ("list", "tuple") and made.kind in ("list", "tuple"):
            self.copy(value, made)
        else:
            self.iterate(value, self.element(made, OTHER), node)

    def _dict(self, arguments: Arguments, result: Cell) -> None:
        made = Dict(arguments.node)
        self.add(result, made)
        if self.once("dict", arguments):
            self.fill(made, arguments)

    def _default_dict(self, arguments: Arguments, result: Cell) -> None:
        made = Dict(arguments.node)
        self.add(result, made)
        if (first := arguments.cell(0)) and self.once("default dict", arguments):
            default = self.called(first, Arguments(arguments.node))
            self.flow(default, self.element(made, OTHER))

    def _enumerate(self, arguments: Arguments, result: Cell) -> None:
        node = arguments.node
        elements = self.elements_of(arguments.cell(0) or Cell(), node)
        pair = self.sequence("tuple", node, (self.unknown("it counts", node), elements), "pair")
        self.add(result, self.collected("iterator", node, self.holding(pair)))

    def _zip(self, arguments: Arguments, result: Cell) -> None:
        node = arguments.node
        parts = [self.elements_of(each.cell, node) for each in arguments.given if not each.keyword]
        if any(each.star for each in arguments.given):
            self.add(result, Unknown("it is made by `zip(*...)`", node))
        else:
            whole = self.sequence("tuple", node, parts, "pair")
            self.add(result, self.collected("iterator", node, self.holding(whole)))

    def _map(self, arguments: Arguments, result: Cell) -> None:
        node, first, rest = arguments.node, arguments.given[0], arguments.given[1:]
        parts = tuple(Argument(self.elements_of(each.cell, node)) for each in rest)
        made = self.called(first.cell, Arguments(node, parts)) if self.once("map", arguments) else Cell()
        self.flow(made, self.expression_of(node, "mapped"))
        self.add(result, self.collected("iterator", node, self.expression_of(node, "mapped")))

    def _filter(self, arguments: Arguments, result: Cell) -> None:
        node, first, rest = arguments.node, arguments.given[0], arguments.given[1:]
        elements = self.elements_of(rest[0].cell, node) if rest else Cell()
        if self.once("filter", arguments):
            self.called(first.cell, Arguments(node, (Argument(elements),)))
        self.add(result, self.collected("iterator", node, elements))

    def _next_of(self, arguments: Arguments, result: Cell) -> None:
        if default := arguments.cell(1):
            self.flow(default, result)
        first = arguments.cell(0) or Cell()
        self.watch(first, lambda value: self._next(value, result, arguments.node))

    def _extreme(self, arguments: Arguments, result: Cell) -> None:
        """`min` and `max`: one of the arguments, or of the elements of the only one."""
        self._call_keys(arguments)
        for argument in arguments.given:
            if not argument.keyword or argument.keyword == "default":
                self.flow(argument.cell, result)
                self.flow(self.elements_of(argument.cell, arguments.node), result)

    def _call_keys(self, arguments: Arguments) -> None:
        first = arguments.cell(0)
        for argument in arguments.given:
            if argument.keyword == "key" and first and self.once("key", arguments):
                parts = Arguments(arguments.node, (Argument(self.elements_of(first, arguments.node)),))
                self.called(argument.cell, parts)

    # ---- other modules -----------------------------------------------------------------------------------

    def _partial(self, arguments: Arguments, result: Cell) -> None:
        node = arguments.node
        if isinstance(node, cst.Call) and arguments.given and not arguments.given[0].star:
            self.arguments.setdefault(node, arguments)
            self.add(result, Partial(node))
        else:
            self.hand_over(arguments, "`functools.partial`")
            self.add(result, Unknown("it is a partial of something that is not known", node))

    def _cast(self, arguments: Arguments, result: Cell) -> None:
        """The value, whatever type is said of it."""
        self.flow(arguments.cell(1, "val") or Cell(), result)

    def _as_method(self, arguments: Arguments, result: Cell) -> None:
        """`types.MethodType(function, owner)`"""
        functions, owners = arguments.cell(0) or Cell(), arguments.cell(1) or Cell()
        self.watch(functions, lambda each: self._bound_to(each, owners, result, arguments.node))

    def _bound_to(self, function: Value, owners: Cell, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(function, Function):
            self.watch(owners, lambda owner: self.add(result, BoundMethod(function, owner)))
        else:
            self.add(result, Unknown("it is a method of something that is not known", node))

    def _field(self, arguments: Arguments, result: Cell) -> None:
        """A dataclass takes the default out of it."""
        made = Instance(External("dataclasses.field"), arguments.node)
        self.add(result, made)
        for argument in arguments.given:
            if argument.keyword == "default":
                self.flow(argument.cell, self.attribute(made, FIELD_DEFAULT))
            elif argument.keyword == "default_factory" and self.once("factory", arguments):
                default = self.called(argument.cell, Arguments(arguments.node))
                self.flow(default, self.attribute(made, FIELD_DEFAULT))

    def default_of(self, value: Value, result: Cell) -> None:
        """What a class has where its code assigns a value: of a dataclass's field the default."""
        if isinstance(value, Instance) and value.cls == External("dataclasses.field"):
            self.flow(self.attribute(value, FIELD_DEFAULT), result)
        else:
            self.add(result, value)

    def _replace(self, arguments: Arguments, result: Cell) -> None:
        """Another object of a dataclass, with other values of some fields."""
        if first := arguments.cell(0):
            self.watch(first, lambda value: self._replaced(value, arguments, result))

    def _replaced(self, value: Value, arguments: Arguments, result: Cell) -> None:
        self.add(result, value)
        for argument in arguments.given:
            if argument.keyword:
                self.write(value, argument.keyword, argument.cell, arguments.node)
            elif argument.star:
                part = self.each(
                    argument.cell,
                    lambda each, into: self.value_in(each, into, arguments.node),
                )
                self.write(value, ANY_NAME, part, arguments.node)

    def value_in(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        """Any value of a mapping."""
        if isinstance(value, Dict):
            self.flow(self._values(value, node), result)
        else:
            self._value_of_mapping(value, result, node)

    def _chain(self, arguments: Arguments, result: Cell) -> None:
        node, elements = arguments.node, Cell()
        for argument in arguments.given:
            part = self.elements_of(argument.cell, node)
            self.flow(self.elements_of(part, node) if argument.star else part, elements)
        self.add(result, self.collected("iterator", node, elements))

    def _reorder(self, arguments: Arguments, result: Cell) -> None:
        self.add(result, self.none(arguments.node))
        self.watch(arguments.cell(0) or Cell(), lambda value: self._shuffled(value))

    def _shuffled(self, value: Value) -> None:
        if isinstance(value, Sequence):
            self.shuffle(value)
        elif isinstance(value, Dict):
            self.shrinking.add(value)

    def _any_of(self, arguments: Arguments, result: Cell) -> None:
        self.flow(self.elements_of(arguments.cell(0) or Cell(), arguments.node), result)

    def _split(self, arguments: Arguments, result: Cell) -> None:
        """A list of the parts of a dataset."""
        self.hand_over(arguments, "`random_split`")
        part = self.holding(Instance(External("torch.utils.data.Subset"), arguments.node))
        self.add(result, self.collected("list", arguments.node, part))

    def _reduced(self, arguments: Arguments, result: Cell) -> None:
        self.hand_over(arguments, "`functools.reduce`")
        self.add(result, Unknown("it is what `functools.reduce` gives", arguments.node))
        function, elements = arguments.cell(0), arguments.cell(1)
        if function and elements and self.once("reduce", arguments):
            part = Argument(self.elements_of(elements, arguments.node))
            self.called(function, Arguments(arguments.node, (part, part)))


RULES: dict[str, Rule] = {
    "builtins.__import__": Library._eval,
    "builtins.classmethod": Library._class_method,
    "builtins.dict": Library._dict,
    "builtins.enumerate": Library._enumerate,
    "builtins.eval": Library._eval,
    "builtins.exec": Library._exec,
    "builtins.filter": Library._filter,
    "builtins.frozenset": Library._set,
    "builtins.getattr": Library._getattr,
    "builtins.globals": Library._globals,
    "builtins.iter": Library._iterator,
    "builtins.list": Library._list,
    "builtins.locals": Library._locals,
    "builtins.map": Library._map,
    "builtins.max": Library._extreme,
    "builtins.min": Library._extreme,
    "builtins.next": Library._next_of,
    "builtins.property": Library._property,
    "builtins.reversed": Library._iterator,
    "builtins.set": Library._set,
    "builtins.setattr": Library._setattr,
    "builtins.sorted": Library._sorted,
    "builtins.staticmethod": Library._static,
    "builtins.super": Library._super,
    "builtins.tuple": Library._tuple,
    "builtins.type": Library._type,
    "builtins.type.__call__": Library._made_by_type,
    "builtins.type.__init__": Library._begin_class,
    "builtins.type.__new__": Library._new_class,
    "builtins.vars": Library._vars,
    "builtins.zip": Library._zip,
    "collections.OrderedDict": Library._dict,
    "collections.defaultdict": Library._default_dict,
    "collections.deque": Library._list,
    "dataclasses.field": Library._field,
    "dataclasses.replace": Library._replace,
    "ddpgen.option": Library._option,
    "functools.partial": Library._partial,
    "functools.reduce": Library._reduced,
    "itertools.chain": Library._chain,
    "itertools.cycle": Library._iterator,
    "itertools.islice": Library._iterator,
    "random.choice": Library._any_of,
    "random.shuffle": Library._reorder,
    "torch.utils.data.random_split": Library._split,
    "types.MethodType": Library._as_method,
    "typing.cast": Library._cast,
    "typing_extensions.cast": Library._cast,
}


def _may_be_named(variable: str, names: frozenset[str] | None) -> bool:
    """Whether code with these names may mean a variable."""
    return names is None or any(_is_for(variable.rstrip("_"), each.strip("_")) for each in names)


def _is_for(variable: str, name: str) -> bool:
    """Whether a variable has a name, before which that of its module may stand: vit_net, VitNet."""
    place = len(variable) - len(name)
    module, own = variable[: max(place, 0)], variable[max(place, 0) :]
    is_apart = not module or module.endswith("_") or own[:1].isupper()
    return own.casefold() == name.casefold() and is_apart
