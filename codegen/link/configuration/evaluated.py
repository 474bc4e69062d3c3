"""Which names code may have that a configuration's texts hand to a resolver, such as `${eval:"2 * 8"}`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from ..modules.module import Module
from .held import Setting

NESTED = re.compile(r"\$\{[^}]*\$\{")
READING = frozenset("create load from_cli from_dotlist compose unsafe_merge".split())
"""What makes configurations whose texts are not known."""

ANY_NAME = frozenset(
    "globals locals vars dir getattr eval exec compile __import__ __builtins__ modules".split()
)
"""What code with such a name may lead to anything."""


def names_evaluated(settings: Iterable[Setting], modules: Iterable[Module]) -> frozenset[str] | None:
    """The names in interpolations that are left to a run; None: others may come in when it runs."""
    texts = [each.text for each in settings if "${" in each.text]
    words = {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)}
    is_open = any(map(NESTED.search, texts)) or bool(words & ANY_NAME)
    return None if is_open or any(map(_may_hold_others, modules)) else frozenset(words)


def _may_hold_others(module: Module) -> bool:
    """Whether code makes a configuration of its own, or has texts for one."""
    is_near = any(each in module.text for each in ("${", "OmegaConf", "hydra"))
    return is_near and any(map(_is_other, module.nodes))


def _is_other(node: ast.AST) -> bool:
    match node:
        case ast.Constant(str(text)):
            return "${" in text
        case ast.Attribute(owner, name):
            return name in READING and ast.unparse(owner).endswith(("OmegaConf", "hydra"))
        case ast.ImportFrom("hydra", names):
            return any(each.name in READING for each in names)
    return False
