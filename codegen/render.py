"""From the script's plan and the user's code to text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import groupby
from typing import Any

import jinja2

from .constructed import known_of, members_of
from .fold import Known
from .imports import import_block
from .lightning_api import PACKAGES
from .names import global_names
from .project import Project
from .rename import renamed, renaming
from .runtime import AFTER, BEFORE, TRAINING, RuntimeDefinition
from .script import DATA, LOGS, MODEL, Definition, Import, Lowered, Script
from .shake import Wanted, attributes_in, shake

NOTHING = "\x00"
BREAK = "\x01"
MARK = "#@"
"""Begins a comment that says where the lines round it come from, in texts that are made to explain a script."""

TEMPLATE_IMPORTS = {
    bound.name: bound
    for bound in (
        Import("dataclass", "dataclasses", "dataclass"),
        Import("timedelta", "datetime", "timedelta"),
        Import("atexit", "atexit"),
        Import("itertools", "itertools"),
        Import("math", "math"),
        Import("os", "os"),
        Import("Path", "pathlib", "Path"),
        Import("Any", "typing", "Any"),
        Import("torch", "torch"),
        Import("dist", "torch.distributed"),
        Import("Tensor", "torch", "Tensor"),
        Import("nn", "torch", "nn"),
        Import("Iterator", "collections.abc", "Iterator"),
        Import("tqdm", "tqdm", "tqdm"),
    )
}
"""What the templates themselves refer to."""


# ---- templates -------------------------------------------------------------------------------------------


def _finalize(value: Any) -> str:
    """Lines keep the indentation of the place where they are put; nothing at all takes its line with it."""
    text = "\n".join(value) if isinstance(value, tuple) else str(value)
    return text.strip("\n").replace("\n", BREAK) if text.strip() else NOTHING


def template_text(name: str) -> str:
    """The template of that name, as it is written."""
    return resources.files("ddpgen.templates").joinpath(f"{name}.jinja").read_text("utf-8")


def _with_marks(name: str) -> str:
    """The template with a mark at the end of each line that gives code."""
    numbered = enumerate(template_text(name).split("\n"), 1)
    return "\n".join(
        f"{line}  {MARK}{name}:{number}" if _gives_code(line.strip()) else line for number, line in numbered
    )


def _gives_code(line: str) -> bool:
    return bool(line) and ("{{" in line or not line.endswith("%}"))


@lru_cache(maxsize=2)
def _environment(marks: bool) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_with_marks if marks else template_text),
        undefined=_Silent,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


class _Silent(jinja2.StrictUndefined):
    """Strict, but for the value of `a if b` without an else, which is nothing."""

    def __str__(self) -> str:  # type: ignore[override]  # the one kind that does not raise
        if self._undefined_hint and "inline if" in self._undefined_hint:
            return ""
        return super().__str__()


def section(name: str, script: Script, part: Any = None, marks: bool = False) -> str:
    """One template's text; `part` is the part of the plan that it is about, where there are several."""

    def nested(inner: str, part: Any = None) -> str:
        return section(inner, script, part, marks)

    text = _environment(marks).get_template(name).render(script=script, section=nested, part=part)
    return _laid_out(text)


