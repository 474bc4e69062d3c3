"""Import statements: merged, sorted and grouped as isort does by default."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

from ..source.definitions import Import


def import_block(
    imports: Collection[Import], future: Iterable[str] = (), for_neighbours: Iterable[str] = ()
) -> str:
    """The statements that bind these names, grouped: __future__, stars, standard library, others, neighbours.

    The neighbours are found after the statements `for_neighbours`.
    """
    stars = {bound for bound in imports if bound.is_star}
    wanted = {
        (each.name, _imported(each)): each for each in sorted(set(imports) - stars, key=_spelt_out)
    }.values()
    groups: list[list[str]] = [
        [f"from __future__ import {', '.join(sorted(set(future)))}"] if set(future) else [],
        _statements([*stars]),  # first, so that what is imported by name is what it says
    ]
    for group in range(3):
        group_statements = _statements([bound for bound in wanted if _group(bound) == group])
        if group == 2:  # for imports in functions, too
            groups.append([*for_neighbours])
        groups.append(group_statements)
    return "\n\n".join("\n".join(group) for group in groups if group)


def sort_key(bound: Import) -> tuple[int, bool, str]:
    """Where an import stands among others."""
    is_from = bound.attribute is not None
    name = "." * bound.level + bound.module if is_from else _plain(bound)
    return (-1 if bound.is_star else _group(bound)), is_from, name.lower()


def _imported(bound: Import) -> str:
    """What is imported: `import a.b` binds `a`, as `import a.c` does, and each is needed."""
    is_inner = bound.attribute is None and bound.name == bound.module.partition(".")[0]
    return bound.module if is_inner else bound.target


def _spelt_out(bound: Import) -> tuple[bool, str]:
    """What is kept last of the ways to import one thing under one name: one that is used, `from torch import nn`."""
    return not bound.for_effect, bound.attribute or ""


def _group(bound: Import) -> int:
    if bound.level or bound.is_local:
        return 2
    return 0 if bound.module.partition(".")[0] in sys.stdlib_module_names else 1


def folder_statement(folder: str) -> str:
    """What has modules found in a folder, which is known as seen from the script's."""
    parts = folder.split("/")
    ups = parts.count("..")
    rest = "".join(f' / "{part}"' for part in parts if part not in ("..", "."))
    return f"sys.path.insert(0, str(Path(__file__).resolve().parents[{ups}]{rest}))"


def _statements(imports: list[Import]) -> list[str]:
    plain = sorted({_plain(bound) for bound in imports if bound.attribute is None}, key=_key)
    by_module: dict[str, set[str]] = {}
    for bound in imports:
        if bound.attribute is not None:
            by_module.setdefault("." * bound.level + bound.module, set()).add(_item(bound))
    return plain + [
        line for module in sorted(by_module, key=str.lower) for line in _froms(module, by_module[module])
    ]


def _froms(module: str, items: set[str]) -> list[str]:
    """One statement for all names, and one for each that gets another name."""
    ordered = sorted(items, key=_member_key)
    together = [item for item in ordered if " as " not in item]
    lines = [f"from {module} import {', '.join(together)}"] if together else []
    return lines + [f"from {module} import {item}" for item in ordered if " as " in item]


def _plain(bound: Import) -> str:
    aliased = bound.name != bound.module.partition(".")[0]
    if bound.for_effect:
        return f"import {bound.module}  # noqa: F401  # for what it does"
    return f"import {bound.module} as {bound.name}" if aliased else f"import {bound.module}"


def _item(bound: Import) -> str:
    assert bound.attribute is not None
    is_plain = bound.attribute == bound.name or bound.is_star
    return bound.attribute if is_plain else f"{bound.attribute} as {bound.name}"


def _key(statement: str) -> str:
    return statement.lower()


def _member_key(item: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    name = item.partition(" ")[0]
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, item
