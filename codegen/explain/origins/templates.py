"""The loop, and what is round it: lines of the templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ...ir.project import Class
from ...render.template import template_paths
from ...source.source_text import first_line
from ..marks import Marked, Piece
from ..parts import Part, Place, Reason
from ..reasons import REASONS, TEMPLATES
from ..statements import last_line, name_of
from .places import Asked
from .template_lines import callers, fields_of

SECTIONS = {
    "docstring": "What the script is, and how it is started.",
    "beside": "What the module is, which the script imports.",
    "first": "The spec's seed, before anything else.",
    "guard": "The training starts where this file is run as a program.",
}


@dataclass(frozen=True)
class TemplateCode:
    """Reads parts off what the templates gave."""

    asked: Asked
    marked: Marked
    tree: ast.Module
    lines: list[str]

    def parts(self) -> Iterator[Part]:
        """Neighbouring lines that the same field of the plan put there are one part."""
        pieces = {
            line: piece
            for line, piece in self.marked.pieces.items()
            if piece.kind == "section" and piece.name != "imports" and not _is_option(piece)
        }
        for field, numbers in groupby(pieces, lambda line: (_field(pieces[line]), pieces[line].template)):
            for block in _blocks(numbers):
                yield self._part(pieces[block[0]], field[0], block)
        yield from _options(self.asked, self.marked, self.lines)

    def _part(self, piece: Piece, field: str, block: list[int]) -> Part:
        text = "\n".join(self.lines[number - 1] for number in block)
        reason = _hooks(self.asked, text) or self.asked.reason(field) or _of_template(self.asked, piece)
        reason = _joined(reason, self.asked.named_in(text))
        if not piece.template:
            return Part(block[0], block[-1], "head", piece.name, None, reason)
        origin = Place(
            f"ddpgen/templates/{template_paths()[piece.template]}", piece.template_line, piece.template_line
        )
        return Part(block[0], block[-1], "loop", self._function(block[0]), origin, reason)

    def _function(self, number: int) -> str:
        """The name of the function, or class, that a line belongs to."""
        nodes = (node for node in self.tree.body if first_line(node) <= number <= last_line(node))
        return next(filter(None, map(name_of, nodes)), "")


def _is_option(piece: Piece) -> bool:
    return piece.name == "config" and "field.name" in fields_of("config")[piece.template_line]


def _field(piece: Piece) -> str:
    """What put a line there; empty: it stands in its template in any case."""
    if not piece.template:
        return ""
    field = next(iter(fields_of(piece.template)[piece.template_line]), "")
    owner = field.partition(".")[0]
    # a feature's template shows its own fields: its lines have one reason, unless it has another for a field
    return owner if owner == piece.template and field not in REASONS else field


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


def _of_template(asked: Asked, piece: Piece) -> Reason:
    if not piece.template:
        return Reason(SECTIONS[piece.name])
    template = piece.template
    while template in callers() and template not in TEMPLATES:
        template = callers()[template]
    return asked.of(*(TEMPLATES.get(template) or REASONS.get(template) or ("The loop needs it.", "")))


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
            origin = Place(
                f"ddpgen/templates/{template_paths()['config']}", piece.template_line, piece.template_line
            )
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
    if name == "checkpoint_every_n_steps":
        return asked.of("A checkpoint every so many steps.", "spec checkpoint.every_n_steps")
    if name == "checkpoint_every_seconds":
        return asked.of("A checkpoint every so often.", "spec checkpoint.every")
    if name == "checkpoint_keep":
        return asked.of("The checkpoints before the last are kept.", "spec checkpoint.keep")
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
