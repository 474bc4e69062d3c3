"""Mains of sacred's: `@experiment.automain` runs a function where it is defined, as the last thing of its file."""

from __future__ import annotations

import ast

AUTOMAIN = "automain"


def started_in_a_guard(text: str) -> str | None:
    """The same with sacred's own long form, whose start is a statement; None: the file has no such main."""
    if AUTOMAIN not in text:
        return None
    tree = ast.parse(text)
    last = tree.body[-1]
    decorators = last.decorator_list if isinstance(last, ast.FunctionDef) else []
    for each in decorators[:1]:  # which is run last, with all that the others have made
        match each:
            case ast.Attribute(ast.Name(experiment), "automain") if _is_experiment(tree, experiment):
                lines = text.split("\n")
                line = each.lineno - 1
                lines[line] = lines[line].replace(f"{experiment}.{AUTOMAIN}", f"{experiment}.main", 1)
                guard = f'\n\nif __name__ == "__main__":\n    {experiment}.run_commandline()\n'
                return "\n".join(lines).rstrip() + "\n" + guard
    return None


def _is_experiment(tree: ast.Module, name: str) -> bool:
    """Whether the file makes the object of sacred's class."""
    bound = {
        alias.asname or alias.name: alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "sacred"
        for alias in node.names
    }
    made = [node.value for node in tree.body if isinstance(node, ast.Assign) and _binds(node, name)]
    match made:
        case [ast.Call(ast.Attribute(ast.Name("sacred"), "Experiment"))]:
            return True
        case [ast.Call(ast.Name(called))]:
            return bound.get(called) == "Experiment"
    return False


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
