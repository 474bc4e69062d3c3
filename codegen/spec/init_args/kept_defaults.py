"""What LightningCLI keeps of a default that is an object, where its file describes another one.

It describes the default too, and what the file says goes over that: arguments that the file leaves out are those of
the default, as far as the other class takes them.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources

from .object_defaults import DescribedDefault
from .signature import Signature

SignatureOf = Callable[[str], Signature | None]
"""What the class at a whole path is made with; None: that is not known."""


def kept_silently(
    default: DescribedDefault, path: str, given: Iterable[str], signature_of: SignatureOf
) -> Mapping[str, str] | None:
    """What an object of the class at `path` gets of the default, beside what it is `given`; None: that is not known.

    Where it is what the class does anyway, it is left out.
    """
    if path == default.path:
        return _without(default.arguments, given)
    old, new = parameters_of(default.path, signature_of), parameters_of(path, signature_of)
    if old is None:
        return None
    defaults = {name: code for name, code in old.items() if code}
    kept = _without({**defaults, **default.arguments}, given)
    if new is None:
        return None if kept else {}
    return {name: code for name, code in kept.items() if name in new and not _are_equal(code, new[name])}


def _without(arguments: Mapping[str, str], names: Iterable[str]) -> Mapping[str, str]:
    return {name: code for name, code in arguments.items() if name not in names}


def _are_equal(code: str, other: str) -> bool:
    try:
        return bool(ast.literal_eval(code) == ast.literal_eval(other))
    except (SyntaxError, ValueError):
        return code == other


def parameters_of(path: str, signature_of: SignatureOf) -> Mapping[str, str] | None:
    """What the class takes, with the defaults as code; empty: it has none. None: that is not known."""
    signature = signature_of(path)
    if signature is None:
        return _of_torch().get(path)
    if signature.takes_any and not signature.hands_on:
        return None
    return {name: parameter.default for name, parameter in signature.parameters.items()}


def is_torchs(path: str) -> bool:
    """Whether it is known as one of torch's modules, optimizers and schedulers."""
    return path in _of_torch()


@cache
def _of_torch() -> dict[str, dict[str, str]]:
    """The constructors of torch's modules, optimizers and schedulers, as they are written in the file."""
    text = resources.files("ddpgen.spec.init_args").joinpath("torch_signatures.json").read_text("utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found
