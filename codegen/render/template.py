"""Templates: from the script's decisions to the text of one section."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache, lru_cache, partial
from importlib import resources
from textwrap import indent
from types import SimpleNamespace
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from platformdirs import user_cache_dir

from ..ir.script import Script
from ..version import __version__

NOTHING = "\x00"
BREAK = "\x01"
MARK = "#@"
"""Begins a comment that says where the lines round it come from, in texts that are made to explain a script."""

COUNTED = re.compile(r"for batch_idx, (.+) in enumerate\((.+?)(?:, first_batch)?\):")
"""The head of a loop over batches."""

LOOP_VARIABLES = {"epoch": "int", "batch_idx": "int", "batch": "Any", "is_last": "bool"}
"""What a function within the loop may read of it, with types."""


def _finalize(value: Any) -> str:
    """Lines keep the indentation of the place where they are put; nothing at all takes its line with it."""
    text = "\n".join(value) if isinstance(value, tuple) else str(value)
    return text.strip("\n").replace("\n", BREAK) if text.strip() else NOTHING


@cache
def template_paths() -> dict[str, str]:
    """All templates, by name: each name is one alone, in whichever folder."""
    root = resources.files("ddpgen.templates")
    folders = sorted(each.name for each in root.iterdir() if each.is_dir() and not each.name.startswith("_"))
    files = ((folder, each.name) for folder in folders for each in root.joinpath(folder).iterdir())
    return {name.removesuffix(".jinja"): f"{folder}/{name}" for folder, name in sorted(files)}


@cache
def template_text(name: str) -> str:
    """The template of that name, as it is written."""
    return resources.files("ddpgen.templates").joinpath(template_paths()[name]).read_text("utf-8")


def _with_marks(name: str) -> str:
    """The template with a mark at the end of each line that gives code."""
    numbered = enumerate(template_text(name).split("\n"), 1)
    return "\n".join(_with_mark(line, f"  {MARK}{name}:{number}") for number, line in numbered)


def _with_mark(line: str, mark: str) -> str:
    if re.search(r"{% filter (under|within|headed)\(", line):
        return line.replace(") %}", f', "{mark}") %}}')
    return line + mark if _gives_code(line.strip()) else line


def _gives_code(line: str) -> bool:
    return bool(line) and ("{{" in line or not line.endswith("%}"))


class TemplateCache(jinja2.FileSystemBytecodeCache):
    """Keeps compiled templates in the user's folder for caches; where that cannot be written, they are compiled anew.

    Jinja tells by a checksum whether a template has changed.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(os.path.join(user_cache_dir("ddpgen", appauthor=False, version=__version__), kind))

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            super().dump_bytecode(bucket)


@lru_cache(maxsize=2)
def _environment(marks: bool) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_with_marks if marks else template_text),
        undefined=_Silent,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        bytecode_cache=TemplateCache("marked" if marks else "plain"),
    )
    environment.filters |= {
        "under": under,
        "uncounted": uncounted,
        "within": within,
        "joined": joined,
        "headed": headed,
        "listed": listed,
        "loop_variables": loop_variables,
        "evaluating": partial(_evaluating, environment),
    }
    return environment


class _Silent(jinja2.StrictUndefined):
    """Strict, but for the value of `a if b` without an else, which is nothing."""

    def __str__(self) -> str:  # type: ignore[override]  # the one kind that does not raise
        if self._undefined_hint and "inline if" in self._undefined_hint:
            return ""
        return super().__str__()


# ---- sections and slots ----------------------------------------------------------------------------------


def section(name: str, script: Script, part: Any = None, marks: bool = False) -> str:
    """One template's text; `part` is what it is about, where there are several."""
    context = _context(script, part, marks)
    return _laid_out(_environment(marks).get_template(name).render(context))


def slot(name: str, script: Script, marks: bool = False) -> str:
    """What the features that apply put into a slot: the blocks of that name in their templates, in their order."""
    environment = _environment(marks)
    applying = (each for each, decisions in script.features.items() if decisions is not None)
    templates = (environment.get_template(each) for each in applying if each in template_paths())
    texts = (_block(template, name, script, marks) for template in templates if name in template.blocks)
    return "\n".join(filter(None, texts))


def _block(template: jinja2.Template, name: str, script: Script, marks: bool) -> str:
    context = template.new_context(_context(script, None, marks))
    return _laid_out("".join(template.blocks[name](context)))


