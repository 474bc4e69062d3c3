"""What LightningCLI trains with: its file over what the code says, with what is linked."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import Any

from ... import messages
from ...diagnostics import CompileError, Diagnostic, Span
from ...ir.told_by_cli import ToldByCli
from ...lightning.api import PACKAGES
from ...lightning.lightning_1 import CLI_ARGUMENTS
from ...spec.init_args.environment import AtRun, FromCode, FromEnvironment
from ...spec.init_args.values import Description
from ...spec.layers import Layer
from ...spec.load import LoadedSpec, checked, is_file, read_layer, read_value, with_layers
from ...spec.sections.strategy_spec import StrategySpec
from ...spec.yaml_file import KeyPath
from ..modules.path_expressions import bound_once, folder_named
from ..spec.class_paths import ClassPaths
from .calls import PARAMETERS, CliCall, Given, cli_call
from .changes.made_trainer import FOLDER_NAME, MadeTrainer
from .changes.other_commands import SUBCOMMANDS
from .changes.settings import FOLDER, Changes
from .changes.trainer import TrainerChanges
from .command_line.arguments import SECTIONS, Arguments, describe_optimizer, over
from .command_line.argv import arguments_made
from .command_line.own_options import value_of
from .commands import only_adds
from .kinds import OF_OTHERS, Kinds
from .known import KnownValues, Unknown, of_the_machine
from .links import Links
from .merging import ZERO, Merging
from .parser import AUTOMATIC, Added, Parser, place_of, setting_path
from .read import ReadCli
from .texts_at_run import names_in, text_at_run

CALLBACKS = ("trainer", "callbacks")
CLASSES = {"model": "model_class", "data": "datamodule_class"}
DRAWN_SEED = 0
"""What Lightning takes where it is to choose."""

CLASSES_OF_LIGHTNING = {
    "trainer_class": ("Trainer", messages.cli_trainer_class),
    "parser_class": ("LightningArgumentParser", messages.cli_parser_class),
}
"""Arguments that change nothing where they are Lightning's own, and what is said of others."""

FILES = (".json", ".yaml", ".yml")
"""How files of settings end."""

BESIDE_CLI = StrategySpec.model_fields.keys() - {
    *("seed_everything", "trainer", "model", "data", "optimizer", "lr_scheduler", "ckpt_path", "weights_only")
}
"""Keys of the spec's that LightningCLI has not."""


def read_cli(
    paths: ClassPaths, loaded: LoadedSpec, model_name: str | None = None, arguments: Sequence[str] = ()
) -> ReadCli | None:
    """With the model of that name, if any, and what its command line is given; None: there is none in the code.

    Raises CompileError where the file has settings that are not known.
    """
    call = cli_call(paths)
    if call is None:
        checked(loaded)
        return None
    return _Settings(call, loaded, model_name, arguments).read()


KWARGS = "parser_kwargs"

OF_FILES, OF_WHOLE = "omegaconf", "omegaconf+"
"""Parsers that resolve interpolations: within each file, or in all that is set, when the command line is read."""


