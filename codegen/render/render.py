"""From the script's plan and the user's code to text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from .. import messages
from ..diagnostics import CompileError
from ..index.renaming import renamed
from ..ir.files import joined
from ..ir.plans import DATA, LOGS, MODEL, TRAINER, data_of_kind, model_of_kind
from ..ir.project import Project
from ..ir.script import Script
from ..runtime import wanted
from ..runtime.declaring_base import BASE, with_declarations
from ..runtime.definitions import RuntimeDefinition, section_of
from ..runtime.remote import INSTEAD
from ..runtime.shake import Shaken, Wanted, shake
from ..source.definitions import Definition, Import, Lowered
from ..source.loaded import is_loaded
from ..source.names import BUILTINS, attributes_in, global_names, imported_for_types
from .imports import folder_statement, import_block
from .kinds import LOOPS, Kinds
from .layout import codes_of, joined_code, laid_out
from .placing.early import Parted, moved_blocks, needed_above, with_late_imports
from .placing.order import Arranged, Block, Material, Needs, arranged
from .rename import renaming
from .template import MARK, section

if TYPE_CHECKING:
    import libcst as cst

    from ..source.source import Source

DEFAULT_HOOKS = "torch.distributed.algorithms.ddp_comm_hooks.default_hooks"
OF_DEFAULT_HOOKS = [f"{kind}_compress_{part}" for kind in ("fp16", "bf16") for part in ("hook", "wrapper")]
OF_PLANS = [*map("PrepareModule{}".format, ("Input", "Output", "InputOutput")), "SequenceParallel"]
NAMED_BY_SPEC = ("comm_hook", "wrapper", "microbatch", "layer_sync")
"""Features that call what the spec names."""

POWER_SGD = "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook"

TEMPLATE_IMPORTS = {
    bound.name: bound
    for bound in (
        Import("deepcopy", "copy", "deepcopy"),
        Import("dataclass", "dataclasses", "dataclass"),
        Import("replace", "dataclasses", "replace"),
        Import("timedelta", "datetime", "timedelta"),
        Import("atexit", "atexit"),
        Import("itertools", "itertools"),
        Import("tempfile", "tempfile"),
        Import("math", "math"),
        Import("os", "os"),
        Import("Path", "pathlib", "Path"),
        Import("SimpleNamespace", "types", "SimpleNamespace"),
        Import("Any", "typing", "Any"),
        Import("torch", "torch"),
        Import("dist", "torch.distributed"),
        Import("Tensor", "torch", "Tensor"),
        Import("nn", "torch", "nn"),
        Import("Iterator", "collections.abc", "Iterator"),
        Import("DistributedDataParallel", "torch.nn.parallel", "DistributedDataParallel"),
        Import("tree_map", "torch.utils._pytree", "tree_map"),
        Import("tqdm", "tqdm", "tqdm"),
        *(
            Import(name, "torch.distributed.fsdp", name)
            for name in ("CPUOffloadPolicy", "MixedPrecisionPolicy")
        ),
        *(Import(name, "torch.distributed.tensor", name) for name in ("Replicate", "Shard")),
        *(Import(name, "torch.distributed.tensor.parallel", name) for name in OF_PLANS),
        *(Import(name, DEFAULT_HOOKS, name) for name in OF_DEFAULT_HOOKS),
        Import("powerSGD_hook", POWER_SGD, "powerSGD_hook"),
    )
}
"""What the templates themselves refer to."""

OF_FOLDERS = {Import("sys", "sys"), TEMPLATE_IMPORTS["Path"]}
"""What the statements refer to after which modules in other folders are found."""


def render(script: Script, lowered: Lowered, project: Project, width: int, marks: bool = False) -> str:
    """The script's text, before black; with `marks`, comments say where lines come from."""
    return _Renderer(script, lowered, project, marks).text(width)


BESIDE = ("attach", "report")
"""What stands behind the functions that it is a part of."""


@dataclass(frozen=True)
class _Sections:
    """The text of the sections that are the script's own."""

    config: str
    training: tuple[str, ...]

    @property
    def code(self) -> str:
        return "\n\n".join((self.config, *self.training))