def _context(script: Script, part: Any, marks: bool) -> dict[str, Any]:
    """What templates refer to: each feature's decisions by its name, and what puts other texts in."""

    def text(inner: str, part: Any = None) -> str:
        return section(inner, script, part, marks)

    def expression(inner: str, part: Any = None) -> str:
        return section(inner, script, part)  # marked as a whole, where it stands

    def call(of: str, name: str, arguments: str) -> str:
        trainer = "model.trainer" if name.startswith("on_validation_") else "trainer"
        more = f", {arguments}" if arguments else ""
        called = SimpleNamespace(name=name, arguments=arguments, more=more, trainer=trainer)
        return section(f"{of}_hook", script, called)  # marked as a whole, where it is called

    def callback_hook(name: str, arguments: str = "") -> str:
        return call("callback", name, arguments)

    def model_hook(name: str, arguments: str = "") -> str:
        return call("model", name, arguments)

    def data_hook(name: str, arguments: str = "") -> str:
        return call("data", name, arguments)

    def hook(name: str, arguments: str = "") -> str:
        return "\n".join(filter(None, (callback_hook(name, arguments), model_hook(name, arguments))))

    return {
        **script.features,
        "script": script,
        "asked": script.asked,
        "loads_in_part": "strict_loading" in script.module_members,
        "part": part,
        "section": text,
        "expression": expression,
        "slot": lambda inner: slot(inner, script, marks),
        "callback_hook": callback_hook,
        "model_hook": model_hook,
        "data_hook": data_hook,
        "hook": hook,
    }


# ---- filters ---------------------------------------------------------------------------------------------


def under(text: str, condition: str, mark: str = "") -> str:
    """The lines under a condition, beside the one that they all stand under already."""
    lines = [line for line in _lines(text) if line.strip()]
    if not lines or not condition:
        return text
    margin = " " * (len(lines[0]) - len(lines[0].lstrip()))
    first, *rest = (line.removeprefix(margin) for line in lines)
    if first.startswith("if ") and all(line.startswith((" ", "#")) for line in rest):
        lines = [f"if {condition} and {first.removeprefix('if ')}", *rest]
    else:
        lines = [f"if {condition}:{mark}", *(indent(line, "    ") for line in (first, *rest))]
    return "".join(f"{margin}{line}\n" if line.strip() else "\n" for line in lines)


def joined(text: str, condition: str) -> str:
    """The lines, with what stands under the condition twice in a row under one: nothing in it changes the answer."""
    lines: list[str] = []
    open_at = -1  # the margin of the block under the condition that the last line is in
    for line in (each for each in _lines(text) if each.strip()):
        margin = len(line) - len(line.lstrip())
        is_one = line.partition(MARK)[0].strip() == f"if {condition}:"
        if is_one and margin == open_at:
            continue
        if is_one or margin <= open_at:
            open_at = margin if is_one else -1
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def within(text: str, context: str, mark: str = "") -> str:
    """The lines in a context; without one, as they are."""
    lines = [line for line in _lines(text) if line.strip()]
    if not lines or not context:
        return text
    margin = " " * (len(lines[0]) - len(lines[0].lstrip()))
    return "".join(
        f"{line}\n" for line in (f"{margin}with {context}:{mark}", *(f"    {each}" for each in lines))
    )


def headed(text: str, header: str, mark: str = "") -> str:
    """The lines as the body of what the header begins; nothing, where there are none."""
    lines = [line for line in _lines(text) if line.strip()]
    if not lines:
        return ""
    margin = " " * (len(lines[0]) - len(lines[0].lstrip()))
    return "".join(f"{line}\n" for line in (f"{margin}{header}{mark}", *(f"    {each}" for each in lines)))


def _evaluating(environment: jinja2.Environment, text: str, module: str, run: Any = None) -> str:
    """The lines where the module is in evaluation mode, or as the model's hooks want it, and no gradients are kept."""
    eval_hook, train_hook, keeps_modes = (
        (run.eval_hook, run.train_hook, run.keeps_modes) if run else ("", "", True)
    )
    part = SimpleNamespace(
        module=module,
        body=_laid_out(text),
        eval_hook=eval_hook,
        train_hook=train_hook,
        keeps_modes=keeps_modes,
    )
    return environment.get_template("evaluating").render(part=part)


def uncounted(text: str) -> str:
    """The lines, with a loop over batches that counts them only where something reads their index."""
    lines = _lines(text)
    reads = sum("batch_idx" in line.partition(MARK)[0] for line in lines)
    return text if reads > 1 else "\n".join(COUNTED.sub(r"for \1 in \2:", line) for line in lines)


def listed(text: str) -> str:
    """Lines as parameters, or arguments, of one line."""
    parts = (line.partition(MARK)[0].strip() for line in _lines(text))
    return ", ".join(filter(None, parts))


def loop_variables(text: str) -> str:
    """Parameters for those of the loop's variables that a function in it reads, bound to what they are then."""
    words = set(re.findall(r"\b\w+\b(?!=)", "\n".join(line.partition(MARK)[0] for line in _lines(text))))
    return ", ".join(f"{name}: {kind} = {name}" for name, kind in LOOP_VARIABLES.items() if name in words)


# ---- layout ----------------------------------------------------------------------------------------------


def _laid_out(text: str) -> str:
    return "\n".join(_lines(text)).strip("\n")


def _lines(text: str) -> list[str]:
    """Lines as they are in the script: each indented as its place is, those without anything left out."""
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.replace(NOTHING, "")
        if NOTHING in line and not bare.partition(MARK)[0].strip():
            continue
        margin = bare[: len(bare) - len(bare.lstrip())]
        lines.extend(
            (margin + part if number else part) if part else part
            for number, part in enumerate(bare.split(BREAK))
        )
    return lines