@dataclass
class _Settings:
    cli: CliCall
    loaded: LoadedSpec
    model_name: str | None
    arguments: Sequence[str]  # of the command line
    problems: list[Diagnostic] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    folder: AtRun | None = None  # that the script trains in
    handed: dict[str, str] = field(default_factory=dict)  # variables that have objects, by the objects' keys

    def read(self) -> ReadCli:
        parser = Parser(self.cli)
        self._defaults(parser.defaults)
        parser.read()
        self.merging = Merging(Kinds(self.cli.paths, dict(self._classes()), parser), self._file_named)
        layer = self._layered(parser.defaults)
        named = layer.named() if self._mode == OF_WHOLE else frozenset()
        if named:
            layer.resolve()
        self.problems += self._unread_arguments()
        self.problems += self._unresolved(layer)
        for section in CLASSES:
            if layer.get((section,)) is not None:
                layer.describe((section,))
        self.problems += self._at_run(layer, parser.callbacks)
        self.problems += parser.problems
        self.problems += self._other_classes()
        self.problems += self._unread_constructors()
        self.problems += self._unknown_arguments()
        links = Links(self.cli, layer, parser.links, parser.groups)
        self.problems += links.apply()
        self._as_parsed(layer, parser)
        changing = Changes(self.cli, layer, links, self.command)
        changes = changing.apply()
        texts, kept = changing.texts_asked, tuple(changing.kept_asked)
        self._take_folder(layer)
        config = deepcopy(
            {key: each for key, each in layer.data.items() if key in parser.own or key not in BESIDE_CLI}
        )
        made = TrainerChanges(
            self.cli, layer, links, self.command, is_folder_known=self.folder is None
        ).follow()
        self._say_of(made, layer, config)
        self._callbacks(layer, parser.callbacks, made.callbacks if made else ())
        for name, added in (("optimizer", parser.optimizers), ("lr_scheduler", parser.schedulers)):
            self._optimizer(layer, name, added)
        own = {key: layer.take((key,)).data[()] for key in parser.own if key in layer.data}
        told = {name: layer.data.pop(name, None) for name in self._beside_settings}
        place = place_of(self.cli.module, self.cli.node)
        if told.get("ckpt_path") and self.cli.runs:
            self.notes.append(messages.cli_checkpoint_settings(place))
        if self._of_parser("default_env"):
            self.notes.append(messages.cli_environment(place))
        for section, path in self._classes():
            self._put_unsaid(layer, section, path)
        for section in CLASSES:
            layer.join_arguments((section,))
        if layer.get(("seed_everything",)) is True:
            layer.data["seed_everything"] = DRAWN_SEED
        layer.positions[()] = self.loaded.file.position(())
        file = replace(self.loaded.file, data=layer.data, positions=layer.positions, others=self._texts())
        spec, problems, files = with_layers(self.loaded, file), tuple(self.problems), tuple(self.files)
        by_cli = ToldByCli(
            spec=spec,
            problems=problems,
            own=own,
            config=config,
            files=files,
            does_more=False,
            runs=self.cli.runs,
            command=self.command,
        )
        by_cli = replace(by_cli, ckpt_path=told.get("ckpt_path"), folder=self.folder, notes=tuple(self.notes))
        fixed = changing.fixed | links.fixed | (made.fixed if made else set()) | set(map(setting_path, named))
        by_cli = replace(by_cli, fixed=frozenset(fixed), of_trainer=made.changed if made else frozenset())
        by_cli = replace(by_cli, handed=self.handed, texts=texts)
        read = ReadCli(self.cli, by_cli, frozenset(parser.methods), changes, made, kept)
        return replace(read, told=replace(by_cli, does_more=read.does_more))

    def _as_parsed(self, layer: Layer, parser: Parser) -> None:
        """Sections that have the arguments of a class, in the order in which that takes them."""
        for key, path in parser.groups.items():
            takes, given = (self.cli.paths.signature(path) if path else None), layer.get((key,))
            if takes and isinstance(given, dict):
                names = [*takes.parameters, *(name for name in given if name not in takes.parameters)]
                floats = [name for name, each in takes.parameters.items() if each.annotation == "float"]
                layer.data[key] = {
                    name: float(given[name]) if name in floats and type(given[name]) is int else given[name]
                    for name in names
                    if name in given
                }

    def _say_of(self, made: MadeTrainer | None, layer: Layer, config: dict[str, Any]) -> None:
        """What the method that makes the Trainer asks for, and the folder that it has."""
        for (section, name), value in made.shown.items() if made else ():
            config.setdefault(section, {}).setdefault(name, value)
        if not self._take_folder(layer) and made and made.folder:
            self.folder = FromCode(ast.Name(FOLDER_NAME), {})

    def _take_folder(self, layer: Layer) -> bool:
        """The folder to train in, where a run reads that; False: it does not."""
        folder = layer.get(FOLDER)
        if not isinstance(folder, AtRun):
            return False
        self.folder = folder
        layer.take(FOLDER)
        return True

    @property
    def _beside_settings(self) -> tuple[str, ...]:
        """What the command takes beside what there is to set."""
        if self.command != SUBCOMMANDS[0]:
            return OF_OTHERS
        return OF_OTHERS[:1] if self.cli.runs else ()

    @cached_property
    def command(self) -> str:
        """The one that it is started with, where that is said."""
        args, are_read = self._args
        given = [*(args if isinstance(args, list) else []), *(() if are_read else self.arguments)]
        return given[0] if given and given[0] in SUBCOMMANDS and self.cli.runs else SUBCOMMANDS[0]

    def _texts(self) -> dict[str, tuple[str, ...]]:
        """The lines of the files that settings stand in."""
        modules = {each.path: tuple(each.lines) for each in self.cli.paths.graph.read.values()}
        return modules | {each.as_posix(): tuple(each.read_text("utf-8").split("\n")) for each in self.files}

    def _other_classes(self) -> Iterator[Diagnostic]:
        """Classes of which the script has no part."""
        for name, (own, say) in CLASSES_OF_LIGHTNING.items():
            given = self.cli.arguments.get(name)
            if given and not _is_none(given.node):
                path = self.cli.paths.meaning(given.module, ast.unparse(given.node))
                is_own = path.partition(".")[0] in PACKAGES and path.rpartition(".")[2] == own
                if not is_own and not (name == "trainer_class" and only_adds(self.cli, path)):
                    yield say(place_of(given.module, given.node))

    def _unread_constructors(self) -> Iterator[Diagnostic]:
        """Where what LightningCLI is given may change, or is not known."""
        yield from (messages.cli_unread(place_of(each.module, each.node)) for each in self.cli.unread)
        for found, constructor in self.cli.constructors:
            yield from (messages.cli_unread(place_of(found.module, each)) for each in constructor.unread)
        given = self.cli.arguments.get(KWARGS)
        if given and self._known(KWARGS) is None and not _is_none(given.node):
            yield messages.cli_unread(place_of(given.module, given.node))

    def _unknown_arguments(self) -> Iterator[Diagnostic]:
        """Arguments at which Lightning 2 stops, such as those that Lightning 1 had."""
        for name, given in self.cli.arguments.items():
            if name not in {*PARAMETERS, *self.cli.own_parameters}:
                instead = CLI_ARGUMENTS.get(name, "Remove it.")
                yield messages.no_cli_argument(place_of(given.module, given.node), name, instead)

    # ---- layers ------------------------------------------------------------------------------------------

    def _layered(self, defaults: Layer) -> Layer:
        """The code's defaults, the files that it names, the one that is given, and arguments."""
        layer = defaults
        for path in self._default_files():
            layer = over(self._of_file(path), layer, self.merging)
        folder = Path(self.loaded.path).parent if self.loaded.path else Path()
        layer = over(self._lifted(Layer.of(self.loaded.file), folder), layer, self.merging)
        arguments = Arguments(self._place, self._of_file, self.merging, self.unread)
        args, are_read = self._args
        return arguments.put(arguments.put(layer, args), () if are_read else self.arguments)

    @cached_property
    def _args(self) -> tuple[Sequence[str] | Mapping[str, Any], bool]:
        """What it is given instead of a command line, and whether the program's own is a part of it."""
        if "args" not in self.cli.arguments:
            return (), False
        given = self.cli.followed(self.cli.arguments["args"])
        try:
            value, are_read = arguments_made(self.cli, given, self.arguments)
            if value is not None and not isinstance(value, list | tuple | Mapping):
                raise Unknown(given.node)
            return value or (), are_read
        except Unknown as unknown:
            self.problems.append(messages.cli_unread(place_of(given.module, unknown.node)))
            return (), False

    def _classes(self) -> Iterator[tuple[str, str]]:
        """Those of the model and the data, as the code names them."""
        for section, name in CLASSES.items():
            with suppress(KeyError, Unknown):
                given = self.cli.followed(self.cli.arguments[name])
                yield section, KnownValues(self.cli.paths, given.module).path(given.node)

    def _put_unsaid(self, layer: Layer, section: str, path: str) -> None:
        """What has neither a type nor a default is None where nothing says it, as jsonargparse has it."""
        named = layer.get((section, "class_path"))
        takes = self.cli.paths.signature(named if isinstance(named, str) else path)
        given = layer.get((section, "init_args")) or {}
        for name, each in takes.parameters.items() if takes else ():
            if not (each.annotation or each.default or each.by_place or name in given):
                layer.put((section, "init_args", name), None, self._place)

    @property
    def _place(self) -> Span:
        return place_of(self.cli.module, self.cli.node)[0]

    def _file_named(self, text: str, place: Span) -> Layer | None:
        """A file by its path, as seen from the file that has it, or from where the program is started.

        None: it is no path. Raises CompileError where there is no such file.
        """
        told_in = {self.loaded.path, *(each.as_posix() for each in self.files)}
        folder = Path(place.path).parent if place.path in told_in else Path()
        path = folder / text
        if not is_file(path):
            if path.suffix not in FILES:
                return None
            at = replace(self.loaded.file, others=self._texts()).place(place)
            raise CompileError([messages.cli_file_not_found(at, text, folder.as_posix())])
        self.files.append(path)
        file = read_value(path, last_counts=self._last_counts)
        self.notes += file.notes
        return Layer({(): file.data}, dict(file.positions))

    def _unread_arguments(self) -> Iterator[Diagnostic]:
        """Arguments that lead nowhere, and those of which another class may take some, or not."""
        for key in self.unread:
            yield messages.cli_argument_unread(place_of(self.cli.module, self.cli.node), key)
        texts = self._texts()
        file = replace(self.loaded.file, others=texts)
        for each in self.merging.doubts:
            yield messages.cli_class_changed(file.place(each.place), each.name, each.old, each.new)

    def _of_file(self, path: Path) -> Layer:
        self.files.append(path)
        file = read_layer(path, last_counts=self._last_counts)
        self.notes += file.notes
        return self._lifted(Layer.of(file), path.parent)

    def _lifted(self, layer: Layer, folder: Path) -> Layer:
        """Without the names of commands, as the script runs one, and with what other files in the folder hold."""
        if self._mode == OF_FILES:
            layer.resolve()
        layer.nest()
        names = [name for name in SUBCOMMANDS if self.cli.runs and isinstance(layer.get((name,)), dict)]
        sections = {name: layer.take((name,)) for name in names}
        own = sections.get(self.command)
        layer = self._under_keys(layer)
        if own:
            layer = over(self._under_keys(Layer(own.data[()], own.positions)), layer, self.merging)
        for section in SECTIONS:
            value = layer.get((section,))
            if isinstance(value, str) and (file := folder / value).is_file():
                layer.take((section,))
                layer.graft((section,), self._of_file(file).whole())
        return layer

    def _under_keys(self, layer: Layer) -> Layer:
        """With options of the code's own under their keys, where a file has them as they are given."""
        own = self.merging.kinds.parser.own
        for name in [each for each in layer.data if isinstance(each, str) and each not in own]:
            if (key := name.replace("-", "_")) in own:
                layer.graft((key,), layer.take((name,)))
        return layer

    @property
    def _mode(self) -> str:
        """Who reads the files for the parser."""
        return str((self._known(KWARGS) or {}).get("parser_mode", ""))

    @property
    def _last_counts(self) -> bool:
        """Whether a key may be given twice, which OmegaConf refuses."""
        return self._mode != OF_FILES

    def _unresolved(self, layer: Layer) -> Iterator[Diagnostic]:
        """Interpolations of OmegaConf's that only a run could tell."""
        for path, text in layer.unresolved() if self._mode in (OF_FILES, OF_WHOLE) else ():
            yield messages.cli_interpolation(self._place_of(layer, path), text)

    def _at_run(self, layer: Layer, callbacks: Container[str]) -> Iterator[Diagnostic]:
        """Reads variables of the environment that the script does not read; those that are not set."""
        settings = ((path, value) for path, value in layer.at_run() if path[0] not in callbacks)
        for path, value in settings:
            if path == FOLDER:
                continue
            if isinstance(value, FromCode):
                yield messages.cli_unread(self._place_of(layer, path))
                layer.take(path)
                continue
            known = of_the_machine(path, ast.Constant(value.text))
            if known is None:
                try:
                    known = self._read_here(self._place_of(layer, path), value)
                except KeyError as error:
                    yield messages.cli_variable_unset(self._place_of(layer, path), value.text, error.args[0])
            layer.put(path, known, layer.positions[path].key)

    def _read_here(self, place: messages.Place, value: FromEnvironment) -> Any:
        """What the environment of the build has. Raises KeyError."""
        text = value.known(os.environ)
        self.notes.append(messages.cli_variable_read(place, value.variables, text))
        return value_of(text)

    def _place_of(self, layer: Layer, path: KeyPath) -> messages.Place:
        whole = {(): self.loaded.file.position(())}
        file = replace(self.loaded.file, positions=whole | layer.positions, others=self._texts())
        return file.place(file.position(path).value)

    def _default_files(self) -> Iterator[Path]:
        """Those in `parser_kwargs`, that are there."""
        folders = (Path(), self.cli.paths.graph.entry.place.path.parent)
        for given in self._of_parser("default_config_files"):
            for name in given:
                found = (_files_at(folder / Path(name).expanduser()) for folder in folders)
                yield from next(filter(None, found), ())

    def _of_parser(self, name: str) -> list[Any]:
        """What `parser_kwargs` says of all commands, and of this one."""
        known = self._known(KWARGS) or {}
        of_command = known.get(self.command)
        sections = (known, of_command if isinstance(of_command, dict) else {})
        return [section[name] for section in sections if section.get(name)]

    # ---- what the constructor is given -------------------------------------------------------------------

    def _defaults(self, layer: Layer) -> None:
        """Below what the parser is told."""
        for section, name in CLASSES.items():
            given = self.cli.arguments.get(name) if self.cli.constructors else None
            if given and not self._known(f"subclass_mode_{section}"):
                self._put(layer, (section, "class_path"), given, KnownValues.path)
        if self.model_name and "model_class" not in self.cli.arguments:
            place = place_of(self.cli.module, self.cli.node)[0]
            layer.put(("model", "class_path"), self.cli.paths.whole(self.model_name), place)
        if not self.loaded.is_given("seed_everything"):
            self._seed(layer)
        for key, given in self._items("trainer_defaults"):
            if key != "callbacks":
                self._put(layer, ("trainer", key), given)

    def _seed(self, layer: Layer) -> None:
        given = self.cli.arguments.get("seed_everything_default")
        if given is None or self._known("seed_everything_default") is True:
            layer.put(("seed_everything",), DRAWN_SEED, place_of(self.cli.module, self.cli.node)[0])
        else:
            self._put(layer, ("seed_everything",), given)

    def _put(
        self,
        layer: Layer,
        path: KeyPath,
        given: Given,
        read: Callable[[KnownValues, ast.expr], Any] = KnownValues.value,
    ) -> None:
        named, given = given, self.cli.followed(given)
        constants = self.cli.constants if given.module is self.cli.module else {}
        names = {name: each.value for name, each in constants.items()}
        now = KnownValues(self.cli.paths, given.module, names)
        try:
            value = read(now, given.node)
        except Unknown:
            value = of_the_machine(path, given.node) or self._text_at_run(named)
        try:
            value = value or read(replace(now, at_run=self._may_wait(given)), given.node)
        except Unknown as unknown:
            self.problems.append(messages.cli_unread(place_of(given.module, unknown.node)))
            return
        layer.put(path, value, place_of(given.module, given.node)[0])

    def _text_at_run(self, given: Given) -> FromCode | None:
        return text_at_run(self.cli.paths, given.module, given.node) if self._may_wait(given) else None

    def _may_wait(self, given: Given) -> bool:
        """Whether what its names stand for is the module's, and no variable of the function round the call."""
        return self.cli.local_names(given.module).isdisjoint(names_in(given.node))

    def _items(self, name: str) -> Iterator[tuple[str, Given]]:
        """The entries of a mapping, of which the later ones count."""
        if name in self.cli.arguments:
            yield from self._entries(self.cli.arguments[name])

    def _entries(self, mapping: Given) -> Iterator[tuple[str, Given]]:
        given = self.cli.followed(mapping)
        match given.node:
            case ast.Constant(None):
                return
            case ast.Call(ast.Name("dict"), [] | [_] as first, keywords):
                parts = [(None, each) for each in first] + [(each.arg, each.value) for each in keywords]
            case ast.Dict(keys, values) if all(isinstance(each, ast.Constant | None) for each in keys):
                names = (str(each.value) if isinstance(each, ast.Constant) else None for each in keys)
                parts = [*zip(names, values, strict=True)]
            case ast.BinOp(left, ast.BitOr(), right):
                parts = [(None, left), (None, right)]
            case _:
                self.problems.append(messages.cli_unread(place_of(given.module, given.node)))
                return
        for name, value in parts:
            part = Given(given.module, value)
            yield from [(name, part)] if name else self._entries(part)

    def _known(self, name: str) -> Any:
        """The value of an argument; None: it is not known."""
        if name not in self.cli.arguments:
            return None
        given = self.cli.followed(self.cli.arguments[name])
        node = self._with_paths(given) if name == KWARGS else given.node
        try:
            return KnownValues(self.cli.paths, given.module).value(node)
        except Unknown:
            return None

    def _with_paths(self, given: Given) -> ast.expr:
        """With the paths in it that code puts together, as they are where the build runs."""
        local = self.cli.local_names(given.module)
        bound = {name: each for name, each in bound_once(given.module.tree).items() if name not in local}
        bound |= self.cli.set_once if given.module is self.cli.module else {}
        whole: ast.expr = _WithPaths(given.module.place.path, bound).visit(deepcopy(given.node))
        return whole

    # ---- objects -----------------------------------------------------------------------------------------

    def _callbacks(self, layer: Layer, added: dict[str, Added], others: Sequence[Any]) -> None:
        """Behind those of the Trainer's, the ones that the parser was told of, and those that are always there."""
        for key, each in added.items():
            layer.append(CALLBACKS, _added(layer, key, each))
        for each in others:
            layer.append(CALLBACKS, Layer.single(each, self._place))
        always = dict(self._items("trainer_defaults")).get("callbacks")
        if always is None:
            return
        for each_one in self._listed(always):
            one = Layer()
            name = self._hand_over(one, each_one)
            if not name:
                self._put(one, CALLBACKS, each_one)
            if one.data:
                layer.append(CALLBACKS, one.take(CALLBACKS))
            if name:
                self.handed[".".join(map(str, (*CALLBACKS, len(layer.get(CALLBACKS)) - 1)))] = name

    def _hand_over(self, layer: Layer, given: Given) -> str:
        """The variable for an object of which the code asks more once it is trained; empty: there is none."""
        made = self.cli.made_before(given)
        path = self.cli.paths.meaning(given.module, ast.unparse(made.func)) if made else ""
        if not self.cli.paths.is_class(path):
            return ""
        layer.put(CALLBACKS, {"class_path": path}, place_of(given.module, given.node)[0])
        return ast.unparse(given.node)

    def _listed(self, several: Given) -> Iterator[Given]:
        """What a list holds, those that are unpacked in it too, or the one that stands in its place."""
        given = self.cli.followed(several)
        match given.node:
            case ast.Constant(None):
                return
            case ast.List(parts) | ast.Tuple(parts):
                for part in parts:
                    each = Given(given.module, part.value if isinstance(part, ast.Starred) else part)
                    yield from self._listed(each) if isinstance(part, ast.Starred) else [each]
            case ast.BinOp(left, ast.Add(), right):
                yield from self._listed(Given(given.module, left))
                yield from self._listed(Given(given.module, right))
            case _:
                yield several if self.cli.made_before(several) else given

    def _optimizer(self, layer: Layer, name: str, added: dict[str, Added]) -> None:
        """The one whose class the parser was told."""
        for key, each in added.items():
            if each.link_to != AUTOMATIC:
                self._describe(layer, name, key, each)
            elif each.class_path is not None or layer.get((key,)) is not None:
                layer.graft((name,), _added(layer, key, each))

    def _describe(self, layer: Layer, name: str, key: str, added: Added) -> None:
        """Hand an argument what describes an optimizer or a scheduler; None where no class is named."""
        described = None
        if added.class_path is not None or layer.get((key,)) is not None:
            given = _added(layer, key, added).data[()]
            path = self.cli.paths.whole(given["class_path"], name)
            if self.cli.paths.is_own(path) or path.partition(".")[0] in PACKAGES:
                self.problems.append(messages.cli_optimizer_linked(added.place, path.rpartition(".")[2]))
            described = Description({"class_path": path, "init_args": given.get("init_args", {})})
            if ZERO in given:  # which the build does, and no class is told
                layer.put((name, ZERO), given[ZERO], added.place[0])
        layer.put(setting_path(added.link_to), described, added.place[0])


@dataclass
class _WithPaths(ast.NodeTransformer):
    file: Path  # that the code stands in
    bound: dict[str, ast.expr]  # variables

    def visit_Call(self, node: ast.Call) -> ast.expr:
        path = folder_named(node, self.file, self.bound)
        return ast.copy_location(ast.Constant(path.as_posix()), node) if path else node


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _files_at(pattern: Path) -> list[Path]:
    """The files of a path, which may stand for several."""
    return [found for each in sorted(glob(pattern.as_posix())) if (found := Path(each)).is_file()]


def _added(layer: Layer, key: str, added: Added) -> Layer:
    """The object under a key of its own."""
    if layer.get((key,)) is None:
        layer.put((key,), {}, added.place[0])
    describe_optimizer(layer, key, added.class_path)
    return layer.take((key,))