def _laid_out(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.replace(NOTHING, "")
        if NOTHING in line and not bare.partition(MARK)[0].strip():
            continue
        indent = bare[: len(bare) - len(bare.lstrip())]
        lines.extend(
            (indent + part if number else part) if part else part
            for number, part in enumerate(bare.split(BREAK))
        )
    return "\n".join(lines).strip("\n")


# ---- the whole -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """The text of the script's own sections."""

    docstring: str
    config: str
    report: str
    validate: str
    fit: str
    evaluations: str
    main: str

    @property
    def code(self) -> str:
        return "\n\n".join((self.config, self.report, self.validate, self.fit, self.evaluations, self.main))


def render(script: Script, lowered: Lowered, project: Project, width: int, marks: bool = False) -> str:
    """The script's text, before black; with `marks`, comments say where lines come from."""

    def filled(name: str, part: Any = None) -> str:
        return section(name, script, part, marks)

    def known(kind: str, name: str, code: str) -> str:
        return f"{MARK}{kind}:{name}\n{code}" if marks and code.strip() else code

    parts = Parts(
        section("docstring", script),
        filled("config"),
        filled("report") if script.failure else "",
        filled("validate") if script.validation and script.fit.is_called else "",
        filled("fit") if script.fit.is_called else "",
        "\n\n\n".join(filled("evaluation", plan) for plan in script.evaluations),
        filled("start" if script.main.is_own else "main"),
    )
    first = "\n".join(script.main.first)
    own_names = global_names(parts.code) | lowered.runtime_names | global_names(first)
    mentioned = frozenset().union(*(attributes_in(each.code) for each in lowered.all_definitions))
    members = _members(script, parts.code, mentioned)
    shaken = shake(Wanted(own_names, members, _known(script, mentioned)))
    kept_imports = _used_imports(project, lowered)
    of_objects = {bound for _, made in script.main.constructions for bound in made.imports}
    own_imports = (
        {TEMPLATE_IMPORTS[name] for name in own_names if name in TEMPLATE_IMPORTS}
        | of_objects
        | set(shaken.imports)
    )
    names = renaming(
        {name for definition in lowered.all_definitions for name in definition.names},
        kept_imports,
        own_imports,
        {definition.name for definition in shaken.definitions},
    )
    own_imports = {Import(names.get(b.name, b.name), b.module, b.attribute) for b in own_imports}

    def own(code: str) -> str:
        code = renamed(code, names)
        code = code.replace(LOGS, script.logs_attribute)
        return code.replace(MODEL, script.model).replace(DATA, script.data or "")

    def runtime(titles: Mapping[str, tuple[str, ...]], title: str) -> str:
        definitions = [
            replace(each, code=known("runtime", each.name, each.code)) for each in shaken.definitions
        ]
        return own(_code_of(definitions, titles[title]))

    written = (parts.report, parts.validate, parts.fit, parts.evaluations, parts.main)
    training = [runtime(TRAINING, "training")]
    training += [known("section", "training", own(code)) for code in written]
    sections = [("config", known("section", "config", own(parts.config)))]
    sections += [(title, runtime(BEFORE, title)) for title in BEFORE]
    sections += [(_user_title(script, lowered), _user_code(lowered.definitions))]
    sections += [(title, runtime(AFTER, title)) for title in AFTER]
    sections += [("training", "\n\n\n".join(filter(None, training)))]
    if any("builtins." in code for _, code in sections):
        own_imports.add(Import("builtins", "builtins"))
    if script.main.is_own:
        own_code = _user_code(lowered.own_main)
        sections.append(
            (
                f"main, from {script.source_name}",
                "\n\n".join(filter(None, (known("section", "first", own(first)), own_code))),
            )
        )
    guard = known("section", "guard", f'if __name__ == "__main__":\n    {names.get("main", "main")}()\n')
    if project.folders:
        own_imports |= {Import("sys", "sys"), TEMPLATE_IMPORTS["Path"]}
    block = import_block({*own_imports, *kept_imports}, project.future_imports, project.folders)
    head = [parts.docstring, known("section", "imports", block)]
    titled = [part for title, code in sections for part in _titled(title, code, width)]
    return "\n\n".join((*head, *titled, *([] if script.main.is_own else [guard])))


def _titled(title: str, code: str, width: int) -> list[str]:
    if not code.strip():
        return []
    head = f"# ---- {title} "
    return [head + "-" * (width - len(head)), code]


def _code_of(definitions: Iterable[RuntimeDefinition], modules: tuple[str, ...]) -> str:
    return "\n\n".join(definition.code for definition in definitions if definition.module in modules)


def _user_title(script: Script, lowered: Lowered) -> str:
    several = len(_files(lowered.all_definitions)) > 1
    return "model and data" if several else f"model and data, from {script.source_name}"


def _files(definitions: Iterable[Definition]) -> set[str]:
    return {definition.origin.path for definition in definitions}


def _user_code(definitions: tuple[Definition, ...]) -> str:
    """The user's statements; where they come from several files, each says from which."""
    if len(_files(definitions)) < 2:
        return "".join(definition.code for definition in definitions).strip("\n")
    parts = [
        f"# from {path}\n" + "".join(definition.code for definition in several).strip("\n")
        for path, several in groupby(definitions, lambda definition: definition.origin.path)
    ]
    return "\n\n\n".join(parts)


def _used_imports(project: Project, lowered: Lowered) -> set[Import]:
    imports = project.imports
    used = {name for definition in lowered.all_definitions for name in global_names(definition.code)}
    local = {bound for definition in lowered.all_definitions for bound in definition.names}
    kept = {
        bound
        for bound in imports
        if bound.name in used and bound.name not in local and bound.module.partition(".")[0] not in PACKAGES
    }
    if "Any" in lowered.runtime_names and not any(bound.name == "Any" for bound in kept):
        kept.add(TEMPLATE_IMPORTS["Any"])
    kept |= {bound for bound in imports if bound.is_star and bound.module.partition(".")[0] not in PACKAGES}
    named = {bound.module for bound in kept}
    return kept | {
        Import(module.partition(".")[0], module, is_local=True, for_effect=True)
        for module in project.doing - named
    }


def _members(script: Script, code: str, user_attributes: frozenset[str]) -> dict[str, frozenset[str]]:
    trainer = script.trainer.members if script.trainer else frozenset[str]()
    attributes = attributes_in(code)
    logs = {"record"} if script.module_members & {"log", "log_dict"} else set()
    logs |= {"callback_metrics"} & trainer
    return {
        "TrainModule": script.module_members,
        "DataModule": script.data_members,
        "Trainer": trainer,
        "Logs": attributes | logs,
        "HParams": script.hparams_members,
        "Ranks": attributes | user_attributes & {"is_main"} | {"rank", "local_rank", "world_size"},
        "Schedule": attributes | {"__post_init__"},
        "JsonlLogger": attributes,
        "ManualOptimizer": _optimizer_members(script),
        "Callback": script.callback_members,
        **{
            made.name: members_of(made, script.callback_members, attributes | user_attributes)
            for made in script.callbacks
        },
    }


def _known(script: Script, mentioned: frozenset[str]) -> dict[str, Known]:
    logging, manual = script.logging, script.manual
    unused = dict(logging.unused_options)
    kinds = (
        {"calls_hook": str(manual.has_step_hook), "shares_gradients": str(manual.shares)} if manual else {}
    )
    return {
        "ManualOptimizer": Known(attributes=kinds),
        "Trainer": Known(
            attributes={} if script.trainer and "note" in script.trainer.members else {"note": "None"}
        ),
        "Logs": Known(unused, logging.absent, logging.absent_types, logging.present),
        "TrainModule": _known_of_module(script, unused),
        **{made.name: known_of(made, mentioned, script.tells_loggers) for made in script.callbacks},
        "parse_config": Known({} if script.main.required else {"required": "None"}),
    }


def _optimizer_members(script: Script) -> frozenset[str]:
    toggles = script.manual is not None and script.manual.toggles_model
    return frozenset({"step", "__getattr__", *(["toggle_model"] if toggles else [])})


def _known_of_module(script: Script, unused_options: Mapping[str, str]) -> Known:
    parameters = {"*positional": "()"} if unused_options else {}
    if not script.module_members & {"optimizers", "manual_backward"}:
        return Known(parameters)
    manual = script.manual
    wraps = manual is not None and manual.wraps
    attributes = {
        "wraps_optimizers": str(wraps),
        "has_backward_hooks": str(manual is not None and manual.has_backward_hooks),
        "shares_gradients": str(manual is not None and manual.shares),
    }
    return Known({**parameters, **({} if wraps else {"use_pl_optimizer": "True"})}, attributes)