@dataclass(frozen=True)
class _Renderer:
    """Puts one script together."""

    script: Script
    lowered: Lowered
    project: Project
    marks: bool

    def text(self, width: int) -> str:
        """All of it, with titles that are so wide."""
        material, module = self._material, self.script.module
        if module is None:
            return self._script(material, self._own_imports | self._runtime_imports, width)
        short, machinery = replace(material, machinery=()), Material(machinery=material.machinery)
        imports = self._own_imports | _imports_of(module, short, machinery)
        docstring = self._marked("section", "beside", section("beside", self.script))
        beside = (docstring, *self._beside(machinery, width))
        return joined([self._script(short, imports, width), "\n\n".join(beside)])

    def _script(self, material: Material, imports: set[Import], width: int) -> str:
        """The script itself, with the imports that its own code needs, and with the user's."""
        imports |= self._users_imports
        needs = Needs(material.all, self._reads_annotations)
        moved = moved_blocks(material, needs, self._felt(imports))
        late = moved.late(self._users_imports - self._own_imports - self._runtime_imports)
        order = arranged(self._with_late(material, late), needs, moved.early)
        if moved.behind and needed_above(order, moved.behind, late):
            raise CompileError([messages.imported_behind_training(self._place(moved.behind))])
        imports -= late
        codes = codes_of(order.all, self._reads_annotations)
        imports |= _of_builtins(codes.values())
        heads = self._heads(imports, order, codes)
        parts = laid_out(order, codes, self.script.source_name, width)
        guard = [] if self.script.has_own_main else [self._guard()]
        return "\n\n".join((section("docstring", self.script), *heads, *parts, *guard))

    def _with_late(self, material: Material, late: set[Import]) -> Material:
        """With imports among the statements of the user's main."""
        marked = partial(self._marked, "section", "imports")
        return (
            replace(material, own_main=with_late_imports(material.own_main, late, marked))
            if late
            else material
        )

    def _place(self, block: Block) -> tuple[Source, cst.CSTNode]:
        """Where the user's code has a block."""
        found = {each.origin: each.node for each in self.project.statements}
        assert block.origin is not None
        return self.project.source, found[block.origin]

    def _beside(self, machinery: Material, width: int) -> list[str]:
        """The module beside the script: its imports, and its code."""
        order = arranged(machinery, Needs(machinery.all, self._reads_annotations))
        codes = codes_of(order.all, self._reads_annotations)
        imports = import_block(self._runtime_imports | _of_builtins(codes.values()))
        parts = laid_out(order, codes, self.script.source_name, width)
        return [self._marked("section", "imports", imports), *parts]

    def _heads(self, imports: set[Import], order: Arranged, codes: dict[Block, str]) -> Iterator[str]:
        """The imports, and between them what runs before some of them."""
        future, for_neighbours = self.project.future_imports, self._for_neighbours
        parted = Parted(self._users_imports, self.project.loaded, self.project.acting)
        for parts, blocks in parted.parts(imports, order.early):
            for part in parts:
                yield self._marked("section", "imports", import_block(part, future, for_neighbours))
                future, for_neighbours = (), []
            yield from joined_code(blocks, codes)

    def _felt(self, imports: Iterable[Import]) -> set[str]:
        """The modules of which it matters when they are imported: what the user's code imports, or Lightning."""
        return {each.module for each in imports if is_loaded(each.module, self.project.loaded)}

    @property
    def _reads_annotations(self) -> bool:
        """Whether those of the user's are looked up where they stand."""
        return "annotations" not in self.project.future_imports

    @property
    def _for_neighbours(self) -> list[str]:
        """Statements after which the user's own modules are found."""
        return [renamed(folder_statement(folder), self._names).strip() for folder in self.project.folders]

    @cached_property
    def _material(self) -> Material:
        """All that the script holds but its imports and the guard."""
        is_own = self.script.has_own_main
        return Material(
            self._own_blocks(("config", self._sections.config)),
            tuple(map(_user_block, self._lowered.definitions)),
            self._own_blocks(*(("training", code) for code in self._sections.training)),
            self._own_blocks(("first", self._first)),
            tuple(map(_user_block, self._lowered.own_main if is_own else ())),
            tuple(map(self._runtime_block, self._shaken.definitions)),
        )

    def _guard(self) -> str:
        main = self._names.get("main", "main")
        return self._marked("section", "guard", f'if __name__ == "__main__":\n    {main}()\n')

    # ---- the script's own code ---------------------------------------------------------------------------

    @cached_property
    def _sections(self) -> _Sections:
        script, kinds = self.script, self._kinds
        main = self._filled("start" if script.has_own_main else "main", script)
        new_trainer = self._filled("new_trainer", script) if script.tells_at_once else ""
        beside = kinds.functions(BESIDE)
        loops = [*kinds.functions(LOOPS), *(self._filled("by_kind", script, each) for each in kinds.choosing)]
        return _Sections(self._filled("config", script), (*loops, main, new_trainer, *beside))

    @cached_property
    def _kinds(self) -> Kinds:
        """The functions that train and evaluate models, of each of their kinds."""
        kinds = self.script.kinds or (self.script,)
        return Kinds(kinds, self.script.checked, tuple(dict(self._functions(each)) for each in kinds))

    def _functions(self, script: Script) -> Iterator[tuple[str, str]]:
        if script.trains and script.validates:
            yield "validate", self._filled("validate", script)
        if script.trains:
            yield "fit", self._filled("fit", script)
        for each in script.evaluations:
            yield each.function, self._filled("evaluation", script, each)
        if script.attaches:
            yield "attach", self._filled("attach", script)
        if script.reports:
            yield "report", self._filled("report", script)

    def _filled(self, name: str, script: Script, part: object = None) -> str:
        code = section(name, script, part, self.marks)
        return renamed(code, INSTEAD) if script.is_remote else code

    @property
    def _spec_trainer(self) -> str:
        makes_it = self.script.features["main"].makes_trainer
        return self.lowered.own_main[0].code.strip() if makes_it else ""

    @property
    def _first(self) -> str:
        """What comes before the user's own main."""
        return section("first", self.script) if self.script.has_own_main else ""

    def _own_blocks(self, *sections: tuple[str, str]) -> tuple[Block, ...]:
        marked = (self._marked("section", name, self._with_names(code)) for name, code in sections)
        return tuple(Block("script", code) for code in marked if code.strip())

    def _runtime_block(self, used: RuntimeDefinition) -> Block:
        code = self._with_names(self._marked("runtime", used.name, used.code))
        return Block("runtime", code, section_of(used.module))

    def _marked(self, kind: str, name: str, code: str) -> str:
        return f"{MARK}{kind}:{name}\n{code}" if self.marks and code.strip() else code

    @cached_property
    def _lowered(self) -> Lowered:
        """The user's code, where a class of it may declare what a base of the script's would."""
        return self._with_declarations or self.lowered

    @property
    def _shaken(self) -> Shaken:
        """What the script has of the runtime."""
        return self._needed_of_runtime.without(BASE) if self._with_declarations else self._needed_of_runtime

    @cached_property
    def _with_declarations(self) -> Lowered | None:
        shaken, mentioned = self._needed_of_runtime, self._mentioned | self.script.mentioned
        quotes = "annotations" not in self.project.future_imports
        return with_declarations(self.lowered, shaken, self._names, mentioned, self._with_names, quotes)

    @property
    def _mentioned(self) -> frozenset[str]:
        """Attributes of anything, in the user's code."""
        return frozenset[str]().union(*(attributes_in(each.code) for each in self.lowered.all_definitions))

    @cached_property
    def _needed_of_runtime(self) -> Shaken:
        """What is used of the runtime."""
        members = wanted.members(self.script, self._sections.code, self._mentioned)
        of_names = wanted.known_of_batches(self._own_names) | wanted.known_of_targets(self._own_names)
        known = wanted.known(self.script) | of_names
        return shake(Wanted(self._own_names, members, known, self.script.is_remote))

    # ---- names -------------------------------------------------------------------------------------------

    @cached_property
    def _own_names(self) -> frozenset[str]:
        """Names that the script's own code refers to."""
        used = global_names(self._sections.code) | global_names(self._first)
        return used | self.lowered.runtime_names

    @property
    def _needed(self) -> set[Import]:
        """What the script's own code is to import."""
        features, needed = self.script.features, self._own_names & TEMPLATE_IMPORTS.keys()
        kinds = self.script.kinds or (self.script,)
        named = [each.features[name] for each in kinds for name in NAMED_BY_SPEC if each.features[name]]
        return (
            {bound for each in named for bound in each.imports}
            | {TEMPLATE_IMPORTS[name] for name in needed}
            | {bound for *_, made in features["main"].constructions for bound in made.imports}
            | (OF_FOLDERS if self.project.folders else set())
        )

    @property
    def _own_imports(self) -> set[Import]:
        """The same, by the names that it has there, with what classes of the user's declare in the place of a base."""
        declared = self._lowered.runtime_names & TEMPLATE_IMPORTS.keys()
        return self._by_their_names(self._needed | {TEMPLATE_IMPORTS[name] for name in declared})

    @property
    def _runtime_imports(self) -> set[Import]:
        """What the runtime is to import."""
        return self._by_their_names(self._shaken.imports)

    def _by_their_names(self, imports: Iterable[Import]) -> set[Import]:
        users = {each.name: each for each in self._users_imports}
        return {
            (
                users[each.name]
                if _are_same(users.get(each.name), each)
                else replace(each, name=self._names.get(each.name, each.name))
            )
            for each in imports
        }

    @cached_property
    def _users_imports(self) -> set[Import]:
        return _used_imports(self.project, self.lowered, bool(self._starred))

    @cached_property
    def _starred(self) -> set[str]:
        """Names of the user's code that star imports alone can bind."""
        bound = {bound.name for bound in self.project.imports} | BUILTINS | self.lowered.runtime_names
        return _used_names(self.lowered) - bound if any(map(_is_others_star, self.project.imports)) else set()

    @cached_property
    def _names(self) -> dict[str, str]:
        """The script's own names that give way to the user's, and to what."""
        return renaming(
            {name for each in self.lowered.all_definitions for name in each.names}
            | self._starred
            | self.lowered.hidden,
            self._users_imports,
            self._needed | set(self._needed_of_runtime.imports),
            {*self._kinds.all_names, *(each.name for each in self._needed_of_runtime.definitions)},
        )

    def _with_names(self, code: str) -> str:
        """The script's own code, with its names out of the way of the user's."""
        code = renamed(code, self._names)
        for number, kind in enumerate(self.script.kinds):
            code = code.replace(model_of_kind(number), kind.model)
            code = code.replace(data_of_kind(number), kind.data or "")
        code = code.replace(LOGS, self.script.logs_attribute).replace(TRAINER, self._spec_trainer)
        return code.replace(MODEL, self.script.model).replace(DATA, self.script.data or "")


