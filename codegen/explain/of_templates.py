"""The loop, and what is round it: lines of the templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from ..project import Class
from .asked import Asked
from .marked import Marked, Piece
from .parts import Kind, Part, Place, Reason
from .reasons import TEMPLATES
from .template_lines import fields_of

SECTIONS = {
    "docstring": "What the script is, and how it is started.",
    "first": "The spec's seed, before anything else.",
    "guard": "The training starts where this file is run as a program.",
}


def template_parts(asked: Asked, marked: Marked, lines: list[str]) -> Iterator[Part]:
    """Neighbouring lines that the same field of the plan put there are one part."""
    of_sections = {
        line: piece
        for line, piece in marked.pieces.items()
        if piece.kind == "section" and piece.name != "imports" and not _is_option(piece)
    }
    runs = groupby(of_sections, lambda line: (_field(of_sections[line]), of_sections[line].template))
    for (field, template), numbers in runs:
        yield from (
            _part(asked, of_sections[block[0]], field, template, block, lines) for block in _blocks(numbers)
        )
    yield from _options(asked, marked, lines)


def _is_option(piece: Piece) -> bool:
    return piece.name == "config" and "field.name" in fields_of("config")[piece.template_line]


def _field(piece: Piece) -> str:
    """What put a line there; empty: it stands in its template in any case."""
    if not piece.template:
        return ""
    return next(iter(fields_of(piece.template)[piece.template_line]), "")


def _blocks(numbers: Iterable[int]) -> Iterator[list[int]]:
    """Runs of lines between which nothing else stands."""
    block: list[int] = []
    for number in numbers:
        if block and number != block[-1] + 1:
            yield block
            block = []
        block.append(number)
    if block:
        yield block


def _part(asked: Asked, piece: Piece, field: str, template: str, block: list[int], lines: list[str]) -> Part:
    text = "\n".join(lines[number - 1] for number in block)
    reason = _hooks(asked, text) or asked.reason(field) or _of_template(asked, piece, template)
    reason = _joined(reason, asked.named_in(text))
    origin = Place(f"ddpgen/templates/{template}.jinja", piece.template_line, piece.template_line)
    kind: Kind = "loop" if template else "head"
    name = _function(lines, block[0]) if template else piece.name
    return Part(block[0], block[-1], kind, name, origin if template else None, reason)


def _function(lines: list[str], number: int) -> str:
    """The name of the function, or class, that a line belongs to."""
    headers = (re.match(r"(?:def|class) (\w+)", line) for line in reversed(lines[:number]))
    below = (re.match(r"class (\w+)", line) for line in lines[number:])
    found = next((header for header in headers if header), None) or next(filter(None, below))
    return found[1]


def _joined(reason: Reason, named: Iterable[Reason]) -> Reason:
    """With what the lines themselves name, where that says more."""
    more = [each for each in named if each.sentence not in reason.sentence or each.places]
    sentences = dict.fromkeys(each.sentence for each in more if each.sentence not in reason.sentence)
    places = dict.fromkeys([*reason.places, *(place for each in more for place in each.places)])
    return Reason(" ".join((reason.sentence, *sentences)), tuple(places))


def _hooks(asked: Asked, text: str) -> Reason | None:
    """Lines that call a hook by its name."""
    found = re.match(r"\s*(?:model|data|callback\w*)\.((?:on_|configure_grad|optimizer_|lr_)\w+)\(", text)
    return asked.hook(found[1]) if found else None


def _of_template(asked: Asked, piece: Piece, template: str) -> Reason:
    if template:
        return asked.of(*TEMPLATES.get(template, ("The loop needs it.", "")))
    return Reason(SECTIONS[piece.name])


# ---- options ---------------------------------------------------------------------------------------------


def _options(asked: Asked, marked: Marked, lines: list[str]) -> Iterator[Part]:
    """Each field of `Config`, under the class whose constructor has it, or the settings of training."""
    title = ""
    for number in marked.lines_of("section", "config"):
        above = lines[number - 2].strip()
        title = above.removeprefix("# ") if above.startswith("# ") else title
        piece = marked.pieces[number]
        if _is_option(piece):
            name = lines[number - 1].strip().partition(":")[0]
            origin = Place("ddpgen/templates/config.jinja", piece.template_line, piece.template_line)
            yield Part(number, number, "loop", f"Config.{name}", origin, _option(asked, title, name))


def _option(asked: Asked, title: str, name: str) -> Reason:
    facts = asked.facts
    for cls in (facts.model, facts.data):
        if cls and cls.name == title:
            return _of_constructor(asked, cls, name)
    if name == "seed":
        return asked.of("Random numbers are the same in every run.", "seed")
    if name == "resume":
        return asked.of("A run goes on from its last checkpoint.", "spec checkpoint.resume")
    if name == "out":
        key = "setting default_root_dir" if facts.settings.default_root_dir else "spec checkpoint.dir"
        return asked.of("Where the script writes.", key)
    if name.startswith("checkpoint_"):
        return asked.of("A checkpoint every so many epochs.", "spec checkpoint.every_n_epochs")
    return asked.of("", f"setting {name}")


def _of_constructor(asked: Asked, cls: Class, name: str) -> Reason:
    sentence = f"An argument of `{cls.name}`."
    section = "model" if cls is asked.facts.model else "data"
    key = f"{section}.init_args.{name}"
    given = asked.of("", f"spec {key}") if asked.facts.loaded.is_given(key) else Reason("")
    places = (*asked.parameter(cls, name), *given.places)
    return Reason(" ".join(filter(None, (sentence, given.sentence))), places)
