"""Defaults that are objects, as LightningCLI describes them: by `class_path` and `init_args`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DescribedDefault:
    """A default that LightningCLI can describe."""

    path: str  # of the class, with its module
    arguments: Mapping[str, str]  # that it is given, as code


def described(code: str, meaning: Callable[[str], str]) -> DescribedDefault | None:
    """Of a class, a call of one with constants by name, or a lambda that returns such a call; None: of anything else.

    What the code calls a class has a `meaning`, its whole path.
    """
    if not code:
        return None
    default = ast.parse(code, mode="eval").body
    if isinstance(default, ast.Name | ast.Attribute):
        return _of_class(default, [], meaning)
    taken = 0
    if isinstance(default, ast.Lambda):
        taken, default = len(default.args.args), default.body
    if not isinstance(default, ast.Call) or len(default.args) > taken:
        return None
    return _of_class(default.func, default.keywords, meaning)


def _of_class(
    named: ast.expr, keywords: Iterable[ast.keyword], meaning: Callable[[str], str]
) -> DescribedDefault | None:
    if not all(isinstance(each.value, ast.Constant) for each in keywords):
        return None
    path = meaning(ast.unparse(named))
    if not path.rpartition(".")[2][:1].isupper():  # a function, which is no description
        return None
    return DescribedDefault(path, {each.arg: ast.unparse(each.value) for each in keywords if each.arg})