def _imports_of(module: str, script: Material, machinery: Material) -> set[Import]:
    """What a script imports of the module beside it."""
    bound = {name for block in machinery.all for name in block.bound}
    used = {name for block in script.all for name in block.uses}
    return {Import(name, module, name, is_local=True) for name in bound & used}


def _of_builtins(codes: Iterable[str]) -> set[Import]:
    return {Import("builtins", "builtins")} if any("builtins." in code for code in codes) else set()


def _are_same(one: Import | None, other: Import) -> bool:
    """Whether two statements bind one name to one object: `import torch.nn as nn`, `from torch import nn`."""
    return one is not None and (one.name, one.target) == (other.name, other.target)


def _user_block(definition: Definition) -> Block:
    return Block("user", definition.code, origin=definition.origin, run=definition.run)


def _used_names(lowered: Lowered) -> set[str]:
    """Names that the user's code refers to, and does not define."""
    used = {name for definition in lowered.all_definitions for name in global_names(definition.code)}
    bound = {bound for definition in lowered.all_definitions for bound in definition.names}
    # what one module imports for the type checker alone, another may need when it runs
    return used - (
        bound - {name for each in lowered.all_definitions for name in imported_for_types(each.code)}
    )


def _is_others_star(bound: Import) -> bool:
    return bound.is_star and not bound.is_lightnings


def _used_imports(project: Project, lowered: Lowered, uses_stars: bool) -> set[Import]:
    imports, used = project.imports, _used_names(lowered)
    kept = {bound for bound in imports if bound.name in used and not bound.is_lightnings}
    if "Any" in lowered.runtime_names and not any(bound.name == "Any" for bound in kept):
        kept.add(TEMPLATE_IMPORTS["Any"])
    kept |= set(filter(_is_others_star, imports)) if uses_stars else set()
    named = {name for bound in kept for name in (bound.module, bound.target)}
    return kept | {
        Import(module.partition(".")[0], module, is_local=True, for_effect=True)
        for module in project.doing - named
    }
