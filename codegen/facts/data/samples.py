"""What a dataset of the user's says that its samples are."""

from __future__ import annotations

import libcst as cst

from ...ir.project import Class, Project
from ...values import Class as ClassValue
from ...values import Instance, Value


def samples_are_tensors(project: Project, dataset: Value) -> bool:
    """Whether a dataset is of a class of the user's whose samples are annotated as tuples of tensors."""
    cls = dataset.cls if isinstance(dataset, Instance) else None
    found = project.classes.get(cls.name) if isinstance(cls, ClassValue) else None
    return found is not None and _gives_tensors(project, found)


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
