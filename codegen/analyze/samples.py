"""What a dataset of the user's says that its samples are."""

from __future__ import annotations

import libcst as cst

from ..ir.project import Class, Project
from ..values import Class as ClassValue
from ..values import Instance, values_of


def samples_are_tensors(project: Project, dataset: cst.BaseExpression) -> bool:
    """Whether a dataset surely is of classes of the user's whose samples are annotated as tuples of tensors."""
    classes = [each.cls if isinstance(each, Instance) else None for each in values_of(project).of(dataset)]
    found = [project.classes.get(each.name) if isinstance(each, ClassValue) else None for each in classes]
    return bool(found) and all(cls is not None and _gives_tensors(project, cls) for cls in found)


def _gives_tensors(project: Project, cls: Class) -> bool:
    """Where the annotation is wrong, moving a batch fails."""
    method = cls.methods.get("__getitem__")
    annotation = method.returns.annotation if method is not None and method.returns else None
    if not isinstance(annotation, cst.Subscript) or "__getitems__" in cls.methods:
        return False
    is_tuple = isinstance(annotation.value, cst.Name) and annotation.value.value in ("tuple", "Tuple")
    return is_tuple and all(_is_tensor(project, each.slice) for each in annotation.slice)


def _is_tensor(project: Project, part: cst.BaseSlice) -> bool:
    return isinstance(part, cst.Index) and project.qualified(part.value) == "torch.Tensor"
