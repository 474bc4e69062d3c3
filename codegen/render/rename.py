"""The script's own names give way to the user's."""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.rewrites import EVALUATIONS
from ..source.definitions import Import
from ..source.names import BUILTINS, OF_STARS, free_name

OWN = frozenset(
    ("Config", "new_trainer", "attach", "report", "validate", "fit", "start", "main", *EVALUATIONS)
)


def renaming(
    user_names: Iterable[str],
    user_imports: Iterable[Import],
    own_imports: Iterable[Import],
    own_names: Iterable[str],
) -> dict[str, str]:
    """New names for those of the script's that the user's code has for something else."""
    user_imports = set(user_imports)
    bound_alike = {(bound.name, bound.target) for bound in user_imports}
    taken = set(user_names) | {bound.name for bound in user_imports}
    taken |= {name for bound in user_imports if bound.is_star for name in OF_STARS.get(bound.module, ())}
    clashes = (OWN | set(own_names)) & taken
    clashes |= {
        bound.name
        for bound in own_imports
        if bound.name in taken and (bound.name, bound.target) not in bound_alike
    }
    of_user = {bound.target: bound.name for bound in user_imports if not bound.level}
    same = {bound.name: of_user[bound.target] for bound in own_imports if bound.target in of_user}
    renamed_ = {name: same.get(name) or free_name(name, taken) for name in sorted(clashes)}
    return renamed_ | {name: f"builtins.{name}" for name in sorted(taken & BUILTINS - clashes)}
