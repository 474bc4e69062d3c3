"""Lightning's base classes, replaced by the script's own."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ..index.search import code_for
from ..ir.project import Project


def with_script_bases(
    project: Project, own: cst.ClassDef, node: cst.ClassDef, data_has_base: bool, names: Mapping[str, str]
) -> cst.ClassDef:
    """The class with TrainModule for LightningModule, and DataModule, or nothing, for LightningDataModule.

    It is `own` in the user's code.
    """
    instead = {
        "LightningModule": "TrainModule",
        "LightningDataModule": "DataModule" if data_has_base else None,
    }
    bases: list[cst.Arg] = []
    for original, base in zip(own.bases, node.bases, strict=True):
        if project.type_asked(original.value) is not None:
            bases.append(base.with_changes(value=cst.Name("type")))
            continue
        name = project.lightning_name(original.value)
        if name not in instead:
            bases.append(base)
        elif replacement := instead[name]:
            bases.append(base.with_changes(value=cst.Name(names[replacement])))
    if len(bases) == len(node.bases):
        return (
            node
            if all(new is old for new, old in zip(bases, node.bases, strict=True))
            else node.with_changes(bases=bases)
        )
    if bases:
        has_comment = "#" in code_for(bases[-1])
        last = bases[-1] if has_comment else bases[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(bases=[*bases[:-1], last])
    return node.with_changes(bases=[], lpar=cst.MaybeSentinel.DEFAULT, rpar=cst.MaybeSentinel.DEFAULT)
